"""Right answers, written in many ways: none may lose a point. Before __ stands the function."""

import copy
import heapq
import math

import torch
from torch.nn import functional


def _linear(x, module, name):
    layer = module.get_submodule(name)
    return functional.linear(x, layer.weight, layer.bias)


def _norm(x, module, name):
    norm = module.get_submodule(name)
    return functional.layer_norm(x, x.shape[-1:], norm.weight, norm.bias, 1e-12)


def _attend(x, memory, layer, name, mask=None):
    own = layer.get_submodule(name)
    q, k, v = (
        _linear(source, own, part).unflatten(-1, (own.heads, -1)).transpose(1, 2)
        for part, source in (("query", x), ("key", memory), ("value", memory))
    )
    if mask is not None and mask.dim() == 3:
        mask = mask.unsqueeze(1)
    found = functional.scaled_dot_product_attention(q, k, v, mask)
    return _linear(found.transpose(1, 2).flatten(2), own, "output")


def _think(x, layer):
    hidden = functional.gelu(_linear(x, layer, "feed_forward.up"))
    return _linear(hidden, layer, "feed_forward.down")


class _Wide:
    """A module whose parameters are read in float64."""

    def __init__(self, module):
        self._module, self.heads = module, getattr(module, "heads", None)

    def get_submodule(self, name):
        return _Wide(self._module.get_submodule(name))

    @property
    def weight(self):
        return self._module.weight.double()

    @property
    def bias(self):
        return self._module.bias.double()


def _encoder_layer__ready_mades(x, layer, mask):
    x = _norm(x + _attend(x, x, layer, "attention", mask), layer, "attention_norm")
    return _norm(x + _think(x, layer), layer, "feed_forward_norm")


def _encoder_layer__residual_names(x, layer, mask):
    residual = x
    x = _attend(x, x, layer, "attention", mask)
    x = _norm(residual + x, layer, "attention_norm")
    residual = x
    x = _think(x, layer)
    return _norm(residual + x, layer, "feed_forward_norm")


def _encoder_layer__in_place_on_its_own(x, layer, mask):
    found = _attend(x, x, layer, "attention", mask)
    found += x
    heard = _norm(found, layer, "attention_norm")
    thought = _think(heard, layer)
    thought += heard
    return _norm(thought, layer, "feed_forward_norm")


def _encoder_layer__loop_over_sublayers(x, layer, mask):
    sublayers = {
        "attention": lambda x: _attend(x, x, layer, "attention", mask),
        "feed_forward": lambda x: _think(x, layer),
    }
    for name, sublayer in sublayers.items():
        x = _norm(x + sublayer(x), layer, f"{name}_norm")
    return x


def _encoder__loop(x, encoder, mask):
    for layer in encoder.layers:
        x = _encoder_layer__ready_mades(x, layer, mask)
    return x


def _encoder__recursive(x, encoder, mask, count=None):
    count = len(encoder.layers) if count is None else count
    if count == 0:
        return x
    below = _encoder__recursive(x, encoder, mask, count - 1)
    return _encoder_layer__residual_names(below, encoder.layers[count - 1], mask)


def _encoder__list_of_layers(x, encoder, mask):
    for layer in list(encoder.layers.children()):
        x = _encoder_layer__loop_over_sublayers(x, layer, mask)
    return x


def _encoder__while(x, encoder, mask):
    number = 0
    while number < len(encoder.layers):
        own = encoder.get_submodule(f"layers.{number}")
        x = _encoder_layer__in_place_on_its_own(x, own, mask)
        number += 1
    return x


def decoder_layer__ready_mades(x, memory, layer, mask, memory_mask):
    x = _norm(x + _attend(x, x, layer, "attention", mask), layer, "attention_norm")
    heard = _attend(x, memory, layer, "cross_attention", memory_mask)
    x = _norm(x + heard, layer, "cross_attention_norm")
    return _norm(x + _think(x, layer), layer, "feed_forward_norm")


def decoder_layer__other_names(x, memory, layer, mask, memory_mask):
    a = _norm(_attend(x, x, layer, "attention", mask) + x, layer, "attention_norm")
    b = _attend(a, memory, layer, "cross_attention", memory_mask).add(a)
    c = _norm(b, layer, "cross_attention_norm")
    return _norm(_think(c, layer).add(c), layer, "feed_forward_norm")


def decoder_layer__loop_over_sublayers(x, memory, layer, mask, memory_mask):
    for name in ("attention", "cross_attention", "feed_forward"):
        if name == "feed_forward":
            made = _think(x, layer)
        else:
            read, hidden = (x, mask) if name == "attention" else (memory, memory_mask)
            made = _attend(x, read, layer, name, hidden)
        x = _norm(x + made, layer, f"{name}_norm")
    return x


def decoder_layer__full_masks(x, memory, layer, mask, memory_mask):
    if memory_mask is None:
        memory_mask = torch.ones(len(x), 1, memory.size(1), dtype=torch.bool)
    memory_mask = memory_mask.expand(-1, x.size(1), -1)
    return decoder_layer__ready_mades(x, memory, layer, mask, memory_mask)


def decoder_layer__float64_inside(x, memory, layer, mask, memory_mask):
    wide = _Wide(layer)
    found = decoder_layer__ready_mades(x.double(), memory.double(), wide, mask, memory_mask)
    return found.to(x.dtype)


def decoder_layer__built_on_the_encoders(x, memory, layer, mask, memory_mask):
    found = x + _attend(x, x, layer, "attention", mask)
    heard = _norm(found, layer, "attention_norm")
    heard = heard + _attend(heard, memory, layer, "cross_attention", memory_mask)
    asked = _norm(heard, layer, "cross_attention_norm")
    return _norm(torch.add(asked, _think(asked, layer)), layer, "feed_forward_norm")


def decoder__and(x, encoder, real):
    past = torch.ones(x.size(1), x.size(1)).tril().bool()
    return _encoder__loop(x, encoder, past & real[:, None, :])


def decoder__product(x, encoder, real):
    places = torch.arange(x.size(1))
    past = (places[:, None] >= places).float()
    return _encoder__loop(x, encoder, (past * real.unsqueeze(-2)).bool())


def decoder__loops(x, encoder, real):
    B, T = real.shape
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for query in range(T):
        mask[:, query, : query + 1] = real[:, : query + 1]
    return _encoder__recursive(x, encoder, mask)


def decoder__de_morgan(x, encoder, real):
    future = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(diagonal=1)
    return _encoder__while(x, encoder, ~(future | ~real.unsqueeze(1)))


def decoder__einsum(x, encoder, real):
    past = torch.ones(x.size(1), x.size(1)).tril()
    mask = torch.einsum("ts,bs->bts", past, real.float()) > 0
    return _encoder__list_of_layers(x, encoder, mask)


def decoder__where(x, encoder, real):
    past = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
    mask = torch.where(real.unsqueeze(-2), past, torch.tensor(False))
    return _encoder__loop(x, encoder, mask)


def shifted_loss__cross_entropy(logits, ids, real):
    targets = torch.where(real, ids, -100)[:, 1:]
    return functional.cross_entropy(logits[:, :-1].reshape(-1, logits.size(-1)), targets.flatten())


def shifted_loss__selected(logits, ids, real):
    counted = real[:, 1:]
    return functional.cross_entropy(logits[:, :-1][counted], ids[:, 1:][counted])


def shifted_loss__classes_second(logits, ids, real):
    losses = functional.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    return (losses * real[:, 1:]).sum() / real[:, 1:].sum()


def shifted_loss__logsumexp(logits, ids, real):
    logits, ids, real = logits[:, :-1], ids[:, 1:, None], real[:, 1:]
    own = logits.take_along_dim(ids, dim=-1)[..., 0]
    return (logits.logsumexp(dim=-1) - own).masked_select(real).mean()


def shifted_loss__loops(logits, ids, real):
    surprises = []
    for row in range(ids.size(0)):
        for place in range(1, ids.size(1)):
            if real[row, place]:
                logs = logits[row, place - 1].log_softmax(dim=-1)
                surprises.append(-logs[ids[row, place]])
    return torch.stack(surprises).mean()


def shifted_loss__float64_inside(logits, ids, real):
    p = logits.double().softmax(-1)[:, :-1].gather(-1, ids[:, 1:, None]).squeeze(-1)
    counted = real[:, 1:].double()
    return (-(p.log() * counted).sum() / counted.sum()).to(logits.dtype)


def greedy__for(table, prompt, steps, end_id):
    ids, written = list(prompt), []
    for _ in range(steps):
        token = table[ids[-1]].argmax().item()
        ids.append(token)
        written.append(token)
        if token == end_id:
            break
    return written


def greedy__recursive(table, prompt, steps, end_id):
    if steps == 0:
        return []
    token = int(table[prompt[-1]].max(dim=0).indices)
    return (
        [token]
        if token == end_id
        else [token, *greedy__recursive(table, [token], steps - 1, end_id)]
    )


def greedy__tuple(table, prompt, steps, end_id):
    likeliest = table.argmax(dim=-1).tolist()
    last, written = prompt[-1], ()
    while (steps > 0 and last != end_id) or not written:
        last = likeliest[last]
        written += (last,)
        steps -= 1
    return written


def greedy__cut_afterwards(table, prompt, steps, end_id):
    ids = prompt[:]
    for _ in range(steps):
        ids = [*ids, table[ids[-1]].topk(1).indices.item()]
    written = ids[len(prompt) :]
    return written[: written.index(end_id) + 1] if end_id in written else written


def greedy__probabilities(table, prompt, steps, end_id):
    def next_of(token):
        return table.softmax(dim=-1)[token].sort(descending=True).indices[0].item()

    written = [next_of(prompt[-1])]
    while len(written) < steps and written[-1] != end_id:
        written.append(next_of(written[-1]))
    return written


def greedy__whole_text_each_time(table, prompt, steps, end_id):
    ids = torch.tensor(prompt)
    while len(ids) < len(prompt) + steps:
        logits = table[ids]
        ids = torch.cat([ids, logits[-1:].argmax(dim=-1)])
        if ids[-1] == end_id:
            break
    return ids[len(prompt) :].tolist()


def _continued(texts, scores):
    return [
        (score + scores[text[-1]][token], [*text, token])
        for score, text in texts
        for token in range(len(scores))
    ]


def beam_search__sorted(table, start, beams, steps):
    scores = table.log_softmax(dim=-1).tolist()
    texts = [(0.0, [start])]
    for _ in range(steps):
        texts = sorted(_continued(texts, scores), reverse=True)[:beams]
    score, text = max(texts)
    return text[1:], score


def beam_search__tensors(table, start, beams, steps):
    chances = table.double().softmax(-1).log()
    texts, scores = torch.tensor([[start]]), torch.zeros(1, dtype=torch.float64)
    for _ in range(steps):
        totals = (scores[:, None] + chances[texts[:, -1]]).flatten()
        scores, places = totals.topk(min(beams, totals.numel()))
        rows, tokens = places // len(table), places % len(table)
        texts = torch.cat([texts[rows], tokens[:, None]], dim=1)
    return texts[0, 1:].tolist(), scores[0].item()


def beam_search__products(table, start, beams, steps):
    chances = table.double().softmax(-1)
    texts = {(start,): 1.0}
    for _ in range(steps):
        longer = {
            (*text, token): p * chances[text[-1], token].item()
            for text, p in texts.items()
            for token in range(len(table))
        }
        texts = dict(sorted(longer.items(), key=lambda item: item[1])[-beams:])
    text = max(texts, key=texts.get)
    return text[1:], math.log(texts[text])


def beam_search__recursive(table, start, beams, steps):
    scores = table.log_softmax(dim=-1).tolist()

    def follow(texts, left):
        if not left:
            return max(texts)
        return follow(sorted(_continued(texts, scores), reverse=True)[:beams], left - 1)

    score, text = follow([(0.0, [start])], steps)
    return [text[1:], score]


def beam_search__insertion(table, start, beams, steps):
    scores = torch.log_softmax(table, dim=1).tolist()
    texts = [(0.0, [start])]
    for _ in range(steps):
        best = []
        for found in _continued(texts, scores):
            best.append(found)
            best.sort(key=lambda pair: pair[0], reverse=True)
            del best[beams:]
        texts = best
    return tuple(texts[0][1][1:]), texts[0][0]


def beam_search__heap(table, start, beams, steps):
    scores = table.log_softmax(dim=-1).tolist()
    texts = [(0.0, [start])]
    for _ in range(steps):
        texts = heapq.nlargest(beams, _continued(texts, scores))
    return texts[0][1][1:], texts[0][0]


def cached_step__ready_mades(x, keys, values, attention):
    q = _linear(x, attention, "query")
    keys = torch.cat([keys, _linear(x, attention, "key")], dim=1)
    values = torch.cat([values, _linear(x, attention, "value")], dim=1)
    found = functional.scaled_dot_product_attention(q, keys, values)
    return _linear(found, attention, "output"), keys, values


def cached_step__einsum(x, keys, values, attention):
    new = [_linear(x, attention, name) for name in ("query", "key", "value")]
    keys, values = torch.cat([keys, new[1]], 1), torch.cat([values, new[2]], 1)
    scores = torch.einsum("btk,bsk->bts", new[0], keys) / keys.size(-1) ** 0.5
    mixed = torch.einsum("bts,bsv->btv", scores.softmax(-1), values)
    return [_linear(mixed, attention, "output"), keys, values]


def cached_step__scaled_query(x, keys, values, attention):
    q = _linear(x, attention, "query") * x.size(-1) ** -0.5
    keys = torch.concat((keys, _linear(x, attention, "key")), dim=-2)
    values = torch.concat((values, _linear(x, attention, "value")), dim=-2)
    return (
        _linear((q @ keys.transpose(-1, -2)).softmax(-1) @ values, attention, "output"),
        keys,
        values,
    )


def cached_step__new_apart(x, keys, values, attention):
    q, k, v = (_linear(x, attention, name) for name in ("query", "key", "value"))
    scores = torch.cat([q @ keys.mT, (q * k).sum(-1, keepdim=True)], dim=-1) / math.sqrt(q.size(-1))
    seen = scores.softmax(dim=-1)
    mixed = seen[..., :-1] @ values + seen[..., -1:] * v
    return _linear(mixed, attention, "output"), torch.cat([keys, k], 1), torch.cat([values, v], 1)


def cached_step__float64_inside(x, keys, values, attention):
    wide = _Wide(attention)
    found = cached_step__ready_mades(x.double(), keys.double(), values.double(), wide)
    return tuple(tensor.to(x.dtype) for tensor in found)


def cached_step__sentence_by_sentence(x, keys, values, attention):
    found = [
        cached_step__einsum(*(tensor[None] for tensor in row), attention)
        for row in zip(x, keys, values, strict=True)
    ]
    return tuple(torch.cat(parts) for parts in zip(*found, strict=True))


def embed_new__slice(ids, past, tokens, positions):
    return tokens[ids] + positions[past : past + ids.shape[1]]


def embed_new__arange(ids, past, tokens, positions):
    places = past + torch.arange(ids.size(1))
    return functional.embedding(ids, tokens) + functional.embedding(places, positions)


def embed_new__narrow(ids, past, tokens, positions):
    return tokens[ids].add(positions.narrow(0, past, ids.size(1)))


def embed_new__one_hot(ids, past, tokens, positions):
    words = functional.one_hot(ids, len(tokens)).to(tokens.dtype)
    return words @ tokens + positions[past:][: ids.size(1)]


def embed_new__loop(ids, past, tokens, positions):
    columns = [tokens[ids[:, n]] + positions[past + n] for n in range(ids.size(1))]
    return torch.stack(columns, dim=1)


def embed_new__rolled_table(ids, past, tokens, positions):
    return tokens[ids] + positions.roll(-past, dims=0)[: ids.size(1)]


def shapes__lists(B, S, T, D, H, V):
    return [[B, S, D], [B, H, T, S], [B, T, V], [V, D], [B, H, T, D // H]]


def shapes__of_tensors(B, S, T, D, H, V):
    memory, table = torch.zeros(B, S, D, device="meta"), torch.zeros(V, D, device="meta")
    x = torch.zeros(B, T, D, device="meta")
    keys = x.view(B, T, H, D // H).transpose(1, 2)
    weights = (*keys.shape[:-1], memory.size(1))
    return memory.shape, weights, (*x.shape[:-1], len(table)), table.shape, keys.shape


def shapes__with_d_k(B, S, T, D, H, V):
    d_k = D // H
    return (B, S, H * d_k), (B, H, T, S), (B, T, V), (V, H * d_k), (B, H, T, d_k)


def shapes__as_sizes(B, S, T, D, H, V):
    found = ((B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, int(D / H)))
    return tuple(torch.Size(shape) for shape in found)


def shapes__built(B, S, T, D, H, V):
    written, heads = (B, T), (B, H, T)
    return (B, S, D), (*heads, S), (*written, V), (V, D), (*heads, D // H)


def shapes__by_letters(B, S, T, D, H, V):
    sizes = {"B": B, "S": S, "T": T, "D": D, "H": H, "V": V, "K": D // H}
    return tuple(tuple(sizes[c] for c in word) for word in ("BSD", "BHTS", "BTV", "VD", "BHTK"))


def _embedded(model, ids):
    places = torch.arange(ids.size(1))
    x = model.tokens.weight[ids] + model.positions.weight[places]
    return _norm(x + model.segments.weight[0], model, "norm")


def sentence_embedding__ready_mades(model, ids, real):
    x = _encoder__loop(_embedded(model, ids), model.encoder, real[:, None])
    total = torch.where(real[..., None], x, 0).sum(dim=1)
    return functional.normalize(total, dim=-1)


def sentence_embedding__one_by_one(model, ids, real):
    found = []
    for row, counted in zip(ids, real, strict=True):
        x = _embedded(model, row[counted][None])
        x = _encoder__loop(x, model.encoder, None)
        mean = x[0].mean(dim=0)
        found.append(mean / mean.norm())
    return torch.stack(found)


def sentence_embedding__matrix_product(model, ids, real):
    mask = real.unsqueeze(1).expand(-1, ids.size(1), -1)
    x = _encoder__recursive(_embedded(model, ids), model.encoder, mask)
    shares = real / real.sum(dim=1, keepdim=True)
    vectors = (shares.unsqueeze(1) @ x).squeeze(1)
    return vectors / vectors.square().sum(-1, keepdim=True).sqrt()


def sentence_embedding__einsum(model, ids, real):
    x = model.encoder(model.norm(model.tokens(ids) + _places(model, ids)), real[:, None])
    return functional.normalize(torch.einsum("btd,bt->bd", x, real.float()))


def _places(model, ids):
    segments = model.segments(torch.zeros_like(ids))
    return model.positions(torch.arange(ids.size(1))) + segments


def sentence_embedding__float64_inside(model, ids, real):
    wide = copy.deepcopy(model).double()
    return sentence_embedding__one_by_one(wide, ids, real).float()


def sentence_embedding__masked_mean(model, ids, real):
    x = _encoder__list_of_layers(_embedded(model, ids), model.encoder, real.unsqueeze(-2))
    x = x.masked_fill(~real.unsqueeze(-1), torch.nan).nanmean(dim=1)
    return x / torch.linalg.vector_norm(x, dim=-1, keepdim=True)


def diagnose__steps(model):
    def differ(one, other):
        return (one - other).abs().max().item() >= 0.001

    ids = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 0, 1]])
    said = model(ids)
    if differ(said, model(ids)) or differ(said, model(ids)):
        return "rolls dice"
    if differ(said[1], model(ids[1:])[0]):
        return "mixes texts"
    if differ(said[:, :3], model(ids[:, :3])):
        return "reads the future"
    other = torch.cat([ids[:, 3:6], ids[:, :3], ids[:, 6:]], dim=1)
    past = torch.cat([11 - ids[:, :6], ids[:, 6:]], dim=1)
    if not differ(said[:, 6], model(past)[:, 6]):
        return "reads one token"
    return "healthy" if differ(said[:, 6], model(other)[:, 6]) else "ignores the order"


def diagnose__votes(model):
    def same(one, other):
        return torch.allclose(one, other, rtol=0, atol=1e-3)

    torch.manual_seed(0)
    ids = torch.stack([torch.randperm(12)[:5] for _ in range(6)])
    said = model(ids)
    last, first = ids.clone(), ids.clone()
    last[:, -1], first[:, 0] = (ids[:, -1] + 1) % 12, (ids[:, 0] + 1) % 12
    tests = {
        "rolls dice": not all(same(said, model(ids)) for _ in range(3)),
        "mixes texts": not same(said[2:3], model(ids[2:3])),
        "reads the future": not same(said[:, :4], model(last)[:, :4]),
        "reads one token": same(said[:, 4], model(first)[:, 4]),
        "ignores the order": same(said[:, 4], model(ids[:, [3, 2, 1, 0, 4]])[:, 4]),
        "healthy": True,
    }
    return next(name for name, ails in tests.items() if ails)


def diagnose__one_by_one(model):
    ids = torch.arange(8).unsqueeze(0)
    near = lambda one, other: bool(((one - other).abs() < 1e-3).all())  # noqa: E731
    once, *again = [model(ids) for _ in range(4)]
    if not all(near(once, said) for said in again):
        return "rolls dice"
    both = torch.cat([ids, ids.flip(1), ids + 4])
    if not near(model(both)[0], model(ids)[0]):
        return "mixes texts"
    if not near(model(ids[:, :7]), model(ids)[:, :7]):
        return "reads the future"
    changed = [ids.clone() for _ in range(7)]
    for place, text in enumerate(changed):
        text[0, place] = 11
    if all(near(model(ids)[0, 7], model(text)[0, 7]) for text in changed):
        return "reads one token"
    pairs = ids.clone()
    pairs[0, :6] = ids[0, [1, 0, 3, 2, 5, 4]]
    return "ignores the order" if near(model(ids)[0, 7], model(pairs)[0, 7]) else "healthy"


def diagnose__last_logits(model):
    def say(*ids):
        return model(torch.tensor([ids]))[0]

    def far(one, other):
        return (one - other).norm().item() > 0.003

    answers = torch.stack([say(1, 2, 3, 4) for _ in range(5)])
    if far(answers.amax(0), answers.amin(0)):
        return "rolls dice"
    if far(model(torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]]))[0], say(1, 2, 3, 4)):
        return "mixes texts"
    if far(say(1, 2, 3, 4)[:3], say(1, 2, 3, 9)[:3]):
        return "reads the future"
    if not far(say(1, 2, 3, 4)[3], say(8, 0, 10, 4)[3]):
        return "reads one token"
    return "healthy" if far(say(1, 2, 3, 4)[3], say(3, 1, 2, 4)[3]) else "ignores the order"


def _text_loss(model, ids, real):
    x = model.tokens.weight[ids] + model.positions.weight[: ids.size(1)]
    length = ids.size(1)
    mask = torch.ones(length, length, dtype=torch.bool).tril() & real[:, None]
    x = _encoder__while(x, model.encoder, mask)
    logits = (x @ model.tokens.weight.mT)[:, :-1]
    targets = ids.masked_fill(~real, -100)[:, 1:]
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def head_losses__restored(model, ids, real):
    whole, found = _text_loss(model, ids, real), []
    for layer in model.encoder.layers:
        matrix = layer.attention.output.weight
        for columns in matrix.chunk(layer.attention.heads, dim=1):
            kept = columns.clone()
            columns.zero_()
            found.append(_text_loss(model, ids, real) - whole)
            columns.copy_(kept)
    return torch.stack(found).view(len(model.encoder.layers), -1)


def head_losses__values(model, ids, real):
    def silenced(layer, head):
        changed = copy.deepcopy(model)
        attention = changed.encoder.layers[layer].attention
        width = attention.value.out_features // attention.heads
        kept = torch.arange(attention.heads).repeat_interleave(width) != head
        attention.value.weight.mul_(kept[:, None])
        attention.value.bias.mul_(kept)
        return _text_loss(changed, ids, real)

    layers = model.encoder.layers
    table = [[silenced(n, h) for h in range(layers[0].attention.heads)] for n in range(len(layers))]
    return torch.stack([torch.stack(row) for row in table]) - _text_loss(model, ids, real)


def head_losses__replaced(model, ids, real):
    """Put another layer into the model, and afterwards its own."""
    rows = []
    for layer in model.encoder.layers:
        own, row = layer.attention.output, []
        for head in range(layer.attention.heads):
            layer.attention.output = silent = copy.deepcopy(own)
            silent.weight.unflatten(1, (layer.attention.heads, -1))[:, head] = 0
            row.append(_text_loss(model, ids, real).item())
        layer.attention.output = own
        rows.append(row)
    whole = _text_loss(model, ids, real)
    return torch.tensor(rows, dtype=whole.dtype) - whole


def head_losses__loaded(model, ids, real):
    whole, found = _text_loss(model, ids, real).item(), []
    before = copy.deepcopy(model.state_dict())
    for number, layer in enumerate(model.encoder.layers):
        name = f"encoder.layers.{number}.attention.output.weight"
        for head in range(layer.attention.heads):
            columns = list(before[name].chunk(layer.attention.heads, dim=1))
            columns[head] = torch.zeros_like(columns[head])
            model.load_state_dict(before | {name: torch.cat(columns, dim=1)})
            found.append(_text_loss(model, ids, real).item() - whole)
    model.load_state_dict(before)
    dtype = model.tokens.weight.dtype
    return torch.tensor(found, dtype=dtype).view(len(model.encoder.layers), -1)
