import copy
import math

import torch
import torch.nn.functional as F
from torch import nn


def _with(model, changed):
    """Copy a model, and put other numbers into some of its parameters."""
    model = copy.deepcopy(model)
    for name, tensor in changed.items():
        model.get_parameter(name).data = tensor
    return model


# shift_right

def shift_right__float_start(targets, start_id):
    """Intended: makes the start column of torch.ones, so the ids come out as float32 and not as whole numbers."""
    start = torch.ones(targets.size(0), 1) * start_id
    return torch.cat([start, targets[:, :-1]], dim=1)


def shift_right__last_one_kept(targets, start_id):
    """Intended: puts the start in front but keeps the last target, so the result is one token too long."""
    start = torch.full_like(targets[:, :1], start_id)
    return torch.cat([start, targets], dim=-1)


# writing_task

def writing_task__ignored_and_read(ids, real, start_id):
    """Intended: writes -100 first and shifts afterwards, so -100 is read where padding was."""
    targets = ids.masked_fill(~real, -100)
    return shift_right(targets, start_id), targets


def writing_task__targets_moved_too(ids, real, start_id):
    """Intended: moves the targets one place to the left as well, so two places lie between what is read and said."""
    targets = ids.masked_fill(~real, -100)
    end = torch.full_like(ids[:, :1], -100)
    return shift_right(ids, start_id), torch.cat([targets[:, 1:], end], dim=-1)


# greedy

def greedy__writes_into_prompt(table, prompt, steps, end_id):
    """Intended: right ids, but the caller's list is the text that grows."""
    text = prompt
    begin = len(prompt)
    for _ in range(steps):
        text.append(table[text[-1]].argmax().item())
        if text[-1] == end_id:
            break
    return text[begin:]


def greedy__end_kept_back(table, prompt, steps, end_id):
    """Intended: stops before the end is appended, so it is not among those written."""
    last, written = prompt[-1], []
    while len(written) < steps:
        last = table[last].argmax().item()
        if last == end_id:
            break
        written.append(last)
    return written


# top_k

def top_k__threshold_of_the_batch(logits, k):
    """Intended: takes one threshold for the whole batch, the smallest of the rows' k-th, so some rows keep more."""
    lowest = logits.topk(k).values.min()
    return logits.masked_fill(logits < lowest, -math.inf)


def top_k__not_more_than(logits, k):
    """Intended: cuts off what is smaller than or equal to the k-th, so only k - 1 stay."""
    kth = logits.topk(k, dim=-1).values[:, -1:]
    return torch.where(logits > kth, logits, -math.inf)


# encoder_layer

def encoder_layer__stale_residual(x, weights, heads, mask):
    """Intended: the second residual takes the x that came in, not the one behind the first norm."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    y = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(y, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__norm_before(x, weights, heads, mask):
    """Intended: wires the layer in pre-norm, with the norms on the branches."""
    y = layer_norm(x, part(weights, "around_attention.norm"))
    x = x + attention(y, y, part(weights, "attention"), heads, mask)
    y = layer_norm(x, part(weights, "around_feed_forward.norm"))
    return x + feed_forward(y, part(weights, "feed_forward"))


# encoder

def encoder__names_without_dot(x, weights, heads, layers, mask):
    """Intended: picks a layer's weights by the beginning of the name without its dot, so layer 1 gets those of 10 and 11 (wrong from 11 layers on)."""
    for number in range(layers):
        start = f"layers.{number}"
        own = {name.split(".", 2)[2]: w for name, w in weights.items() if name.startswith(start)}
        x = encoder_layer(x, own, heads, mask)
    return x


def encoder__first_layer_masked(x, weights, heads, layers, mask):
    """Intended: hands the mask to the first layer only, as if hidden tokens stayed hidden."""
    for number in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask if number == 0 else None)
    return x


# decoder_layer

def decoder_layer__old_x_asks(x, memory, weights, mask, memory_mask):
    """Intended: the x that came in asks the memory, and not the one behind the first norm."""
    found = weights.attention(x, x, mask)
    y = weights.attention_norm(x + found)
    found = weights.cross_attention(x, memory, memory_mask)
    y = weights.cross_attention_norm(y + found)
    return weights.feed_forward_norm(y + weights.feed_forward(y))


def decoder_layer__memory_first(x, memory, weights, mask, memory_mask):
    """Intended: asks the memory before the written tokens talk to each other."""
    found = weights.cross_attention(x, memory, memory_mask)
    x = weights.cross_attention_norm(x + found)
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    return weights.feed_forward_norm(x + weights.feed_forward(x))


def decoder_layer__detached_memory(x, memory, weights, mask, memory_mask):
    """Intended: two mistakes: the memory is detached, so the encoder learns nothing, and it is read without its mask."""
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    found = weights.cross_attention(x, memory.detach(), None)
    x = weights.cross_attention_norm(x + found)
    return weights.feed_forward_norm(x + weights.feed_forward(x))


# decoder

def decoder__future_only(x, weights, real):
    """Intended: drops the padding mask to get rid of the leak, so padding in the past is read."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    return weights(x, past)


def decoder__upper_triangle(x, weights, real):
    """Intended: joins by 'and', but with the other triangle, so each token reads itself and the future."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).triu()
    return weights(x, past & real.unsqueeze(-2))


# shifted_loss

def shifted_loss__real_of_the_reader(logits, ids, real):
    """Intended: asks whether the token that guesses is real, not the one that is guessed."""
    targets = ids[:, 1:].masked_fill(~real[:, :-1], -100)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())


def shifted_loss__text_by_text(logits, ids, real):
    """Intended: takes each text's mean and then the mean of those, so short texts count too much."""
    p = logits[:, :-1].log_softmax(dim=-1)
    lost = -p.gather(-1, ids[:, 1:, None]).squeeze(-1) * real[:, 1:]
    return (lost.sum(dim=-1) / real[:, 1:].sum(dim=-1).clamp(min=1)).mean()


def shifted_loss__all_places_counted(logits, ids, real):
    """Intended: sets padding's loss to 0, but divides by all guesses and not by the real ones."""
    lost = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")
    return (lost * real[:, 1:]).mean()


# cached_step

def cached_step__oldest_dropped(x, keys, values, weights):
    """Intended: keeps the cache at its length: the new key and value replace the oldest ones."""
    q = weights.query(x)
    keys = torch.cat([keys[:, 1:], weights.key(x)], dim=1)
    values = torch.cat([values[:, 1:], weights.value(x)], dim=1)
    shares = torch.softmax(q @ keys.mT / math.sqrt(q.size(-1)), dim=-1)
    return weights.output(shares @ values), keys, values


def cached_step__newest_in_front(x, keys, values, weights):
    """Intended: right result, but the new key and value are put in front of the old ones."""
    q = weights.query(x)
    keys = torch.cat([weights.key(x), keys], dim=1)
    values = torch.cat([weights.value(x), values], dim=1)
    shares = torch.softmax(q @ keys.mT / math.sqrt(q.size(-1)), dim=-1)
    return weights.output(shares @ values), keys, values


# embed_new

def embed_new__one_place_for_all(ids, past, tokens, positions):
    """Intended: gives all new tokens the place `past`, which is right only if one is new."""
    return tokens[ids] + positions[past]


def embed_new__one_further(ids, past, tokens, positions):
    """Intended: adds past + 1, so every token gets the row behind its own (after three tokens, row 4 and not 3)."""
    places = torch.arange(ids.size(-1)) + past + 1
    return tokens[ids] + positions[places]


# shapes

def shapes__memory_asks(B, S, T, D, H, V):
    """Intended: the source's tokens stand in the rows of the cross-attention."""
    return (B, S, D), (B, H, S, T), (B, T, V), (V, D), (B, H, T, D // H)


def shapes__full_width_keys(B, S, T, D, H, V):
    """Intended: each head's keys in the cache are as wide as the model."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D)


# rename_weights

def _our_name(name, pieces):
    """Replace pieces of a name, one after the other."""
    for theirs, ours in pieces.items():
        name = name.replace(theirs, ours)
    return name


def rename_weights__norms_by_the_short_piece(weights):
    """Intended: 'output.LayerNorm' is replaced before 'attention.output.LayerNorm', so the attention's norm gets a wrong name."""
    pieces = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.dense": "attention.output",
        "output.LayerNorm": "around_feed_forward.norm",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
    }
    return {_our_name(name, pieces): w for name, w in weights.items() if not name.startswith("pooler.")}


def rename_weights__pooler_thrown_out(weights):
    """Intended: right result, but the pooler is deleted from the caller's dict."""
    for name in list(weights):
        if name.startswith("pooler."):
            del weights[name]
    pieces = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    return {_our_name(name, pieces): w for name, w in weights.items()}


def rename_weights__as_in_the_table(weights):
    """Intended: copies the table, so only layer 0 is renamed and all other layers keep BERT's names."""
    table = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.0.attention.self.query": "encoder.layers.0.attention.query",
        "encoder.layer.0.attention.self.key": "encoder.layers.0.attention.key",
        "encoder.layer.0.attention.self.value": "encoder.layers.0.attention.value",
        "encoder.layer.0.attention.output.dense": "encoder.layers.0.attention.output",
        "encoder.layer.0.attention.output.LayerNorm": "encoder.layers.0.around_attention.norm",
        "encoder.layer.0.intermediate.dense": "encoder.layers.0.feed_forward.widen",
        "encoder.layer.0.output.dense": "encoder.layers.0.feed_forward.narrow",
        "encoder.layer.0.output.LayerNorm": "encoder.layers.0.around_feed_forward.norm",
    }
    return {_our_name(name, table): w for name, w in weights.items() if not name.startswith("pooler.")}


# top_p

def top_p__gathered_back(logits, p):
    """Intended: takes gather for the way back to the tokens' places, which is the inverse of what is needed."""
    sorted_p, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    goes = sorted_p.cumsum(dim=-1) - sorted_p >= p
    return logits.masked_fill(goes.gather(-1, order), -math.inf)


def top_p__share_of_the_best(logits, p):
    """Intended: keeps what has at least p times the largest probability (min-p), and adds nothing up."""
    probabilities = logits.softmax(dim=-1)
    best = probabilities.amax(dim=-1, keepdim=True)
    return logits.masked_fill(probabilities < p * best, -math.inf)


# beam_search

def beam_search__each_its_best(table, start, beams, steps):
    """Intended: after the first step each text is continued by its best token only, so texts do not compete."""
    logs = table.log_softmax(dim=-1)
    first = logs[start].topk(min(beams, logs.size(-1)))
    texts = [(s.item(), [t.item()]) for s, t in zip(first.values, first.indices)]
    for _ in range(steps - 1):
        texts = [(s + logs[t[-1]].max().item(), t + [logs[t[-1]].argmax().item()]) for s, t in texts]
    score, text = max(texts)
    return text, score


def beam_search__mean_score(table, start, beams, steps):
    """Intended: returns the score divided by the number of steps, as libraries do for texts of unequal length."""
    logs = table.log_softmax(dim=-1).tolist()
    texts = [(0.0, [start])]
    for _ in range(steps):
        more = [(s + log, t + [i]) for s, t in texts for i, log in enumerate(logs[t[-1]])]
        texts = sorted(more, reverse=True)[:beams]
    score, text = texts[0]
    return text[1:], score / max(steps, 1)


def beam_search__logits_added(table, start, beams, steps):
    """Intended: adds logits and not the logarithms of probabilities."""
    texts = [(0.0, [start])]
    for _ in range(steps):
        more = []
        for score, text in texts:
            for token, logit in enumerate(table[text[-1]].tolist()):
                more.append((score + logit, text + [token]))
        texts = sorted(more, reverse=True)[:beams]
    score, text = texts[0]
    return text[1:], score


# diagnose

def _same(a, b):
    """Tell whether all logits are the same."""
    return bool((a - b).abs().max() < 0.001)


def _new(ids, places):
    """Put other tokens at some places."""
    other = ids.clone()
    other[:, places] = (ids[:, places] + torch.randint(1, 12, ids[:, places].shape)) % 12
    return other


def _shuffled(ids):
    """Let the tokens before the last change places."""
    order = torch.cat([torch.randperm(ids.size(1) - 1), torch.tensor([ids.size(1) - 1])])
    return ids[:, order]


def diagnose__asked_twice(model):
    """Intended: asks the same twice only, so a model whose dice happen to say the same is taken for another one."""
    ids = torch.randperm(12).view(2, 6)
    if not _same(model(ids), model(ids)):
        return "rolls dice"
    reads, order = False, False
    for _ in range(20):
        ids = torch.randint(12, (2, 8))
        ids[0] = torch.randperm(12)[:8]
        if not _same(model(ids)[:1], model(ids[:1])):
            return "mixes texts"
        one = ids[:1]
        for t in range(1, 8):
            if not _same(model(one)[:, :t], model(_new(one, slice(t, 8)))[:, :t]):
                return "reads the future"
            if not _same(model(one)[:, :t], model(one[:, :t])):
                return "reads the future"
        reads |= not _same(model(one)[:, -1], model(_new(one, slice(0, 7)))[:, -1])
        order |= not _same(model(one)[:, -1], model(_shuffled(one))[:, -1])
    if not reads:
        return "reads one token"
    return "healthy" if order else "ignores the order"


def diagnose__neighbour_only(model):
    """Intended: calls it 'reads one token' if the token just before does not count, so a healthy model that reads the first and its own is accused."""
    ids = torch.randperm(12).view(2, 6)
    first = model(ids)
    if not all(_same(first, model(ids)) for _ in range(5)):
        return "rolls dice"
    reads, order = False, False
    for _ in range(20):
        ids = torch.randperm(12).view(2, 6)
        if not _same(model(ids)[:1], model(ids[:1])):
            return "mixes texts"
        one = ids[:1]
        for t in range(1, 6):
            if not _same(model(one)[:, :t], model(one[:, :t])):
                return "reads the future"
            if not _same(model(one)[:, :t], model(_new(one, slice(t, 6)))[:, :t]):
                return "reads the future"
        reads |= not _same(model(one)[:, -1], model(_new(one, slice(4, 5)))[:, -1])
        order |= not _same(model(one)[:, -1], model(_shuffled(one))[:, -1])
    if not reads:
        return "reads one token"
    return "healthy" if order else "ignores the order"


def diagnose__text_turned_round(model):
    """Intended: turns the whole text round for the order, its last token too, so the last place always changes and no model ignores the order."""
    ids = torch.randperm(12).view(2, 6)
    first = model(ids)
    if not all(_same(first, model(ids)) for _ in range(5)):
        return "rolls dice"
    reads, order = False, False
    for _ in range(20):
        ids = torch.randperm(12).view(2, 6)
        if not _same(model(ids)[:1], model(ids[:1])):
            return "mixes texts"
        one = ids[:1]
        for t in range(1, 6):
            if not _same(model(one)[:, :t], model(one[:, :t])):
                return "reads the future"
            if not _same(model(one)[:, :t], model(_new(one, slice(t, 6)))[:, :t]):
                return "reads the future"
        reads |= not _same(model(one)[:, -1], model(_new(one, slice(0, 5)))[:, -1])
        order |= not _same(model(one)[:, -1], model(one.flip(-1))[:, -1])
    if not reads:
        return "reads one token"
    return "healthy" if order else "ignores the order"


def diagnose__batch_always_two(model):
    """Intended: changes the other text but never the number of texts, so a model that depends on how many there are looks healthy."""
    ids = torch.randperm(12).view(2, 6)
    first = model(ids)
    if not all(_same(first, model(ids)) for _ in range(5)):
        return "rolls dice"
    reads, order = False, False
    for _ in range(20):
        ids = torch.randperm(12).view(2, 6)
        other = torch.stack([ids[0], torch.randint(12, (6,))])
        before = model(ids)
        if not _same(before[0], model(other)[0]):
            return "mixes texts"
        for t in range(1, 6):
            if not _same(before[:, :t], model(_new(ids, slice(t, 6)))[:, :t]):
                return "reads the future"
        reads |= not _same(before[:, -1], model(_new(ids, slice(0, 5)))[:, -1])
        order |= not _same(before[:, -1], model(_shuffled(ids))[:, -1])
    if not reads:
        return "reads one token"
    return "healthy" if order else "ignores the order"


# head_losses

def _gpt_loss(weights, ids, real, heads, layers):
    """Give the loss of the small GPT."""
    x = weights.tokens.weight[ids] + weights.positions.weight[: ids.size(-1)]
    x = decoder(x, weights.encoder, real)
    return shifted_loss(x @ weights.tokens.weight.mT, ids, real)


def head_losses__never_heard_again(weights, ids, real):
    """Intended: silences in one copy for each layer without restoring, so the second head is silenced together with the first."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    whole = _gpt_loss(weights, ids, real, heads, layers)
    table = torch.zeros(layers, heads)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        changed = weights.get_parameter(name).clone()
        width = changed.size(1) // heads
        for head in range(heads):
            changed[:, head * width : (head + 1) * width] = 0
            table[layer, head] = _gpt_loss(_with(weights, {name: changed}), ids, real, heads, layers) - whole
    return table


def head_losses__values_without_weight(weights, ids, real):
    """Intended: sets the head's rows of the value matrix to 0 but leaves the value's bias, so the head still says its bias."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    whole = _gpt_loss(weights, ids, real, heads, layers)
    table = torch.zeros(layers, heads)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.value.weight"
        width = weights.get_parameter(name).size(0) // heads
        for head in range(heads):
            changed = weights.get_parameter(name).clone()
            changed[head * width : (head + 1) * width] = 0
            table[layer, head] = _gpt_loss(_with(weights, {name: changed}), ids, real, heads, layers) - whole
    return table


def head_losses__whole_less_changed(weights, ids, real):
    """Intended: two mistakes: the difference has the wrong sign, and the output's bias is silenced with each head."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    whole = _gpt_loss(weights, ids, real, heads, layers)
    table = torch.zeros(layers, heads)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output"
        width = weights.get_submodule(name).weight.size(1) // heads
        for head in range(heads):
            matrix, bias = weights.get_submodule(name).weight.clone(), torch.zeros_like(weights.get_submodule(name).bias)
            matrix[:, head * width : (head + 1) * width] = 0
            changed = _with(weights, {f"{name}.weight": matrix, f"{name}.bias": bias})
            table[layer, head] = whole - _gpt_loss(changed, ids, real, heads, layers)
    return table


# sentence_embedding

def _embedded(ours, ids):
    """Embed ids by BERT's tables."""
    tables = ours
    x = tables.tokens.weight[ids] + tables.positions.weight[: ids.size(-1)]
    return tables.norm(x + tables.segments.weight[0])


def sentence_embedding__each_token_length_one(weights, ids, real):
    """Intended: gives each token's vector length 1 before the mean, and the mean is not brought to length 1."""
    ours = weights
    x = ours.encoder(_embedded(ours, ids), real.unsqueeze(-2))
    keep = real.unsqueeze(-1)
    return (F.normalize(x, dim=-1) * keep).sum(dim=-2) / keep.sum(dim=-2)


def sentence_embedding__padding_is_read(weights, ids, real):
    """Intended: leaves padding out of the mean, but hands no mask to the encoder."""
    ours = weights
    x = ours.encoder(_embedded(ours, ids), None)
    keep = real.unsqueeze(-1)
    return F.normalize((x * keep).sum(dim=-2) / keep.sum(dim=-2), dim=-1)


def sentence_embedding__second_segment(weights, ids, real):
    """Intended: takes the last row of the segments, not the first."""
    ours = weights
    tables = ours
    x = tables.tokens.weight[ids] + tables.positions.weight[: ids.size(-1)] + tables.segments.weight[-1]
    x = ours.encoder(tables.norm(x), real.unsqueeze(-2))
    keep = real.unsqueeze(-1)
    return F.normalize((x * keep).sum(dim=-2) / keep.sum(dim=-2), dim=-1)
