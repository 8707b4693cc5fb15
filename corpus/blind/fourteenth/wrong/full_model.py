import copy
import math

import torch
import torch.nn.functional as F


# Stops before it appends: the end_id is not written. Line: the `if` stands before
# written.append.
def greedy__end_not_written(table, prompt, steps, end_id):
    written = []
    last = prompt[-1]
    for _ in range(steps):
        last = table[last].argmax().item()
        if last == end_id:
            break
        written.append(last)
    return written


# Pre-norm wiring: the norms stand before the sublayers, x + f(norm(x)), but
# post-norm, norm(x + f(x)), is asked for.
def decoder_layer__pre_norm(x, memory, layer, mask, memory_mask):
    h = layer.attention_norm(x)
    x = x + layer.attention(h, h, mask)
    h = layer.cross_attention_norm(x)
    x = x + layer.cross_attention(h, memory, memory_mask)
    return x + layer.feed_forward(layer.feed_forward_norm(x))


# Puts the axis of `real` at the end: the padding's rows (queries) are hidden, not
# its columns, and these rows become nan. Line: real.unsqueeze(-1)
def decoder__rows_hidden(x, encoder, real):
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-1)
    return encoder(x, mask)


# Inverts `real`, as if True meant padding to be hidden: now only padding may be
# read. Line: past & ~real.unsqueeze(-2)
def decoder__real_inverted(x, encoder, real):
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & ~real.unsqueeze(-2)
    return encoder(x, mask)


# Counts the guesses whose own token is real instead of those whose next token is
# real. Line: keep = real[:, :-1], should be real[:, 1:]
def shifted_loss__own_token_real(logits, ids, real):
    log_p = logits[:, :-1].log_softmax(dim=-1)
    found = log_p.gather(-1, ids[:, 1:, None]).squeeze(-1)
    keep = real[:, :-1]
    return -found[keep].mean()


# Softmax and logarithm apart: with large logits a probability is 0 and its
# logarithm -inf. Line: p.log()
def shifted_loss__log_of_softmax(logits, ids, real):
    p = logits[:, :-1].softmax(dim=-1)
    target = F.one_hot(ids[:, 1:], logits.size(-1)).bool()
    nll = -p[target].log().view(ids.size(0), -1)
    keep = real[:, 1:]
    return nll[keep].sum() / keep.sum()


# Scales by the root of the number of tokens instead of the width.
# Line: math.sqrt(keys.size(1)), should be keys.size(-1)
def cached_step__root_of_length(x, keys, values, attention):
    keys = torch.cat([keys, attention.key(x)], dim=1)
    values = torch.cat([values, attention.value(x)], dim=1)
    scores = attention.query(x) @ keys.transpose(1, 2) / math.sqrt(keys.size(1))
    found = scores.softmax(dim=-1) @ values
    return attention.output(found), keys, values


# torch.arange(past, length) ends at length, as if the second argument were a
# count; it should end at past + length.
def embed_new__arange_end(ids, past, tokens, positions):
    length = ids.size(-1)
    places = torch.arange(past, length)
    return tokens[ids] + positions[places]


# Two mistakes: the keys of each head have the full width D (should be D // H), and
# the table is written (D, V) instead of (V, D).
def shapes__full_width_keys(B, S, T, D, H, V):
    return [
        [B, S, D],
        [B, H, T, S],
        [B, T, V],
        [D, V],
        [B, H, T, D],
    ]


# Adds the raw logits up instead of log-probabilities: no log_softmax.
# Line: score + table[text[-1], token].item()
def beam_search__raw_logits(table, start, beams, steps):
    texts = [(0.0, [start])]
    for _ in range(steps):
        longer = []
        for score, text in texts:
            for token in range(table.size(0)):
                longer.append((score + table[text[-1], token].item(), text + [token]))
        texts = sorted(longer, reverse=True)[:beams]
    score, text = texts[0]
    return text[1:], score


# The best `beams` continuations are taken at the first step only; afterwards each
# text goes on with its own best token, so no text can have two continuations.
def beam_search__each_its_own(table, start, beams, steps):
    log_p = table.log_softmax(dim=-1)
    first = log_p[start].sort(descending=True)
    texts = []
    for score, token in zip(first.values[:beams], first.indices[:beams]):
        texts.append((score.item(), [token.item()]))
    for _ in range(steps - 1):
        following = []
        for score, text in texts:
            best = log_p[text[-1]].max(dim=-1)
            following.append((score + best.values.item(), text + [best.indices.item()]))
        texts = following
    score, text = max(texts)
    return text, score


# Asks twice only whether the model rolls dice: a model that says the same twice by
# chance gets through. Line: a second model(ids), and no third.
def diagnose__dice_asked_twice(model):
    def differ(a, b):
        return bool((a - b).abs().max() > 0.001)

    ids = torch.randperm(12).view(2, 6)
    whole = model(ids)
    if differ(model(ids), whole):
        return "rolls dice"
    if differ(model(ids[:1])[0], whole[0]) or differ(model(ids[1:])[0], whole[1]):
        return "mixes texts"
    for _ in range(10):
        one = torch.randperm(12)[:8].view(1, 8)
        said = model(one)
        for n in range(1, 8):
            if differ(model(one[:, :n]), said[:, :n]):
                return "reads the future"
    order, before = False, False
    for _ in range(20):
        one = torch.randperm(12)[:8].view(1, 8)
        said = model(one)[0, -1]
        mixed = torch.cat([one[:, :7].flip(1), one[:, 7:]], dim=1)
        order = order or differ(model(mixed)[0, -1], said)
        other = one.clone()
        other[:, :7] = (one[:, :7] + 1) % 12
        before = before or differ(model(other)[0, -1], said)
    if not before:
        return "reads one token"
    if not order:
        return "ignores the order"
    return "healthy"


# For the order it flips the whole text, with the last token: the last position then
# holds another token and changes anyway, so "ignores the order" is never found.
def diagnose__flips_last_token_too(model):
    ids = torch.randperm(12).view(2, 6)
    said = [model(ids) for _ in range(6)]
    if any((one - said[0]).abs().max() > 0.001 for one in said):
        return "rolls dice"
    alone = torch.cat([model(ids[:1]), model(ids[1:])])
    if (alone - said[0]).abs().max() > 0.001:
        return "mixes texts"
    for _ in range(8):
        text = torch.randperm(12)[:8][None]
        whole = model(text)
        for cut in range(1, 8):
            if (model(text[:, :cut]) - whole[:, :cut]).abs().max() > 0.001:
                return "reads the future"
    reads_others = False
    sees_order = False
    for _ in range(8):
        text = torch.randperm(12)[:8][None]
        last = model(text)[:, -1]
        changed = torch.cat([torch.randint(12, (1, 7)), text[:, -1:]], dim=1)
        if (model(changed)[:, -1] - last).abs().max() > 0.001:
            reads_others = True
        if (model(text.flip(-1))[:, -1] - last).abs().max() > 0.001:
            sees_order = True
    if not reads_others:
        return "reads one token"
    return "healthy" if sees_order else "ignores the order"


# Silences rows of output.weight (outputs) instead of its columns (inputs), where the
# head's numbers come in. Line: weight[h * d : (h + 1) * d] = 0
def head_losses__rows_of_output(model, ids, real):
    def whole_loss():
        x = model.tokens(ids) + model.positions.weight[: ids.size(1)]
        x = decoder(x, model.encoder, real)
        return shifted_loss(x @ model.tokens.weight.T, ids, real)

    base = whole_loss()
    rows = []
    for layer in model.encoder.layers:
        weight = layer.attention.output.weight
        heads = layer.attention.heads
        d = weight.size(1) // heads
        row = []
        for h in range(heads):
            kept = weight.clone()
            weight[h * d : (h + 1) * d] = 0
            row.append(whole_loss() - base)
            weight.copy_(kept)
        rows.append(torch.stack(row))
    return torch.stack(rows)


# `kept = weight` is no copy: what is put back are the zeros, so heads that were
# silenced stay so, and the model is spoilt at the end.
def head_losses__kept_without_copy(model, ids, real):
    def current():
        x = model.tokens(ids) + model.positions.weight[: ids.shape[-1]]
        logits = decoder(x, model.encoder, real) @ model.tokens.weight.mT
        return shifted_loss(logits, ids, real).item()

    whole = current()
    layers = model.encoder.layers
    heads = layers[0].attention.heads
    table = torch.zeros(len(layers), heads)
    for i, layer in enumerate(layers):
        weight = layer.attention.output.weight
        width = weight.size(1) // heads
        for h in range(heads):
            kept = weight
            weight[:, h * width : (h + 1) * width] = 0.0
            table[i, h] = current() - whole
            weight.copy_(kept)
    return table


# Two mistakes: the encoder gets no mask, so padding is read, and the mean runs over all
# T tokens, padding too. Lines: model.encoder(...), x.mean(dim=1)
def sentence_embedding__real_unused(model, ids, real):
    T = ids.size(1)
    x = model.tokens(ids) + model.positions.weight[:T] + model.segments.weight[0]
    x = model.encoder(model.norm(x))
    mean = x.mean(dim=1)
    return mean / mean.norm(dim=-1, keepdim=True)


# Brings each token's vector to length 1 before the mean instead of the mean: the
# result's length is below 1. Line: F.normalize before the sum.
def sentence_embedding__tokens_normalised(model, ids, real):
    x = model.tokens(ids)
    x = x + model.positions.weight[: ids.size(-1)]
    x = x + model.segments.weight[0]
    x = model.encoder(model.norm(x), real[:, None, :])
    x = F.normalize(x, dim=-1) * real.unsqueeze(-1)
    return x.sum(dim=1) / real.sum(dim=1, keepdim=True)


# prompt.append(...) makes the caller's list longer.
def greedy__grows_callers_prompt(table, prompt, steps, end_id):
    before = len(prompt)
    for _ in range(steps):
        token = table[prompt[-1]].argmax().item()
        prompt.append(token)
        if token == end_id:
            break
    return prompt[before:]


# Two mistakes: if end_id comes first of all, an empty list is returned instead of
# [end_id]; and the ids are tensors with one number each, not plain numbers.
def greedy__empty_if_end_first(table, prompt, steps, end_id):
    following = table.argmax(dim=-1)
    token, written = following[prompt[-1]], []
    if token == end_id:
        return written
    while len(written) < steps:
        written.append(token)
        if token == end_id:
            break
        token = following[token]
    return written


# `if mask is None` decides for both masks: without a self-attention mask the
# memory_mask is dropped too, so the padding of the source is read.
def decoder_layer__drops_memory_mask(x, memory, layer, mask, memory_mask):
    if mask is None:
        found = layer.attention(x, x)
        x = layer.attention_norm(x + found)
        found = layer.cross_attention(x, memory)
    else:
        x = layer.attention_norm(x + layer.attention(x, x, mask))
        found = layer.cross_attention(x, memory, memory_mask)
    x = layer.cross_attention_norm(x + found)
    return layer.feed_forward_norm(x + layer.feed_forward(x))


# unsqueeze(-1) hides padding as queries, not as keys: rows of padding see nothing, so
# they are nan, and from the second layer on (0 * nan) everything is.
def decoder__hides_query_rows(x, encoder, real):
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-1)
    return encoder(x, mask)


# Padding is marked by the id 0 and ignore_index=0: real tokens with the id 0 are left
# out of the mean too.
def shifted_loss__id_zero_ignored(logits, ids, real):
    targets = (ids * real)[:, 1:]
    guesses = logits[:, :-1].transpose(1, 2)
    return F.cross_entropy(guesses, targets, ignore_index=0)


# ids[:, 1:] is a view, so -100 is written into the caller's ids. Line
# `targets[~real[:, 1:]] = -100`.
def shifted_loss__writes_into_ids(logits, ids, real):
    targets = ids[:, 1:]
    targets[~real[:, 1:]] = -100
    guesses = logits[:, :-1]
    return F.cross_entropy(guesses.flatten(0, 1), targets.flatten(), ignore_index=-100)


# For the first token, S = 0, the value itself is returned ("its weight is 1"), without
# the output layer.
def cached_step__first_without_output(x, keys, values, attention):
    new_key, new_value = attention.key(x), attention.value(x)
    if keys.size(1) == 0:
        return new_value, new_key, new_value
    keys = torch.cat([keys, new_key], dim=1)
    values = torch.cat([values, new_value], dim=1)
    scores = attention.query(x) @ keys.mT / math.sqrt(keys.size(-1))
    return attention.output(scores.softmax(dim=-1) @ values), keys, values


# squeeze(1) makes the queries (B, D), which meet keys (B, D, S) as one matrix for every
# sentence: right for B = 1, for more the result is (B, B, D).
def cached_step__queries_squeezed(x, keys, values, attention):
    query = attention.query(x).squeeze(1)
    keys = torch.cat((keys, attention.key(x)), -2)
    values = torch.cat((values, attention.value(x)), -2)
    weights = F.softmax(query @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5, dim=-1)
    return attention.output(weights @ values), keys, values


# All new tokens get the row `past`: right for one new token, as in writing, wrong for
# several.
def embed_new__all_at_past(ids, past, tokens, positions):
    return tokens[ids] + positions[past]


# D / H makes the width of a head a float: (B, H, T, 4.0).
def shapes__float_width(B, S, T, D, H, V):
    memory = (B, S, D)
    weights = (B, H, T, S)
    logits = (B, T, V)
    table = (V, D)
    keys = (B, H, T, D / H)
    return memory, weights, logits, table, keys


# log of softmax: for large logits the probabilities are 0 in float32, and the scores
# -inf. Line `logs = ...`.
def beam_search__log_of_softmax(table, start, beams, steps):
    logs = torch.softmax(table, dim=-1).log().tolist()
    texts = [(0.0, [start])]
    for _ in range(steps):
        longer = []
        for score, text in texts:
            for token, log in enumerate(logs[text[-1]]):
                longer.append((score + log, text + [token]))
        longer.sort(key=lambda pair: pair[0], reverse=True)
        texts = longer[:beams]
    score, text = texts[0]
    return text[1:], score


# topk(beams) of each row is an error if there are more beams than tokens.
def beam_search__more_beams_than_tokens(table, start, beams, steps):
    logs = table.log_softmax(dim=-1)
    alive = [([], 0.0)]
    for _ in range(steps):
        candidates = []
        for text, score in alive:
            last = text[-1] if text else start
            best = logs[last].topk(beams)
            for log, token in zip(best.values.tolist(), best.indices.tolist()):
                candidates.append((text + [token], score + log))
        alive = sorted(candidates, key=lambda c: -c[1])[:beams]
    return alive[0]


# To see whether texts mix, the same text is put in twice: a model that takes the mean
# over the batch says the same then. (It finds only what depends on their number.)
def diagnose__same_text_twice(model):
    def same(a, b):
        return (a - b).abs().max().item() < 0.001

    for _ in range(10):
        ids = torch.stack([torch.randperm(12)[:8]])
        said = model(ids)
        if not all(same(model(ids), said) for _ in range(4)):
            return "rolls dice"
        if not same(model(ids.repeat(2, 1))[:1], said):
            return "mixes texts"
        for place in range(1, 8):
            other = ids.clone()
            other[0, place:] = (other[0, place:] + 3) % 12
            if not same(model(other)[:, :place], said[:, :place]):
                return "reads the future"
    order = one = True
    for _ in range(10):
        ids = torch.randperm(12)[None, :8]
        said = model(ids)[:, -1]
        moved = torch.cat([ids[:, :-1].flip(-1), ids[:, -1:]], dim=-1)
        order = order and same(model(moved)[:, -1], said)
        other = ids.clone()
        other[:, :-1] = (other[:, :-1] + 5) % 12
        one = one and same(model(other)[:, -1], said)
    if one:
        return "reads one token"
    return "ignores the order" if order else "healthy"


# "reads one token" is tried by a change of the token just before the last only: a
# healthy model that reads the first and its own token is taken for one.
def diagnose__changes_neighbour_only(model):
    def differ(a, b):
        return bool(((a - b).abs() >= 0.001).any())

    one, order = True, True
    for _ in range(20):
        ids = torch.randperm(12)[:8].view(1, 8)
        said = model(ids)
        for _ in range(5):
            if differ(model(ids), said):
                return "rolls dice"
        both = torch.cat([ids, torch.randint(12, (2, 8))])
        if differ(model(both)[:1], said):
            return "mixes texts"
        for n in range(1, 8):
            other = ids.clone()
            other[:, n:] = torch.randint(12, (1, 8 - n))
            if differ(model(other)[:, :n], said[:, :n]):
                return "reads the future"
        other = ids.clone()
        other[0, 6] = (other[0, 6] + 1) % 12
        one = one and not differ(model(other)[0, 7], said[0, 7])
        moved = ids.clone()
        moved[0, :7] = ids[0, torch.randperm(7)]
        order = order and not differ(model(moved)[0, 7], said[0, 7])
    if one:
        return "reads one token"
    return "ignores the order" if order else "healthy"


# The positions' whole table is added, without [:T]: right only if the texts are as long
# as the table, otherwise an error.
def head_losses__whole_position_table(model, ids, real):
    def loss_now():
        x = model.tokens(ids) + model.positions.weight
        x = decoder(x, model.encoder, real)
        return shifted_loss(x @ model.tokens.weight.mT, ids, real)

    whole, rows = loss_now(), []
    for layer in model.encoder.layers:
        matrix = layer.attention.output.weight
        width = matrix.size(1) // layer.attention.heads
        row = []
        for head in range(layer.attention.heads):
            kept = matrix.clone()
            matrix[:, head * width : (head + 1) * width] = 0
            row.append(loss_now() - whole)
            matrix.copy_(kept)
        rows.append(torch.stack(row))
    return torch.stack(rows)


# kept = matrix[:, columns] is a view, zeroed with the matrix: nothing is put back, the
# model stays silenced, and each head is measured without those before it.
def head_losses__kept_is_a_view(model, ids, real):
    def loss_now():
        x = model.tokens(ids) + model.positions.weight[: ids.size(1)]
        x = decoder(x, model.encoder, real)
        return shifted_loss(x @ model.tokens.weight.T, ids, real)

    layers = model.encoder.layers
    heads = layers[0].attention.heads
    whole = loss_now()
    losses = whole.new_zeros(len(layers), heads)
    for i, layer in enumerate(layers):
        matrix = layer.attention.output.weight
        width = matrix.size(1) // heads
        for j in range(heads):
            columns = slice(j * width, (j + 1) * width)
            kept = matrix[:, columns]
            matrix[:, columns] = 0.0
            losses[i, j] = loss_now() - whole
            matrix[:, columns] = kept
    return losses


# mean / mean.norm() divides by the length of the whole batch: right for one sentence.
def sentence_embedding__length_of_batch(model, ids, real):
    T = ids.size(1)
    x = model.tokens(ids) + model.positions.weight[:T] + model.segments.weight[0]
    x = model.encoder(model.norm(x), real.unsqueeze(-2))
    found = (x * real.unsqueeze(-1)).sum(dim=1) / real.sum(dim=1, keepdim=True)
    return found / found.norm()


# x[real] is viewed as (B, -1, D): right if all sentences have as many real tokens,
# otherwise an error, or tokens of one sentence count for the next.
def sentence_embedding__equally_many_tokens(model, ids, real):
    B, T = ids.shape
    x = model.tokens(ids) + model.positions(torch.arange(T))
    x = model.norm(x + model.segments.weight[0])
    x = model.encoder(x, real[:, None, :])
    means = x[real].reshape(B, -1, x.size(-1)).mean(dim=1)
    return F.normalize(means, dim=-1)
