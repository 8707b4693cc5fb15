import math

import torch
import torch.nn.functional as F
from torch import nn


# Forgets .item(): the list holds tensors instead of plain numbers.
def greedy__tensors_in_list(table, prompt, steps, end_id):
    last = prompt[-1]
    written = []
    for _ in range(steps):
        last = table[last].argmax()
        written.append(last)
        if last == end_id:
            break
    return written


# Off by one: while len(written) <= steps writes steps + 1 tokens.
def greedy__one_more(table, prompt, steps, end_id):
    written = []
    token = prompt[-1]
    while len(written) <= steps:
        token = int(torch.argmax(table[token]))
        written.append(token)
        if token == end_id:
            return written
    return written


# Copied line: after the cross-attention the norm of the self-attention
# (attention_norm) is used again instead of cross_attention_norm.
def decoder_layer__norm_copied(x, memory, layer, mask, memory_mask):
    x = layer.attention_norm(x + layer.attention(x, x, mask))
    x = layer.attention_norm(x + layer.cross_attention(x, memory, memory_mask))
    return layer.feed_forward_norm(x + layer.feed_forward(x))


# The residual of the cross-attention goes around the wrong thing: the layer's
# input x is added instead of `own`, the result of the first sublayer.
def decoder_layer__residual_of_input(x, memory, layer, mask, memory_mask):
    own = layer.attention_norm(x + layer.attention(x, x, mask))
    asked = layer.cross_attention(own, memory, memory_mask)
    both = layer.cross_attention_norm(x + asked)
    thought = layer.feed_forward(both)
    return layer.feed_forward_norm(both + thought)


# & is right, but real is put on the axis of the queries (unsqueeze(-1)): the
# rows of padding have nothing to read and become nan, which spreads.
def decoder__real_for_queries(x, encoder, real):
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-1)
    return encoder(x, mask)


# Sets padding's vectors to zero instead of hiding its keys: only the causal
# mask is passed, so padding is still read (by the padding tokens).
def decoder__padding_zeroed(x, encoder, real):
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    x = x * real.unsqueeze(-1)
    return encoder(x, past)


# Takes only guesses where BOTH the token read and the next one are real; after
# padding on the left the guess at the first real token is missing.
def shifted_loss__both_real(logits, ids, real):
    counted = real[:, :-1] & real[:, 1:]
    return F.cross_entropy(logits[:, :-1][counted], ids[:, 1:][counted])


# Means of each text, then their mean: tokens of short texts count for more
# than those of long ones. Should be one mean over all real next tokens.
def shifted_loss__mean_of_texts(logits, ids, real):
    logs = logits[:, :-1].log_softmax(dim=-1)
    nll = -logs.gather(-1, ids[:, 1:, None]).squeeze(-1)
    counts = real[:, 1:].float()
    each = (nll * counts).sum(dim=1) / counts.sum(dim=1).clamp(min=1)
    return each.mean()


# softmax, then log: with large logits a probability is 0 and its log -inf;
# log_softmax is needed.
def shifted_loss__log_of_softmax(logits, ids, real):
    p = torch.softmax(logits[:, :-1], dim=-1)
    p = torch.gather(p, 2, ids[:, 1:].unsqueeze(2))[..., 0]
    return -torch.log(p)[real[:, 1:]].mean()


# Believes that the cache holds the tokens' vectors and projects the old keys
# and values once more along with x.
def cached_step__projected_again(x, keys, values, attention):
    keys = attention.key(torch.cat([keys, x], dim=1))
    values = attention.value(torch.cat([values, x], dim=1))
    q = attention.query(x)
    weights = (q @ keys.mT / math.sqrt(q.size(-1))).softmax(dim=-1)
    return attention.output(weights @ values), keys, values


# Puts the new key and value in front of the old ones instead of behind.
def cached_step__new_in_front(x, keys, values, attention):
    query = attention.query(x)
    keys = torch.cat((attention.key(x), keys), dim=1)
    values = torch.cat((attention.value(x), values), dim=1)
    scores = torch.einsum("btd,bsd->bts", query, keys) / keys.size(-1) ** 0.5
    found = torch.einsum("bts,bsd->btd", scores.softmax(-1), values)
    return attention.output(found), keys, values


# torch.arange(start, end) is misread as (start, count): the end must be
# past + length, not length.
def embed_new__arange_end(ids, past, tokens, positions):
    length = ids.size(-1)
    places = torch.arange(past, length)
    return tokens[ids] + positions[places]


# All new tokens get the place `past`; right for one new token only.
def embed_new__all_at_past(ids, past, tokens, positions):
    length = ids.size(-1)
    places = torch.full((length,), past)
    return tokens[ids] + positions[places]


# The keys of the cache have the full width D in every head instead of D // H.
def shapes__keys_full_width(B, S, T, D, H, V):
    memory = (B, S, D)
    weights = (B, H, T, S)
    logits = (B, T, V)
    table = (V, D)
    keys = (B, H, T, D)
    return memory, weights, logits, table, keys


# Two mistakes: the cross-attention's weights are T x T as in self-attention
# (should be T x S), and the table of tokens is (D, V) instead of (V, D).
def shapes__square_and_turned_table(B, S, T, D, H, V):
    return [
        (B, S, D),
        (B, H, T, T),
        (B, T, V),
        (D, V),
        (B, H, T, D // H),
    ]


# Only the first step branches: afterwards each of the texts is continued with
# its own likeliest token only, instead of with every token.
def beam_search__greedy_after_first(table, start, beams, steps):
    logs = table.log_softmax(dim=-1)
    first = logs[start].topk(min(beams, table.size(-1)))
    texts = [
        (score, [token])
        for score, token in zip(first.values.tolist(), first.indices.tolist())
    ]
    for _ in range(steps - 1):
        longer = []
        for score, text in texts:
            value, token = logs[text[-1]].max(dim=-1)
            longer.append((score + value.item(), text + [token.item()]))
        texts = sorted(longer, reverse=True)[:beams]
    score, text = texts[0]
    return text, score


# Two mistakes: the text is returned with its start, and the score is a tensor
# (no .item()).
def beam_search__start_and_tensor(table, start, beams, steps):
    logs = F.log_softmax(table, dim=-1)
    pairs = [(torch.tensor(0.0), [start])]
    for _ in range(steps):
        grown = []
        for score, text in pairs:
            for token in range(table.size(-1)):
                grown.append((score + logs[text[-1], token], text + [token]))
        grown.sort(key=lambda pair: pair[0].item(), reverse=True)
        pairs = grown[:beams]
    best_score, best_text = pairs[0]
    return best_text, best_score


# Asks the same only twice: a model that rolls dice and says the same twice by
# chance is not recognised (and gets another name or "healthy").
def diagnose__asked_twice(model):
    def same(a, b):
        return bool((a - b).abs().max() < 0.001)

    ids = torch.randperm(12)[:8][None]
    if not same(model(ids), model(ids)):
        return "rolls dice"
    for _ in range(10):
        two = torch.stack([torch.randperm(12)[:8], torch.randperm(12)[:8]])
        other = two.clone()
        other[1] = torch.randperm(12)[:8]
        alone = model(two[:1])[0]
        if not same(model(two)[0], alone) or not same(model(other)[0], alone):
            return "mixes texts"
    for _ in range(10):
        ids = torch.randperm(12)[:8][None]
        here = model(ids)
        for t in range(1, 8):
            other = ids.clone()
            other[:, t:] = (other[:, t:] + torch.randint(1, 12, (8 - t,))) % 12
            if not same(model(other)[:, :t], here[:, :t]):
                return "reads the future"
    past_matters = order_matters = False
    for _ in range(10):
        ids = torch.randperm(12)[:8][None]
        here = model(ids)[:, -1]
        other = ids.clone()
        other[:, :-1] = (other[:, :-1] + torch.randint(1, 12, (7,))) % 12
        if not same(model(other)[:, -1], here):
            past_matters = True
        turned = ids.clone()
        turned[:, :-1] = ids[:, :-1].roll(1, dims=1)
        if not same(model(turned)[:, -1], here):
            order_matters = True
    if not past_matters:
        return "reads one token"
    if not order_matters:
        return "ignores the order"
    return "healthy"


# To see whether the past counts, only the token right before the last is
# changed: a healthy model that reads the first token and its own gets
# "reads one token". Line: other[:, -2] = ...
def diagnose__neighbour_only(model):
    def differ(a, b):
        return bool(((a - b).abs() >= 0.001).any())

    torch.manual_seed(0)
    texts = torch.stack([torch.randperm(12)[:8] for _ in range(6)])
    asked = model(texts)
    for _ in range(5):
        if differ(model(texts), asked):
            return "rolls dice"
    for row in range(6):
        if differ(model(texts[row : row + 1])[0], asked[row]):
            return "mixes texts"
    for t in range(1, 8):
        for step in (1, 4, 7):
            other = texts.clone()
            other[:, t:] = (other[:, t:] + step) % 12
            if differ(model(other)[:, :t], asked[:, :t]):
                return "reads the future"
    other = texts.clone()
    other[:, -2] = (other[:, -2] + 5) % 12
    if not differ(model(other)[:, -1], asked[:, -1]):
        return "reads one token"
    other = texts.clone()
    other[:, :-1] = texts[:, :-1].flip(1)
    if not differ(model(other)[:, -1], asked[:, -1]):
        return "ignores the order"
    return "healthy"


# Silences a head by zeroing its rows of value.weight, but not its part of
# value.bias: the head still hands its value bias to the output projection.
def head_losses__value_bias_left(model, ids, real):
    def measure():
        x = model.tokens(ids) + model.positions.weight[: ids.size(1)]
        x = decoder(x, model.encoder, real)
        return shifted_loss(x @ model.tokens.weight.mT, ids, real).item()

    whole = measure()
    table = []
    for layer in model.encoder.layers:
        heads = layer.attention.heads
        matrix = layer.attention.value.weight
        width = matrix.size(0) // heads
        row = []
        for h in range(heads):
            kept = matrix.clone()
            matrix[h * width : (h + 1) * width] = 0
            row.append(measure() - whole)
            matrix.copy_(kept)
        table.append(row)
    return torch.tensor(table)


# kept = matrix.data is no copy, so nothing is put back: each head is silenced
# together with all before it, and the model stays changed.
def head_losses__kept_no_copy(model, ids, real):
    def measure():
        x = model.tokens(ids) + model.positions.weight[: ids.shape[1]]
        x = decoder(x, model.encoder, real)
        return shifted_loss(x @ model.tokens.weight.T, ids, real)

    whole = measure()
    layers = model.encoder.layers
    heads = layers[0].attention.heads
    result = torch.zeros(len(layers), heads)
    for i, layer in enumerate(layers):
        matrix = layer.attention.output.weight
        K = matrix.size(1) // heads
        for h in range(heads):
            kept = matrix.data
            matrix[:, h * K : (h + 1) * K] = 0
            result[i, h] = measure() - whole
            matrix.copy_(kept)
    return result


# F.normalize over dim 0, the batch, instead of over the features: the columns
# get length 1, not each sentence's vector. Last line.
def sentence_embedding__normalised_over_batch(model, ids, real):
    x = model.tokens(ids) + model.positions.weight[: ids.size(1)]
    x = model.norm(x + model.segments.weight[0])
    x = model.encoder(x, real.unsqueeze(-2))
    weight = real.unsqueeze(-1).float()
    mean = (x * weight).sum(dim=1) / weight.sum(dim=1)
    return F.normalize(mean, dim=0)


# Each token's vector is brought to length 1 before the mean is taken (and the
# mean again): long vectors no longer count for more.
def sentence_embedding__tokens_to_one_first(model, ids, real):
    B, T = ids.shape
    places = torch.arange(T).expand(B, T)
    segments = torch.zeros_like(ids)
    x = model.tokens(ids) + model.positions(places) + model.segments(segments)
    x = model.encoder(model.norm(x), real[:, None, :])
    x = F.normalize(x, dim=-1)
    x = x.masked_fill(~real[..., None], 0.0)
    mean = x.sum(dim=1) / real.sum(dim=1, keepdim=True)
    return F.normalize(mean, dim=-1)


import copy
import math

import torch
import torch.nn.functional as F
from torch import nn


# Asks whether the last token is the end before it writes, so a prompt that itself
# ends with end_id writes nothing at all (the condition of `while`).
def greedy__prompt_ends_the_text(table, prompt, steps, end_id):
    """Return the list of ids that follow on the prompt."""
    text = list(prompt)
    while len(text) < len(prompt) + steps and text[-1] != end_id:
        text.append(table[text[-1]].argmax().item())
    return text[len(prompt) :]


# `if end_id and ...`: an end_id of 0 counts as none, so the text does not stop there.
def greedy__end_id_zero(table, prompt, steps, end_id):
    """Return the list of ids that follow on the prompt."""
    following = table.argmax(dim=-1).tolist()
    written, last = [], prompt[-1]
    for _ in range(steps):
        last = following[last]
        written.append(last)
        if end_id and last == end_id:
            break
    return written


# `x += ...` writes into x: the caller's x is changed, and with gradients it raises an
# error (a leaf, or a tensor that the linear layers keep for the way back).
def decoder_layer__in_place(x, memory, layer, mask, memory_mask):
    """Attend within x (B, T, D), to the memory (B, S, D), and feed forward."""
    x += layer.attention(x, x, mask)
    x = layer.attention_norm(x)
    x = x + layer.cross_attention(x, memory, memory_mask)
    x = layer.cross_attention_norm(x)
    x = x + layer.feed_forward(x)
    return layer.feed_forward_norm(x)


# The memory is detached, so no gradients get back to the encoder (line
# `memory = memory.detach()`).
def decoder_layer__memory_detached(x, memory, layer, mask, memory_mask):
    """Attend within x (B, T, D), to the memory (B, S, D), and feed forward."""
    memory = memory.detach()
    written = layer.attention_norm(x + layer.attention(x, x, mask))
    asked = layer.cross_attention(written, memory, memory_mask)
    read = layer.cross_attention_norm(written + asked)
    return layer.feed_forward_norm(read + layer.feed_forward(read))


# `real.unsqueeze(-1)` hides the rows of padding, not its columns: a padding token may
# read nothing at all, and its softmax is nan.
def decoder__rows_of_padding(x, encoder, real):
    """Send x (B, T, D) through all layers; no future, no padding."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-1)
    return encoder(x, mask)


# Leaves `real` out: padding at the end is in the future of every real token, but the
# padding tokens themselves still read padding, which nobody may.
def decoder__padding_left_to_the_past(x, encoder, real):
    """Send x (B, T, D) through all layers; no future, no padding."""
    B, T = real.shape
    past = torch.ones(T, T, dtype=torch.bool).tril()
    return encoder(x, past.expand(B, T, T))


# Padding gets the target 0, and `ignore_index=0` leaves out all zeros: real next
# tokens whose id is 0 are left out too.
def shifted_loss__id_zero_ignored(logits, ids, real):
    """Return the mean of -ln p of each next token that is real."""
    guesses = logits[:, :-1].flatten(0, 1)
    targets = (ids * real)[:, 1:].flatten()
    return F.cross_entropy(guesses, targets, ignore_index=0)


# Takes the mean of each text first and then the mean of the texts, so tokens of short
# texts count for more. (A text without any real next token makes it 0 / 1.)
def shifted_loss__mean_of_means(logits, ids, real):
    """Return the mean of -ln p of each next token that is real."""
    log_p = logits[:, :-1].log_softmax(dim=-1)
    of_next = log_p.gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    counted = real[:, 1:]
    of_text = -(of_next * counted).sum(dim=-1) / counted.sum(dim=-1).clamp(min=1)
    return of_text.mean()


# `squeeze()` drops every axis of length 1: with one text in the batch, or for the
# first token (S = 0), the scores lose the wrong axes too, and the softmax runs over
# the batch or the shapes do not fit.
def cached_step__squeeze(x, keys, values, attention):
    """Return the result, and the keys and values, longer by one."""
    q = attention.query(x)
    keys = torch.cat([keys, attention.key(x)], dim=1)
    values = torch.cat([values, attention.value(x)], dim=1)
    scores = (q @ keys.mT).squeeze() / math.sqrt(x.size(-1))
    weights = scores.softmax(dim=-1).unsqueeze(1)
    return attention.output(weights @ values), keys, values


# All new tokens get the place `past` (`torch.full`): right for one new token, but of
# several the second should be at past + 1.
def embed_new__all_at_one_place(ids, past, tokens, positions):
    """Add to each new token's vector that of its place."""
    length = ids.size(-1)
    if past == 0:
        places = torch.arange(length)
    else:
        places = torch.full((length,), past)
    return tokens[ids] + positions[places]


# Counts the places on over all texts of the batch (`arange(ids.numel())`): right for one
# text, but the second text begins where the first ended.
def embed_new__counts_on_over_texts(ids, past, tokens, positions):
    """Add to each new token's vector that of its place."""
    places = past + torch.arange(ids.numel()).view_as(ids)
    return tokens[ids] + positions[places]


# The width of a head is `D / H`, a float, in a shape that should hold integers (last
# entry).
def shapes__float_width(B, S, T, D, H, V):
    """Return the shapes of memory, weights, logits, table, keys."""
    memory = (B, S, D)
    weights = (B, H, T, S)
    logits = (B, T, V)
    table = (V, D)
    keys = (B, H, T, D / H)
    return memory, weights, logits, table, keys


# The cache of the self-attention is given S tokens, those of the source, and not the T
# written ones (last entry): right if S == T.
def shapes__cache_of_source(B, S, T, D, H, V):
    """Return the shapes of memory, weights, logits, table, keys."""
    return [[B, S, D], [B, H, T, S], [B, T, V], [V, D], [B, H, S, D // H]]


# Takes the best `beams` tokens after each text with topk(beams), which raises an error
# if there are more beams than tokens in the vocabulary.
def beam_search__more_beams_than_tokens(table, start, beams, steps):
    """Return the best text found, and its log-probability."""
    log_p = torch.log_softmax(table, dim=-1)
    texts = [(0.0, [start])]
    for _ in range(steps):
        longer = []
        for score, text in texts:
            best = log_p[text[-1]].topk(beams)
            for more, token in zip(best.values.tolist(), best.indices.tolist()):
                longer.append((score + more, text + [token]))
        texts = sorted(longer, reverse=True)[:beams]
    score, text = texts[0]
    return text[1:], score


# Keeps only the better of two texts that end with the same token (the dict `best`), so
# the beams are not the best of all continuations: worse texts with another last token
# go on in their place.
def beam_search__one_per_last_token(table, start, beams, steps):
    """Return the best text found, and its log-probability."""
    log_p = table.log_softmax(dim=-1).tolist()
    texts = {start: (0.0, [])}
    for _ in range(steps):
        best = {}
        for last, (score, text) in texts.items():
            for token, more in enumerate(log_p[last]):
                pair = (score + more, text + [token])
                if token not in best or pair[0] > best[token][0]:
                    best[token] = pair
        ranked = sorted(best.items(), key=lambda item: item[1][0], reverse=True)
        texts = dict(ranked[:beams])
    score, text = max(texts.values())
    return text, score


# Changes only two tokens in the middle of the past (places 1 and 2) to see whether the
# order counts: a healthy model that reads the first token and its own is said to
# ignore the order.
def diagnose__swaps_in_the_middle(model):
    """Return what is wrong with a model: one of the six texts."""

    def differ(one, other):
        return bool((one - other).abs().max() >= 0.001)

    for _ in range(5):
        ids = torch.randperm(12)[:8][None]
        said = model(ids)
        if any(differ(model(ids), said) for _ in range(4)):
            return "rolls dice"
        other = torch.randint(12, (2, 8))
        for batch in (torch.cat([ids, other]), torch.cat([ids, ids])):
            if differ(model(batch)[:1], said):
                return "mixes texts"
        if differ(model(torch.cat([other, ids]))[2:], said):
            return "mixes texts"
        for t in range(1, 8):
            changed = ids.clone()
            changed[:, t:] = (ids[:, t:] + torch.randint(1, 12, (1, 8 - t))) % 12
            if differ(model(changed)[:, :t], said[:, :t]):
                return "reads the future"
    changed = ids.clone()
    changed[:, :-1] = (ids[:, :-1] + 5) % 12
    if not differ(model(changed)[:, -1], said[:, -1]):
        return "reads one token"
    swapped = ids.clone()
    swapped[:, 1], swapped[:, 2] = ids[:, 2], ids[:, 1]
    if not differ(model(swapped)[:, -1], said[:, -1]):
        return "ignores the order"
    return "healthy"


# Two mistakes: it asks the same only twice, which a model that rolls dice may answer
# alike; and of the future it changes the last token only, so a model that reads the
# next token at one of its first places is not caught.
def diagnose__twice_and_last_token(model):
    """Return what is wrong with a model: one of the six texts."""
    ids = torch.randperm(12)[:8].view(1, 8)
    right = model(ids)
    if (model(ids) - right).abs().max() > 0.001:
        return "rolls dice"
    both = model(torch.cat([ids, ids.flip(1)]))
    if (both[:1] - right).abs().max() > 0.001:
        return "mixes texts"
    changed = ids.clone()
    changed[0, -1] = (changed[0, -1] + 1) % 12
    if (model(changed) - right)[:, :-1].abs().max() > 0.001:
        return "reads the future"
    changed = ids.clone()
    changed[0, :-1] = (changed[0, :-1] + 1) % 12
    if (model(changed) - right)[:, -1].abs().max() < 0.001:
        return "reads one token"
    changed = torch.cat([ids[:, :-1].flip(1), ids[:, -1:]], dim=1)
    if (model(changed) - right)[:, -1].abs().max() < 0.001:
        return "ignores the order"
    return "healthy"


# The matrix is put back at the beginning of the next head only (`matrix.copy_(kept)`
# stands before the zeros), so the last head of each layer stays silent: while the
# next layers are measured, and after the function returns.
def head_losses__last_head_stays_silent(model, ids, real):
    """Return what each head is worth in loss: (layers, heads)."""

    def measure():
        x = model.tokens(ids) + model.positions.weight[: ids.size(-1)]
        x = decoder(x, model.encoder, real)
        return shifted_loss(x @ model.tokens.weight.mT, ids, real)

    whole = measure()
    rows = []
    for layer in model.encoder.layers:
        matrix = layer.attention.output.weight
        kept = matrix.clone()
        width = matrix.size(1) // layer.attention.heads
        row = []
        for head in range(layer.attention.heads):
            matrix.copy_(kept)
            matrix[:, head * width : (head + 1) * width] = 0
            row.append(measure() - whole)
        rows.append(torch.stack(row))
    return torch.stack(rows)


# Silences a head by zeros in the rows of the value's matrix, but its bias
# (`value.bias`) stays, so the head still hands its bias to the output projection.
def head_losses__value_bias_stays(model, ids, real):
    """Return what each head is worth in loss: (layers, heads)."""

    def measure(some):
        x = some.tokens(ids) + some.positions.weight[: ids.shape[1]]
        logits = decoder(x, some.encoder, real) @ some.tokens.weight.T
        return shifted_loss(logits, ids, real).item()

    whole = measure(model)
    layers = model.encoder.layers
    table = torch.zeros(len(layers), layers[0].attention.heads)
    for i in range(table.size(0)):
        for h in range(table.size(1)):
            silent = copy.deepcopy(model)
            value = silent.encoder.layers[i].attention.value.weight
            value.unflatten(0, (table.size(1), -1))[h] = 0.0
            table[i, h] = measure(silent) - whole
    return table


# Takes the first n vectors of each sentence, n the number of real tokens
# (`x[b, : n[b]]`): wrong where padding stands on the left or in between.
def sentence_embedding__first_n(model, ids, real):
    """Return a vector of length 1 for each sentence."""
    x = model.tokens(ids) + model.positions.weight[: ids.size(1)]
    x = model.norm(x + model.segments.weight[0])
    x = model.encoder(x, real.unsqueeze(-2))
    n = real.sum(dim=-1).tolist()
    means = torch.stack([x[b, : n[b]].mean(dim=0) for b in range(len(n))])
    return F.normalize(means, dim=-1)


# Divides all sentences by one number, the length of all vectors together
# (`mean.norm()` without an axis): right for a batch of one sentence.
def sentence_embedding__one_length_for_all(model, ids, real):
    """Return a vector of length 1 for each sentence."""
    T = ids.size(-1)
    x = model.tokens(ids) + model.positions.weight[:T] + model.segments.weight[0]
    x = model.encoder(model.norm(x), real[:, None, :])
    counted = real[..., None].float()
    mean = (x * counted).sum(dim=1) / counted.sum(dim=1)
    return mean / mean.norm()
