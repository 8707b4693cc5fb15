import math

import torch
import torch.nn.functional as F
from torch import nn


# Forgets the last id where it is not the end of a pair: the loop ends one early and
# nothing is appended after it. Line: while i < len(ids) - 1
def merge_pair__last_id_lost(ids, pair, new):
    result = []
    i = 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == pair:
            result.append(new)
            i += 2
        else:
            result.append(ids[i])
            i += 1
    return result


# Starts from the characters' code points, not from the bytes: é is one number (233)
# instead of two. Line: ids = [ord(letter) for letter in text]
def learn_merges__code_points(text, count):
    ids = [ord(letter) for letter in text]
    merges = []
    for step in range(count):
        counts = {}
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=counts.get)
        merges.append(best)
        ids = merge_pair(ids, best, 256 + step)
    return merges


# Of equally frequent pairs takes the one with the largest numbers, not the first in
# the text. Line: max((n, pair) for pair, n in counts.items())
def learn_merges__largest_of_equals(text, count):
    from collections import Counter

    ids = list(text.encode())
    merges = []
    while len(merges) < count and len(ids) > 1:
        counts = Counter(zip(ids, ids[1:]))
        _, best = max((n, pair) for pair, n in counts.items())
        ids = merge_pair(ids, best, 256 + len(merges))
        merges.append(best)
    return merges


# Numbers the merges from 257: enumerate begins at 1. Line: enumerate(merges, 1)
def encode__numbers_from_257(text, merges):
    ids = list(text.encode("utf-8"))
    for number, pair in enumerate(merges, 1):
        ids = merge_pair(ids, pair, 256 + number)
    return ids


# Decodes each id's bytes alone and joins the texts: a letter whose bytes stand in
# two ids becomes two signs of an error.
def decode__each_id_alone(ids, merges):
    pieces = [bytes([byte]) for byte in range(256)]
    for first, second in merges:
        pieces.append(pieces[first] + pieces[second])
    return "".join(pieces[i].decode(errors="replace") for i in ids)


# Rotates before tokens and heads change places: the shape is (B, T, H, K) then, and
# rotate takes the heads for the tokens. Lines: rotate(q), rotate(k) before transpose
class Attention__rotated_over_heads(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        K = D // self.heads
        q = rotate(self.query(x).view(B, T, self.heads, K)).transpose(1, 2)
        k = rotate(self.key(x).view(B, T, self.heads, K)).transpose(1, 2)
        v = self.value(x).view(B, T, self.heads, K).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(K)
        may_attend = torch.ones(T, T, dtype=torch.bool).tril()
        scores = scores.masked_fill(~may_attend, -torch.inf)
        found = scores.softmax(dim=-1) @ v
        return self.output(found.transpose(1, 2).reshape(B, T, D))


# Rotates the values too, not only queries and keys. Line: for part in (q, k, v)
class Attention__values_rotated(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width, bias=False)
        self.o = nn.Linear(width, width, bias=False)

    def forward(self, x):
        T = x.size(1)
        parts = self.q(x), self.k(x), self.v(x)
        q, k, v = (
            rotate(part.unflatten(-1, (self.heads, -1)).transpose(1, 2))
            for part in parts
        )
        scores = q @ k.mT * q.size(-1) ** -0.5
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        weights = F.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
        return self.o((weights @ v).transpose(1, 2).flatten(-2))


# The linear layers have a bias, which is nn.Linear's default.
# Lines: nn.Linear(width, hidden) without bias=False
class FeedForward__default_bias(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.gate = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


# One RMSNorm serves both branches; there should be two, each with its weight.
class Block__one_norm(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.attention = Attention(width, heads)
        self.network = FeedForward(width, 4 * width // 3)
        self.norm = RMSNorm(width)

    def forward(self, x):
        x = x + self.attention(self.norm(x))
        return x + self.network(self.norm(x))


# The network reads the norm of the x that came in, not of the x with attention
# added (both branches side by side). Line: self.network(self.norm2(x)) with old x
class Block__both_read_the_input(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.norm1 = RMSNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = RMSNorm(width)
        self.network = FeedForward(width, 4 * width // 3)

    def forward(self, x):
        attended = self.attention(self.norm1(x))
        thought = self.network(self.norm2(x))
        return x + attended + thought


# [block] * layers is the same block several times: the layers share their weights.
# Line: nn.ModuleList([Block(width, heads)] * layers)
class GPT__same_block_repeated(nn.Module):
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


# The last layer shares the embedding's table; the text wants a table each.
# Line: self.head.weight = self.tokens.weight
class GPT__tied_table(nn.Module):
    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.tokens(ids))))


# normal_'s second argument is the mean: mean 0.02 and standard deviation 1 instead
# of mean 0 and 0.02. Line: nn.init.normal_(parameter, 0.02)
def initialise__mean_for_std(model):
    for parameter in model.parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, 0.02)
        else:
            nn.init.ones_(parameter)


# Only gives the loop's variable a new tensor: the model's parameters stay as they
# were. Lines: parameter = ...
def initialise__new_tensors_only(model):
    for parameter in model.parameters():
        if parameter.dim() == 2:
            parameter = torch.randn_like(parameter) * 0.02
        else:
            parameter = torch.ones_like(parameter)


# view(B, V, T) does not exchange positions and vocabulary, it only reads the numbers
# in another shape. Should be transpose(1, 2). Line: logits.reshape(B, V, T)
def loss__view_for_transpose(model, ids):
    logits = model(ids[:, :-1])
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B, V, T), ids[:, 1:])


# Clips each number of the gradient to 1, not the length of the whole gradient.
# Line: nn.utils.clip_grad_value_(...)
def train__clips_each_value(model, batches, optimizer, held_out):
    model.train()
    losses = []
    for ids in batches:
        batch_loss = loss(model, ids)
        optimizer.zero_grad()
        batch_loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(batch_loss.item())
    model.eval()
    with torch.no_grad():
        others = [loss(model, ids).item() for ids in held_out]
    return losses, others


# Takes torch.no_grad for the mode of evaluation: model.eval() is missing before the
# held-out texts, which are measured in training mode.
def train__no_eval_mode(model, batches, optimizer, held_out):
    model.train()
    training = []
    for batch in batches:
        optimizer.zero_grad()
        value = loss(model, batch)
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        training.append(value.detach())
    testing = []
    with torch.no_grad():
        for text in held_out:
            testing.append(loss(model, text))
    return training, testing


# Weighs each text with its number of tokens B * T instead of its predictions
# B * (T - 1). Line: n = ids.numel()
def perplexity__counts_all_tokens(model, texts):
    mode = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for ids in texts:
            n = ids.numel()
            total += loss(model, ids).item() * n
            count += n
    model.train(mode)
    return math.exp(total / count)


# Puts the model into training mode at the end, however it came in.
# Line: model.train()
@torch.no_grad()
def perplexity__always_back_to_training(model, texts):
    model.eval()
    sums = []
    counts = []
    for ids in texts:
        n = ids.size(0) * (ids.size(1) - 1)
        sums.append(loss(model, ids) * n)
        counts.append(n)
    model.train()
    return math.exp(sum(sums) / sum(counts))


# Keeps tokens whose running sum with their own probability is at most top_p: the one
# that reaches top_p is missing. Line: ranked.cumsum(-1) <= top_p
def choose__own_share_counted(logits, temperature, top_p):
    p = torch.softmax(logits / temperature, dim=-1)
    ranked, order = p.sort(dim=-1, descending=True)
    keep = ranked.cumsum(-1) <= top_p
    keep[..., 0] = True
    ranked = ranked * keep
    p = torch.zeros_like(p).scatter(-1, order, ranked)
    return p / p.sum(dim=-1, keepdim=True)


# Takes the probabilities at `order` instead of putting them back there: gather where
# scatter belongs. Line: ranked.gather(-1, order)
def choose__gather_for_scatter(logits, temperature, top_p):
    p = F.softmax(logits / temperature, dim=-1)
    ranked, order = torch.sort(p, dim=-1, descending=True)
    before = ranked.cumsum(dim=-1) - ranked
    ranked = ranked.masked_fill(before >= top_p, 0.0)
    kept = ranked.gather(-1, order)
    return kept / kept.sum(dim=-1, keepdim=True)


# Gives the model the newest token only, not the whole text so far.
# Line: model(ids[:, -1:])
@torch.no_grad()
def generate__last_token_only(model, ids, count, temperature, top_p):
    for _ in range(count):
        logits = model(ids[:, -1:])[:, -1]
        p = choose(logits, temperature, top_p)
        ids = torch.cat([ids, torch.multinomial(p, 1)], dim=1)
    return ids


# Sorts the block numbers as strings: with more than ten blocks, block 10 comes before
# block 2 and the weights go to wrong blocks. Line: sorted({name.split(".")[1] ...})
def from_smollm2__blocks_sorted_as_text(weights, config):
    model = GPT(**config)
    numbers = sorted({name.split(".")[1] for name in weights if name.startswith("blk")})
    matrices = [weights["token_embd.weight"]]
    vectors = []
    for number in numbers:
        for part in (
            "attn_q",
            "attn_k",
            "attn_v",
            "attn_output",
            "ffn_up",
            "ffn_gate",
            "ffn_down",
        ):
            matrices.append(weights[f"blk.{number}.{part}.weight"])
        vectors.append(weights[f"blk.{number}.attn_norm.weight"])
        vectors.append(weights[f"blk.{number}.ffn_norm.weight"])
    vectors.append(weights["output_norm.weight"])
    matrices.append(weights["token_embd.weight"])
    with torch.no_grad():
        for parameter in model.parameters():
            source = matrices if parameter.dim() == 2 else vectors
            parameter.copy_(source.pop(0))
    return model


# The last layer gets nothing and keeps its random numbers; the token table should
# be its matrix too. zip ends quietly before it.
def from_smollm2__last_layer_left(weights, config):
    model = GPT(**config)
    parts = ["attn_q", "attn_k", "attn_v", "attn_output"]
    parts += ["ffn_up", "ffn_gate", "ffn_down"]
    matrices = ["token_embd.weight"]
    vectors = []
    for i in range(config["layers"]):
        matrices += [f"blk.{i}.{part}.weight" for part in parts]
        vectors += [f"blk.{i}.attn_norm.weight", f"blk.{i}.ffn_norm.weight"]
    vectors.append("output_norm.weight")
    mine = list(model.parameters())
    with torch.no_grad():
        for name, p in zip(matrices, [p for p in mine if p.dim() == 2]):
            p.copy_(weights[name])
        for name, p in zip(vectors, [p for p in mine if p.dim() == 1]):
            p.copy_(weights[name])
    return model


# no_grad around the frozen layer also cuts the gradient to x through it; only its
# parameters should be frozen. Line: with torch.no_grad() in forward
class LoRA__no_grad_forward(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        with torch.no_grad():
            known = self.layer(x)
        return known + self.up(self.down(x))


# Two mistakes: only the weight is frozen, the bias is still trained; and down begins at
# zero instead of up. Lines: layer.weight.requires_grad_(False), zeros_(self.down.weight)
class LoRA__bias_free_down_zero(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer
        layer.weight.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.down.weight)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


# `ids[i : i + 2] = [new]` writes into the caller's list.
def merge_pair__edits_callers_list(ids, pair, new):
    i = 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == pair:
            ids[i : i + 2] = [new]
        i += 1
    return ids


# Stops when the most frequent pair occurs only once, though the text goes on until no
# pair is left: too few merges for short texts.
def learn_merges__stops_at_singles(text, count):
    ids, merges = list(text.encode()), []
    for new in range(256, 256 + count):
        counts = {}
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=counts.get)
        if counts[best] < 2:
            break
        merges.append(best)
        ids = merge_pair(ids, best, new)
    return merges


# Of equally frequent pairs sorted(...)[-1] takes the last in the text, not the first.
# Also an error if no pair is left (index -1 of an empty list).
def learn_merges__last_of_equals(text, count):
    from collections import Counter

    ids = list(text.encode())
    merges = []
    for step in range(count):
        counts = Counter(zip(ids[:-1], ids[1:]))
        best = sorted(counts, key=counts.get)[-1]
        merges.append(best)
        ids = merge_pair(ids, best, 256 + step)
    return merges


# ord of each letter instead of the bytes of the text: right for ASCII only.
def encode__letters_not_bytes(text, merges):
    ids = [ord(letter) for letter in text]
    for new, pair in enumerate(merges, start=256):
        ids = merge_pair(ids, pair, new)
    return ids


# errors="ignore" drops bytes that are no text, instead of putting the sign � there.
def decode__drops_bad_bytes(ids, merges):
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[i] for i in ids).decode(errors="ignore")


# Keeps the mask that the first call has made: with a text of another length it does not
# fit (an error, or for a first text of one token, no mask at all).
class Attention__keeps_first_mask(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        self.mask = None

    def forward(self, x):
        def split(y):
            return y.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        q, k = rotate(q), rotate(k)
        if self.mask is None:
            T = x.size(1)
            self.mask = torch.ones(T, T, dtype=torch.bool).tril()
        scores = q @ k.mT / math.sqrt(q.size(-1))
        scores = scores.masked_fill(~self.mask, -torch.inf)
        mixed = scores.softmax(dim=-1) @ v
        return self.output(mixed.transpose(1, 2).flatten(-2))


# Divides by the root of q.size(1), the number of heads, not of a head's width: right
# only if the two are equal (width 16, 4 heads).
class Attention__root_of_heads(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads, self.width = heads, width // heads
        self.q, self.k, self.v, self.o = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )

    def forward(self, x):
        B, T, D = x.shape
        q = self.q(x).view(B, T, self.heads, self.width).transpose(1, 2)
        k = self.k(x).view(B, T, self.heads, self.width).transpose(1, 2)
        v = self.v(x).view(B, T, self.heads, self.width).transpose(1, 2)
        scores = rotate(q) @ rotate(k).transpose(-2, -1) * q.size(1) ** -0.5
        future = torch.ones(T, T, dtype=torch.bool).triu(diagonal=1)
        weights = F.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
        return self.o((weights @ v).transpose(1, 2).reshape(B, T, D))


# `B, T, D = x.shape` wants exactly three axes: x (T, D) or (D,) is an error.
class FeedForward__three_axes(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        rows = x.reshape(B * T, D)
        inner = F.silu(self.gate(rows)) * self.up(rows)
        return self.down(inner).view(B, T, D)


# 4 * (width // 3) instead of 4 * width // 3: right only if 3 divides the width.
class Block__rounds_too_early(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.attention_norm = RMSNorm(width)
        self.attention = Attention(width, heads)
        self.network_norm = RMSNorm(width)
        self.network = FeedForward(width, 4 * (width // 3))

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.network(self.network_norm(x))


# `x += ...` writes into the caller's x.
class Block__adds_into_x(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.norms = nn.ModuleList([RMSNorm(width), RMSNorm(width)])
        self.attention = Attention(width, heads)
        self.feed_forward = FeedForward(width, 4 * width // 3)

    def forward(self, x):
        x += self.attention(self.norms[0](x))
        x += self.feed_forward(self.norms[1](x))
        return x


# [Block(...)] * layers is one block, several times: all layers share their weights.
# Right only for one layer.
class GPT__one_block_many_times(nn.Module):
    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList([Block(width, heads)] * layers)
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.tokens(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# manual_seed(0) before each matrix: matrices of the same shape begin alike.
def initialise__same_seed_each(model):
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2:
                torch.manual_seed(0)
                parameter.normal_(0.0, 0.02)
            else:
                parameter.fill_(1.0)


# .view(-1, V) of a slice whose rows do not lie side by side: an error for more than one
# text; with one text it works.
def loss__view_of_a_slice(model, ids):
    logits = model(ids)[:, :-1]
    targets = ids[:, 1:]
    return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.flatten())


# zero_grad() comes after the step: gradients that the model has when it is handed in are
# added to those of the first batch.
def train__zeroes_after_step(model, batches, optimizer, held_out):
    model.train()
    losses = []
    for ids in batches:
        value = loss(model, ids)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(value.item())
    model.eval()
    with torch.no_grad():
        return losses, [loss(model, ids).item() for ids in held_out]


# set_grad_enabled(False) is never undone: after the first call gradients are off for
# everybody, and a second call fails in backward().
def train__gradients_left_off(model, batches, optimizer, held_out):
    model.train()
    seen, unseen = [], []
    for ids in batches:
        optimizer.zero_grad()
        now = loss(model, ids)
        now.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seen.append(now.detach())
    model.eval()
    torch.set_grad_enabled(False)
    for ids in held_out:
        unseen.append(loss(model, ids))
    return seen, unseen


# model.train() at the end, whatever the mode was before: wrong for a model that came
# in the mode of evaluation.
def perplexity__always_back_to_train(model, texts):
    model.eval()
    total, number = 0.0, 0
    with torch.no_grad():
        for ids in texts:
            n = ids.size(0) * (ids.size(1) - 1)
            total += loss(model, ids).item() * n
            number += n
    model.train()
    return math.exp(total / number)


# A text's weight is T - 1, without its B rows: right if all hold as many rows.
def perplexity__rows_not_counted(model, texts):
    mode = model.training
    model.eval()
    with torch.no_grad():
        losses = torch.stack([loss(model, ids) for ids in texts])
    model.train(mode)
    lengths = torch.tensor([ids.shape[-1] - 1 for ids in texts])
    return torch.exp((losses * lengths).sum() / lengths.sum())


# Keeps all tokens that are as likely as the last one kept: with equal probabilities more
# than the fewest stay. Line `p >= ...`.
def choose__keeps_all_equals(logits, temperature, top_p):
    p = torch.softmax(logits / temperature, dim=-1)
    ranked = p.sort(dim=-1, descending=True).values
    stays = ranked.cumsum(dim=-1) - ranked < top_p
    stays[:, 0] = True
    least = ranked.masked_fill(~stays, math.inf).amin(dim=-1, keepdim=True)
    p = torch.where(p >= least, p, torch.zeros_like(p))
    return p / p.sum(dim=-1, keepdim=True)


# `logits /= temperature` writes into the caller's logits.
def choose__divides_in_place(logits, temperature, top_p):
    logits /= temperature
    ranked, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    before = ranked.cumsum(dim=-1) - ranked
    stays = before < top_p
    stays[..., 0] = True
    ranked = ranked * stays
    ranked = ranked / ranked.sum(dim=-1, keepdim=True)
    return torch.zeros_like(ranked).scatter(-1, order, ranked)


# A generator with the same seed is made for each step: every step (and every call)
# draws with the same random numbers, so the tokens of a text hang together.
def generate__same_seed_each_step(model, ids, count, temperature, top_p):
    with torch.no_grad():
        for _ in range(count):
            p = choose(model(ids)[:, -1], temperature, top_p)
            generator = torch.Generator().manual_seed(0)
            token = torch.multinomial(p, 1, generator=generator)
            ids = torch.cat([ids, token], dim=1)
    return ids


# The blocks' numbers are sorted as texts: "10" comes before "2", so with more than ten
# blocks the weights go to the wrong ones. Line `numbers = sorted(...)`.
def from_smollm2__blocks_sorted_as_text_too(weights, config):
    model = GPT(**config)
    linears = [m for m in model.modules() if isinstance(m, nn.Linear)]
    norms = [m for m in model.modules() if isinstance(m, RMSNorm)]
    tables = [m for m in model.modules() if isinstance(m, nn.Embedding)]
    numbers = sorted({n.split(".")[1] for n in weights if n.startswith("blk.")})
    matrices = ["attn_q", "attn_k", "attn_v", "attn_output"]
    matrices += ["ffn_up", "ffn_gate", "ffn_down"]
    with torch.no_grad():
        for i, number in enumerate(numbers):
            for j, name in enumerate(matrices):
                weight = weights[f"blk.{number}.{name}.weight"]
                linears[7 * i + j].weight.copy_(weight)
            for j, name in enumerate(["attn_norm", "ffn_norm"]):
                norms[2 * i + j].weight.copy_(weights[f"blk.{number}.{name}.weight"])
        tables[0].weight.copy_(weights["token_embd.weight"])
        linears[-1].weight.copy_(weights["token_embd.weight"])
        norms[-1].weight.copy_(weights["output_norm.weight"])
    return model


# config.pop("layers") takes the entry out of the caller's dict: a second call with the
# same config fails.
def from_smollm2__pops_from_config(weights, config):
    layers = config.pop("layers")
    model = GPT(layers=layers, **config)
    linears = iter([m for m in model.modules() if isinstance(m, nn.Linear)])
    norms = iter([m for m in model.modules() if isinstance(m, RMSNorm)])
    table = next(m for m in model.modules() if isinstance(m, nn.Embedding))

    def give(module, name):
        module.weight.data.copy_(weights[name + ".weight"])

    give(table, "token_embd")
    for i in range(layers):
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            give(next(linears), f"blk.{i}.{part}")
        for part in ("ffn_up", "ffn_gate", "ffn_down"):
            give(next(linears), f"blk.{i}.{part}")
        give(next(norms), f"blk.{i}.attn_norm")
        give(next(norms), f"blk.{i}.ffn_norm")
    give(next(norms), "output_norm")
    give(next(linears), "token_embd")
    return model


# Only the layer's weight is frozen, its bias can still be trained: right for layers
# without a bias.
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
