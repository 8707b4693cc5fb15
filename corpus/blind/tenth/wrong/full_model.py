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


# shift_right


def shift_right__in_place(targets, start_id):
    """Writes into the targets that were handed in."""
    targets[:, 1:] = targets[:, :-1].clone()
    targets[:, 0] = start_id
    return targets


def shift_right__drops_first(targets, start_id):
    """Drops the first target instead of the last, so nothing is moved."""
    start = torch.full_like(targets[:, :1], start_id)
    return torch.cat([start, targets[:, 1:]], dim=1)


def shift_right__one_text(targets, start_id):
    """The start is made for one text only, so it fails for a larger batch."""
    start = torch.tensor([[start_id]])
    return torch.cat((start, targets[:, :-1]), dim=1)


def shift_right__floats(targets, start_id):
    """What is read are floats instead of whole numbers."""
    read = torch.zeros(targets.shape)
    read[:, 0] = start_id
    read[:, 1:] = targets[:, :-1]
    return read


# writing_task


def writing_task__reads_ignored(ids, real, start_id):
    """What is read has -100 in the place of padding too."""
    targets = ids.masked_fill(~real, -100)
    return shift_right(targets, start_id), targets


def writing_task__pad_is_zero(ids, real, start_id):
    """Takes every id 0 for padding instead of asking real."""
    read = shift_right(ids, start_id)
    return read, torch.where(ids == 0, -100, ids)


def writing_task__in_place(ids, real, start_id):
    """Writes -100 into the ids that were handed in."""
    read = shift_right(ids, start_id)
    ids[~real] = -100
    return read, ids


def writing_task__mask_shifted(ids, real, start_id):
    """The mask is shifted as well, so the first padding of each text is a target."""
    seen = shift_right(real, True)
    return shift_right(ids, start_id), ids.masked_fill(~seen, -100)


# greedy


def greedy__with_prompt(table, prompt, steps, end_id):
    """Returns the prompt too, before what was written."""
    text = list(prompt)
    for _ in range(steps):
        text.append(int(table[text[-1]].argmax()))
        if text[-1] == end_id:
            break
    return text


def greedy__column(table, prompt, steps, end_id):
    """Looks up the column of the last token instead of its row."""
    last, written = prompt[-1], []
    while len(written) < steps:
        last = table[:, last].argmax().item()
        written.append(last)
        if last == end_id:
            break
    return written


def greedy__prompt_grows(table, prompt, steps, end_id):
    """Appends to the prompt that was handed in."""
    begin = len(prompt)
    for _ in range(steps):
        prompt.append(torch.argmax(table[prompt[-1]]).item())
        if prompt[-1] == end_id:
            break
    return prompt[begin:]


def greedy__steps_with_prompt(table, prompt, steps, end_id):
    """Counts the tokens of the prompt as steps, all but the last one."""
    text = list(prompt)
    while len(text) < steps + 1:
        text.append(table[text[-1]].argmax().item())
        if text[-1] == end_id:
            break
    return text[len(prompt) :]


# top_k


def top_k__one_threshold(logits, k):
    """One threshold for the whole batch: the smallest of all rows' k-th largest."""
    least = logits.topk(k, dim=-1).values.min()
    return logits.masked_fill(logits < least, -torch.inf)


def top_k__in_place(logits, k):
    """Fills the logits that were handed in."""
    least = torch.topk(logits, k).values[:, -1:]
    return logits.masked_fill_(logits < least, float("-inf"))


def top_k__zeros(logits, k):
    """All others get 0 instead of -inf."""
    values, places = logits.topk(k)
    return torch.zeros_like(logits).scatter(-1, places, values)


def top_k__float64(logits, k):
    """NumPy's default makes the result float64."""
    import numpy as np

    given = logits.detach().numpy()
    out = np.full(given.shape, -np.inf)
    best = np.argsort(given, axis=-1)[:, -k:]
    np.put_along_axis(out, best, np.take_along_axis(given, best, -1), -1)
    return torch.from_numpy(out)


# encoder_layer


def encoder_layer__one_norm(x, weights, heads, mask):
    """Both norms use the weights of the norm behind the attention."""
    norm = part(weights, "around_attention.norm")
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, norm)
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, norm)


def encoder_layer__thinks_of_found(x, weights, heads, mask):
    """The network reads what attention has found, instead of the normalised sum."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(found, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__mask_turned(x, weights, heads, mask):
    """The mask is inverted before it is handed on."""
    hidden = None if mask is None else ~mask
    found = attention(x, x, part(weights, "attention"), heads, hidden)
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__parallel(x, weights, heads, mask):
    """The network reads the layer's input beside the attention, not what attention made of it."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    thought = feed_forward(x, part(weights, "feed_forward"))
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


# encoder


def encoder__backwards(x, weights, heads, layers, mask):
    """Goes through the layers from the last to the first."""
    for number in reversed(range(layers)):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return x


def encoder__mask_once(x, weights, heads, layers, mask):
    """Only layer 0 gets the mask."""
    for number in range(layers):
        own = part(weights, f"layers.{number}")
        x = encoder_layer(x, own, heads, mask)
        mask = None
    return x


def encoder__no_dot(x, weights, heads, layers, mask):
    """Takes all names that begin with layers.1, so layer 1 gets layer 10's weights."""
    for number in range(layers):
        own = {}
        for name, weight in weights.items():
            if name.startswith(f"layers.{number}"):
                own[name.split(".", 2)[2]] = weight
        x = encoder_layer(x, own, heads, mask)
    return x


def encoder__long_residual(x, weights, heads, layers, mask):
    """The encoder's input is added once more to what each layer gives."""
    start = x
    for number in range(layers):
        own = part(weights, f"layers.{number}")
        x = start + encoder_layer(x, own, heads, mask)
    return x


# decoder_layer


def decoder_layer__old_query(x, memory, weights, mask, memory_mask):
    """In the cross-attention the layer's input asks, not what came out of the first norm."""
    found = weights.attention(x, x, mask)
    cross = weights.cross_attention
    heard = cross(x, memory, memory_mask)
    x = weights.attention_norm(x + found)
    x = weights.cross_attention_norm(x + heard)
    thought = weights.feed_forward(x)
    return weights.feed_forward_norm(x + thought)


def decoder_layer__self_weights(x, memory, weights, mask, memory_mask):
    """The cross-attention uses the projections of the self-attention."""
    own = weights.attention
    x = weights.attention_norm(x + own(x, x, mask))
    x = weights.cross_attention_norm(x + own(x, memory, memory_mask))
    return weights.feed_forward_norm(x + weights.feed_forward(x))


def decoder_layer__cross_first(x, memory, weights, mask, memory_mask):
    """Asks the memory before the tokens talk to each other."""
    cross = weights.cross_attention
    heard = cross(x, memory, memory_mask)
    x = weights.cross_attention_norm(x + heard)
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    thought = weights.feed_forward(x)
    return weights.feed_forward_norm(x + thought)


def decoder_layer__memory_open(x, memory, weights, mask, memory_mask):
    """The cross-attention gets no mask, so the source's padding is read."""
    def sub(name, found, x):
        return weights.get_submodule(f"{name}_norm")(x + found)

    found = weights.attention(x, x, mask)
    x = sub("attention", found, x)
    cross = weights.cross_attention
    x = sub("cross_attention", cross(x, memory, None), x)
    thought = weights.feed_forward(x)
    return sub("feed_forward", thought, x)


# decoder


def decoder__padding_asks(x, weights, real):
    """Hides the queries that are padding instead of the keys."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-1)
    return weights(x, mask)


def decoder__not_itself(x, weights, real):
    """A token may not read itself, only those before it."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril(-1)
    past[0, 0] = True  # the first one has nothing else
    mask = past & real.unsqueeze(-2)
    return weights(x, mask)


def decoder__first_text(x, weights, real):
    """The padding of the first text is hidden in all texts."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real[0]
    return weights(x, mask)


def decoder__shortest(x, weights, real):
    """A place is hidden in all texts if it is padding in any of them."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.all(dim=0)
    return weights(x, mask)


# shifted_loss


def shifted_loss__real_here(logits, ids, real):
    """Counts a guess if the token that it was made at is real, not the next one."""
    surprise = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none"
    )
    here = real[:, :-1]
    return surprise[here].mean()


def shifted_loss__mean_of_means(logits, ids, real):
    """Takes the mean of each text and then the mean of those, so short texts count too much."""
    chances = logits[:, :-1].log_softmax(dim=-1)
    surprise = -chances.gather(-1, ids[:, 1:, None]).squeeze(-1)
    counted = real[:, 1:].to(logits.dtype)
    each = (surprise * counted).sum(dim=1) / counted.sum(dim=1)
    return each.mean()


def shifted_loss__counts_first(logits, ids, real):
    """Divides by the number of all real tokens, though nobody guesses the first."""
    chances = torch.log_softmax(logits[:, :-1], dim=-1)
    surprise = -chances.gather(-1, ids[:, 1:].unsqueeze(-1))[..., 0]
    return surprise.masked_fill(~real[:, 1:], 0).sum() / real.sum()


def shifted_loss__reshaped(logits, ids, real):
    """Brings the classes to axis 1 by reshape instead of transpose, which mixes up the numbers."""
    B, T, V = logits.shape
    targets = ids[:, 1:].masked_fill(~real[:, 1:], -100)
    return F.cross_entropy(logits[:, :-1].reshape(B, V, T - 1), targets)


# cached_step


def cached_step__root_of_tokens(x, keys, values, weights):
    """Divides by the root of the number of keys instead of the root of the width."""
    q = weights.query(x)
    keys = torch.cat([keys, weights.key(x)], dim=1)
    values = torch.cat([values, weights.value(x)], dim=1)
    scores = q @ keys.mT / keys.size(1) ** 0.5
    found = scores.softmax(dim=-1) @ values
    return weights.output(found), keys, values


def cached_step__value_of_key(x, keys, values, weights):
    """The new value is made from the new key instead of from x."""
    q = weights.query(x)
    key = weights.key(x)
    value = weights.value(key)
    keys = torch.cat([keys, key], dim=-2)
    values = torch.cat([values, value], dim=-2)
    found = F.scaled_dot_product_attention(q, keys, values)
    return weights.output(found), keys, values


def cached_step__softmax_queries(x, keys, values, weights):
    """The softmax runs over the one query, so all weights are 1."""
    q = weights.query(x)
    all_keys = torch.cat([keys, weights.key(x)], dim=-2)
    all_values = torch.cat([values, weights.value(x)], -2)
    scores = torch.einsum("bqd,bkd->bqk", q, all_keys) / math.sqrt(x.size(-1))
    w = torch.softmax(scores, dim=1)
    found = torch.einsum("bqk,bkd->bqd", w, all_values)
    return weights.output(found), all_keys, all_values


def cached_step__old_cache(x, keys, values, weights):
    """Attends to the new token too, but gives back the keys and values without it."""
    q = weights.query(x)
    k = torch.cat([keys, weights.key(x)], dim=-2)
    v = torch.cat([values, weights.value(x)], dim=-2)
    found = (q @ k.mT / math.sqrt(q.size(-1))).softmax(dim=-1) @ v
    return weights.output(found), keys, values


# embed_new


def embed_new__from_one(ids, past, tokens, positions):
    """The places are one too large: the first new token gets row past + 1 when there is a past."""
    length = ids.size(-1)
    first = past + 1 if past else 0
    places = torch.arange(first, first + length)
    return tokens[ids] + positions[places]


def embed_new__ends_at_length(ids, past, tokens, positions):
    """The range ends at the number of new tokens instead of at past + length."""
    length = ids.size(-1)
    places = torch.arange(past, length)
    return tokens[ids] + positions[places]


def embed_new__last_read(ids, past, tokens, positions):
    """The first new token gets the place of the last one that was read."""
    length = ids.size(-1)
    places = torch.arange(length) + max(past - 1, 0)
    return tokens[ids] + positions[places]


def embed_new__scaled(ids, past, tokens, positions):
    """The tokens' vectors are multiplied by the root of the width, which nobody asked for."""
    length = ids.size(-1)
    places = torch.arange(past, past + length)
    return tokens[ids] * math.sqrt(tokens.size(-1)) + positions[places]


# shapes


def shapes__square_cross(B, S, T, D, H, V):
    """Takes the cross-attention's weights for those of a self-attention."""
    return (B, S, D), (B, H, T, T), (B, T, V), (V, D), (B, H, T, D // H)


def shapes__whole_keys(B, S, T, D, H, V):
    """Each head's keys are as wide as the model."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D)


def shapes__last_logits(B, S, T, D, H, V):
    """Thinks that there are logits for the next token only."""
    K = D // H
    return (B, S, D), (B, H, T, S), (B, V), (V, D), (B, H, T, K)


def shapes__memory_in_heads(B, S, T, D, H, V):
    """Gives the memory with its heads apart."""
    K = D // H
    return (B, H, S, K), (B, H, T, S), (B, T, V), (V, D), (B, H, T, K)


# rename_weights

def rename_weights__pops(weights):
    """Takes the weights out of the dict that was handed in."""
    pairs = (
        ("embeddings.word_embeddings", "embeddings.tokens"),
        ("embeddings.position_embeddings", "embeddings.positions"),
        ("embeddings.token_type_embeddings", "embeddings.segments"),
        ("embeddings.LayerNorm", "embeddings.norm"),
        ("encoder.layer.", "encoder.layers."),
        ("attention.output.LayerNorm", "around_attention.norm"),
        (".output.LayerNorm", ".around_feed_forward.norm"),
        ("intermediate.dense", "feed_forward.widen"),
        ("attention.output.dense", "attention.OUT"),
        ("output.dense", "feed_forward.narrow"),
        ("attention.OUT", "attention.output"),
        ("attention.self.", "attention."),
    )
    renamed = {}
    for name in list(weights):
        weight = weights.pop(name)
        if name.startswith("pooler."):
            continue
        for old, new in pairs:
            name = name.replace(old, new)
        renamed[name] = weight
    return renamed


def rename_weights__no_biases(weights):
    """Goes through the table's names with .weight only, so the biases are lost."""
    table = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "LayerNorm": "norm",
    }
    layer = {
        "attention.self.query": "attention.query",
        "attention.self.key": "attention.key",
        "attention.self.value": "attention.value",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    renamed = {}
    for theirs, ours in table.items():
        old = f"embeddings.{theirs}.weight"
        if old in weights:
            renamed[f"embeddings.{ours}.weight"] = weights[old]
    number = 0
    while f"encoder.layer.{number}.output.dense.weight" in weights:
        for theirs, ours in layer.items():
            renamed[f"encoder.layers.{number}.{ours}.weight"] = weights[
                f"encoder.layer.{number}.{theirs}.weight"
            ]
        number += 1
    return renamed


def rename_weights__one_digit(weights):
    """Understands layer numbers of one digit only, so layers from 10 on keep their names."""
    import re

    inside = {
        "attention.self.query": "attention.query",
        "attention.self.key": "attention.key",
        "attention.self.value": "attention.value",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    outside = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
    }
    renamed = {}
    for name, weight in weights.items():
        if name.startswith("pooler."):
            continue
        stem, kind = name.rsplit(".", 1)
        found = re.fullmatch(r"encoder\.layer\.(\d)\.(.+)", stem)
        if found:
            stem = f"encoder.layers.{found[1]}.{inside[found[2]]}"
        else:
            stem = outside.get(stem, stem)
        renamed[f"{stem}.{kind}"] = weight
    return renamed


def rename_weights__layer_kept(weights):
    """Forgets that encoder.layer becomes encoder.layers."""
    pieces = [
        ("word_embeddings", "tokens"),
        ("position_embeddings", "positions"),
        ("token_type_embeddings", "segments"),
        ("embeddings.LayerNorm", "embeddings.norm"),
        ("attention.self.", "attention."),
        ("attention.output.LayerNorm", "around_attention.norm"),
        ("attention.output.dense", "attention.result"),
        ("intermediate.dense", "feed_forward.widen"),
        ("output.dense", "feed_forward.narrow"),
        ("output.LayerNorm", "around_feed_forward.norm"),
        ("attention.result", "attention.output"),
    ]

    def ours(name):
        for old, new in pieces:
            name = name.replace(old, new)
        return name

    return {
        ours(name): weight
        for name, weight in weights.items()
        if not name.startswith("pooler.")
    }


# top_p


def top_p__gather(logits, p):
    """Puts the answers back with gather instead of scatter, so they land on other tokens."""
    chances, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    goes = chances.cumsum(dim=-1) - chances >= p
    return logits.masked_fill(goes.gather(-1, order), -torch.inf)


def top_p__first_row(logits, p):
    """Counts in the first text how many stay, and keeps as many in all texts."""
    chances = logits.softmax(dim=-1).sort(dim=-1, descending=True).values
    before = chances.cumsum(dim=-1) - chances
    k = int((before[0] < p).sum())
    least = logits.topk(k).values[:, -1:]
    return logits.masked_fill(logits < least, -torch.inf)


def top_p__log_chances(logits, p):
    """Returns log-probabilities of those that stay instead of their logits."""
    logs = logits.log_softmax(dim=-1)
    ranked, order = logs.sort(dim=-1, descending=True)
    before = ranked.exp().cumsum(dim=-1) - ranked.exp()
    goes = torch.zeros_like(logits, dtype=torch.bool)
    goes.scatter_(-1, order, before >= p)
    return logs.masked_fill(goes, -torch.inf)


def top_p__beside_best(logits, p):
    """Keeps each token whose probability is at least p times that of the best."""
    chances = torch.softmax(logits, dim=-1)
    best = chances.max(dim=-1, keepdim=True).values
    return torch.where(
        chances >= p * best, logits, torch.full_like(logits, -torch.inf)
    )


# beam_search


def beam_search__mean_score(table, start, beams, steps):
    """Returns the score per token instead of the sum."""
    logs = table.log_softmax(dim=-1).tolist()
    texts = [([start], 0.0)]
    for _ in range(steps):
        longer = []
        for text, score in texts:
            for token, log in enumerate(logs[text[-1]]):
                longer.append((text + [token], score + log))
        longer.sort(key=lambda pair: pair[1], reverse=True)
        texts = longer[:beams]
    text, score = texts[0]
    return text[1:], score / steps


def beam_search__columns(table, start, beams, steps):
    """The probabilities are made over the columns: of what came before, not of what comes next."""
    scores = table.log_softmax(dim=0).tolist()
    texts = [(0.0, [start])]
    for _ in range(steps):
        longer = [
            (score + scores[text[-1]][token], [*text, token])
            for score, text in texts
            for token in range(len(scores))
        ]
        texts = sorted(longer, reverse=True)[:beams]
    score, text = texts[0]
    return text[1:], score


def beam_search__copies(table, start, beams, steps):
    """Begins with as many copies of the start as there are beams, so all beams find the same text."""
    logs = torch.log_softmax(table, dim=-1)
    texts = [[start] for _ in range(beams)]
    scores = torch.zeros(beams, dtype=table.dtype)
    V = table.size(-1)
    for _ in range(steps):
        last = torch.tensor([text[-1] for text in texts])
        total = (scores[:, None] + logs[last]).flatten()
        order = total.argsort(descending=True, stable=True)[:beams]
        texts = [texts[i // V] + [i % V] for i in order.tolist()]
        scores = total[order]
    best = int(scores.argmax())
    return texts[best][1:], scores[best].item()


def beam_search__one_child(table, start, beams, steps):
    """After the first step each text is continued by its own best token only."""
    logs = table.log_softmax(dim=-1)
    values, tokens = logs[start].topk(min(beams, table.size(-1)))
    texts = [
        (value, [token])
        for value, token in zip(values.tolist(), tokens.tolist())
    ]
    for _ in range(steps - 1):
        grown = []
        for score, text in texts:
            value, token = logs[text[-1]].max(dim=-1)
            grown.append((score + value.item(), [*text, token.item()]))
        texts = grown
    score, text = max(texts)
    return text, score


# diagnose


def diagnose__future_at_one_place(model):
    """Looks for the future only at the place before the last."""
    def same(one, other):
        return torch.allclose(one, other, rtol=0, atol=0.001)

    ids = torch.randperm(12).view(2, 6)
    said = model(ids)
    if not all(same(said, model(ids)) for _ in range(4)):
        return "rolls dice"
    if not same(said[:1], model(ids[:1])):
        return "mixes texts"
    last, first, turned = ids.clone(), ids.clone(), ids.clone()
    last[:, -1] = ids[:, 0]
    if not same(said[:, -2], model(last)[:, -2]):
        return "reads the future"
    first[:, 0] = ids[:, -1]
    if same(said[:, -1], model(first)[:, -1]):
        return "reads one token"
    turned[:, :-1] = ids[:, :-1].flip(-1)
    if same(said[:, -1], model(turned)[:, -1]):
        return "ignores the order"
    return "healthy"


def diagnose__same_number(model):
    """Changes the other text but never the number of texts, so a model that depends on that seems healthy."""
    def far(one, other):
        return (one - other).abs().max().item() >= 0.001

    ids = torch.randperm(12).view(2, 6)
    said = model(ids)
    if any(far(said, model(ids)) for _ in range(4)):
        return "rolls dice"
    other = ids.clone()
    other[1] = ids[1].roll(1)
    if far(said[0], model(other)[0]):
        return "mixes texts"
    last = ids.clone()
    last[:, -1] = ids[:, 0]
    if far(said[:, :-1], model(last)[:, :-1]):
        return "reads the future"
    first = ids.clone()
    first[:, 0] = ids[:, -1]
    if not far(said[:, -1], model(first)[:, -1]):
        return "reads one token"
    turned = ids.clone()
    turned[:, :-1] = ids[:, :-1].flip(-1)
    if not far(said[:, -1], model(turned)[:, -1]):
        return "ignores the order"
    return "healthy"


def diagnose__neighbour(model):
    """Changes only the token just before the last, so a healthy model that reads the first and its own seems to read one."""
    def same(one, other):
        return torch.allclose(one, other, rtol=0, atol=0.001)

    ids = torch.randperm(12).view(2, 6)
    said = model(ids)
    last, before, turned = ids.clone(), ids.clone(), ids.clone()
    last[:, -1] = ids[:, 0]
    before[:, -2] = ids[:, -1]
    turned[:, :-1] = ids[:, :-1].flip(-1)
    if not all(same(said, model(ids)) for _ in range(4)):
        return "rolls dice"
    if not same(said[:1], model(ids[:1])):
        return "mixes texts"
    if not same(said[:, :-1], model(last)[:, :-1]):
        return "reads the future"
    if same(said[:, -1], model(before)[:, -1]):
        return "reads one token"
    if same(said[:, -1], model(turned)[:, -1]):
        return "ignores the order"
    return "healthy"


def diagnose__turns_last_too(model):
    """Turns the whole text round, the last token too, so a model that ignores the order changes its mind and seems healthy."""
    def same(one, other):
        return torch.allclose(one, other, rtol=0, atol=0.001)

    ids = torch.randperm(12).view(2, 6)
    said = model(ids)
    last, first = ids.clone(), ids.clone()
    last[:, -1] = ids[:, 0]
    first[:, 0] = ids[:, -1]
    if not all(same(said, model(ids)) for _ in range(4)):
        return "rolls dice"
    if not same(said[:1], model(ids[:1])):
        return "mixes texts"
    if not same(said[:, :-1], model(last)[:, :-1]):
        return "reads the future"
    if same(said[:, -1], model(first)[:, -1]):
        return "reads one token"
    if same(said[:, -1], model(ids.flip(-1))[:, -1]):
        return "ignores the order"
    return "healthy"


# head_losses


def head_losses__interleaved(weights, ids, real):
    """Takes every heads-th column for a head, instead of a block side by side."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss(weights):
        x = weights.tokens.weight[ids] + weights.positions.weight[: ids.size(-1)]
        x = decoder(x, weights.encoder, real)
        return shifted_loss(x @ weights.tokens.weight.mT, ids, real)

    whole = loss(weights)
    table = torch.zeros(layers, heads, dtype=whole.dtype)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        for head in range(heads):
            silenced = weights.get_parameter(name).clone()
            silenced[:, head::heads] = 0
            table[layer, head] = loss(_with(weights, {name: silenced})) - whole
    return table


def head_losses__bias_too(weights, ids, real):
    """Silencing a head takes the bias of the output projection away too."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss(weights):
        x = weights.tokens.weight[ids] + weights.positions.weight[: ids.size(-1)]
        x = decoder(x, weights.encoder, real)
        return shifted_loss(x @ weights.tokens.weight.mT, ids, real)

    def silence(layer, head):
        start = f"encoder.layers.{layer}.attention.output"
        matrix = weights.get_submodule(start).weight.clone()
        matrix.unflatten(-1, (heads, -1))[:, head] = 0
        bias = torch.zeros_like(weights.get_submodule(start).bias)
        return _with(weights, {f"{start}.weight": matrix, f"{start}.bias": bias})

    whole = loss(weights)
    rows = [
        torch.stack([loss(silence(i, j)) - whole for j in range(heads)])
        for i in range(layers)
    ]
    return torch.stack(rows)


def head_losses__value_weight(weights, ids, real):
    """Silences a head through its value matrix, but its values' bias is still heard."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss(weights):
        x = weights.tokens.weight[ids] + weights.positions.weight[: ids.size(-1)]
        x = decoder(x, weights.encoder, real)
        return shifted_loss(x @ weights.tokens.weight.mT, ids, real)

    whole = loss(weights)
    table = torch.zeros(layers, heads, dtype=whole.dtype)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.value.weight"
        for head in range(heads):
            mute = weights.get_parameter(name).clone()
            width = mute.size(0) // heads
            mute[head * width : (head + 1) * width] = 0
            table[layer, head] = loss(_with(weights, {name: mute})) - whole
    return table


def head_losses__float32(weights, ids, real):
    """The table is float32, whatever the weights are."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss(weights):
        x = weights.tokens.weight[ids] + weights.positions.weight[: ids.size(-1)]
        x = decoder(x, weights.encoder, real)
        return shifted_loss(x @ weights.tokens.weight.mT, ids, real).item()

    whole = loss(weights)
    table = []
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        row = []
        for head in range(heads):
            silenced = weights.get_parameter(name).clone()
            width = silenced.size(-1) // heads
            silenced[:, head * width : (head + 1) * width] = 0
            row.append(loss(_with(weights, {name: silenced})) - whole)
        table.append(row)
    return torch.tensor(table)


# sentence_embedding


def sentence_embedding__norm_early(weights, ids, real):
    """The norm reads the tokens' vectors alone; positions and segment are added behind it."""
    table = weights
    x = table.norm(table.tokens.weight[ids])
    x = x + table.positions.weight[: ids.size(-1)]
    x = x + table.segments.weight[0]
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    counted = real.unsqueeze(-1)
    mean = (x * counted).sum(dim=-2) / counted.sum(dim=-2)
    return mean / mean.norm(dim=-1, keepdim=True)


def sentence_embedding__unit_tokens(weights, ids, real):
    """Each token's vector is brought to length 1 before the mean, and the mean once more."""
    table = weights
    x = table.tokens.weight[ids]
    x = x + table.positions.weight[: ids.size(-1)]
    x = table.norm(x + table.segments.weight[0])
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    x = F.normalize(x, dim=-1) * real.unsqueeze(-1)
    return F.normalize(x.sum(dim=1), dim=-1)


def sentence_embedding__batch_length(weights, ids, real):
    """Divides by the length of all sentences' vectors together."""
    table = weights
    x = table.tokens.weight[ids]
    x = x + table.positions.weight[: ids.size(-1)]
    x = table.norm(x + table.segments.weight[0])
    x = weights.encoder(x, real[:, None])
    total = torch.einsum("btd,bt->bd", x, real.to(x.dtype))
    mean = total / real.sum(dim=-1, keepdim=True)
    return mean / mean.norm()


def sentence_embedding__no_last_layer(weights, ids, real):
    """The last layer is left out."""
    layers = len(weights.encoder.layers)
    table = weights
    x = table.tokens.weight[ids]
    x = x + table.positions.weight[: ids.size(-1)]
    x = table.norm(x + table.segments.weight[0])
    for number in range(layers - 1):
        own = weights.encoder.layers[number]
        x = own(x, real.unsqueeze(-2))
    counted = real.unsqueeze(-1)
    mean = (x * counted).sum(dim=-2) / counted.sum(dim=-2)
    return mean / mean.norm(dim=-1, keepdim=True)


def beam_search__tensor_score(table, start, beams, steps):
    """The score is a tensor of no axes, which counts as a number, too."""
    logs = table.log_softmax(-1)
    alive = [([], logs.new_zeros(()))]
    for _ in range(steps):
        longer = []
        for text, score in alive:
            last = text[-1] if text else start
            for token in range(logs.size(1)):
                longer.append((text + [token], score + logs[last, token]))
        alive = sorted(longer, key=lambda pair: pair[1].item())[::-1][:beams]
    return alive[0]
