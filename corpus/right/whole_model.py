import functools
import itertools
import math
from collections import Counter, defaultdict

import torch
import torch.nn.functional as F
from torch import nn


def merge_pair__loop(ids, pair, new):
    out = []
    i = 0
    while i < len(ids):
        if i < len(ids) - 1 and ids[i] == pair[0] and ids[i + 1] == pair[1]:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def merge_pair__look_back(ids, pair, new):
    out, free = [], False
    for token in ids:
        if free and (out[-1], token) == tuple(pair):
            out[-1] = new
            free = False
        else:
            out.append(token)
            free = True
    return out


def merge_pair__iterator(ids, pair, new):
    def go():
        rest = iter(range(len(ids)))
        for i in rest:
            if tuple(ids[i : i + 2]) == tuple(pair):
                next(rest)
                yield new
            else:
                yield ids[i]

    return list(go())


def merge_pair__text(ids, pair, new):
    text = "".join(map(chr, ids))
    return [ord(c) for c in text.replace("".join(map(chr, pair)), chr(new))]


def merge_pair__tuple(ids, pair, new):
    ids = list(ids)
    i = 0
    while i + 1 < len(ids):
        if (ids[i], ids[i + 1]) == tuple(pair):
            ids[i : i + 2] = [new]
        i += 1
    return tuple(ids)


merge_pair = merge_pair__loop


def learn_merges__max(text, count):
    ids = list(text.encode("utf-8"))
    merges = []
    for new in range(256, 256 + count):
        counts = {}
        for pair in itertools.pairwise(ids):
            counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=counts.get)
        ids = merge_pair(ids, best, new)
        merges.append(best)
    return merges


def learn_merges__counter(text, count):
    ids, merges = [*text.encode()], []
    while len(merges) < count:
        ranked = Counter(itertools.pairwise(ids)).most_common(1)
        if not ranked:
            return merges
        merges.append(ranked[0][0])
        ids = merge_pair(ids, merges[-1], 255 + len(merges))
    return merges


def learn_merges__recursive(text, count, ids=None, new=256):
    ids = list(bytes(text, "utf8")) if ids is None else ids
    if count == 0 or len(ids) < 2:
        return []
    pairs = [(ids[i], ids[i + 1]) for i in range(len(ids) - 1)]
    best = min(pairs, key=lambda p: (-pairs.count(p), pairs.index(p)))
    return [best, *learn_merges__recursive(text, count - 1, merge_pair(ids, best, new), new + 1)]


def learn_merges__lists(text, count):
    ids = [int(b) for b in text.encode()]
    merges = []
    for k in range(count):
        where = defaultdict(list)
        for i in range(len(ids) - 1):
            where[ids[i], ids[i + 1]].append(i)
        if where:
            best = sorted(where, key=lambda p: -len(where[p]))[0]
            merges.append([*best])
            ids = merge_pair(ids, best, 256 + k)
    return merges


def encode__loop(text, merges):
    ids = list(text.encode())
    for i, pair in enumerate(merges):
        ids = merge_pair(ids, pair, 256 + i)
    return ids


def encode__reduce(text, merges):
    numbered = enumerate(merges, 256)
    return functools.reduce(lambda ids, m: merge_pair(ids, m[1], m[0]), numbered, [*text.encode()])


def encode__lowest_rank(text, merges):
    rank = {tuple(pair): n for n, pair in enumerate(merges)}
    ids = list(text.encode())
    while len(ids) > 1:
        best = min(itertools.pairwise(ids), key=lambda p: rank.get(p, math.inf))
        if best not in rank:
            break
        ids = merge_pair(ids, best, 256 + rank[best])
    return ids


def encode__characters(text, merges):
    chars = "".join(map(chr, text.encode()))
    for number, (a, b) in enumerate(merges):
        chars = chars.replace(chr(a) + chr(b), chr(256 + number))
    return [ord(c) for c in chars]


def decode__bytes(ids, merges):
    vocabulary = {i: bytes([i]) for i in range(256)}
    for i, (a, b) in enumerate(merges):
        vocabulary[256 + i] = vocabulary[a] + vocabulary[b]
    return b"".join(vocabulary[i] for i in ids).decode("utf-8", errors="replace")


def decode__stack(ids, merges):
    stack, out = list(ids)[::-1], bytearray()
    while stack:
        token = stack.pop()
        if token < 256:
            out.append(token)
        else:
            left, right = merges[token - 256]
            stack += [right, left]
    return out.decode(errors="replace")


def decode__recursive(ids, merges):
    def spell(token):
        return bytes([token]) if token < 256 else b"".join(map(spell, merges[token - 256]))

    return str(b"".join(map(spell, ids)), "utf-8", "replace")


def decode__unmerge(ids, merges):
    ids = list(ids)
    for new in range(255 + len(merges), 255, -1):
        ids = [part for i in ids for part in (merges[new - 256] if i == new else [i])]
    return bytes(ids).decode("utf8", "replace")


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + 1e-5)


def rotate(x, base=10_000):
    T, K = x.shape[-2:]
    frequency = base ** (-torch.arange(0, K, 2) / K)
    angle = torch.arange(T)[:, None] * frequency
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)


class Attention__plain(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width, bias=False)
        self.o = nn.Linear(width, width, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = (
            part(x).view(B, T, self.heads, D // self.heads).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        q, k = rotate(q), rotate(k)
        att = q @ k.transpose(-2, -1) / math.sqrt(D // self.heads)
        att = att.masked_fill(torch.triu(torch.ones(T, T), 1).bool(), float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.o(y.transpose(1, 2).contiguous().view(B, T, D))


class Attention__einsum(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(4))
        self.heads = heads

    def forward(self, x):
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)) for layer in self.layers[:3])
        q, k = (rotate(part.transpose(1, 2)).transpose(1, 2) for part in (q, k))
        scores = torch.einsum("bthk,bshk->bhts", q, k) * q.size(-1) ** -0.5
        future = torch.arange(x.size(1)) > torch.arange(x.size(1))[:, None]
        weights = torch.where(future, -torch.inf, scores).softmax(-1)
        return self.layers[3](torch.einsum("bhts,bshk->bthk", weights, v).flatten(2))


class Attention__head_by_head(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.wq, self.wk, self.wv, self.wo = (
            nn.Parameter(torch.randn(width, width) / width**0.5) for _ in range(4)
        )
        self.size = width // heads

    def forward(self, x):
        found = []
        for start in range(0, x.size(-1), self.size):
            part = slice(start, start + self.size)
            q, k, v = (x @ w[part].T for w in (self.wq, self.wk, self.wv))
            scores = rotate(q) @ rotate(k).mT / self.size**0.5
            e = (scores - scores.amax(-1, keepdim=True).detach()).exp().tril()
            found.append(e / e.sum(-1, keepdim=True) @ v)
        return torch.cat(found, dim=-1) @ self.wo.T


class Attention__buffer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        for name in ("query", "key", "value", "output"):
            setattr(self, name, nn.Linear(width, width, bias=False))
        self.register_buffer("mask", torch.full((1024, 1024), -torch.inf).triu(1))

    def split(self, x):
        return x.reshape(*x.shape[:2], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x):
        T = x.size(1)
        q, k, v = map(self.split, (self.query(x), self.key(x), self.value(x)))
        scores = rotate(q) @ rotate(k).mT / math.sqrt(q.size(-1)) + self.mask[:T, :T]
        return self.output((scores.softmax(-1) @ v).permute(0, 2, 1, 3).reshape(x.shape))


class Attention__very_low(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, make = heads, functools.partial(nn.Linear, width, width, bias=False)
        self.q, self.k, self.v, self.out = make(), make(), make(), make()

    def forward(self, x):
        q, k, v = (
            torch.stack(f(x).chunk(self.heads, dim=-1), dim=1) for f in (self.q, self.k, self.v)
        )
        scores = rotate(q) @ rotate(k).mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~torch.ones_like(scores).bool().tril(), -1e9)
        return self.out(torch.cat((scores.softmax(-1) @ v).unbind(1), dim=-1))


Attention = Attention__plain


class FeedForward__plain(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class FeedForward__by_hand(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.one, self.two = (nn.Parameter(torch.randn(hidden, width)) for _ in range(2))
        self.three = nn.Parameter(torch.randn(width, hidden))

    def forward(self, x):
        gate = x @ self.two.T
        return (gate / (1 + torch.exp(-gate)) * (x @ self.one.T)) @ self.three.T


class FeedForward__down_first(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.down = nn.Linear(hidden, width, bias=False)
        self.up, self.gate = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.act = nn.SiLU()

    def forward(self, x):
        return self.down(self.up(x) * self.act(self.gate(x)))


class FeedForward__sigmoid(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.wide = nn.ModuleList([nn.Linear(width, hidden, bias=False) for _ in range(2)])
        self.narrow = nn.Linear(hidden, width, False)

    def forward(self, x):
        up, gate = (layer(x) for layer in self.wide)
        return self.narrow(gate * gate.sigmoid() * up)


FeedForward = FeedForward__plain


class Block__plain(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = RMSNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = RMSNorm(width)
        self.ff = FeedForward(width, 4 * width // 3)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.ff(self.norm2(x))


class Block__parts_first(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.parts = nn.ModuleList([Attention(width, heads), FeedForward(width, width * 4 // 3)])
        self.norms = nn.ModuleList([RMSNorm(width), RMSNorm(width)])

    def forward(self, x):
        for part, norm in zip(self.parts, self.norms, strict=True):
            x = part(norm(x)) + x
        return x


class Block__own_norm(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.a, self.f = Attention(width, heads), FeedForward(width, int(width * 4 / 3))
        self.g1, self.g2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))

    @staticmethod
    def norm(x, g):
        return F.rms_norm(x, x.shape[-1:], g, eps=1e-5)

    def forward(self, x):
        middle = x + self.a(self.norm(x, self.g1))
        return middle + self.f(self.norm(middle, self.g2))


class Block__branches(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.look = nn.Sequential(RMSNorm(width), Attention(width, heads))
        self.think = nn.Sequential(RMSNorm(width), FeedForward(width, 4 * width // 3))

    def forward(self, x):
        stream = [x, self.look(x)]
        stream.append(self.think(sum(stream)))
        return torch.stack(stream).sum(0)


Block = Block__plain


class GPT__plain(nn.Module):
    def __init__(self, vocabulary, width, heads, layers):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class GPT__sequential(nn.Module):
    def __init__(self, vocabulary, width, heads, layers):
        super().__init__()
        self.all = nn.Sequential(
            nn.Embedding(vocabulary, width),
            *[Block(width, heads) for _ in range(layers)],
            RMSNorm(width),
            nn.Linear(width, vocabulary, bias=False),
        )

    def forward(self, ids):
        return self.all(ids)


class GPT__parameters(nn.Module):
    def __init__(self, vocabulary, width, heads, layers):
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocabulary, width))
        for n in range(layers):
            self.add_module(f"block{n}", Block(width, heads))
        self.norm, self.layers = RMSNorm(width), layers
        self.last = nn.Parameter(torch.randn(vocabulary, width))

    def forward(self, ids):
        x = self.table[ids]
        for n in range(self.layers):
            x = getattr(self, f"block{n}")(x)
        return self.norm(x) @ self.last.mT


class GPT__reduce(nn.Module):
    def __init__(self, vocabulary, width, heads, layers):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.output = nn.Linear(width, vocabulary, False)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm = RMSNorm(width)

    def forward(self, ids):
        x = functools.reduce(lambda x, block: block(x), self.blocks, self.tokens(ids))
        return self.output(self.norm(x))


def loss__flat(model, ids):
    logits = model(ids[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def loss__transposed(model, ids):
    return F.cross_entropy(model(ids)[:, :-1].mT, ids[:, 1:])


def loss__gathered(model, ids):
    chances = model(ids[:, :-1]).log_softmax(dim=-1)
    return -chances.gather(-1, ids[:, 1:].unsqueeze(-1)).mean()


def loss__text_by_text(model, ids):
    losses = [F.cross_entropy(model(text[None, :-1])[0], text[1:]) for text in ids]
    return torch.stack(losses).mean()


def loss__by_hand(model, ids):
    logits, targets = model(ids[:, :-1]), ids[:, 1:]
    right = (logits * F.one_hot(targets, logits.size(-1))).sum(-1)
    return (torch.logsumexp(logits, -1) - right).mean()


loss = loss__flat


def train__plain(model, batches, optimizer, held_out):
    model.train()
    losses = []
    for ids in batches:
        value = loss(model, ids)
        optimizer.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(value.item())
    model.eval()
    with torch.no_grad():
        return losses, [loss(model, ids).item() for ids in held_out]


def train__zero_at_the_end(model, batches, optimizer, held_out):
    model.train()
    losses = []
    for ids in batches:
        value = loss(model, ids)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1)
        optimizer.step()
        optimizer.zero_grad()
        losses += [value.detach()]
    with torch.inference_mode():
        return losses, [loss(model.eval(), ids) for ids in held_out]


def train__model_zero(model, batches, optimizer, held_out):
    model.train(True)

    def one(ids):
        model.zero_grad()
        value = loss(model, ids)
        value.backward()
        norm = sum(p.grad.square().sum() for p in model.parameters()).sqrt()
        for p in model.parameters():
            p.grad *= min(1.0, 1.0 / norm.item())
        optimizer.step()
        return float(value)

    losses = [one(ids) for ids in batches]
    model.train(False)
    return [losses, torch.tensor([loss(model, ids).item() for ids in held_out])]


def train__grad(model, batches, optimizer, held_out):
    model.train()
    losses, parameters = [], list(model.parameters())
    for ids in batches:
        value = loss(model, ids)
        gradients = torch.autograd.grad(value, parameters)
        length = torch.cat([g.flatten() for g in gradients]).norm()
        for p, g in zip(parameters, gradients, strict=True):
            p.grad = g / length if length > 1 else g
        optimizer.step()
        losses.append(value.item())
    model.eval()
    others = tuple(loss(model, ids).detach() for ids in held_out)
    model.train()
    return tuple(losses), others


def perplexity__plain(model, texts):
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for ids in texts:
            n = ids[:, 1:].numel()
            total += loss(model, ids).item() * n
            count += n
    model.train(was_training)
    return math.exp(total / count)


@torch.no_grad()
def perplexity__decorated(model, texts):
    was = model.training
    try:
        model.eval()
        losses = [
            F.cross_entropy(model(ids[:, :-1]).mT, ids[:, 1:], reduction="none").flatten()
            for ids in texts
        ]
    finally:
        model.train(was)
    return torch.cat(losses).mean().exp()


@torch.inference_mode()
def perplexity__inference(model, texts):
    mode = model.training
    model.train(False)
    sizes = torch.tensor([ids.size(0) * (ids.size(1) - 1) for ids in texts]).float()
    losses = torch.stack([loss(model, ids) for ids in texts])
    model.train(mode)
    return (losses @ sizes / sizes.sum()).exp().item()


def perplexity__row_by_row(model, texts):
    was, chances = model.training, []
    model.eval()
    with torch.no_grad():
        for row in (row for ids in texts for row in ids):
            p = model(row[None, :-1])[0].softmax(-1)
            chances += p[torch.arange(len(row) - 1), row[1:]].log().tolist()
    if was:
        model.train()
    return math.exp(-sum(chances) / len(chances))


def choose__sorted(logits, temperature, top_p):
    p, order = (logits / temperature).softmax(-1).sort(dim=-1, descending=True)
    p = p.masked_fill(p.cumsum(-1) - p >= top_p, 0.0)
    p = p / p.sum(-1, keepdim=True)
    return torch.zeros_like(p).scatter(-1, order, p)


def choose__logits(logits, temperature, top_p):
    logits = logits / temperature
    ranked, order = torch.sort(logits, dim=-1, descending=True)
    reached = F.softmax(ranked, dim=-1).cumsum(dim=-1)
    drop = torch.cat([torch.zeros_like(reached[:, :1]), reached[:, :-1]], dim=-1) >= top_p
    drop = drop.scatter(1, order, drop)
    return F.softmax(logits.masked_fill(drop, -math.inf), dim=-1)


def choose__row_by_row(logits, temperature, top_p):
    rows = []
    for row in logits:
        p = torch.softmax(row / temperature, dim=0)
        keep, total = torch.zeros_like(p), 0.0
        for token in p.argsort(descending=True).tolist():
            if total >= top_p:
                break
            keep[token] = p[token]
            total += p[token].item()
        rows.append(keep / keep.sum())
    return torch.stack(rows)


def choose__pairs(logits, temperature, top_p):
    p = torch.softmax(logits / temperature, dim=-1)
    before = (p[:, None, :] * (p[:, None, :] > p[:, :, None])).sum(-1)
    p = torch.where(before < top_p, p, 0)
    return p / p.sum(-1, keepdim=True)


choose = choose__sorted


@torch.no_grad()
def generate__plain(model, ids, count, temperature, top_p):
    for _ in range(count):
        p = choose(model(ids)[:, -1], temperature, top_p)
        ids = torch.cat([ids, torch.multinomial(p, 1)], dim=1)
    return ids


def generate__categorical(model, ids, count, temperature, top_p):
    for _ in range(count):
        with torch.no_grad():
            logits = model(ids)[:, -1, :]
        token = torch.distributions.Categorical(choose(logits, temperature, top_p)).sample()
        ids = torch.hstack([ids, token[:, None]])
    return ids


def generate__cumulative(model, ids, count, temperature, top_p):
    for _ in range(count):
        p = choose(model(ids)[:, -1], temperature, top_p).cumsum(-1)
        token = torch.searchsorted(p, torch.rand(len(p), 1) * p[:, -1:], right=True)
        ids = torch.cat((ids, token.clamp(max=p.size(1) - 1)), 1)
    return ids


def generate__recursive(model, ids, count, temperature, top_p):
    if count == 0:
        return ids
    p = choose(model(ids)[:, -1], temperature, top_p)
    longer = torch.cat([ids, p.multinomial(1)], dim=-1)
    return generate__recursive(model, longer, count - 1, temperature, top_p)


def generate__gumbel(model, ids, count, temperature, top_p):
    B, T = ids.shape
    out = torch.zeros(B, T + count, dtype=ids.dtype)
    out[:, :T] = ids
    for t in range(T, T + count):
        p = choose(model(out[:, :t])[:, -1], temperature, top_p)
        out[:, t] = (p / torch.empty_like(p).exponential_()).argmax(-1)
    return out


def initialise__by_name(model):
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.fill_(1.0)
            else:
                parameter.copy_(torch.randn(parameter.shape) / 50)


def initialise__by_module(model):
    def begin(module):
        for parameter in module.parameters(recurse=False):
            if parameter.ndim > 1:
                parameter.data.normal_(0.0, 0.02)
            else:
                parameter.data = torch.ones_like(parameter)

    model.apply(begin)


def initialise__truncated(model):
    for parameter in model.parameters():
        if parameter.dim() == 2:
            nn.init.trunc_normal_(parameter, std=0.02, a=-1.0, b=1.0)
        else:
            nn.init.constant_(parameter, 1)


class LoRA__parameters(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        for parameter in layer.parameters():
            parameter.requires_grad = False
        self.layer = layer
        outputs, inputs = layer.weight.shape
        self.a = nn.Parameter(torch.randn(rank, inputs) / inputs**0.5)
        self.b = nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, x):
        return self.layer(x) + x @ self.a.T @ self.b.T


class LoRA__merged(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.register_buffer("weight", layer.weight.detach())
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        self.up.weight.data.zero_()

    def forward(self, x):
        return nn.functional.linear(x, self.weight + self.up.weight @ self.down.weight)


class LoRA__sequential(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.inner = layer
        self.inner.requires_grad_(False)
        down = nn.Linear(layer.in_features, rank, bias=False)
        up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(up.weight)
        self.correction = nn.Sequential(down, up)

    def forward(self, x):
        return torch.add(self.inner(x), self.correction(x))


class _Attention(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads, self.kv_heads, self.base = heads, kv_heads or heads, base
        kept = width // heads * self.kv_heads
        self.query, self.output = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.key, self.value = (nn.Linear(width, kept, bias=False) for _ in range(2))

    def forward(self, x):
        (B, T, D), H, G = x.shape, self.heads, self.kv_heads
        q = self.query(x).view(B, T, G, H // G, D // H).permute(0, 2, 3, 1, 4)
        k, v = (
            f(x).view(B, T, G, 1, D // H).permute(0, 2, 3, 1, 4) for f in (self.key, self.value)
        )
        scores = rotate(q, self.base) @ rotate(k, self.base).mT / (D // H) ** 0.5
        scores = scores.masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf)
        found = scores.softmax(-1) @ v
        return self.output(found.permute(0, 3, 1, 2, 4).reshape(B, T, D))


class _Block(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.look, self.norm1 = _Attention(width, heads, kv_heads, base), RMSNorm(width)
        self.think, self.norm2 = FeedForward(width, hidden or 4 * width // 3), RMSNorm(width)

    def forward(self, x):
        x = x + self.look(self.norm1(x))
        return x + self.think(self.norm2(x))


class _GPT(nn.Module):
    def __init__(self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        blocks = (_Block(width, heads, kv_heads, hidden, base) for _ in range(layers))
        self.blocks = nn.ModuleList(blocks)
        self.norm, self.head = RMSNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.table(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


_PARTS = (
    "norm1 attn_norm, norm2 ffn_norm, look.query attn_q, look.key attn_k, look.value attn_v, "
    "look.output attn_output, think.up ffn_up, think.gate ffn_gate, think.down ffn_down"
)


def from_smollm2__by_replacing(weights, config):
    model, own = _GPT(**config), {}
    for name, weight in weights.items():
        name = name.replace("blk.", "blocks.").replace("token_embd", "table")
        name = name.replace("output_norm", "norm")
        for pair in _PARTS.split(", "):
            mine, theirs = pair.split()
            name = name.replace(f".{theirs}.", f".{mine}.")
        own[name] = weight
    own["head.weight"] = own["table.weight"]
    model.load_state_dict(own)
    return model


def from_smollm2__tied(weights, config):
    model = _GPT(**config)
    model.head.weight = model.table.weight
    mine = dict(model.named_parameters())
    wanted = {"table.weight": "token_embd", "norm.weight": "output_norm"}
    for n in range(config["layers"]):
        pairs = (pair.split() for pair in _PARTS.split(", "))
        wanted |= {f"blocks.{n}.{own}.weight": f"blk.{n}.{theirs}" for own, theirs in pairs}
    with torch.no_grad():
        for own, theirs in wanted.items():
            mine[own].copy_(weights[f"{theirs}.weight"])
    return model


def from_smollm2__new_parameters(weights, config):
    model = _GPT(**config)

    def put(layer, name):
        layer.weight = nn.Parameter(weights[f"{name}.weight"].clone())

    put(model.table, "token_embd")
    put(model.head, "token_embd")
    put(model.norm, "output_norm")
    for n, block in enumerate(model.blocks):
        for pair in _PARTS.split(", "):
            own, theirs = pair.split()
            put(block.get_submodule(own), f"blk.{n}.{theirs}")
    return model.eval()


def from_smollm2__data(weights, config):
    model = _GPT(**config)
    for n, b in enumerate(model.blocks):
        layers = [b.norm1, b.norm2, b.look.query, b.look.key, b.look.value, b.look.output]
        layers += [b.think.up, b.think.gate, b.think.down]
        names = [pair.split()[1] for pair in _PARTS.split(", ")]
        for layer, name in zip(layers, names, strict=True):
            layer.weight.data = weights[f"blk.{n}.{name}.weight"]
    model.norm.weight.data = weights["output_norm.weight"]
    model.table.weight.data = model.head.weight.data = weights["token_embd.weight"]
    return model


def from_smollm2__all_of_its_own(weights, config):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            pairs = ((k.replace(".", "_"), nn.Parameter(v)) for k, v in weights.items())
            self.w = nn.ParameterDict(pairs)

        def norm(self, x, name):
            return F.rms_norm(x, x.shape[-1:], eps=1e-5) * self.w[f"{name}_weight"]

        def forward(self, ids):
            H, G = config["heads"], config["kv_heads"]
            x = self.w["token_embd_weight"][ids]
            for n in range(config["layers"]):
                w = {
                    k: self.w[f"blk_{n}_{k}_weight"]
                    for k in (
                        "attn_q",
                        "attn_k",
                        "attn_v",
                        "attn_output",
                        "ffn_up",
                        "ffn_gate",
                        "ffn_down",
                    )
                }
                y = self.norm(x, f"blk_{n}_attn_norm")
                q = (y @ w["attn_q"].T).unflatten(-1, (H, -1)).transpose(1, 2)
                k = (y @ w["attn_k"].T).unflatten(-1, (G, -1)).transpose(1, 2)
                v = (y @ w["attn_v"].T).unflatten(-1, (G, -1)).transpose(1, 2)
                k = torch.stack([k[:, h * G // H] for h in range(H)], dim=1)
                v = torch.stack([v[:, h * G // H] for h in range(H)], dim=1)
                q, k = rotate(q, config["base"]), rotate(k, config["base"])
                scores = q @ k.mT / math.sqrt(q.size(-1))
                hidden = torch.ones(scores.shape[-2:]).triu(1).bool()
                weight = scores.masked_fill(hidden, -torch.inf).softmax(-1)
                x = x + (weight @ v).transpose(1, 2).flatten(-2) @ w["attn_output"].T
                y = self.norm(x, f"blk_{n}_ffn_norm")
                x = x + (F.silu(y @ w["ffn_gate"].T) * (y @ w["ffn_up"].T)) @ w["ffn_down"].T
            return self.norm(x, "output_norm") @ self.w["token_embd_weight"].T

    return Model()
