import math

import torch
import torch.nn.functional as F
from torch import nn


# ---- merge_pair

def merge_pair__no_skip(ids, pair, new):
    out = []
    for i in range(len(ids)):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == tuple(pair):
            out.append(new)
        else:
            out.append(ids[i])
    return out


def merge_pair__drops_last(ids, pair, new):
    out = []
    i = 0
    while i < len(ids) - 1:
        if ids[i] == pair[0] and ids[i + 1] == pair[1]:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def merge_pair__in_place(ids, pair, new):
    i = 0
    while i < len(ids) - 1:
        if ids[i] == pair[0] and ids[i + 1] == pair[1]:
            ids[i : i + 2] = [new]
        i += 1
    return ids


def merge_pair__str_replace(ids, pair, new):
    text = " ".join(str(i) for i in ids)
    text = text.replace(f"{pair[0]} {pair[1]}", str(new))
    return [int(i) for i in text.split()]


# ---- learn_merges

def learn_merges__counts_once(text, count):
    ids = list(text.encode())
    counts = {}
    for pair in zip(ids, ids[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    merges = []
    for n in range(count):
        if not counts:
            break
        best = max(counts, key=counts.get)
        merges.append(best)
        ids = merge_pair(ids, best, 256 + n)
        del counts[best]
    return merges


def learn_merges__empty_crash(text, count):
    ids = list(text.encode())
    merges = []
    for n in range(count):
        counts = {}
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=counts.get)
        merges.append(best)
        ids = merge_pair(ids, best, 256 + n)
    return merges


def learn_merges__no_overlap_count(text, count):
    ids = list(text.encode())
    merges = []
    for n in range(count):
        counts = {}
        last = {}
        for i, pair in enumerate(zip(ids, ids[1:])):
            if last.get(pair) == i - 1:
                continue
            last[pair] = i
            counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=counts.get)
        merges.append(best)
        ids = merge_pair(ids, best, 256 + n)
    return merges


def learn_merges__stops_at_single(text, count):
    ids = list(text.encode())
    merges = []
    for n in range(count):
        counts = {}
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=counts.get)
        if counts[best] < 2:
            break
        merges.append(best)
        ids = merge_pair(ids, best, 256 + n)
    return merges


# ---- encode

def encode__from_zero(text, merges):
    ids = list(text.encode())
    for new, pair in enumerate(merges):
        ids = merge_pair(ids, pair, new)
    return ids


def encode__ord_of_letters(text, merges):
    ids = [ord(letter) for letter in text]
    for n, pair in enumerate(merges):
        ids = merge_pair(ids, pair, 256 + n)
    return ids


def encode__stops_at_absent(text, merges):
    ids = list(text.encode())
    for n, pair in enumerate(merges):
        merged = merge_pair(ids, pair, 256 + n)
        if len(merged) == len(ids):
            break
        ids = merged
    return ids


def encode__greedy_longest(text, merges):
    table = [bytes([i]) for i in range(256)]
    for a, b in merges:
        table.append(table[a] + table[b])
    number = {}
    for i, piece in enumerate(table):
        number.setdefault(piece, i)
    longest = max(len(piece) for piece in table)
    data = text.encode()
    ids = []
    i = 0
    while i < len(data):
        for length in range(min(longest, len(data) - i), 0, -1):
            if data[i : i + length] in number:
                ids.append(number[data[i : i + length]])
                i += length
                break
    return ids


# ---- decode

def decode__each_id_alone(ids, merges):
    table = [bytes([i]) for i in range(256)]
    for a, b in merges:
        table.append(table[a] + table[b])
    return "".join(table[i].decode(errors="replace") for i in ids)


def decode__strict(ids, merges):
    table = [bytes([i]) for i in range(256)]
    for a, b in merges:
        table.append(table[a] + table[b])
    return b"".join(table[i] for i in ids).decode()


def decode__ignores_errors(ids, merges):
    table = [bytes([i]) for i in range(256)]
    for a, b in merges:
        table.append(table[a] + table[b])
    return b"".join(table[i] for i in ids).decode(errors="ignore")


def decode__chr_of_bytes(ids, merges):
    table = [chr(i) for i in range(256)]
    for a, b in merges:
        table.append(table[a] + table[b])
    return "".join(table[i] for i in ids)


# ---- Attention

class Attention__scale_by_width(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = (
            layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        q, k = rotate(q), rotate(k)
        scores = q @ k.transpose(-2, -1) / math.sqrt(D)
        may = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        weights = scores.masked_fill(~may, -torch.inf).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(-2))


class Attention__mask_after_softmax(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = (
            layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        q, k = rotate(q), rotate(k)
        weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)
        weights = weights.tril()
        return self.out((weights @ v).transpose(1, 2).flatten(-2))


class Attention__rotate_whole_width(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def cut(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        T = x.shape[1]
        q = self.cut(rotate(self.query(x)))
        k = self.cut(rotate(self.key(x)))
        v = self.cut(self.value(x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        may = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        weights = scores.masked_fill(~may, -torch.inf).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(-2))


class Attention__mask_of_64(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        may = torch.ones(64, 64, dtype=torch.bool).tril()
        self.register_buffer("may", may, persistent=False)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = (
            layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        q, k = rotate(q), rotate(k)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(~self.may[:T, :T], -torch.inf).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(-2))


# ---- FeedForward

class FeedForward__silu_on_up(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.up(x)) * self.gate(x))


class FeedForward__silu_of_product(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x) * self.up(x)))


class FeedForward__three_axes_only(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        flat = x.reshape(B * T, D)
        return self.down(F.silu(self.gate(flat)) * self.up(flat)).reshape(B, T, D)


class FeedForward__bias_in_down(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


# ---- Block

class Block__post_norm(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.norm1 = RMSNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = RMSNorm(width)
        self.network = FeedForward(width, 4 * width // 3)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.network(x))


class Block__adds_to_the_norm(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.norm1 = RMSNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = RMSNorm(width)
        self.network = FeedForward(width, 4 * width // 3)

    def forward(self, x):
        x = self.norm1(x)
        x = x + self.attention(x)
        x = self.norm2(x)
        return x + self.network(x)


class Block__first_norm_twice(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.norm1 = RMSNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = RMSNorm(width)
        self.network = FeedForward(width, 4 * width // 3)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.network(self.norm1(x))


class Block__third_rounded_first(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.norm1 = RMSNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = RMSNorm(width)
        self.network = FeedForward(width, 4 * (width // 3))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.network(self.norm2(x))


# ---- GPT

class GPT__softmax(nn.Module):
    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)).softmax(-1)


class GPT__plain_list(nn.Module):
    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = [Block(width, heads) for _ in range(layers)]
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class GPT__one_block_repeated(nn.Module):
    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList([Block(width, heads)] * layers)
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class GPT__tied_table(nn.Module):
    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# ---- initialise

def initialise__tables_forgotten(model):
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, 0.0, 0.02)
    for parameter in model.parameters():
        if parameter.dim() == 1:
            nn.init.ones_(parameter)


def initialise__vectors_zero(model):
    for parameter in model.parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, mean=0.0, std=0.02)
        else:
            nn.init.zeros_(parameter)


def initialise__same_seed_for_each(model):
    for parameter in model.parameters():
        if parameter.dim() == 2:
            torch.manual_seed(0)
            nn.init.normal_(parameter, mean=0.0, std=0.02)
        else:
            nn.init.ones_(parameter)


def initialise__uniform(model):
    bound = 0.02 * math.sqrt(3)
    for parameter in model.parameters():
        if parameter.dim() == 2:
            nn.init.uniform_(parameter, -bound, bound)
        else:
            nn.init.ones_(parameter)


# ---- loss

def loss__no_shift(model, ids):
    logits = model(ids)
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten())


def loss__of_probabilities(model, ids):
    p = model(ids)[:, :-1].softmax(-1)
    return F.cross_entropy(p.flatten(0, 1), ids[:, 1:].flatten())


def loss__shift_after_flatten(model, ids):
    logits = model(ids).flatten(0, 1)
    return F.cross_entropy(logits[:-1], ids.flatten()[1:])


def loss__ignores_token_zero(model, ids):
    logits = model(ids)[:, :-1]
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)


# ---- train

def train__no_zero_grad(model, batches, optimizer, held_out):
    model.train()
    losses = []
    for ids in batches:
        value = loss(model, ids)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(value.item())
    model.eval()
    with torch.no_grad():
        return losses, [loss(model, ids).item() for ids in held_out]


def train__clip_after_step(model, batches, optimizer, held_out):
    model.train()
    losses = []
    for ids in batches:
        optimizer.zero_grad()
        value = loss(model, ids)
        value.backward()
        optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        losses.append(value.item())
    model.eval()
    with torch.no_grad():
        return losses, [loss(model, ids).item() for ids in held_out]


def train__clip_each_parameter(model, batches, optimizer, held_out):
    model.train()
    losses = []
    for ids in batches:
        optimizer.zero_grad()
        value = loss(model, ids)
        value.backward()
        for parameter in model.parameters():
            nn.utils.clip_grad_norm_(parameter, 1.0)
        optimizer.step()
        losses.append(value.item())
    model.eval()
    with torch.no_grad():
        return losses, [loss(model, ids).item() for ids in held_out]


def train__no_training_mode(model, batches, optimizer, held_out):
    losses = []
    for ids in batches:
        optimizer.zero_grad()
        value = loss(model, ids)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(value.item())
    model.eval()
    with torch.no_grad():
        return losses, [loss(model, ids).item() for ids in held_out]


# ---- perplexity

def perplexity__texts_count_alike(model, texts):
    mode = model.training
    model.eval()
    with torch.no_grad():
        losses = [loss(model, ids).item() for ids in texts]
    model.train(mode)
    return math.exp(sum(losses) / len(losses))


def perplexity__counts_first_tokens(model, texts):
    mode = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for ids in texts:
            total += loss(model, ids).item() * ids.numel()
            count += ids.numel()
    model.train(mode)
    return math.exp(total / count)


def perplexity__rows_forgotten(model, texts):
    mode = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for ids in texts:
            n = ids.shape[1] - 1
            total += loss(model, ids).item() * n
            count += n
    model.train(mode)
    return math.exp(total / count)


def perplexity__always_back_to_train(model, texts):
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for ids in texts:
            n = ids[:, 1:].numel()
            total += loss(model, ids).item() * n
            count += n
    model.train()
    return math.exp(total / count)


# ---- choose

def choose__crossing_token_dropped(logits, temperature, top_p):
    p = (logits / temperature).softmax(-1)
    ranked, order = p.sort(dim=-1, descending=True)
    keep = ranked.cumsum(-1) <= top_p
    keep[..., 0] = True
    p = torch.zeros_like(p).scatter(-1, order, ranked * keep)
    return p / p.sum(-1, keepdim=True)


def choose__not_put_back(logits, temperature, top_p):
    p = (logits / temperature).softmax(-1)
    ranked, order = p.sort(dim=-1, descending=True)
    before = ranked.cumsum(-1) - ranked
    ranked = ranked * (before < top_p)
    return ranked / ranked.sum(-1, keepdim=True)


def choose__logits_changed(logits, temperature, top_p):
    logits /= temperature
    p = logits.softmax(-1)
    ranked, order = p.sort(dim=-1, descending=True)
    before = ranked.cumsum(-1) - ranked
    p = torch.zeros_like(p).scatter(-1, order, ranked * (before < top_p))
    return p / p.sum(-1, keepdim=True)


def choose__top_p_before_temperature(logits, temperature, top_p):
    ranked, order = logits.softmax(-1).sort(dim=-1, descending=True)
    before = ranked.cumsum(-1) - ranked
    keep = torch.zeros_like(ranked).scatter(-1, order, (before < top_p).to(ranked))
    p = (logits / temperature).softmax(-1) * keep
    return p / p.sum(-1, keepdim=True)


# ---- generate

@torch.no_grad()
def generate__last_token_only(model, ids, count, temperature, top_p):
    for _ in range(count):
        p = choose(model(ids[:, -1:])[:, -1], temperature, top_p)
        ids = torch.cat((ids, torch.multinomial(p, 1)), dim=1)
    return ids


@torch.no_grad()
def generate__likeliest(model, ids, count, temperature, top_p):
    for _ in range(count):
        p = choose(model(ids)[:, -1], temperature, top_p)
        ids = torch.cat((ids, p.argmax(-1, keepdim=True)), dim=1)
    return ids


@torch.no_grad()
def generate__one_draw_for_all(model, ids, count, temperature, top_p):
    for _ in range(count):
        p = choose(model(ids)[:, -1], temperature, top_p)
        token = torch.multinomial(p[0], 1)
        ids = torch.cat((ids, token.expand(len(ids), 1)), dim=1)
    return ids


@torch.no_grad()
def generate__context_cropped(model, ids, count, temperature, top_p):
    for _ in range(count):
        p = choose(model(ids[:, -32:])[:, -1], temperature, top_p)
        ids = torch.cat((ids, torch.multinomial(p, 1)), dim=1)
    return ids


# ---- LoRA

class LoRA__up_not_zero(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


class LoRA__both_zero(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.down.weight)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


class LoRA__bias_not_frozen(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer
        self.layer.weight.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


class LoRA__layer_not_frozen(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


# ---- from_smollm2

def from_smollm2__last_layer_left(weights, config):
    model = GPT(**config)

    def linears(module):
        return [m for m in module.modules() if isinstance(m, nn.Linear)]

    def norms(module):
        return [m for m in module.modules() if isinstance(m, RMSNorm)]

    def give(layer, name):
        with torch.no_grad():
            layer.weight.copy_(weights[name + ".weight"])

    embedding = next(m for m in model.modules() if isinstance(m, nn.Embedding))
    give(embedding, "token_embd")
    give(norms(model)[-1], "output_norm")
    blocks = [m for m in model.modules() if isinstance(m, Block)]
    for n, block in enumerate(blocks):
        attention = next(m for m in block.modules() if isinstance(m, Attention))
        network = next(m for m in block.modules() if isinstance(m, FeedForward))
        names = ["attn_q", "attn_k", "attn_v", "attn_output"]
        for layer, name in zip(linears(attention), names):
            give(layer, f"blk.{n}.{name}")
        for layer, name in zip(linears(network), ["ffn_up", "ffn_gate", "ffn_down"]):
            give(layer, f"blk.{n}.{name}")
        for layer, name in zip(norms(block), ["attn_norm", "ffn_norm"]):
            give(layer, f"blk.{n}.{name}")
    return model


def from_smollm2__up_and_gate_swapped(weights, config):
    model = GPT(**config)

    def linears(module):
        return [m for m in module.modules() if isinstance(m, nn.Linear)]

    def norms(module):
        return [m for m in module.modules() if isinstance(m, RMSNorm)]

    def give(layer, name):
        with torch.no_grad():
            layer.weight.copy_(weights[name + ".weight"])

    embedding = next(m for m in model.modules() if isinstance(m, nn.Embedding))
    give(embedding, "token_embd")
    give(norms(model)[-1], "output_norm")
    give(linears(model)[-1], "token_embd")
    blocks = [m for m in model.modules() if isinstance(m, Block)]
    for n, block in enumerate(blocks):
        attention = next(m for m in block.modules() if isinstance(m, Attention))
        network = next(m for m in block.modules() if isinstance(m, FeedForward))
        names = ["attn_q", "attn_k", "attn_v", "attn_output"]
        for layer, name in zip(linears(attention), names):
            give(layer, f"blk.{n}.{name}")
        for layer, name in zip(linears(network), ["ffn_gate", "ffn_up", "ffn_down"]):
            give(layer, f"blk.{n}.{name}")
        for layer, name in zip(norms(block), ["attn_norm", "ffn_norm"]):
            give(layer, f"blk.{n}.{name}")
    return model


def from_smollm2__blocks_sorted_as_text(weights, config):
    model = GPT(**config)

    def linears(module):
        return [m for m in module.modules() if isinstance(m, nn.Linear)]

    def norms(module):
        return [m for m in module.modules() if isinstance(m, RMSNorm)]

    def give(layer, name):
        with torch.no_grad():
            layer.weight.copy_(weights[name + ".weight"])

    embedding = next(m for m in model.modules() if isinstance(m, nn.Embedding))
    give(embedding, "token_embd")
    give(norms(model)[-1], "output_norm")
    give(linears(model)[-1], "token_embd")
    blocks = [m for m in model.modules() if isinstance(m, Block)]
    prefixes = sorted({name.rsplit(".", 2)[0] for name in weights if "blk" in name})
    for prefix, block in zip(prefixes, blocks):
        attention = next(m for m in block.modules() if isinstance(m, Attention))
        network = next(m for m in block.modules() if isinstance(m, FeedForward))
        names = ["attn_q", "attn_k", "attn_v", "attn_output"]
        for layer, name in zip(linears(attention), names):
            give(layer, f"{prefix}.{name}")
        for layer, name in zip(linears(network), ["ffn_up", "ffn_gate", "ffn_down"]):
            give(layer, f"{prefix}.{name}")
        for layer, name in zip(norms(block), ["attn_norm", "ffn_norm"]):
            give(layer, f"{prefix}.{name}")
    return model


def from_smollm2__keys_tiled(weights, config):
    model = GPT(**config)

    def linears(module):
        return [m for m in module.modules() if isinstance(m, nn.Linear)]

    def norms(module):
        return [m for m in module.modules() if isinstance(m, RMSNorm)]

    def give(layer, name):
        with torch.no_grad():
            layer.weight.copy_(weights[name + ".weight"])

    embedding = next(m for m in model.modules() if isinstance(m, nn.Embedding))
    give(embedding, "token_embd")
    give(norms(model)[-1], "output_norm")
    give(linears(model)[-1], "token_embd")
    blocks = [m for m in model.modules() if isinstance(m, Block)]
    for n, block in enumerate(blocks):
        attention = next(m for m in block.modules() if isinstance(m, Attention))
        network = next(m for m in block.modules() if isinstance(m, FeedForward))
        names = ["attn_q", "attn_k", "attn_v", "attn_output"]
        for layer, name in zip(linears(attention), names):
            give(layer, f"blk.{n}.{name}")
        for layer, name in zip(linears(network), ["ffn_up", "ffn_gate", "ffn_down"]):
            give(layer, f"blk.{n}.{name}")
        for layer, name in zip(norms(block), ["attn_norm", "ffn_norm"]):
            give(layer, f"blk.{n}.{name}")
        heads = config["heads"]
        kv_heads = config.get("kv_heads") or heads
        base = config.get("base", 10_000)

        def forward(x, layers=linears(attention)):
            query, key, value, out = layers
            T = x.shape[1]
            q = query(x).unflatten(-1, (heads, -1)).transpose(1, 2)
            k = key(x).unflatten(-1, (kv_heads, -1)).transpose(1, 2)
            v = value(x).unflatten(-1, (kv_heads, -1)).transpose(1, 2)
            k = rotate(k, base).repeat(1, heads // kv_heads, 1, 1)
            v = v.repeat(1, heads // kv_heads, 1, 1)
            scores = rotate(q, base) @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
            may = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
            weights = scores.masked_fill(~may, -torch.inf).softmax(-1)
            return out((weights @ v).transpose(1, 2).flatten(-2))

        attention.forward = forward
    return model
