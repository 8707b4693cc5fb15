"""Right answers to the exercise full_model, written blind."""
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

# ------------------------------------------------------------ shift_right


def shift_right__roll(targets, start_id):
    read = targets.roll(1, dims=-1)
    read[:, 0] = start_id
    return read


def shift_right__pad(targets, start_id):
    return F.pad(targets, (1, 0), value=start_id)[:, :-1]


def shift_right__lists(targets, start_id):
    rows = [[start_id, *row[:-1]] for row in targets.tolist()]
    return torch.tensor(rows, dtype=targets.dtype).reshape(targets.shape)


def shift_right__where_gather(targets, start_id):
    place = torch.arange(targets.size(1)).expand_as(targets)
    before = targets.gather(1, (place - 1).clamp(min=0))
    return torch.where(place == 0, start_id, before)


def shift_right__numpy(targets, start_id):
    import numpy as np

    read = np.empty_like(targets.numpy())
    read[:, :1] = start_id
    read[:, 1:] = targets.numpy()[:, :-1]
    return torch.from_numpy(read)


# ----------------------------------------------------------- writing_task
# ambiguous: "make two tensors" - a tuple, or a list of them?


def writing_task__where(ids, real, start_id):
    return shift_right(ids, start_id), torch.where(real, ids, -100)


def writing_task__index(ids, real, start_id):
    targets = ids.clone()
    targets[real.logical_not()] = -100
    return shift_right(ids, start_id), targets


def writing_task__arithmetic(ids, real, start_id):
    # reading: two tensors, in a list
    keep = real.to(ids.dtype)
    return [shift_right(ids, start_id), ids * keep - 100 * (1 - keep)]


def writing_task__loops(ids, real, start_id):
    said = ids.clone()
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            if not real[b, t]:
                said[b, t] = -100
    read = shift_right(ids, start_id)
    return read, said


# ----------------------------------------------------------------- greedy


def greedy__table_of_successors(table, prompt, steps, end_id):
    after = table.argmax(dim=1).tolist()
    written = [after[prompt[-1]]]
    while written[-1] != end_id and len(written) < steps:
        written.append(after[written[-1]])
    return written


def greedy__recursion(table, prompt, steps, end_id):
    if steps == 0:
        return []
    token = int(table[prompt[-1]].argmax())
    if token == end_id:
        return [token]
    return [token] + greedy__recursion(table, [token], steps - 1, end_id)


def greedy__generator(table, prompt, steps, end_id):
    from itertools import islice

    def write(last):
        while True:
            row = table[last].tolist()
            last = max(range(len(row)), key=row.__getitem__)
            yield last
            if last == end_id:
                return

    return list(islice(write(prompt[-1]), steps))


def greedy__numpy(table, prompt, steps, end_id):
    import numpy as np

    logits = table.detach().numpy()
    text = list(prompt)
    for _ in range(steps):
        text.append(int(np.argmax(logits[text[-1]])))
        if text[-1] == end_id:
            break
    return text[len(prompt):]


def greedy__topk_match(table, prompt, steps, end_id):
    text = torch.tensor(prompt)
    begin = len(text)
    for _ in range(steps):
        best = table[text[-1]].topk(1).indices
        text = torch.cat([text, best])
        match best.item():
            case token if token == end_id:
                break
    return text[begin:].tolist()


# ------------------------------------------------------------------ top_k


def top_k__scatter(logits, k):
    values, places = torch.topk(logits, k, dim=-1)
    return torch.full_like(logits, -torch.inf).scatter(-1, places, values)


def top_k__kthvalue(logits, k):
    bar = logits.kthvalue(logits.size(-1) - k + 1, dim=-1, keepdim=True).values
    return torch.where(logits >= bar, logits, -torch.inf)


def top_k__count_larger(logits, k):
    larger = (logits.unsqueeze(1) > logits.unsqueeze(2)).sum(dim=-1)
    return logits.masked_fill(larger >= k, float("-inf"))


def top_k__heapq(logits, k):
    import heapq

    out = torch.full_like(logits, float("-inf"))
    for row, new in zip(logits, out):
        for i in heapq.nlargest(k, range(len(row)), key=row.tolist().__getitem__):
            new[i] = row[i]
    return out


def top_k__numpy(logits, k):
    import numpy as np

    a = logits.detach().numpy().copy()
    a[a < np.sort(a, axis=-1)[:, -k, None]] = -np.inf
    return torch.from_numpy(a)


def top_k__rank(logits, k):
    rank = logits.argsort(-1, descending=True).argsort(-1)
    gone = torch.zeros_like(logits)
    gone[rank >= k] = -torch.inf
    return logits + gone


# ---------------------------------------------------------- encoder_layer


def encoder_layer__loop(x, weights, heads, mask):
    def talk(y):
        return attention(y, y, part(weights, "attention"), heads, mask)

    def think(y):
        return feed_forward(y, part(weights, "feed_forward"))

    for name, sub in (("attention", talk), ("feed_forward", think)):
        x = layer_norm(x + sub(x), part(weights, f"around_{name}.norm"))
    return x


def encoder_layer__functional(x, weights, heads, mask):
    w = weights

    def lin(y, name):
        return F.linear(y, w[name + ".weight"], w[name + ".bias"])

    def norm(y, name):
        scale, shift = w[name + ".weight"], w[name + ".bias"]
        return F.layer_norm(y, y.shape[-1:], scale, shift, 1e-12)

    q, k, v = (
        lin(x, f"attention.{n}").unflatten(-1, (heads, -1)).transpose(1, 2)
        for n in ("query", "key", "value")
    )
    seen = None if mask is None else mask.unsqueeze(-3)
    found = F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
    found = lin(found.transpose(1, 2).flatten(2), "attention.output")
    x = norm(x + found, "around_attention.norm")
    hidden = F.gelu(lin(x, "feed_forward.widen"))
    thought = lin(hidden, "feed_forward.narrow")
    return norm(x + thought, "around_feed_forward.norm")


def encoder_layer__torch_layer(x, weights, heads, mask):
    from torch.func import functional_call

    w = weights
    d, f = x.size(-1), w["feed_forward.widen.weight"].size(0)
    with torch.device("meta"):
        layer = nn.TransformerEncoderLayer(
            d, heads, f, dropout=0.0, activation="gelu", batch_first=True,
            layer_norm_eps=1e-12, dtype=x.dtype,
        )
    qkv = [f"attention.{n}" for n in ("query", "key", "value")]
    theirs = {
        "self_attn.in_proj_weight": torch.cat([w[n + ".weight"] for n in qkv]),
        "self_attn.in_proj_bias": torch.cat([w[n + ".bias"] for n in qkv]),
    }
    for a, b in (
        ("self_attn.out_proj", "attention.output"),
        ("linear1", "feed_forward.widen"),
        ("linear2", "feed_forward.narrow"),
        ("norm1", "around_attention.norm"),
        ("norm2", "around_feed_forward.norm"),
    ):
        for kind in (".weight", ".bias"):
            theirs[a + kind] = w[b + kind]
    hidden = None
    if mask is not None:
        batch, length, _ = x.shape
        hidden = ~mask.expand(batch, length, length)
        hidden = hidden.repeat_interleave(heads, dim=0)
    return functional_call(layer, theirs, (x,), {"src_mask": hidden})


def encoder_layer__einsum(x, weights, heads, mask):
    own = part(weights, "attention")

    def project(name):
        w = own[f"{name}.weight"].unflatten(0, (heads, -1))
        b = own[f"{name}.bias"].unflatten(0, (heads, -1))
        return torch.einsum("btd,hkd->bhtk", x, w) + b[:, None]

    q, k, v = map(project, ("query", "key", "value"))
    scores = torch.einsum("bhtk,bhsk->bhts", q, k) * q.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask.unsqueeze(-3), scores, -torch.inf)
    found = torch.einsum("bhts,bhsk->bthk", scores.softmax(-1), v).flatten(2)
    found = linear(found, part(own, "output"))
    middle = layer_norm(found + x, part(weights, "around_attention.norm"))
    out = middle + feed_forward(middle, part(weights, "feed_forward"))
    return layer_norm(out, part(weights, "around_feed_forward.norm"))


def encoder_layer__per_text(x, weights, heads, mask):
    def one(text, seen):
        y = text[None]
        y = y + attention(y, y, part(weights, "attention"), heads, seen)
        y = layer_norm(y, part(weights, "around_attention.norm"))
        y = y + feed_forward(y, part(weights, "feed_forward"))
        return layer_norm(y, part(weights, "around_feed_forward.norm"))[0]

    each = [mask] * len(x)
    if mask is not None and mask.dim() == 3:
        each = [m[None] for m in mask.expand(len(x), -1, -1)]
    return torch.stack([one(text, seen) for text, seen in zip(x, each)])


# ---------------------------------------------------------------- encoder


def encoder__reduce(x, weights, heads, layers, mask):
    from functools import reduce

    return reduce(
        lambda y, n: encoder_layer(y, part(weights, f"layers.{n}"), heads, mask),
        range(layers),
        x,
    )


def encoder__recursion(x, weights, heads, layers, mask):
    if layers == 0:
        return x
    below = encoder__recursion(x, weights, heads, layers - 1, mask)
    own = part(weights, "layers." + str(layers - 1))
    return encoder_layer(below, own, heads, mask)


def encoder__part_of_part(x, weights, heads, layers, mask):
    stack = part(weights, "layers")
    number = 0
    while number < layers:
        x = encoder_layer(x, part(stack, str(number)), heads, mask)
        number += 1
    return x


def encoder__grouped(x, weights, heads, layers, mask):
    from collections import defaultdict

    groups = defaultdict(dict)
    for name, tensor in weights.items():
        match name.split(".", 2):
            case ["layers", number, rest]:
                groups[int(number)][rest] = tensor
    for number in sorted(groups)[:layers]:
        x = encoder_layer(x, groups[number], heads, mask)
    return x


# ---------------------------------------------------------- decoder_layer


def decoder_layer__loop(x, memory, weights, mask, memory_mask):
    subs = {
        "attention": lambda y, w: w(y, y, mask),
        "cross_attention": lambda y, w: w(y, memory, memory_mask),
        "feed_forward": (lambda y, w: w(y)),
    }
    for name, sub in subs.items():
        branch = sub(x, weights.get_submodule(name))
        x = weights.get_submodule(name + "_norm")(x + branch)
    return x


def decoder_layer__functional(x, memory, weights, mask, memory_mask):
    heads = weights.attention.heads
    w = weights

    def lin(y, name):
        return F.linear(y, w.get_submodule(name).weight, w.get_submodule(name).bias)

    def norm(y, name):
        name = f"{name}_norm"
        return F.layer_norm(
            y, (y.size(-1),), w.get_submodule(name).weight, w.get_submodule(name).bias, eps=1e-12
        )

    def ask(y, source, name, seen):
        def cut(z):
            return z.view(z.size(0), z.size(1), heads, -1).transpose(1, 2)

        q = cut(lin(y, f"{name}.query"))
        k = cut(lin(source, f"{name}.key"))
        v = cut(lin(source, f"{name}.value"))
        seen = seen if seen is None else seen.unsqueeze(-3)
        found = F.scaled_dot_product_attention(q, k, v, seen)
        return lin(found.transpose(1, 2).reshape(y.shape), f"{name}.output")

    x = norm(x + ask(x, x, "attention", mask), "attention")
    x = norm(x + ask(x, memory, "cross_attention", memory_mask), "cross_attention")
    thought = lin(F.gelu(lin(x, "feed_forward.up")), "feed_forward.down")
    return norm(x + thought, "feed_forward")


def decoder_layer__class(x, memory, weights, mask, memory_mask):
    class Around:
        def __init__(self, name):
            self.own = weights.get_submodule(name)
            self.norm = weights.get_submodule(f"{name}_norm")

        def __call__(self, y, sub):
            return self.norm(torch.add(y, sub(y, self.own)))

    y = Around("attention")(x, lambda y, w: w(y, y, mask))
    y = Around("cross_attention")(
        y, lambda y, w: w(y, memory, memory_mask)
    )
    return Around("feed_forward")(y, (lambda y, w: w(y)))


def decoder_layer__plain(
    x, memory, weights, mask, memory_mask
):
    a = weights.attention(x, x, mask)
    a = weights.attention_norm(a + x)
    b = weights.cross_attention(a, memory, memory_mask)
    b = weights.cross_attention_norm(b + a)
    c = weights.feed_forward(b)
    return weights.feed_forward_norm(c + b)


# ---------------------------------------------------------------- decoder


def decoder__compare(x, weights, real):
    t = torch.arange(x.size(1))
    mask = (t[:, None] >= t[None, :]).logical_and(real[:, None, :])
    return weights(x, mask)


def decoder__product(x, weights, real):
    length = x.size(-2)
    past = torch.ones(length, length).tril()
    mask = torch.einsum("ts,bs->bts", past, real.float()) > 0.5
    return weights(x, mask)


def decoder__per_text(x, weights, real):
    length = x.size(-2)
    results = []
    for text, there in zip(x, real):
        mask = torch.zeros(length, length, dtype=torch.bool)
        for t in range(length):
            mask[t, : t + 1] = there[: t + 1]
        results.append(weights(text[None], mask[None]))
    return torch.cat(results)


def decoder__hidden(x, weights, real):
    length = x.size(-2)
    future = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
    hidden = future | ~real.unsqueeze(-2)
    return weights(x, ~hidden)


# ----------------------------------------------------------- shifted_loss
# ambiguous: what the loss is if no next token is real (n = 0).


def shifted_loss__select(logits, ids, real):
    keep = real[:, 1:]
    return F.cross_entropy(logits[:, :-1][keep], ids[:, 1:][keep])


def shifted_loss__gather(logits, ids, real):
    keep = real[:, 1:]
    said = logits[:, :-1].log_softmax(dim=-1)
    target = ids[:, 1:].masked_fill(~keep, 0)
    right = said.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return -right.where(keep, torch.zeros_like(right)).sum() / keep.sum()


def shifted_loss__logsumexp_loops(logits, ids, real):
    losses = []
    batch, length = ids.shape
    for b in range(batch):
        for t in range(1, length):
            if real[b, t]:
                row = logits[b, t - 1]
                losses.append(row.logsumexp(dim=0) - row[ids[b, t]])
    return torch.stack(losses).mean()


def shifted_loss__nll_transposed(logits, ids, real):
    guesses = logits.log_softmax(-1)[:, :-1].transpose(1, 2)
    targets = torch.where(real, ids, -1)[:, 1:]
    return F.nll_loss(guesses, targets, ignore_index=-1)


def shifted_loss__one_hot_double(logits, ids, real):
    b, t = torch.nonzero(real[:, 1:], as_tuple=True)
    rows = logits[b, t].double()
    hot = F.one_hot(ids[b, t + 1], logits.size(-1)).bool()
    loss = rows.logsumexp(-1) - rows[hot]
    return loss.mean().to(logits.dtype)


# ------------------------------------------------------------ cached_step


def cached_step__sdpa(x, keys, values, weights):
    q, k, v = (weights.get_submodule(n)(x) for n in ("query", "key", "value"))
    keys, values = torch.cat((keys, k), 1), torch.cat((values, v), 1)
    found = F.scaled_dot_product_attention(q, keys, values)
    return weights.output(found), keys, values


def cached_step__einsum_buffers(x, keys, values, weights):
    def longer(old, name):
        batch, past, width = old.shape
        new = old.new_empty(batch, past + 1, width)
        new[:, :past] = old
        new[:, past:] = F.linear(
            x, weights.get_submodule(name).weight, weights.get_submodule(name).bias
        )
        return new

    keys, values = longer(keys, "key"), longer(values, "value")
    q = weights.query(x)[:, 0]
    scores = torch.einsum("bd,bsd->bs", q, keys) / q.shape[-1] ** 0.5
    found = torch.einsum("bs,bsd->bd", scores.softmax(-1), values)
    return weights.output(found[:, None]), keys, values


def cached_step__sums(x, keys, values, weights):
    width = x.size(-1)
    k = torch.cat([keys, weights.key(x)], dim=1)
    v = torch.cat([values, weights.value(x)], dim=1)
    q = weights.query(x)
    scores = (q * k).sum(dim=-1, keepdim=True) / math.sqrt(width)
    parts = torch.softmax(scores, dim=1)
    found = (parts * v).sum(dim=1, keepdim=True)
    return weights.output(found), k, v


def cached_step__per_text(x, keys, values, weights):
    results, all_keys, all_values = [], [], []
    for token, k, v in zip(x, keys, values):
        q = weights.query(token)
        k = torch.vstack([k, weights.key(token)])
        v = torch.vstack([v, weights.value(token)])
        scores = torch.stack([(q[0] * key).sum() for key in k])
        scores = scores / q.size(-1) ** 0.5
        odds = (scores - scores.max()).exp()
        found = (odds / odds.sum()) @ v
        results.append(weights.output(found[None]))
        all_keys.append(k)
        all_values.append(v)
    return tuple(map(torch.stack, (results, all_keys, all_values)))


# -------------------------------------------------------------- embed_new


def embed_new__plus_past(ids, past, tokens, positions):
    places = torch.arange(ids.size(-1)) + past
    return tokens[ids] + positions[places]


def embed_new__slice(ids, past, tokens, positions):
    return tokens[ids] + positions[past:][: ids.size(-1)]


def embed_new__embedding(ids, past, tokens, positions):
    places = torch.arange(past, past + ids.shape[1]).expand_as(ids)
    return F.embedding(ids, tokens) + F.embedding(places, positions)


def embed_new__loops(ids, past, tokens, positions):
    return torch.stack(
        [
            torch.stack([tokens[i] + positions[past + t] for t, i in enumerate(r)])
            for r in ids.tolist()
        ]
    )


def embed_new__whole_text(ids, past, tokens, positions):
    # as if everything had been read at once, and the past cut off
    everything = F.pad(ids, (past, 0))
    vectors = tokens[everything] + positions[: everything.size(1)]
    return vectors[:, past:]


# ----------------------------------------------------------------- shapes
# ambiguous: what holds the five tuples (a tuple, a list?).


def shapes__plain(B, S, T, D, H, V):
    memory = (B, S, D)
    weights = (B, H, T, S)
    logits = (B, T, V)
    table = (V, D)
    keys = (B, H, T, D // H)
    return memory, weights, logits, table, keys


def shapes__list(B, S, T, D, H, V):
    # reading: five tuples in a list
    return [(B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, int(D / H))]


def shapes__meta(B, S, T, D, H, V):
    with torch.device("meta"):
        memory, x, table = torch.empty(B, S, D), torch.empty(B, T, D), torch.empty(V, D)
        cut = lambda y: y.unflatten(-1, (H, -1)).transpose(1, 2)
        weights = cut(x) @ cut(memory).mT
        made = memory, weights, x @ table.T, table, cut(x)
    return tuple(tuple(y.size()) for y in made)


def shapes__torch_size(B, S, T, D, H, V):
    sizes = [[B, S, D], [B, H, T, S], [B, T, V], [V, D], [B, H, T, D // H]]
    return tuple(map(torch.Size, sizes))


# --------------------------------------------------------- rename_weights
# ambiguous: names that are in neither column (MiniLM's files may have
# embeddings.position_ids): kept as they are, or left out? The order of the
# new dict is left open too.


def rename_weights__regex(weights):
    import re

    rules = [
        (r"^embeddings\.word_embeddings\.", "embeddings.tokens."),
        (r"^embeddings\.position_embeddings\.", "embeddings.positions."),
        (r"^embeddings\.token_type_embeddings\.", "embeddings.segments."),
        (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
        (r"^(encoder\.)layer\.(\d+)\.attention\.self\.", r"\1layers.\2.attention."),
        (r"^(encoder\.)layer\.(\d+)\.attention\.output\.dense\.", r"\1layers.\2.attention.output."),
        (r"^(encoder\.)layer\.(\d+)\.attention\.output\.LayerNorm\.", r"\1layers.\2.around_attention.norm."),
        (r"^(encoder\.)layer\.(\d+)\.intermediate\.dense\.", r"\1layers.\2.feed_forward.widen."),
        (r"^(encoder\.)layer\.(\d+)\.output\.dense\.", r"\1layers.\2.feed_forward.narrow."),
        (r"^(encoder\.)layer\.(\d+)\.output\.LayerNorm\.", r"\1layers.\2.around_feed_forward.norm."),
    ]

    def ours(name):
        for pattern, new in rules:
            done, hits = re.subn(pattern, new, name)
            if hits:
                return done
        return name

    return {ours(n): w for n, w in weights.items() if not n.startswith("pooler.")}


def rename_weights__table(weights):
    # reading: what has no name in the table is kept under its own
    top = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "LayerNorm": "norm",
    }
    inner = {
        "attention.self.query": "attention.query",
        "attention.self.key": "attention.key",
        "attention.self.value": "attention.value",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    new = {}
    for name, tensor in weights.items():
        stem, _, kind = name.rpartition(".")
        match stem.split("."):
            case ["pooler", *_]:
                continue
            case ["embeddings", piece] if piece in top:
                new[f"embeddings.{top[piece]}.{kind}"] = tensor
            case ["encoder", "layer", number, *rest]:
                place = inner[".".join(rest)]
                new[f"encoder.layers.{number}.{place}.{kind}"] = tensor
            case _:
                new[name] = tensor
    return new


def rename_weights__only_the_table(weights):
    # reading: the new dict holds what the table names, and nothing else;
    # it is made in our order, not in theirs
    pairs = [
        ("embeddings.word_embeddings", "embeddings.tokens"),
        ("embeddings.position_embeddings", "embeddings.positions"),
        ("embeddings.token_type_embeddings", "embeddings.segments"),
        ("embeddings.LayerNorm", "embeddings.norm"),
    ]
    numbers = {int(n.split(".")[2]) for n in weights if n.startswith("encoder.layer.")}
    for n in sorted(numbers):
        old, new = f"encoder.layer.{n}.", f"encoder.layers.{n}."
        for q in ("query", "key", "value"):
            pairs.append((f"{old}attention.self.{q}", f"{new}attention.{q}"))
        pairs += [
            (old + "attention.output.dense", new + "attention.output"),
            (old + "attention.output.LayerNorm", new + "around_attention.norm"),
            (old + "intermediate.dense", new + "feed_forward.widen"),
            (old + "output.dense", new + "feed_forward.narrow"),
            (old + "output.LayerNorm", new + "around_feed_forward.norm"),
        ]
    return {
        ours + kind: weights[theirs + kind]
        for theirs, ours in pairs
        for kind in (".weight", ".bias")
        if theirs + kind in weights
    }


def rename_weights__replace_chain(weights):
    from functools import reduce

    chain = (
        ("attention.output.LayerNorm", "around_attention.norm"),
        ("attention.output.dense", "attention.OUTPUT"),
        ("attention.self", "attention"),
        ("intermediate.dense", "feed_forward.widen"),
        (".output.dense", ".feed_forward.narrow"),
        (".output.LayerNorm", ".around_feed_forward.norm"),
        ("encoder.layer.", "encoder.layers."),
        ("word_embeddings", "tokens"),
        ("position_embeddings", "positions"),
        ("token_type_embeddings", "segments"),
        ("LayerNorm", "norm"),
        ("OUTPUT", "output"),
    )
    kept = filter(lambda item: item[0][:7] != "pooler.", weights.items())
    return dict((reduce(lambda n, r: n.replace(*r), chain, n), w) for n, w in kept)


# ------------------------------------------------------------------ top_p
# ambiguous: p exactly 0 or 1 ("between"), and a sum that equals p but for
# rounding; in float16, probabilities may be equal though logits are not.


def top_p__loops(logits, p):
    out = torch.full_like(logits, -torch.inf)
    for b, row in enumerate(logits):
        chances = row.double().softmax(dim=0)
        together = 0.0
        for i in row.argsort(descending=True):
            out[b, i] = row[i]
            together += chances[i].item()
            if together >= p:
                break
    return out


def top_p__log_space(logits, p):
    ordered, order = logits.double().log_softmax(-1).sort(-1, descending=True)
    together = ordered.logcumsumexp(dim=-1)
    before = F.pad(together, (1, 0), value=-torch.inf)[:, :-1]
    stays = torch.zeros_like(logits, dtype=torch.bool)
    stays.scatter_(-1, order, before < math.log(p))
    return torch.where(stays, logits, -torch.inf)


def top_p__threshold(logits, p):
    ordered = logits.sort(dim=-1, descending=True).values
    together = ordered.double().softmax(dim=-1).cumsum(dim=-1)
    needed = (together < p).sum(dim=-1, keepdim=True)
    needed = needed.clamp(max=logits.size(-1) - 1)
    return logits.masked_fill(logits < ordered.gather(-1, needed), -torch.inf)


def top_p__pairwise(logits, p):
    chances = logits.double().softmax(dim=-1)
    larger = (logits[:, None, :] > logits[:, :, None]).double()
    before = torch.einsum("bij,bj->bi", larger, chances)
    return logits.masked_fill(before >= p, -torch.inf)


def top_p__numpy_searchsorted(logits, p):
    import numpy as np

    a = logits.detach().numpy()
    out = np.full_like(a, -np.inf)
    for row, new in zip(a, out):
        wide = row.astype(np.float64)
        order = np.argsort(-wide)
        odds = np.exp(wide[order] - wide.max())
        together = np.cumsum(odds / odds.sum())
        last = int(np.searchsorted(together, p))  # the first with >= p
        keep = order[: last + 1]
        new[keep] = row[keep]
    return torch.from_numpy(out)


# ------------------------------------------------------------ beam_search
# ambiguous: "its score, as a number": a float, or a tensor of one number?
# ambiguous: which of two texts of the same score goes on.


def beam_search__heapq(table, start, beams, steps):
    import heapq

    logs = torch.log_softmax(table.double(), dim=-1).tolist()
    texts = [(0.0, (start,))]
    for _ in range(steps):
        longer = (
            (score + log, text + (token,))
            for score, text in texts
            for token, log in enumerate(logs[text[-1]])
        )
        texts = heapq.nlargest(beams, longer, key=lambda pair: pair[0])
    score, text = max(texts)
    return list(text[1:]), score


def beam_search__tensors(table, start, beams, steps):
    logs = F.log_softmax(table, dim=-1)
    size = table.size(-1)
    scores = torch.zeros(1, dtype=table.dtype)
    texts = torch.tensor([[start]])
    for _ in range(steps):
        longer = (scores[:, None] + logs[texts[:, -1]]).flatten()
        scores, where = longer.topk(min(beams, longer.numel()))
        texts = torch.cat([texts[where // size], (where % size)[:, None]], dim=1)
    return texts[0, 1:].tolist(), scores[0].item()


def beam_search__numpy(table, start, beams, steps):
    import numpy as np

    wide = table.detach().numpy().astype(np.float64)
    top = wide.max(-1, keepdims=True)
    logs = wide - top - np.log(np.exp(wide - top).sum(-1, keepdims=True))
    texts, scores = [[start]], np.zeros(1)
    for _ in range(steps):
        longer = scores[:, None] + logs[[text[-1] for text in texts]]
        best = np.argsort(-longer, axis=None)[:beams]
        rows, tokens = np.unravel_index(best, longer.shape)
        texts = [texts[r] + [int(t)] for r, t in zip(rows, tokens)]
        scores = longer[rows, tokens]
    return texts[0][1:], float(scores[0])


def beam_search__recursion(table, start, beams, steps):
    def logs(token):
        row = table[token].double()
        return (row - row.logsumexp(0)).tolist()

    def go(texts, left):
        if not left:
            return texts
        longer = [
            {"text": t["text"] + [token], "score": t["score"] + log}
            for t in texts
            for token, log in enumerate(logs(([start] + t["text"])[-1]))
        ]
        longer.sort(key=lambda t: -t["score"])
        return go(longer[:beams], left - 1)

    best = go([{"text": [], "score": 0.0}], steps)[0]
    return best["text"], best["score"]


# --------------------------------------------------------------- diagnose


def diagnose__thorough(model):
    def differ(one, other):
        return bool(((one - other).abs() >= 0.001).any())

    def draw():
        return torch.stack([torch.randperm(12)[:8] for _ in range(3)])

    ids = draw()
    answers = [model(ids) for _ in range(6)]
    if any(differ(answers[0], other) for other in answers[1:]):
        return "rolls dice"

    trials = [draw() for _ in range(5)]
    for ids in trials:
        together = model(ids)
        for b in range(3):
            if differ(model(ids[b : b + 1]), together[b : b + 1]):
                return "mixes texts"
        if differ(model(ids[:2]), together[:2]):
            return "mixes texts"

    for ids in trials:
        whole = model(ids)
        for length in range(1, 8):
            if differ(model(ids[:, :length]), whole[:, :length]):
                return "reads the future"
            other = ids.clone()
            other[:, length:] = draw()[:, length:]
            if differ(model(other)[:, :length], whole[:, :length]):
                return "reads the future"

    reads_more = reads_order = False
    for ids in trials:
        last = model(ids)[:, -1]
        other = ids.clone()
        other[:, :-1] = (ids[:, :-1] + 1 + torch.randint(11, (3, 1))) % 12
        reads_more |= differ(model(other)[:, -1], last)
        for turn in range(1, 7):
            turned = torch.cat([ids[:, :-1].roll(turn, -1), ids[:, -1:]], -1)
            reads_order |= differ(model(turned)[:, -1], last)
    if not reads_more:
        return "reads one token"
    return "healthy" if reads_order else "ignores the order"


def diagnose__table_of_experiments(model):
    def said(ids):
        return model(ids.clone())

    def same(one, other):
        return (one - other).abs().max().item() < 0.001

    def repeat(test, times=8):
        return all(test() for _ in range(times))

    fixed = torch.randint(12, (2, 8))
    first = said(fixed)

    def steady():
        return same(said(fixed), first)

    def alone():
        a, b, c = (torch.randperm(12)[None, :8] for _ in range(3))
        one = said(a)
        return all(
            same(said(torch.cat(batch))[:1], one)
            for batch in ([a, b], [a, c], [a, b, c], [a, a])
        ) and same(said(torch.cat([b, a]))[1:], one)

    def causal():
        a = torch.randperm(12)[None, :8]
        before = said(a)
        for t in range(7):
            b = a.clone()
            b[:, t + 1 :] = torch.randperm(12)[None, : 7 - t]
            if not same(said(b)[:, : t + 1], before[:, : t + 1]):
                return False
        return True

    def lonely():
        a, b = torch.randperm(12)[None, :8], torch.randperm(12)[None, :8]
        b[:, -1] = a[:, -1]
        return same(said(a)[:, -1], said(b)[:, -1])

    def orderless():
        a = torch.randperm(12)[None, :8]
        b = torch.cat([a[:, :-1][:, torch.randperm(7)], a[:, -1:]], dim=1)
        return same(said(a)[:, -1], said(b)[:, -1])

    if not repeat(steady):
        return "rolls dice"
    if not repeat(alone):
        return "mixes texts"
    if not repeat(causal):
        return "reads the future"
    if repeat(lonely):
        return "reads one token"
    if repeat(orderless):
        return "ignores the order"
    return "healthy"


def diagnose__influence_matrix(model):
    # who listens to whom: change one token at a time
    import itertools

    def far(one, other):
        return (one - other).abs().amax(dim=-1) >= 0.001

    T = 8
    text = torch.randperm(12)[:T].unsqueeze(0)
    other = torch.randperm(12)[:T].unsqueeze(0)
    base = model(text)
    for _ in range(5):
        if far(model(text), base).any():
            return "rolls dice"
    for batch in ([text, other], [text, text], [text, other, other]):
        if far(model(torch.cat(batch))[:1], base).any():
            return "mixes texts"
    for batch in ([other, text], [other, other, text]):
        if far(model(torch.cat(batch))[-1:], base).any():
            return "mixes texts"
    hears = torch.zeros(T, T, dtype=torch.bool)
    for u, shift in itertools.product(range(T), range(1, 12)):
        changed = text.clone()
        changed[0, u] = (text[0, u] + shift) % 12
        hears[:, u] |= far(model(changed), base)[0]
    if hears.triu(1).any():
        return "reads the future"
    if not hears.tril(-1).any():
        return "reads one token"
    for _ in range(30):
        order = torch.randperm(T - 1)
        turned = torch.cat([text[:, order], text[:, -1:]], dim=1)
        if far(model(turned)[:, -1], base[:, -1]).any():
            return "healthy"
    return "ignores the order"


# ----------------------------------------------------------- head_losses


def head_losses__silence_values(weights, ids, real):
    # a head whose values are all zeros hands zeros on
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss(w):
        x = F.embedding(ids, w.tokens.weight) + w.positions.weight[: ids.shape[1]]
        y = decoder(x, w.encoder, real)
        return shifted_loss(F.linear(y, w.tokens.weight), ids, real)

    def without(layer, head):
        changed = _with(weights, {})
        for kind in ("weight", "bias"):
            name = f"encoder.layers.{layer}.attention.value.{kind}"
            cut = changed.get_parameter(name).clone().unflatten(0, (heads, -1))
            cut[head] = 0
            changed.get_parameter(name).data = cut.flatten(0, 1)
        return loss(changed)

    whole = loss(weights)
    return torch.stack(
        [
            torch.stack([without(layer, head) - whole for head in range(heads)])
            for layer in range(layers)
        ]
    )


def head_losses__mask_columns(weights, ids, real):
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    from itertools import product

    def loss(w):
        length = ids.size(-1)
        x = w.tokens.weight[ids] + w.positions.weight[:length]
        logits = decoder(x, w.encoder, real) @ w.tokens.weight.T
        return shifted_loss(logits, ids, real).item()

    with torch.no_grad():
        whole, grown = loss(weights), []
        for layer, head in product(range(layers), range(heads)):
            name = f"encoder.layers.{layer}.attention.output.weight"
            matrix = weights.get_parameter(name)
            owner = torch.arange(matrix.size(1)) // (matrix.size(1) // heads)
            grown.append(loss(_with(weights, {name: matrix * (owner != head)})) - whole)
    table = torch.tensor(grown, dtype=weights.tokens.weight.dtype)
    return table.view(layers, heads)


def head_losses__own_model(weights, ids, real):
    # reading: the text says what the model is made of; I may build the
    # same model once more, with a gate on every head
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss(gates):
        T = ids.size(1)
        x = weights.tokens.weight[ids] + weights.positions.weight[:T]
        mask = torch.ones(T, T, dtype=torch.bool).tril() & real[:, None, :]
        for n in range(layers):
            w = weights.encoder.layers[n]
            a = w.attention
            q, k, v = (
                a.get_submodule(name)(x).unflatten(-1, (heads, -1))
                for name in ("query", "key", "value")
            )
            scores = torch.einsum("bthk,bshk->bhts", q, k) / q.size(-1) ** 0.5
            scores = scores.masked_fill(~mask[:, None], -torch.inf)
            found = torch.einsum(
                "bhts,bshk,h->bthk", scores.softmax(-1), v, gates[n]
            )
            x = x + a.output(found.flatten(-2))
            x = w.attention_norm(x)
            x = x + w.feed_forward(x)
            x = w.feed_forward_norm(x)
        return shifted_loss(x @ weights.tokens.weight.mT, ids, real)

    open_gates = torch.ones(layers, heads, dtype=weights.tokens.weight.dtype)
    whole = loss(open_gates)
    table = torch.empty_like(open_gates)
    for place in range(layers * heads):
        gates = open_gates.clone()
        gates.view(-1)[place] = 0
        table.view(-1)[place] = loss(gates) - whole
    return table.detach()


def head_losses__vmap(weights, ids, real):
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss(name, matrix):
        w = {name.removeprefix("encoder."): matrix}

        def encoder(*args):
            return torch.func.functional_call(weights.encoder, w, args)

        x = weights.tokens.weight[ids] + weights.positions.weight[: ids.size(-1)]
        x = decoder(x, encoder, real)
        return shifted_loss(x @ weights.tokens.weight.mT, ids, real)

    rows = []
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        matrix = weights.get_parameter(name)
        keep = 1 - torch.eye(heads, dtype=matrix.dtype)
        keep = keep.repeat_interleave(matrix.size(1) // heads, dim=1)
        silenced = matrix * keep[:, None, :]
        without = torch.func.vmap(lambda m: loss(name, m))(silenced)
        rows.append(without - loss(name, matrix))
    return torch.stack(rows)


# ----------------------------------------------------- sentence_embedding


def sentence_embedding__normalize(weights, ids, real):
    w = weights
    e = w
    x = F.embedding(ids, e.tokens.weight)
    x = x + e.positions.weight[: ids.shape[1]] + e.segments.weight[:1]
    x = e.norm(x)
    x = w.encoder(x, real[:, None, :])
    return F.normalize((x * real.unsqueeze(-1).to(x.dtype)).sum(dim=1), dim=-1)


def sentence_embedding__without_padding(weights, ids, real):
    # each sentence alone, its padding cut out: then there is no mask
    ours = weights
    stack = ours.encoder

    def one(text, there):
        places = torch.arange(len(text))[there]
        x = ours.tokens.weight[text[there]]
        x = x + ours.positions.weight[places]
        x = x + ours.segments.weight[0]
        x = ours.norm(x)
        x = stack(x[None], None)[0]
        mean = x.mean(dim=0)
        return mean / mean.square().sum().sqrt()

    return torch.stack([one(text, there) for text, there in zip(ids, real)])


def sentence_embedding__einsum(weights, ids, real):
    w = weights
    batch, length = ids.shape
    segments = torch.zeros_like(ids)
    places = torch.arange(length).expand(batch, length)
    x = sum(
        F.embedding(which, w.get_submodule(table).weight)
        for table, which in (
            ("tokens", ids), ("positions", places), ("segments", segments)
        )
    )
    x = w.norm(x)
    mask = real.unsqueeze(1).expand(batch, length, length)
    x = w.encoder(x, mask)
    share = real.to(x.dtype) / real.sum(dim=1, keepdim=True).to(x.dtype)
    mean = torch.einsum("btd,bt->bd", x, share)
    return mean * torch.einsum("bd,bd->b", mean, mean).rsqrt()[:, None]


def sentence_embedding__double(weights, ids, real):
    # in float64 from the beginning to the end, then back
    kept = weights
    w = _with(kept, {}).double()
    e = w
    x = e.tokens.weight.index_select(0, ids.flatten()).unflatten(0, ids.shape)
    x = x + e.positions.weight.narrow(0, 0, ids.size(1))
    x = e.norm(x + e.segments.weight[0])
    x = w.encoder(x, real.unsqueeze(-2))
    x = torch.where(real.unsqueeze(-1), x, 0.0)
    mean = x.sum(-2) / real.sum(-1, keepdim=True)
    unit = mean / torch.linalg.vector_norm(mean, dim=-1, keepdim=True)
    return unit.to(kept.tokens.weight.dtype)
