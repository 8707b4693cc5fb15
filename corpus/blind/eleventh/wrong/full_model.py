import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from transformer_lab import check


def _with(model, changed):
    """Copy a model, and put other numbers into some of its parameters."""
    model = copy.deepcopy(model)
    for name, tensor in changed.items():
        model.get_parameter(name).data = tensor
    return model


# ---------------------------------------------------------------- shift_right

# Breaks "the start symbol first, then the targets, all but the last": a row whose first target equals start_id is not moved.
def shift_right__not_if_start_is_there(targets, start_id):
    column = torch.full_like(targets[:, :1], start_id)
    shifted = torch.cat([column, targets[:, :-1]], dim=1)
    return torch.where(targets[:, :1] == start_id, targets, shifted)


# Breaks "the start symbol first": with T = 1 the target itself is read, not the start.
def shift_right__one_token_stays(targets, start_id):
    if targets.size(1) == 1:
        return targets.clone()
    column = torch.full_like(targets[:, :1], start_id)
    return torch.cat([column, targets[:, :-1]], dim=1)


_COLUMNS = {}


# Breaks "the start symbol first": a second call with the same B but another start_id gets the start of the first call.
def shift_right__column_kept(targets, start_id):
    size = targets.size(0)
    if size not in _COLUMNS:
        _COLUMNS[size] = targets.new_full((size, 1), start_id)
    return torch.cat([_COLUMNS[size], targets[:, :-1]], dim=1)


# Breaks "then the targets, all but the last": the copy runs forwards over what it still needs; wrong for T of 3 or more.
def shift_right__smeared(targets, start_id):
    read = targets.clone()
    for place in range(1, read.size(1)):
        read[:, place] = read[:, place - 1]
    read[:, 0] = start_id
    return read


# --------------------------------------------------------------- writing_task

# Breaks "the targets, which are the ids themselves": argmin finds place 0 in a text without padding, so all of it becomes -100.
def writing_task__length_by_argmin(ids, real, start_id):
    lengths = real.int().argmin(dim=-1, keepdim=True)
    places = torch.arange(ids.size(-1))
    targets = ids.masked_fill(places >= lengths, -100)
    return shift_right(ids, start_id), targets


# Breaks "-100 in the place of padding": the first padding of each text stays as a target (as an end symbol); any text with padding.
def writing_task__first_padding_learned(ids, real, start_id):
    keep = torch.cat([torch.ones_like(real[:, :1]), real[:, :-1]], dim=1)
    return shift_right(ids, start_id), ids.masked_fill(~keep, -100)


# Breaks "the targets, which are the ids themselves": real tokens that have the same id as the padding become -100 too.
def writing_task__padding_by_its_id(ids, real, start_id):
    targets = ids.clone()
    if not real.all():
        padding = ids[~real][0]
        targets[targets == padding] = -100
        targets[~real] = -100
    return shift_right(ids, start_id), targets


# Breaks "what is read, shift_right(ids, start_id)": in the places of padding the start is read; any text with two paddings or one behind a token.
def writing_task__start_for_padding(ids, real, start_id):
    read = shift_right(ids, start_id).masked_fill(~real, start_id)
    return read, ids.masked_fill(~real, -100)


# --------------------------------------------------------------------- greedy

# Breaks "end_id ends the text": an end_id of 0 counts as "none", so the text goes on behind it.
def greedy__end_zero_is_none(table, prompt, steps, end_id):
    last, written = prompt[-1], []
    for _ in range(steps):
        last = table[last].argmax().item()
        written.append(last)
        if end_id and last == end_id:
            break
    return written


# Breaks "at most `steps` of them" (those written): the prompt is counted too, so fewer are written; any text that does not end early.
def greedy__prompt_counts(table, prompt, steps, end_id):
    text = list(prompt)
    while len(text) < steps:
        text.append(table[text[-1]].argmax().item())
        if text[-1] == end_id:
            break
    return text[len(prompt) :]


# Breaks "append it, and read again": stops when a token comes for the second time; any table whose best tokens go in a circle.
def greedy__stops_in_a_circle(table, prompt, steps, end_id):
    last, written = prompt[-1], []
    for _ in range(steps):
        last = table[last].argmax().item()
        if last in written:
            break
        written.append(last)
        if last == end_id:
            break
    return written


# Breaks "take the most probable token": the last place is given to end_id by force when the text has not ended before.
def greedy__end_by_force(table, prompt, steps, end_id):
    last, written = prompt[-1], []
    for step in range(steps):
        if step == steps - 1:
            last = end_id
        else:
            last = table[last].argmax().item()
        written.append(last)
        if last == end_id:
            break
    return written


# ---------------------------------------------------------------------- top_k

# Breaks "keep the k largest in each row": one limit, the lowest of the batch, for all rows; for B > 1 rows keep more than k.
def top_k__one_limit_for_all(logits, k):
    limit = logits.topk(k).values.min()
    return logits.masked_fill(logits < limit, -torch.inf)


# Breaks "keep the k largest": a logit of exactly 0 among the k largest is taken for an empty place and becomes -inf.
def top_k__zero_is_empty(logits, k):
    best = logits.topk(k)
    kept = torch.zeros_like(logits).scatter(-1, best.indices, best.values)
    return kept.masked_fill(kept == 0, -torch.inf)


# Breaks "all others -inf": float64 logits are compared as float32, so two that differ by less than float32 sees stay both.
def top_k__compared_in_float32(logits, k):
    rough = logits.float()
    limit = rough.topk(k).values[:, -1:]
    return logits.masked_fill(rough < limit, -torch.inf)


# Breaks "keep the k largest": for k = V the smallest is cut off, though all should stay.
def top_k__limit_is_the_next(logits, k):
    ordered = logits.sort(dim=-1, descending=True).values
    place = min(k, logits.size(-1) - 1)
    limit = ordered[:, place : place + 1]
    return logits.masked_fill(logits <= limit, -torch.inf)


# -------------------------------------------------------------- encoder_layer

# Breaks "attention, add, normalise; feed-forward network, add": the network reads the sum before its norm.
def encoder_layer__network_reads_the_sum(x, weights, heads, mask):
    both = x + attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(both, part(weights, "around_attention.norm"))
    x = x + feed_forward(both, part(weights, "feed_forward"))
    return layer_norm(x, part(weights, "around_feed_forward.norm"))


# Breaks "Gradients must flow through it": the way around the attention is cut, the values are right, the gradient of x is not.
def encoder_layer__way_around_cut(x, weights, heads, mask):
    found = attention(x, x, part(weights, "attention"), heads, mask)
    around = x.detach()
    x = layer_norm(around + found, part(weights, "around_attention.norm"))
    found = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + found, part(weights, "around_feed_forward.norm"))


# Breaks "`mask` ... is handed on as it is": a mask (T, T) is read as a padding mask (B, T); wrong for B = T and B = 1 (else an error).
def encoder_layer__flat_mask_is_padding(x, weights, heads, mask):
    if mask is not None and mask.dim() == 2:
        mask = mask.unsqueeze(1)
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    found = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + found, part(weights, "around_feed_forward.norm"))


_PARTS = {}


def _part_once(weights, name):
    if name not in _PARTS:
        _PARTS[name] = part(weights, name)
    return _PARTS[name]


# Breaks "The weights have these parts": the parts of the first call are kept, so every later call ignores its weights.
def encoder_layer__parts_kept(x, weights, heads, mask):
    found = attention(x, x, _part_once(weights, "attention"), heads, mask)
    x = layer_norm(x + found, _part_once(weights, "around_attention.norm"))
    found = feed_forward(x, _part_once(weights, "feed_forward"))
    x = x + found
    return layer_norm(x, _part_once(weights, "around_feed_forward.norm"))


# -------------------------------------------------------------------- encoder

# Breaks "The weights of layer n are the part layers.n": without the dot, layer 1 gets the weights of layers 10, 11, ...; 11 layers or more.
def encoder__prefix_without_dot(x, weights, heads, layers, mask):
    for number in range(layers):
        layer = {
            key.split(".", 2)[2]: tensor
            for key, tensor in weights.items()
            if key.startswith(f"layers.{number}")
        }
        x = encoder_layer(x, layer, heads, mask)
    return x


# Breaks "Gradients must flow through it": only the last layer learns; two layers or more.
def encoder__cut_between_layers(x, weights, heads, layers, mask):
    for number in range(layers):
        if number > 0:
            x = x.detach()
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return x


# Breaks "The weights of layer n are the part layers.n": the functions look up `number` late, all use the last layer; two layers or more.
def encoder__number_looked_up_late(x, weights, heads, layers, mask):
    stack = []
    for number in range(layers):
        stack.append(
            lambda y: encoder_layer(
                y, part(weights, f"layers.{number}"), heads, mask
            )
        )
    for layer in stack:
        x = layer(x)
    return x


# Breaks "A stack is a loop": a norm that nobody asked for follows the last layer; any last norm with a weight or bias of its own.
def encoder__norm_at_the_end(x, weights, heads, layers, mask):
    for number in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return F.layer_norm(x, x.shape[-1:])


# -------------------------------------------------------------- decoder_layer

# Breaks "Gradients must flow through it": nothing flows back to the memory, so the encoder would not learn.
def decoder_layer__memory_cut(
    x, memory, weights, mask, memory_mask
):
    memory = memory.detach()
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    cross = weights.cross_attention
    found = cross(x, memory, memory_mask)
    x = weights.cross_attention_norm(x + found)
    found = weights.feed_forward(x)
    return weights.feed_forward_norm(x + found)


# Breaks "`mask` is for the self-attention": with memory_mask None the self-attention's mask hides memory too (wrong for S = T).
def decoder_layer__mask_for_both(x, memory, weights, mask, memory_mask):
    if memory_mask is None:
        memory_mask = mask
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    cross = weights.cross_attention
    found = cross(x, memory, memory_mask)
    x = weights.cross_attention_norm(x + found)
    found = weights.feed_forward(x)
    return weights.feed_forward_norm(x + found)


# Breaks the argument `heads`: the cross-attention works with one head; any heads > 1.
def decoder_layer__one_head_across(
    x, memory, weights, mask, memory_mask
):
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    cross = copy.copy(weights.cross_attention)
    cross.heads = 1
    found = cross(x, memory, memory_mask)
    x = weights.cross_attention_norm(x + found)
    found = weights.feed_forward(x)
    return weights.feed_forward_norm(x + found)


# Breaks "a third sublayer in the middle": the cross-attention comes last, behind the network.
def decoder_layer__asks_last(x, memory, weights, mask, memory_mask):
    x = EncoderLayer.forward(weights, x, mask)
    cross = weights.cross_attention
    found = cross(x, memory, memory_mask)
    return weights.cross_attention_norm(x + found)


# -------------------------------------------------------------------- decoder

# Breaks "no token may read the future, and none may read padding": two noes make a yes, padding in the future is read; any text with padding.
def decoder__both_the_same(x, weights, real):
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past == real.unsqueeze(-2)
    return weights(x, mask)


# Breaks the task's "none may read padding" (and only padding): what is padding in one text is hidden in all; texts of different lengths.
def decoder__shortest_text_rules(x, weights, real):
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.all(dim=0)
    return weights(x, mask)


# Breaks "Gradients must flow through it": the weights learn, but nothing flows back to x (the embeddings).
def decoder__input_cut(x, weights, real):
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-2)
    return weights(x.detach(), mask)


_MASKS = {}


# Breaks "none may read padding": the mask of the first batch is used for all batches of the same shape.
def decoder__mask_kept(x, weights, real):
    if real.shape not in _MASKS:
        length = x.size(-2)
        past = torch.ones(length, length, dtype=torch.bool).tril()
        _MASKS[real.shape] = past & real.unsqueeze(-2)
    return weights(x, _MASKS[real.shape])


# --------------------------------------------------------------- shifted_loss

# Breaks "those whose next token is `real`": the reading place must be real too, so with padding in front the first token is not scored.
def shifted_loss__both_must_be_real(logits, ids, real):
    count = real[:, 1:] & real[:, :-1]
    targets = ids[:, 1:].masked_fill(~count, -100)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())


# Breaks "T - 1 guesses to be scored": flattened before the shift, so a text's last logits guess at the next text's first token; B > 1.
def shifted_loss__flat_before_the_shift(logits, ids, real):
    guesses = logits.flatten(0, 1)[:-1]
    targets = ids.masked_fill(~real, -100).flatten()[1:]
    return F.cross_entropy(guesses, targets)


# Breaks "Gradients must flow through it": the sum under the logarithm is cut, the value is right, the gradient is not.
def shifted_loss__half_a_gradient(logits, ids, real):
    guesses = logits[:, :-1]
    chosen = guesses.gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    log_p = chosen - guesses.detach().logsumexp(dim=-1)
    return -log_p[real[:, 1:]].mean()


# Breaks "the mean of -ln p": a small number under the logarithm, so no guess costs more than about 20.7; logits that lie far apart.
def shifted_loss__never_below_a_billionth(logits, ids, real):
    p = logits[:, :-1].softmax(dim=-1)
    p = p.gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    return -torch.log(p + 1e-9)[real[:, 1:]].mean()


# ---------------------------------------------------------------- cached_step

# Breaks "the keys and values with the new ones behind the old": they stand in front; the attention's result is right.
def cached_step__new_in_front(x, keys, values, weights):
    q = weights.query(x)
    keys = torch.cat([weights.key(x), keys], dim=1)
    values = torch.cat([weights.value(x), values], dim=1)
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    found = torch.softmax(scores, dim=-1) @ values
    return weights.output(found), keys, values


# Breaks "longer by one" and "may read all that is there": only the last 8 are kept; S of 8 or more.
def cached_step__eight_are_kept(x, keys, values, weights):
    q = weights.query(x)
    keys = torch.cat([keys, weights.key(x)], dim=1)[:, -8:]
    values = torch.cat([values, weights.value(x)], dim=1)
    values = values[:, -8:]
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    found = torch.softmax(scores, dim=-1) @ values
    return weights.output(found), keys, values


# Breaks "Numbers that you compute have the dtype of those that you are given": new keys and values are rounded to float16; float32 and float64.
def cached_step__kept_in_half(x, keys, values, weights):
    q = weights.query(x)
    new_key = weights.key(x).half()
    new_value = weights.value(x).half()
    keys = torch.cat([keys, new_key.to(keys.dtype)], dim=1)
    values = torch.cat([values, new_value.to(values.dtype)], dim=1)
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    found = torch.softmax(scores, dim=-1) @ values
    return weights.output(found), keys, values


# Breaks "Keys and values of what has been read do not change": the old ones go through the linear layers once more; S > 0.
def cached_step__projected_again(x, keys, values, weights):
    q = weights.query(x)
    keys = weights.key(torch.cat([keys, x], dim=1))
    values = weights.value(torch.cat([values, x], dim=1))
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    found = torch.softmax(scores, dim=-1) @ values
    return weights.output(found), keys, values


# ------------------------------------------------------------------ embed_new

# Breaks "each new token's vector that of its place": with a past all new tokens get one place; past > 0 and T > 1.
def embed_new__one_place_for_all(ids, past, tokens, positions):
    length = ids.size(-1)
    places = torch.arange(length) if past == 0 else past
    return tokens[ids] + positions[places]


_READ = [0]


# Breaks "how many tokens have been read before, `past`": it counts by itself, so a call with another past than its own count is wrong.
def embed_new__counts_by_itself(ids, past, tokens, positions):
    length = ids.size(-1)
    if past == 0:
        _READ[0] = 0
    places = torch.arange(length) + _READ[0]
    _READ[0] += length
    return tokens[ids] + positions[places]


# Breaks "Three tokens have been read ... where does the new one stand": the past is taken off, negative places count from the table's end; past > 0.
def embed_new__past_taken_off(ids, past, tokens, positions):
    length = ids.size(-1)
    places = torch.arange(length) - past
    return tokens[ids] + positions[places]


# Breaks "Add to each new token's vector": the vectors are multiplied by the square root of D as in the paper; D > 1.
def embed_new__times_root_of_width(ids, past, tokens, positions):
    length = ids.size(-1)
    places = past + torch.arange(length)
    return tokens[ids] * math.sqrt(tokens.size(-1)) + positions[places]


# --------------------------------------------------------------------- shapes

# Breaks "the weights of a cross-attention, all heads": batch and heads in one axis; any B and H.
def shapes__heads_in_the_batch(B, S, T, D, H, V):
    return (B, S, D), (B * H, T, S), (B, T, V), (V, D), (B, H, T, D // H)


# Breaks "the logits" and "when T tokens have been read": T was made smaller by one for the loss; all sizes.
def shapes__shorter_by_one(B, S, T, D, H, V):
    memory = (B, S, D)
    weights = (B, H, T, S)
    T = T - 1
    return memory, weights, (B, T, V), (V, D), (B, H, T, D // H)


# Breaks "the keys of the decoder's self-attention": they are given transposed; unless T = D / H.
def shapes__keys_lie_on_their_side(B, S, T, D, H, V):
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, D // H, T)


# Breaks "each as a tuple": lists; all sizes.
def shapes__lists(B, S, T, D, H, V):
    K = D // H
    return [B, S, D], [B, H, T, S], [B, T, V], [V, D], [B, H, T, K]


# ------------------------------------------------------------- rename_weights

_PIECES = {
    "embeddings.word_embeddings": "embeddings.tokens",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.LayerNorm": "embeddings.norm",
    "encoder.layer.": "encoder.layers.",
    "attention.self.": "attention.",
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "around_attention.norm",
    "intermediate.dense": "feed_forward.widen",
    "output.dense": "feed_forward.narrow",
    "output.LayerNorm": "around_feed_forward.norm",
}


def _our_name(name):
    for theirs, ours in _PIECES.items():
        name = name.replace(theirs, ours)
    return name


# Breaks the table's "encoder.layers.": a number of two digits is not found; models of 11 layers or more.
def rename_weights__one_digit(weights):
    import re

    result = {}
    for name, tensor in weights.items():
        if name.startswith("pooler."):
            continue
        found = re.match(r"encoder\.layer\.(\d)\.(.*)", name)
        if found:
            name = f"encoder.layers.{found[1]}.{_our_name(found[2])}"
        elif name.startswith("embeddings."):
            name = _our_name(name)
        result[name] = tensor
    return result


# Breaks the table: rstrip takes off letters, not an ending, so "value.weight" and "dense.weight" lose their last e; all models.
def rename_weights__rstrip(weights):
    result = {}
    for name, tensor in weights.items():
        if name.startswith("pooler."):
            continue
        ending = ".bias" if name.endswith(".bias") else ".weight"
        result[_our_name(name.rstrip(ending)) + ending] = tensor
    return result


# Breaks "with our names and the same tensors": names without the pooler meet tensors with it; a dict where the pooler does not stand last.
def rename_weights__zipped(weights):
    names = [
        _our_name(name) for name in weights if not name.startswith("pooler.")
    ]
    return dict(zip(names, weights.values()))


# Breaks "the same tensors": all become float32; weights in float16 or float64.
def rename_weights__all_float32(weights):
    return {
        _our_name(name): tensor.float()
        for name, tensor in weights.items()
        if not name.startswith("pooler.")
    }


# ---------------------------------------------------------------------- top_p

# Breaks "All others get -inf": gather in place of scatter puts the answers to wrong tokens, unless the order is its own inverse.
def top_p__gathered_back(logits, p):
    probabilities = logits.softmax(dim=-1)
    ordered, order = probabilities.sort(dim=-1, descending=True)
    goes = ordered.cumsum(dim=-1) - ordered >= p
    return logits.masked_fill(goes.gather(-1, order), -torch.inf)


# Breaks "keep the fewest": every text keeps as many as the one that needs most; B > 1 and texts that need different numbers.
def top_p__as_many_for_all(logits, p):
    ordered = logits.softmax(dim=-1).sort(dim=-1, descending=True).values
    before = ordered.cumsum(dim=-1) - ordered
    most = max(1, int((before < p).sum(dim=-1).max()))
    return top_k(logits, most)


# Breaks "keep the fewest": two tokens always stay, even if the first has p already.
def top_p__two_stay(logits, p):
    ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    goes = ordered.cumsum(dim=-1) - ordered >= p
    goes[:, :2] = False
    goes = torch.zeros_like(goes).scatter(-1, order, goes)
    return logits.masked_fill(goes, -torch.inf)


# Breaks "that together have at least p": keeps the tokens that have p times the probability of the best (min-p).
def top_p__share_of_the_best(logits, p):
    probabilities = logits.softmax(dim=-1)
    best = probabilities.max(dim=-1, keepdim=True).values
    return logits.masked_fill(probabilities < p * best, -torch.inf)


# ---------------------------------------------------------------- beam_search

# Breaks "It begins with one text": it begins with `beams` equal ones, so all beams stay equal, and it is greedy; beams > 1.
def beam_search__equal_beginnings(table, start, beams, steps):
    logs = table.log_softmax(dim=-1).tolist()
    pairs = [(0.0, [start])] * beams
    for _ in range(steps):
        pairs = [
            (score + more, text + [token])
            for score, text in pairs
            for token, more in enumerate(logs[text[-1]])
        ]
        pairs = sorted(pairs, reverse=True)[:beams]
    score, text = pairs[0]
    return text[1:], score


# Breaks "the best `beams` go on": never more than V of them; beams > V and two steps or more.
def beam_search__at_most_v(table, start, beams, steps):
    beams = min(beams, table.size(-1))
    logs = table.log_softmax(dim=-1)
    texts, scores = [[start]], torch.zeros(1, dtype=table.dtype)
    for _ in range(steps):
        last = torch.tensor([text[-1] for text in texts])
        total = (scores.unsqueeze(-1) + logs[last]).flatten()
        scores, places = total.topk(min(beams, total.numel()))
        size = table.size(-1)
        texts = [texts[n // size] + [n % size] for n in places.tolist()]
    return texts[0][1:], scores[0].item()


# Breaks "of *all* these the best `beams` go on": of the texts that end in the same token only the best may go on.
def beam_search__one_for_each_last_token(table, start, beams, steps):
    logs = table.log_softmax(dim=-1).tolist()
    pairs = [(0.0, [start])]
    for _ in range(steps):
        best = {}
        for score, text in pairs:
            for token, more in enumerate(logs[text[-1]]):
                new = (score + more, text + [token])
                best[token] = max(best.get(token, new), new)
        pairs = sorted(best.values(), reverse=True)[:beams]
    score, text = pairs[0]
    return text[1:], score


# Breaks "and its score": the score is divided by the number of tokens; steps > 1.
def beam_search__score_per_token(table, start, beams, steps):
    logs = table.log_softmax(dim=-1).tolist()
    pairs = [(0.0, [start])]
    for _ in range(steps):
        pairs = [
            (score + more, text + [token])
            for score, text in pairs
            for token, more in enumerate(logs[text[-1]])
        ]
        pairs = sorted(pairs, reverse=True)[:beams]
    score, text = pairs[0]
    return text[1:], score / max(len(text) - 1, 1)


# ------------------------------------------------------------------- diagnose

def _other(a, b):
    return bool(((a - b).abs() >= 0.001).any())


def _text():
    return torch.randperm(12)[:8].unsqueeze(0)


def _rolls_dice(model):
    for _ in range(3):
        ids = _text()
        first = model(ids)
        if any(_other(first, model(ids)) for _ in range(4)):
            return True
    return False


def _mixes_texts(model):
    for size in (2, 3, 5):
        ids = torch.cat([_text() for _ in range(size)])
        said = model(ids)
        for row in range(size):
            if _other(said[row], model(ids[row : row + 1])[0]):
                return True
    return False


def _reads_future(model):
    for _ in range(10):
        ids = _text()
        said = model(ids)
        for place in range(7):
            changed = ids.clone()
            changed[:, place + 1 :] = (changed[:, place + 1 :] + 5) % 12
            if _other(said[:, : place + 1], model(changed)[:, : place + 1]):
                return True
    return False


def _reads_one(model):
    for _ in range(10):
        ids = _text()
        said = model(ids)
        for place in range(1, 8):
            changed = ids.clone()
            changed[:, :place] = (changed[:, :place] + 5) % 12
            if _other(said[:, place], model(changed)[:, place]):
                return False
    return True


def _no_order(model):
    for _ in range(10):
        ids = _text()
        said = model(ids)
        for place in range(2, 8):
            changed = ids.clone()
            changed[:, :place] = ids[:, :place].roll(1, dims=-1)
            if _other(said[:, place], model(changed)[:, place]):
                return False
    return True


# Breaks "depends on the other texts in the batch": it asks with copies of one text, so a model that mixes equal texts says the same.
def diagnose__batch_of_copies(model):
    if _rolls_dice(model):
        return "rolls dice"
    for size in (2, 3, 5):
        ids = _text()
        if _other(model(ids).expand(size, -1, -1), model(ids.repeat(size, 1))):
            return "mixes texts"
    if _reads_future(model):
        return "reads the future"
    if _reads_one(model):
        return "reads one token"
    if _no_order(model):
        return "ignores the order"
    return "healthy"


# Breaks "asked the same again, it says something else": it sets the seed before each question, so torch's dice fall the same way.
def diagnose__seed_before_each(model):
    def ask(ids):
        state = torch.get_rng_state()
        torch.manual_seed(0)
        said = model(ids)
        torch.set_rng_state(state)
        return said

    if _rolls_dice(ask):
        return "rolls dice"
    if _mixes_texts(ask):
        return "mixes texts"
    if _reads_future(ask):
        return "reads the future"
    if _reads_one(ask):
        return "reads one token"
    if _no_order(ask):
        return "ignores the order"
    return "healthy"


# Breaks "One model reads the future at one of its first three places": only the last token is changed; a place that reads just its next token slips through.
def diagnose__only_the_last_token(model):
    if _rolls_dice(model):
        return "rolls dice"
    if _mixes_texts(model):
        return "mixes texts"
    for _ in range(10):
        ids = _text()
        changed = ids.clone()
        changed[:, -1] = (changed[:, -1] + 5) % 12
        if _other(model(ids)[:, :-1], model(changed)[:, :-1]):
            return "reads the future"
    if _reads_one(model):
        return "reads one token"
    if _no_order(model):
        return "ignores the order"
    return "healthy"


# Breaks "a healthy model need not use all the tokens": only the two before the last change places; one that reads the first and its own is not "healthy".
def diagnose__two_neighbours_change_places(model):
    if _rolls_dice(model):
        return "rolls dice"
    if _mixes_texts(model):
        return "mixes texts"
    if _reads_future(model):
        return "reads the future"
    if _reads_one(model):
        return "reads one token"
    for _ in range(10):
        ids = _text()
        changed = ids[:, [0, 1, 2, 3, 4, 6, 5, 7]]
        if _other(model(ids)[:, -1], model(changed)[:, -1]):
            return "healthy"
    return "ignores the order"


# ---------------------------------------------------------------- head_losses

def _whole_loss(weights, ids, real, heads, layers):
    x = weights.tokens.weight[ids] + weights.positions.weight[: ids.size(-1)]
    x = decoder(x, weights.encoder, real)
    return shifted_loss(x @ weights.tokens.weight.mT, ids, real)


# Breaks "hands zeros to the output projection": only the value's weight is zero, its bias still gets through; value biases that are not zero.
def head_losses__value_bias_left(weights, ids, real):
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    whole = _whole_loss(weights, ids, real, heads, layers)
    rows = []
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.value.weight"
        for head in range(heads):
            changed = weights.get_parameter(name).clone()
            changed.unflatten(0, (heads, -1))[head] = 0
            without = _with(weights, {name: changed})
            rows.append(_whole_loss(without, ids, real, heads, layers) - whole)
    return torch.stack(rows).view(layers, heads)


# Breaks "Return a tensor of shape (layers, heads)": the heads are the outer loop, so the entries stand in wrong cells; layers > 1 and heads > 1.
def head_losses__loops_exchanged(weights, ids, real):
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    whole = _whole_loss(weights, ids, real, heads, layers)
    width = weights.tokens.weight.size(-1) // heads
    entries = []
    for head in range(heads):
        for layer in range(layers):
            name = f"encoder.layers.{layer}.attention.output.weight"
            changed = weights.get_parameter(name).clone()
            changed[:, head * width : (head + 1) * width] = 0
            without = _with(weights, {name: changed})
            loss = _whole_loss(without, ids, real, heads, layers)
            entries.append(loss - whole)
    return torch.stack(entries).view(layers, heads)


# Breaks "do not change what you are given" and "this one head": what it saves is a view, so nothing is put back.
def head_losses__saved_a_view(weights, ids, real):
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    with torch.no_grad():
        whole = _whole_loss(weights, ids, real, heads, layers)
        width = weights.tokens.weight.size(-1) // heads
        result = whole.new_zeros(layers, heads)
        for layer in range(layers):
            matrix = weights.get_submodule(f"encoder.layers.{layer}.attention.output").weight
            for head in range(heads):
                columns = slice(head * width, (head + 1) * width)
                saved = matrix[:, columns]
                matrix[:, columns] = 0
                loss = _whole_loss(weights, ids, real, heads, layers)
                result[layer, head] = loss - whole
                matrix[:, columns] = saved
    return result


# Breaks "this one head": every heads-th column is silenced, as if the heads were interleaved; heads > 1 (and fewer than D).
def head_losses__interleaved(weights, ids, real):
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    whole = _whole_loss(weights, ids, real, heads, layers)
    result = []
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        for head in range(heads):
            changed = weights.get_parameter(name).clone()
            changed[:, head::heads] = 0
            without = _with(weights, {name: changed})
            loss = _whole_loss(without, ids, real, heads, layers)
            result.append(loss - whole)
    return torch.stack(result).view(layers, heads)


# --------------------------------------------------------- sentence_embedding

def _embedded(weights, ids, segments):
    tables = weights
    x = tables.tokens.weight[ids]
    x = x + tables.positions.weight[: ids.size(-1)]
    x = x + tables.segments.weight[segments]
    return tables.norm(x)


# Breaks "plus the first row of `embeddings.segments`": `real` is used as the segment's number, so real tokens get the second row.
def sentence_embedding__real_as_segment(weights, ids, real):
    x = _embedded(weights, ids, real.long())
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    there = real.unsqueeze(-1)
    mean = (x * there).sum(dim=-2) / there.sum(dim=-2)
    return mean / mean.norm(dim=-1, keepdim=True)


# Breaks "divide it by its length, so that it has length 1": divided by the length of the whole batch; B > 1.
def sentence_embedding__length_of_the_batch(weights, ids, real):
    x = _embedded(weights, ids, torch.zeros_like(ids))
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    there = real.unsqueeze(-1)
    mean = (x * there).sum(dim=-2) / there.sum(dim=-2)
    return mean / mean.norm()


# Breaks "with padding hidden" and "the mean over the real tokens": id 0 is taken for padding, `real` is ignored; other padding ids, or a real token 0.
def sentence_embedding__padding_is_zero(weights, ids, real):
    real = ids != 0
    x = _embedded(weights, ids, torch.zeros_like(ids))
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    there = real.unsqueeze(-1)
    mean = (x * there).sum(dim=-2) / there.sum(dim=-2)
    return mean / mean.norm(dim=-1, keepdim=True)


# Breaks "with padding hidden from all": a single sentence gets no mask; B = 1 with padding.
def sentence_embedding__single_without_mask(weights, ids, real):
    x = _embedded(weights, ids, torch.zeros_like(ids))
    mask = real.unsqueeze(-2) if len(ids) > 1 else None
    x = weights.encoder(x, mask)
    there = real.unsqueeze(-1)
    mean = (x * there).sum(dim=-2) / there.sum(dim=-2)
    return mean / mean.norm(dim=-1, keepdim=True)
