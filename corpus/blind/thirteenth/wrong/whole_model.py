import math

import torch
import torch.nn.functional as F
from torch import nn


# The loop ends before the last id, and nothing appends it: if the last id is
# not part of a merged pair, it is lost.
def merge_pair__last_id_lost(ids, pair, new):
    merged = []
    i = 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == pair:
            merged.append(new)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


# Merges in the list that was handed in (slice assignment) and returns that
# list, instead of making a new one.
def merge_pair__in_place(ids, pair, new):
    i = 0
    while i < len(ids) - 1:
        if ids[i] == pair[0] and ids[i + 1] == pair[1]:
            ids[i : i + 2] = [new]
        i += 1
    return ids


# Sorts the pairs by their counts and takes the last: of equally frequent pairs
# the one that comes LAST in the text, not first.
def learn_merges__last_of_equals(text, count):
    ids = list(text.encode())
    merges = []
    for n in range(count):
        counts = {}
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = sorted(counts, key=counts.get)[-1]
        merges.append(best)
        ids = merge_pair(ids, best, 256 + n)
    return merges


# Stops when the most frequent pair occurs only once; the text stops only when
# no pair is left. Line: ... or most < 2.
def learn_merges__stops_at_one(text, count):
    from collections import Counter

    ids = list(text.encode())
    merges = []
    while len(merges) < count:
        counts = Counter(zip(ids, ids[1:]))
        if not counts:
            break
        best, most = counts.most_common(1)[0]
        if most < 2:
            break
        ids = merge_pair(ids, best, 256 + len(merges))
        merges.append(best)
    return merges


# merge_pair returns a new list, but its result is not kept: the ids stay the
# bytes. Missing: ids = merge_pair(...).
def encode__result_dropped(text, merges):
    ids = list(text.encode())
    for new, pair in enumerate(merges, start=256):
        merge_pair(ids, pair, new)
    return ids


# Merges from left to right whatever pair it meets first, instead of merge by
# merge in their order: of "abc" with (b, c), (a, b) it merges ab.
def encode__left_to_right(text, merges):
    ranks = {tuple(pair): 256 + n for n, pair in enumerate(merges)}
    ids = list(text.encode())
    i = 0
    while i < len(ids) - 1:
        pair = (ids[i], ids[i + 1])
        if pair in ranks:
            ids[i : i + 2] = [ranks[pair]]
            i = max(i - 1, 0)
        else:
            i += 1
    return ids


# Decodes the bytes of each id on their own and joins the texts: a letter whose
# bytes stand in two ids becomes two signs of replacement.
def decode__each_id(ids, merges):
    pieces = [bytes([byte]) for byte in range(256)]
    for first, second in merges:
        pieces.append(pieces[first] + pieces[second])
    return "".join(pieces[i].decode(errors="replace") for i in ids)


# .decode() without errors="replace": raises an error at bytes that are no text.
def decode__strict(ids, merges):
    def expand(i):
        if i < 256:
            return [i]
        first, second = merges[i - 256]
        return expand(first) + expand(second)

    flat = []
    for i in ids:
        flat += expand(i)
    return bytes(flat).decode("utf-8")


# Rotates before heads and tokens have changed places: x is (B, T, H, K), so
# rotate takes the number of the HEAD for the position.
class Attention__rotates_by_head(nn.Module):
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
        past = torch.tril(torch.ones(T, T, dtype=torch.bool))
        scores = scores.masked_fill(~past, float("-inf"))
        y = scores.softmax(dim=-1) @ v
        return self.output(y.transpose(1, 2).reshape(B, T, D))


# Rotates the values too, not only queries and keys.
class Attention__values_rotated(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )

    def forward(self, x):
        def cut(layer):
            return rotate(layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2))

        q, k, v = cut(self.q), cut(self.k), cut(self.v)
        T = x.size(1)
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = torch.einsum("bhtk,bhsk->bhts", q, k) * q.size(-1) ** -0.5
        weights = scores.masked_fill(future, -torch.inf).softmax(dim=-1)
        found = torch.einsum("bhts,bhsk->bhtk", weights, v)
        return self.o(found.transpose(1, 2).flatten(-2))


# On the way back heads and tokens do not change places: (B, H, T, K) is
# reshaped to (B, T, D) directly, which mixes tokens and heads. Last line.
class Attention__reshaped_back(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        q = rotate(self.split(self.query(x)))
        k = rotate(self.split(self.key(x)))
        v = self.split(self.value(x))
        T = x.size(-2)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        may_attend = torch.ones(T, T, dtype=torch.bool).tril()
        scores = scores.masked_fill(~may_attend, -torch.inf)
        found = scores.softmax(dim=-1) @ v
        return self.output(found.reshape(x.shape))


# Two mistakes: the scores are divided by the root of the whole width instead
# of a head's, and the mask is tril(-1): a token may not attend to itself
# (the first token has nothing to read: nan).
class Attention__width_and_strict_past(nn.Module):
    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.width, self.heads = width, heads
        self.wq = nn.Linear(width, width, bias=False)
        self.wk = nn.Linear(width, width, bias=False)
        self.wv = nn.Linear(width, width, bias=False)
        self.wo = nn.Linear(width, width, bias=False)

    def forward(self, x):
        B, T, _ = x.shape
        shape = (B, T, self.heads, self.width // self.heads)
        q = rotate(self.wq(x).view(shape).transpose(1, 2))
        k = rotate(self.wk(x).view(shape).transpose(1, 2))
        v = self.wv(x).view(shape).transpose(1, 2)
        scores = q @ k.mT / math.sqrt(self.width)
        before = torch.ones(T, T, dtype=torch.bool).tril(-1)
        scores = scores.masked_fill(~before, -torch.inf)
        found = (scores.softmax(dim=-1) @ v).transpose(1, 2)
        return self.wo(found.flatten(-2))


# silu is applied to up instead of to gate.
class FeedForward__silu_on_up(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.up(x)) * self.gate(x))


# The linear layers have a bias (bias=False forgotten on all three).
class FeedForward__with_bias(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.gate = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        gate = self.gate(x)
        return self.down(gate * torch.sigmoid(gate) * self.up(x))


# The stream itself is normalised: x = norm(x), then x + branch(x), so the
# residual adds the normed x instead of x.
class Block__residual_of_norm(nn.Module):
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


# Both branches read the same x, side by side: the network does not see what
# attention has added.
class Block__side_by_side(nn.Module):
    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.attention = Attention(width, heads)
        self.feed_forward = FeedForward(width, 4 * width // 3)
        self.attention_norm = RMSNorm(width)
        self.feed_forward_norm = RMSNorm(width)

    def forward(self, x):
        a = self.attention(self.attention_norm(x))
        f = self.feed_forward(self.feed_forward_norm(x))
        return x + a + f


# [Block(...)] * layers holds the same block several times: all layers share
# one set of weights.
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


# The last norm stands inside the loop: it is applied after every block, not
# once after the last.
class GPT__norm_in_loop(nn.Module):
    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.last_norm = RMSNorm(width)
        self.logits = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.tokens(ids)
        for layer in self.layers:
            x = layer(x)
            x = self.last_norm(x)
        return self.logits(x)


# The embedding and the last layer share one table (weight tying), but the
# text says that each has its own.
class GPT__tied_tables(nn.Module):
    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.embed(ids))))


# Gives the loop's name `parameter` a new tensor instead of writing into the
# parameter: the model does not change at all.
def initialise__name_rebound(model):
    for parameter in model.parameters():
        if parameter.dim() == 2:
            parameter = torch.randn_like(parameter) * 0.02
        else:
            parameter = torch.ones_like(parameter)


# Draws from a uniform distribution between -0.02 and 0.02 instead of a normal
# one with standard deviation 0.02 (the spread is 0.0115).
def initialise__uniform(model):
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2:
                parameter.uniform_(-0.02, 0.02)
            else:
                parameter.fill_(1.0)


# Only nn.Linear's matrices are drawn anew: the embedding's table, also a
# matrix, is forgotten.
def initialise__table_forgotten(model):
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
        elif isinstance(module, RMSNorm):
            nn.init.ones_(module.weight)


# Shifts twice: the model reads ids without the last, and then its logits are
# cut once more and compared with the token two places on.
def loss__shifted_twice(model, ids):
    logits = model(ids[:, :-1])
    guesses, targets = logits[:, :-1], ids[:, 2:]
    return F.cross_entropy(guesses.flatten(0, 1), targets.flatten())


# Targets by torch.roll: at the last position the first token of the text is
# taken for the next one, so one prediction too many is counted.
def loss__roll_wraps(model, ids):
    logits = model(ids)
    targets = ids.roll(-1, dims=1)
    logs = logits.log_softmax(dim=-1)
    return -logs.gather(-1, targets[..., None]).mean()


# Clips each parameter's gradient on its own to length 1, instead of the
# gradient of all parameters together.
def train__clips_each(model, batches, optimizer, held_out):
    model.train()
    losses = []
    for ids in batches:
        value = loss(model, ids)
        optimizer.zero_grad()
        value.backward()
        for parameter in model.parameters():
            nn.utils.clip_grad_norm_([parameter], 1.0)
        optimizer.step()
        losses.append(value.item())
    model.eval()
    with torch.no_grad():
        measured = [loss(model, ids).item() for ids in held_out]
    return losses, measured


# Measures the held-out texts without model.eval(): still in training mode
# (dropout would be active).
def train__held_out_in_training(model, batches, optimizer, held_out):
    model.train()
    losses, measured = [], []
    for ids in batches:
        optimizer.zero_grad()
        batch_loss = loss(model, ids)
        losses.append(batch_loss.detach())
        batch_loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    with torch.no_grad():
        for text in held_out:
            measured.append(loss(model, text))
    return losses, measured


# Notes the loss of each batch after the step (measured anew), not as it was
# before the step.
def train__noted_after_step(model, batches, optimizer, held_out):
    model.train()
    losses = []
    for ids in batches:
        optimizer.zero_grad()
        loss(model, ids).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        with torch.no_grad():
            losses.append(loss(model, ids).item())
    model.eval()
    with torch.no_grad():
        held = [loss(model, ids).item() for ids in held_out]
    return losses, held


# zero_grad stands between backward and step: the gradients are thrown away
# before they are used, and nothing is learned.
def train__zero_before_step(model, batches, optimizer, held_out):
    model.train()
    train_losses = []
    for ids in batches:
        value = loss(model, ids)
        train_losses.append(value.item())
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.zero_grad()
        optimizer.step()
    model.eval()
    held_losses = []
    with torch.no_grad():
        for ids in held_out:
            held_losses.append(loss(model, ids).item())
    return train_losses, held_losses


# Weights each text with all its tokens, B * T, instead of its B * (T - 1)
# predictions. (Line: n = text.numel().)
def perplexity__all_tokens(model, texts):
    mode = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for text in texts:
            n = text.numel()
            total += loss(model, text).item() * n
            count += n
    model.train(mode)
    return math.exp(total / count)


# Two mistakes: weights with T - 1, forgetting the number B of texts, and
# always leaves the model in training mode, however it came.
def perplexity__rows_and_mode(model, texts):
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for text in texts:
            predictions = text.size(-1) - 1
            total = total + loss(model, text) * predictions
            count += predictions
    model.train()
    return torch.exp(total / count)


# Takes e to the loss of each text and then the (weighted) mean, instead of e
# to the mean loss.
def perplexity__mean_of_exponentials(model, texts):
    mode = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for text in texts:
            n = text.size(0) * (text.size(1) - 1)
            total += loss(model, text).exp().item() * n
            count += n
    model.train(mode)
    return total / count


# Puts the probabilities back with gather(order) instead of scatter: that is the
# other direction, and they land at wrong tokens.
def choose__gather_back(logits, temperature, top_p):
    p = (logits / temperature).softmax(dim=-1)
    ranked, order = p.sort(dim=-1, descending=True)
    keep = ranked.cumsum(dim=-1) - ranked < top_p
    keep[..., 0] = True
    ranked = ranked * keep
    ranked = ranked / ranked.sum(dim=-1, keepdim=True)
    return ranked.gather(-1, order)


# Applies the temperature after the cut: top_p is measured on the probabilities
# at temperature 1, then what is left is raised to 1 / temperature.
def choose__temperature_after_cut(logits, temperature, top_p):
    p = logits.softmax(dim=-1)
    ranked, order = torch.sort(p, dim=-1, descending=True)
    before = ranked.cumsum(dim=-1) - ranked
    stays = before < top_p
    stays[:, 0] = True
    ranked = torch.where(stays, ranked, 0.0)
    kept = torch.zeros_like(p).scatter(-1, order, ranked)
    kept = kept ** (1 / temperature)
    return kept / kept.sum(dim=-1, keepdim=True)


# Divides the logits in place (/=): the logits handed in are changed.
def choose__logits_in_place(logits, temperature, top_p):
    logits /= temperature
    p = torch.softmax(logits, dim=-1)
    ranked, order = p.sort(dim=-1, descending=True)
    before = torch.cumsum(ranked, dim=-1) - ranked
    drop = before >= top_p
    drop[..., 0] = False
    ranked = ranked.masked_fill(drop, 0.0)
    result = torch.zeros_like(p).scatter(-1, order, ranked)
    return result / result.sum(dim=-1, keepdim=True)


# After the first token it gives the model only the last token instead of all
# ids so far, as if there were a cache.
def generate__last_token_only(model, ids, count, temperature, top_p):
    read = ids
    with torch.no_grad():
        for _ in range(count):
            p = choose(model(read)[:, -1], temperature, top_p)
            read = torch.multinomial(p, 1)
            ids = torch.cat([ids, read], dim=1)
    return ids


# Gives choose probabilities instead of logits: softmax is taken twice.
def generate__softmax_twice(model, ids, count, temperature, top_p):
    for _ in range(count):
        with torch.no_grad():
            p = model(ids)[:, -1, :].softmax(dim=-1)
        p = choose(p, temperature, top_p)
        drawn = torch.multinomial(p, num_samples=1)
        ids = torch.cat((ids, drawn), dim=-1)
    return ids


# Shares the heads of keys and values in the wrong order: k.repeat puts
# 0 1 0 1 0 1 where 0 0 0 1 1 1 (repeat_interleave) is needed.
def from_smollm2__kv_tiled(weights, config):
    class OwnAttention(nn.Module):
        def __init__(self, width, heads, kv_heads, base):
            super().__init__()
            self.heads, self.kv_heads = heads, kv_heads or heads
            self.base = base
            small = width // heads * self.kv_heads
            self.attn_q = nn.Linear(width, width, bias=False)
            self.attn_k = nn.Linear(width, small, bias=False)
            self.attn_v = nn.Linear(width, small, bias=False)
            self.attn_output = nn.Linear(width, width, bias=False)

        def forward(self, x):
            q = self.attn_q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            k = self.attn_k(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
            v = self.attn_v(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
            q, k = rotate(q, self.base), rotate(k, self.base)
            times = self.heads // self.kv_heads
            k = k.repeat(1, times, 1, 1)
            v = v.repeat(1, times, 1, 1)
            scores = q @ k.mT / math.sqrt(q.size(-1))
            T = x.size(1)
            past = torch.ones(T, T, dtype=torch.bool).tril()
            p = scores.masked_fill(~past, -torch.inf).softmax(dim=-1)
            return self.attn_output((p @ v).transpose(1, 2).flatten(-2))

    class OwnBlock(nn.Module):
        def __init__(self, width, heads, kv_heads, hidden, base):
            super().__init__()
            hidden = hidden or 4 * width // 3
            self.attn_norm = RMSNorm(width)
            self.attention = OwnAttention(width, heads, kv_heads, base)
            self.ffn_norm = RMSNorm(width)
            self.ffn_up = nn.Linear(width, hidden, bias=False)
            self.ffn_gate = nn.Linear(width, hidden, bias=False)
            self.ffn_down = nn.Linear(hidden, width, bias=False)

        def forward(self, x):
            x = x + self.attention(self.attn_norm(x))
            y = self.ffn_norm(x)
            return x + self.ffn_down(F.silu(self.ffn_gate(y)) * self.ffn_up(y))

    class OwnGPT(nn.Module):
        def __init__(
            self, vocabulary, width, heads, layers, kv_heads=None, hidden=None,
            base=10_000,
        ):
            super().__init__()
            self.token_embd = nn.Embedding(vocabulary, width)
            self.blk = nn.ModuleList(
                OwnBlock(width, heads, kv_heads, hidden, base) for _ in range(layers)
            )
            self.output_norm = RMSNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)

        def forward(self, ids):
            x = self.token_embd(ids)
            for block in self.blk:
                x = block(x)
            return self.head(self.output_norm(x))

    model = OwnGPT(**config)
    own = {"head.weight": weights["token_embd.weight"]}
    for name, weight in weights.items():
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            name = name.replace(f".{part}.", f".attention.{part}.")
        own[name] = weight
    model.load_state_dict(own)
    return model


# The last layer keeps its random matrix: token_embd.weight goes only to the
# embedding, and strict=False hides that head.weight is missing.
def from_smollm2__head_random(weights, config):
    class SharedAttention(nn.Module):
        def __init__(self, width, heads, kv_heads=None, base=10_000):
            super().__init__()
            self.heads = heads
            self.kv_heads = heads if kv_heads is None else kv_heads
            self.base = base
            K = width // heads
            self.query = nn.Linear(width, width, bias=False)
            self.key = nn.Linear(width, K * self.kv_heads, bias=False)
            self.value = nn.Linear(width, K * self.kv_heads, bias=False)
            self.output = nn.Linear(width, width, bias=False)

        def forward(self, x):
            B, T, D = x.shape
            K = D // self.heads
            q = self.query(x).view(B, T, self.heads, K).transpose(1, 2)
            k = self.key(x).view(B, T, self.kv_heads, K).transpose(1, 2)
            v = self.value(x).view(B, T, self.kv_heads, K).transpose(1, 2)
            q, k = rotate(q, self.base), rotate(k, self.base)
            k = k.repeat_interleave(self.heads // self.kv_heads, dim=1)
            v = v.repeat_interleave(self.heads // self.kv_heads, dim=1)
            scores = q @ k.transpose(-1, -2) / math.sqrt(K)
            future = torch.ones(T, T, dtype=torch.bool).triu(1)
            weights = scores.masked_fill(future, -torch.inf).softmax(dim=-1)
            return self.output((weights @ v).transpose(1, 2).reshape(B, T, D))

    class Network(nn.Module):
        def __init__(self, width, hidden):
            super().__init__()
            self.up = nn.Linear(width, hidden, bias=False)
            self.gate = nn.Linear(width, hidden, bias=False)
            self.down = nn.Linear(hidden, width, bias=False)

        def forward(self, x):
            return self.down(F.silu(self.gate(x)) * self.up(x))

    class Layer(nn.Module):
        def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
            super().__init__()
            self.norm1 = RMSNorm(width)
            self.attention = SharedAttention(width, heads, kv_heads, base)
            self.norm2 = RMSNorm(width)
            self.network = Network(width, hidden or 4 * width // 3)

        def forward(self, x):
            x = x + self.attention(self.norm1(x))
            return x + self.network(self.norm2(x))

    class Model(nn.Module):
        def __init__(
            self, vocabulary, width, heads, layers, kv_heads=None, hidden=None,
            base=10_000,
        ):
            super().__init__()
            self.tokens = nn.Embedding(vocabulary, width)
            self.blocks = nn.ModuleList(
                Layer(width, heads, kv_heads, hidden, base) for _ in range(layers)
            )
            self.norm = RMSNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)

        def forward(self, ids):
            x = self.tokens(ids)
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    words = {
        "token_embd": "tokens",
        "output_norm": "norm",
        "blk": "blocks",
        "attn_norm": "norm1",
        "ffn_norm": "norm2",
        "attn_q": "attention.query",
        "attn_k": "attention.key",
        "attn_v": "attention.value",
        "attn_output": "attention.output",
        "ffn_up": "network.up",
        "ffn_gate": "network.gate",
        "ffn_down": "network.down",
    }
    model = Model(**config)
    own = {}
    for name, weight in weights.items():
        own[".".join(words.get(part, part) for part in name.split("."))] = weight
    model.load_state_dict(own, strict=False)
    return model


# startswith("blk.1") without the point matches blk.10, blk.11 ... too: with more
# than ten blocks, block 1 gets the weights of a later block.
def from_smollm2__prefix_without_point(weights, config):
    class Heads(nn.Module):
        def __init__(self, width, heads, kv_heads, base):
            super().__init__()
            self.heads, self.kv_heads, self.base = heads, kv_heads, base
            K = width // heads
            self.q = nn.Linear(width, width, bias=False)
            self.k = nn.Linear(width, kv_heads * K, bias=False)
            self.v = nn.Linear(width, kv_heads * K, bias=False)
            self.output = nn.Linear(width, width, bias=False)

        def forward(self, x):
            q = self.q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            k = self.k(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
            v = self.v(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
            q, k = rotate(q, self.base), rotate(k, self.base)
            shared = self.heads // self.kv_heads
            k = k.repeat_interleave(shared, dim=1)
            v = v.repeat_interleave(shared, dim=1)
            T = x.size(1)
            may_attend = torch.ones(T, T, dtype=torch.bool).tril()
            scores = q @ k.mT / q.size(-1) ** 0.5
            scores = scores.masked_fill(~may_attend, -torch.inf)
            found = scores.softmax(dim=-1) @ v
            return self.output(found.transpose(1, 2).flatten(-2))

    class Part(nn.Module):
        def __init__(self, width, heads, kv_heads, hidden, base):
            super().__init__()
            self.attn = Heads(width, heads, kv_heads, base)
            self.up = nn.Linear(width, hidden, bias=False)
            self.gate = nn.Linear(width, hidden, bias=False)
            self.down = nn.Linear(hidden, width, bias=False)
            self.attn_norm = RMSNorm(width)
            self.ffn_norm = RMSNorm(width)

        def forward(self, x):
            x = x + self.attn(self.attn_norm(x))
            y = self.ffn_norm(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))

    class Whole(nn.Module):
        def __init__(
            self, vocabulary, width, heads, layers, kv_heads=None, hidden=None,
            base=10_000,
        ):
            super().__init__()
            if kv_heads is None:
                kv_heads = heads
            if hidden is None:
                hidden = 4 * width // 3
            self.tokens = nn.Embedding(vocabulary, width)
            self.parts = nn.ModuleList(
                [Part(width, heads, kv_heads, hidden, base) for _ in range(layers)]
            )
            self.norm = RMSNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)

        def forward(self, ids):
            x = self.tokens(ids)
            for part in self.parts:
                x = part(x)
            return self.head(self.norm(x))

    model = Whole(**config)
    with torch.no_grad():
        model.tokens.weight.copy_(weights["token_embd.weight"])
        model.head.weight.copy_(weights["token_embd.weight"])
        model.norm.weight.copy_(weights["output_norm.weight"])
        for i, part in enumerate(model.parts):
            mine = {
                "attn_q": part.attn.q,
                "attn_k": part.attn.k,
                "attn_v": part.attn.v,
                "attn_output": part.attn.output,
                "ffn_up": part.up,
                "ffn_gate": part.gate,
                "ffn_down": part.down,
                "attn_norm": part.attn_norm,
                "ffn_norm": part.ffn_norm,
            }
            for name, weight in weights.items():
                if name.startswith(f"blk.{i}"):
                    mine[name.split(".")[2]].weight.copy_(weight)
    return model


# Runs the frozen layer under torch.no_grad(): through it no gradient gets back
# to x. requires_grad_(False) on the parameters would be enough.
class LoRA__no_grad_through_layer(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        with torch.no_grad():
            frozen = self.layer(x)
        return frozen + self.up(self.down(x))


# Freezes only the layer's weight; its bias can still be trained.
class LoRA__bias_trains(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer
        self.layer.weight.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        with torch.no_grad():
            self.up.weight.zero_()

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


# Sets the zeros in down instead of up.
class LoRA__down_zero(nn.Module):
    def __init__(self, layer, rank):
        super().__init__()
        for parameter in layer.parameters():
            parameter.requires_grad_(False)
        self.layer = layer
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.down.weight)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


import math

import torch
import torch.nn.functional as F
from torch import nn


# Works in a string, " 1 2 3 ", and replaces " a b " there: two pairs side by side
# share the blank between them, so of 1, 2, 1, 2 only the first is found.
def merge_pair__pairs_side_by_side(ids, pair, new):
    """Replace each occurrence of the pair by the new id."""
    text = " " + " ".join(str(i) for i in ids) + " "
    a, b = pair
    text = text.replace(f" {a} {b} ", f" {new} ")
    return [int(word) for word in text.split()]


# Begins its result with `ids[0]`, which an empty list does not have: IndexError.
def merge_pair__empty_list(ids, pair, new):
    """Replace each occurrence of the pair by the new id."""
    merged, free = [ids[0]], True
    for token in ids[1:]:
        if free and (merged[-1], token) == tuple(pair):
            merged[-1] = new
            free = False
        else:
            merged.append(token)
            free = True
    return merged


# Stops as soon as the most frequent pair occurs only once (`< 2`), though there are
# still pairs left and `count` is not reached.
def learn_merges__stops_at_one_too(text, count):
    """Return the pairs that the text merges, the most frequent first."""
    ids = list(text.encode())
    merges = []
    while len(merges) < count and len(ids) > 1:
        counts = {}
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=counts.get)
        if counts[best] < 2:
            break
        ids = merge_pair(ids, best, 256 + len(merges))
        merges.append(best)
    return merges


# Starts from `ord` of each letter and not from the bytes: the same for English letters,
# but é is one number there (233), and has two bytes.
def learn_merges__letters_not_bytes(text, count):
    """Return the pairs that the text merges, the most frequent first."""
    from collections import Counter

    ids = [ord(letter) for letter in text]
    merges = []
    for new in range(256, 256 + count):
        counts = Counter(zip(ids, ids[1:]))
        if not counts:
            break
        (pair, _), *_ = counts.most_common(1)
        merges.append(pair)
        ids = merge_pair(ids, pair, new)
    return merges


# The new id is one more than the largest so far (`max([255] + ids) + 1`), not 256 plus
# the number of the merge: after a merge that the text does not hold, all later ids are
# too small.
def encode__next_free_id(text, merges):
    """Return the ids of a text."""
    ids = list(text.encode())
    for pair in merges:
        new = max([255] + ids) + 1
        ids = merge_pair(ids, pair, new)
    return ids


# Stops at the first merge that changes nothing (`break`), though later merges may
# occur in the text.
def encode__stops_if_unchanged(text, merges):
    """Return the ids of a text."""
    ids = list(text.encode("utf-8"))
    for new, pair in enumerate(merges, start=256):
        shorter = merge_pair(ids, pair, new)
        if len(shorter) == len(ids):
            break
        ids = shorter
    return ids


# If any bytes are no text, the whole text becomes one sign � (`except` branch); the
# other letters are lost.
def decode__one_sign_for_all(ids, merges):
    """Return the text of a list of ids."""

    def spell(id):
        if id < 256:
            return [id]
        left, right = merges[id - 256]
        return spell(left) + spell(right)

    whole = bytes(byte for id in ids for byte in spell(id))
    try:
        return whole.decode()
    except UnicodeDecodeError:
        return "�"


# `errors="ignore"` leaves out bytes that are no text, where � should stand.
def decode__errors_ignored(ids, merges):
    """Return the text of a list of ids."""
    pieces = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    return b"".join(pieces[i] for i in ids).decode(errors="ignore")


# The mask is made once, for 64 tokens (`self.register_buffer`): a longer text does not
# fit it, and raises an error.
class Attention__mask_of_64(nn.Module):
    """Several causal heads."""

    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        future = torch.ones(64, 64, dtype=torch.bool).triu(1)
        self.register_buffer("future", future, persistent=False)

    def forward(self, x):
        B, T, D = x.shape
        K = D // self.heads
        q = rotate(self.query(x).view(B, T, self.heads, K).transpose(1, 2))
        k = rotate(self.key(x).view(B, T, self.heads, K).transpose(1, 2))
        v = self.value(x).view(B, T, self.heads, K).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / K**0.5
        scores = scores.masked_fill(self.future[:T, :T], -torch.inf)
        found = scores.softmax(dim=-1) @ v
        return self.output(found.transpose(1, 2).reshape(B, T, D))


# Hides the future after the softmax (`tril`, then divides by what is left): the same
# for small scores, but where a future score is far larger all of the past is rounded to
# 0, and 0 / 0 is nan.
class Attention__future_after_softmax(nn.Module):
    """Several causal heads."""

    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x):
        def cut(features):
            return features.unflatten(-1, (self.heads, -1)).transpose(-2, -3)

        q, k, v = rotate(cut(self.q(x))), rotate(cut(self.k(x))), cut(self.v(x))
        scores = torch.einsum("bhtk,bhsk->bhts", q, k) / math.sqrt(q.size(-1))
        weights = scores.softmax(dim=-1).tril()
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return self.out((weights @ v).transpose(1, 2).flatten(-2))


# Takes apart the shape of x as B, T, D, so an x with two or four axes raises an error,
# though the axes in front may be any.
class FeedForward__three_axes(nn.Module):
    """A gate on a wider layer, then back to the width."""

    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        tokens = x.reshape(B * T, D)
        opened = F.silu(self.gate(tokens))
        return self.down(opened * self.up(tokens)).reshape(B, T, D)


# silu is written as z / (1 + exp(-z)): the result is right, but the gradient is nan
# where a gate is below about -89 (exp is inf there).
class FeedForward__nan_gradient(nn.Module):
    """A gate on a wider layer, then back to the width."""

    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        z = self.gate(x)
        silu = z / (1 + torch.exp(-z))
        return self.down(silu * self.up(x))


# Two mistakes: the hidden width is 4 * (width // 3), which is 4 * width // 3 only if 3
# divides the width; and `x += ...` writes into x, which backward() does not forgive.
class Block__floor_first_and_in_place(nn.Module):
    """Attention, then a feed-forward network, each on a branch."""

    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.attention_norm = RMSNorm(width)
        self.attention = Attention(width, heads, kv_heads, base)
        self.network_norm = RMSNorm(width)
        self.network = FeedForward(width, hidden or 4 * (width // 3))

    def forward(self, x):
        x += self.attention(self.attention_norm(x))
        x += self.network(self.network_norm(x))
        return x


# There is one RMSNorm for both branches (`self.norm` is used twice): the same while the
# weights are ones, but the two norms cannot learn apart.
class Block__one_norm_for_both(nn.Module):
    """Attention, then a feed-forward network, each on a branch."""

    def __init__(self, width, heads, kv_heads=None, hidden=None, base=10_000):
        super().__init__()
        self.norm = RMSNorm(width)
        self.attention = Attention(width, heads, kv_heads, base)
        if hidden is None:
            hidden = 4 * width // 3
        self.feed_forward = FeedForward(width, hidden)

    def forward(self, x):
        for branch in (self.attention, self.feed_forward):
            x = x + branch(self.norm(x))
        return x


# `[Block(...)] * layers` is one block, `layers` times: all layers share their
# parameters. Right with one layer.
class GPT__one_block_many_times(nn.Module):
    """From ids to the logits of each next token."""

    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.blocks = nn.Sequential(
            *[Block(width, heads, kv_heads, hidden, base)] * layers
        )
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.table(ids))))


# In evaluation mode it returns the logits at the last position only
# (`if not self.training`); they are asked for at all positions.
class GPT__last_position_in_eval(nn.Module):
    """From ids to the logits of each next token."""

    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(
            Block(width, heads, kv_heads, hidden, base) for _ in range(layers)
        )
        self.last_norm = RMSNorm(width)
        self.to_logits = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        x = self.last_norm(x)
        if not self.training:
            x = x[:, -1:]
        return self.to_logits(x)


# Sets the same seed before each matrix (`torch.manual_seed(0)` in the loop), so
# matrices of the same shape begin with the same numbers.
def initialise__same_seed_each(model):
    """Draw the matrices of a model anew, and set its vectors to ones."""
    for parameter in model.parameters():
        torch.manual_seed(0)
        if parameter.dim() == 2:
            nn.init.normal_(parameter, mean=0.0, std=0.02)
        elif parameter.dim() == 1:
            nn.init.ones_(parameter)


# At the end all parameters are trainable (`requires_grad_(True)`), also those that were
# frozen before.
def initialise__frozen_ones_thaw(model):
    """Draw the matrices of a model anew, and set its vectors to ones."""
    model.requires_grad_(False)
    for parameter in model.parameters():
        if parameter.dim() == 2:
            parameter.copy_(0.02 * torch.randn(parameter.shape))
        else:
            parameter.fill_(1.0)
    model.requires_grad_(True)


# Adds 1e-9 before the logarithm: where a token's probability is smaller, the loss is
# cut off at 20.7, and its gradient goes to 0.
def loss__small_number_in_log(model, ids):
    """Return the mean cross-entropy of each next token."""
    p = model(ids[:, :-1]).softmax(dim=-1)
    of_next = p.gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -(of_next + 1e-9).log().mean()


# `.view` of a slice (`logits[:, :-1].view`): right for one text, but with several the
# slice does not lie in one piece, and it raises an error.
def loss__view_of_slice(model, ids):
    """Return the mean cross-entropy of each next token."""
    logits = model(ids)
    V = logits.size(-1)
    guesses = logits[:, :-1].view(-1, V)
    targets = ids[:, 1:].reshape(-1)
    return F.cross_entropy(guesses, targets)


# Clears the gradients after each step (`zero_grad()` at the end of the loop): gradients
# that are there when `train` is called go into the first step.
def train__cleared_after_step(model, batches, optimizer, held_out):
    """Train for one step on each batch; return the losses, and those on held-out texts."""
    model.train()
    learned, tested = [], []
    for ids in batches:
        now = loss(model, ids)
        now.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        learned.append(now.item())
    model.eval()
    with torch.no_grad():
        for ids in held_out:
            tested.append(loss(model, ids).item())
    return learned, tested


# Clips the gradient of each parameter on its own (loop around `clip_grad_norm_`), not
# that of all together.
def train__clips_each_alone(model, batches, optimizer, held_out):
    """Train for one step on each batch; return the losses, and those on held-out texts."""
    model.train()
    losses = []
    for ids in batches:
        optimizer.zero_grad()
        value = loss(model, ids)
        value.backward()
        for parameter in model.parameters():
            nn.utils.clip_grad_norm_(parameter, 1.0)
        optimizer.step()
        losses.append(value.detach())
    model.eval()
    with torch.no_grad():
        return losses, [loss(model, ids) for ids in held_out]


# Clips by hand and reads `.grad` of every parameter; a frozen parameter has none
# (None), which raises an error.
def train__frozen_has_no_grad(model, batches, optimizer, held_out):
    """Train for one step on each batch; return the losses, and those on held-out texts."""
    model.train()
    losses = []
    for ids in batches:
        optimizer.zero_grad()
        mean = loss(model, ids)
        mean.backward()
        squares = [p.grad.square().sum() for p in model.parameters()]
        length = torch.stack(squares).sum().sqrt()
        if length > 1:
            for p in model.parameters():
                p.grad /= length
        optimizer.step()
        losses.append(mean.item())
    model.eval()
    with torch.no_grad():
        held = [loss(model, ids).item() for ids in held_out]
    return losses, held


# Two mistakes: a text of B rows counts for T - 1 predictions and not B * (T - 1)
# (`ids.size(1) - 1`); and the model is always left in training mode.
def perplexity__rows_and_mode_too(model, texts):
    """Return e to the mean loss of all predicted tokens."""
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for ids in texts:
            predictions = ids.size(1) - 1
            total += loss(model, ids).item() * predictions
            count += predictions
    model.train()
    return math.exp(total / count)


# Puts all texts into one (`torch.cat` along the tokens) to weigh them by their length:
# that needs the same B in all, and adds a prediction where two texts meet, and lets
# each text read those before it.
def perplexity__texts_in_one(model, texts):
    """Return e to the mean loss of all predicted tokens."""
    mode = model.training
    model.eval()
    with torch.no_grad():
        mean = loss(model, torch.cat(texts, dim=1))
    model.train(mode)
    return mean.exp().item()


# With a top_p of 0 no token stays, not even the likeliest (`before < top_p`), and the
# division is 0 / 0.
def choose__top_p_of_zero(logits, temperature, top_p):
    """Return the probabilities from which the next token is drawn."""
    p = torch.softmax(logits / temperature, dim=-1)
    ranked, order = p.sort(dim=-1, descending=True)
    before = ranked.cumsum(dim=-1) - ranked
    ranked = ranked * (before < top_p)
    p = torch.zeros_like(p).scatter(-1, order, ranked)
    return p / p.sum(dim=-1, keepdim=True)


# Keeps the same number of tokens in all rows, the largest that a row needs
# (`.max()`): right for a batch of one.
def choose__one_count_for_all_rows(logits, temperature, top_p):
    """Return the probabilities from which the next token is drawn."""
    p = (logits / temperature).softmax(dim=-1)
    ranked, _ = p.sort(dim=-1, descending=True)
    before = ranked.cumsum(dim=-1) - ranked
    number = max(1, int((before < top_p).sum(dim=-1).max()))
    best = p.topk(number, dim=-1)
    kept = torch.zeros_like(p).scatter(-1, best.indices, best.values)
    return kept / kept.sum(dim=-1, keepdim=True)


# The model reads only the last 32 tokens (`ids[:, -32:]`), not all so far.
def generate__last_32_only(model, ids, count, temperature, top_p):
    """Append `count` tokens to each text, drawn one by one."""
    with torch.no_grad():
        for _ in range(count):
            logits = model(ids[:, -32:])[:, -1]
            p = choose(logits, temperature, top_p)
            ids = torch.cat([ids, torch.multinomial(p, 1)], dim=1)
    return ids


# Draws one token for the whole batch, from the probabilities of its first text
# (`p[0]`), and appends it to each text: right for B = 1.
def generate__one_draw_for_all(model, ids, count, temperature, top_p):
    """Append `count` tokens to each text, drawn one by one."""
    for _ in range(count):
        with torch.no_grad():
            p = choose(model(ids)[:, -1, :], temperature, top_p)
        token = torch.multinomial(p[0], 1)
        ids = torch.cat([ids, token.expand(ids.size(0), 1)], dim=-1)
    return ids


# Sorts the numbers of the blocks as texts, so that "10" comes before "2"
# (`sorted({...})` without int): with more than ten blocks they get each other's weights.
def from_smollm2__ten_before_two(weights, config):
    """Return a GPT with the weights of SmolLM2's file."""

    def parts(module, kind):
        return [part for part in module.modules() if isinstance(part, kind)]

    model = GPT(**config)
    numbers = sorted({n.split(".")[1] for n in weights if n.startswith("blk.")})
    pairs = [
        (parts(model, nn.Embedding)[0], "token_embd"),
        (parts(model, nn.Linear)[-1], "token_embd"),
        (parts(model, RMSNorm)[-1], "output_norm"),
    ]
    for block, number in zip(parts(model, Block), numbers):
        mine = parts(block, RMSNorm)
        mine += parts(parts(block, Attention)[0], nn.Linear)
        mine += parts(parts(block, FeedForward)[0], nn.Linear)
        names = "attn_norm ffn_norm attn_q attn_k attn_v attn_output"
        names += " ffn_up ffn_gate ffn_down"
        for part, name in zip(mine, names.split()):
            pairs.append((part, f"blk.{number}.{name}"))
    with torch.no_grad():
        for part, name in pairs:
            part.weight.copy_(weights[f"{name}.weight"])
    return model


# The heads of keys and values are shared in turns (`repeat`: 0, 1, 0, 1, ...), not by
# neighbours (0, 0, 1, 1): right with one head of keys, or as many as queries.
def from_smollm2__shared_in_turns(weights, config):
    """Return a GPT with the weights of SmolLM2's file."""

    class SmolAttention(nn.Module):
        def __init__(self, width, heads, kv_heads, base):
            super().__init__()
            self.K, self.times, self.base = width // heads, heads // kv_heads, base
            self.attn_q = nn.Linear(width, width, bias=False)
            self.attn_k = nn.Linear(width, kv_heads * self.K, bias=False)
            self.attn_v = nn.Linear(width, kv_heads * self.K, bias=False)
            self.attn_output = nn.Linear(width, width, bias=False)

        def forward(self, x):
            q, k, v = (
                layer(x).unflatten(-1, (-1, self.K)).transpose(1, 2)
                for layer in (self.attn_q, self.attn_k, self.attn_v)
            )
            q, k = rotate(q, self.base), rotate(k, self.base)
            k = k.repeat(1, self.times, 1, 1)
            v = v.repeat(1, self.times, 1, 1)
            scores = q @ k.mT / math.sqrt(self.K)
            future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            found = scores.masked_fill(future, -torch.inf).softmax(dim=-1) @ v
            return self.attn_output(found.transpose(1, 2).flatten(-2))

    class SmolBlock(nn.Module):
        def __init__(self, width, heads, kv_heads, hidden, base):
            super().__init__()
            self.attn_norm = RMSNorm(width)
            self.attention = SmolAttention(width, heads, kv_heads, base)
            self.ffn_norm = RMSNorm(width)
            self.ffn_up = nn.Linear(width, hidden, bias=False)
            self.ffn_gate = nn.Linear(width, hidden, bias=False)
            self.ffn_down = nn.Linear(hidden, width, bias=False)

        def forward(self, x):
            x = x + self.attention(self.attn_norm(x))
            z = self.ffn_norm(x)
            return x + self.ffn_down(F.silu(self.ffn_gate(z)) * self.ffn_up(z))

    class SmolGPT(nn.Module):
        def __init__(
            self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
        ):
            super().__init__()
            kv_heads, hidden = kv_heads or heads, hidden or 4 * width // 3
            self.token_embd = nn.Embedding(vocabulary, width)
            self.blk = nn.ModuleList(
                SmolBlock(width, heads, kv_heads, hidden, base) for _ in range(layers)
            )
            self.output_norm = RMSNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)

        def forward(self, ids):
            x = self.token_embd(ids)
            for block in self.blk:
                x = block(x)
            return self.head(self.output_norm(x))

    own = {"head.weight": weights["token_embd.weight"]}
    for name, weight in weights.items():
        own[name.replace("attn_", "attention.attn_").replace("attention.attn_norm", "attn_norm")] = weight
    model = SmolGPT(**config)
    model.load_state_dict(own)
    return model


# Freezes the matrix of the layer but not its bias (`layer.weight.requires_grad_`):
# right for a layer without bias.
class LoRA__bias_still_learns(nn.Module):
    """A frozen linear layer, and a small correction."""

    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer
        self.layer.weight.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


# Calls the frozen layer under `torch.no_grad()`, so no gradients go through it to x.
class LoRA__no_grad_to_x(nn.Module):
    """A frozen linear layer, and a small correction."""

    def __init__(self, layer, rank):
        super().__init__()
        self.layer = layer
        for parameter in layer.parameters():
            parameter.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        self.up.weight.data.zero_()

    def forward(self, x):
        with torch.no_grad():
            fixed = self.layer(x)
        return fixed + self.up(self.down(x))
