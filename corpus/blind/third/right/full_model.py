"""Right answers to the exercise on the full model, third set, in unusual styles."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def shift_right__rolled(targets, start_id):
    """Rolls a copy and writes the start over what came round."""
    read = targets.roll(1, dims=1)
    read[:, 0] = start_id
    return read


def shift_right__padded(targets, start_id):
    """Pads in front and cuts off behind, by one call."""
    return F.pad(targets, (1, -1), value=start_id)


def writing_task__where(ids, real, start_id):
    """Chooses with where."""
    said = torch.where(real, ids, torch.full_like(ids, -100))
    return shift_right(ids, start_id), said


def writing_task__arithmetic(ids, real, start_id):
    """Works the targets out by arithmetic."""
    keep = real.to(ids.dtype)
    return shift_right(ids, start_id), ids * keep - 100 * (1 - keep)


def masked_task__assigned(ids, chosen, mask_id):
    """Assigns into copies."""
    read, said = ids.clone(), torch.full_like(ids, -100)
    read[chosen] = mask_id
    said[chosen] = ids[chosen]
    return read, said


def masked_task__lists(ids, chosen, mask_id):
    """Goes token by token through lists."""
    pairs = list(zip(ids.flatten().tolist(), chosen.flatten().tolist()))
    read = [mask_id if c else i for i, c in pairs]
    said = [i if c else -100 for i, c in pairs]
    return tuple(torch.tensor(t).reshape(ids.shape) for t in (read, said))


def translation_task__starred(source, target, pad_id, start_id):
    """Unpacks the writer's task."""
    return source.ne(pad_id), *writing_task(target, target.ne(pad_id), start_id)


def translation_task__assigned(source, target, pad_id, start_id):
    """Assigns -100 into a copy."""
    said = target.clone()
    said[said == pad_id] = -100
    return ~torch.eq(source, pad_id), shift_right(target, start_id), said


def encoder_layer__loop(x, weights, heads, mask):
    """Loops over the two sublayers by name."""
    sublayers = {
        "attention": lambda t, w: attention(t, t, w, heads, mask),
        "feed_forward": lambda t, w: feed_forward(t, w),
    }
    for name, f in sublayers.items():
        said = f(x, part(weights, name))
        x = layer_norm(x + said, part(weights, f"around_{name}.norm"))
    return x


def encoder_layer__module(x, weights, heads, mask):
    """Is a module whose forward wires the parts."""

    class Layer(nn.Module):
        def add_and_norm(self, x, said, name):
            return layer_norm(said + x, part(part(weights, name), "norm"))

        def forward(self, x):
            talk = attention(x=x, memory=x, weights=part(weights, "attention"), heads=heads, mask=mask)
            x = self.add_and_norm(x, talk, "around_attention")
            return self.add_and_norm(x, feed_forward(x, part(weights, "feed_forward")), "around_feed_forward")

    return Layer()(x)


def encoder__recursive(x, weights, heads, layers, mask):
    """Calls a helper that calls itself."""

    def up_to(n):
        if n == 0:
            return x
        return encoder_layer(up_to(n - 1), part(weights, f"layers.{n - 1}"), heads, mask)

    return up_to(layers)


def encoder__list_of_layers(x, weights, heads, layers, mask):
    """Collects the layers' weights first."""
    stack = [part(part(weights, "layers"), str(n)) for n in range(layers)]
    while stack:
        x = encoder_layer(x, stack.pop(0), heads, mask)
    return x


def decoder_layer__loop(x, memory, weights, mask, memory_mask):
    """Loops over three sublayers by name."""
    steps = (
        ("attention", lambda t, w: w(t, t, mask)),
        ("cross_attention", lambda t, w: w(t, memory, memory_mask)),
        ("feed_forward", (lambda y, w: w(y))),
    )
    for name, step in steps:
        x = weights.get_submodule(f"{name}_norm")(x + step(x, weights.get_submodule(name)))
    return x


def decoder_layer__helper(x, memory, weights, mask, memory_mask):
    """Has a helper for add and normalise."""

    def settle(stream, said, name):
        return weights.get_submodule(name + "_norm")(torch.add(stream, said))

    said = weights.attention(x, x, mask)
    written = settle(x, said, "attention")
    found = weights.cross_attention(written, memory, memory_mask)
    asked = settle(written, found, "cross_attention")
    return settle(asked, weights.feed_forward(asked), "feed_forward")


def decoder__hidden_parts(x, weights, real):
    """Says what is hidden and negates."""
    n = torch.arange(x.size(1))
    hidden = (n[None, :] > n[:, None]) | ~real[:, None, :]
    return weights(x, ~hidden)


def decoder__product(x, weights, real):
    """Multiplies the masks as numbers, and works each layer itself."""
    layers = len(weights.layers)
    T = x.size(-2)
    mask = (torch.ones(T, T).tril() * real[:, None].float()).bool()
    for n in range(layers):
        x = weights.layers[n](x, mask)
    return x


def shifted_loss__gathered(logits, ids, real):
    """Gathers logits and subtracts logsumexp."""
    guesses, following, keep = logits[:, :-1], ids[:, 1:], real[:, 1:]
    picked = guesses.gather(-1, following.unsqueeze(-1)).squeeze(-1)
    losses = guesses.logsumexp(-1) - picked
    return (losses * keep).sum() / keep.sum()


def shifted_loss__selected(logits, ids, real):
    """Selects what is real by a boolean index first."""
    keep = real[:, 1:]
    return F.cross_entropy(logits[:, :-1][keep], ids[:, 1:][keep])


def shifted_loss__one_hot(logits, ids, real):
    """Multiplies log-probabilities by one-hot vectors."""
    logp = logits.log_softmax(-1)[:, :-1]
    hot = F.one_hot(ids, logits.size(-1))[:, 1:].to(logp.dtype)
    total = torch.einsum("btv,btv,bt->", logp, hot, real[:, 1:].to(logp.dtype))
    return -total / real[:, 1:].sum()


def greedy__recursive(table, prompt, steps, end_id):
    """Calls itself through a helper."""

    def write(last, left):
        if left == 0:
            return []
        token = int(table[last].argmax())
        return [token] if token == end_id else [token] + write(token, left - 1)

    return write(prompt[-1], steps)


def greedy__table_of_successors(table, prompt, steps, end_id):
    """Makes a list of successors first, and uses while."""
    after = table.argmax(dim=1).tolist()
    text = list(prompt)
    while len(text) - len(prompt) < steps:
        text.append(after[text[-1]])
        if text[-1] == end_id:
            break
    return text[len(prompt) :]


def top_k__scattered(logits, k):
    """Scatters the largest into minus infinity."""
    best = logits.topk(k, dim=-1)
    return torch.full_like(logits, -math.inf).scatter(-1, best.indices, best.values)


def top_k__ranks(logits, k):
    """Counts how many are larger."""
    larger = (logits.unsqueeze(-2) > logits.unsqueeze(-1)).sum(-1)
    return torch.where(larger < k, logits, -torch.inf)


def top_p__row_by_row(logits, p):
    """Goes through each row with a running total."""
    out = torch.full_like(logits, -torch.inf)
    for b, row in enumerate(logits.softmax(-1)):
        total = 0.0
        for token in row.argsort(descending=True).tolist():
            out[b, token] = logits[b, token]
            total += row[token].item()
            if total >= p:
                break
    return out


def top_p__sums_of_larger(logits, p):
    """Sums for each token what is likelier than it, without sorting."""
    chances = logits.softmax(-1)
    likelier = chances.unsqueeze(-2) > chances.unsqueeze(-1)
    before = (likelier * chances.unsqueeze(-2)).sum(-1)
    return logits.masked_fill(before >= p, -torch.inf)


def top_p__argsort_twice(logits, p):
    """Goes back to the old places by the inverse order."""
    order = logits.argsort(dim=-1, descending=True)
    chances = torch.softmax(logits, -1).gather(-1, order)
    stays = torch.roll(chances.cumsum(-1), 1, -1) < p
    stays[..., 0] = True
    return torch.where(stays.gather(-1, order.argsort(-1)), logits, -math.inf)


def beam_search__tensors(table, start, beams, steps):
    """Keeps the scores in a tensor and uses topk over all continuations."""
    logp, V = table.log_softmax(-1), table.size(-1)
    texts, scores = torch.tensor([[start]]), torch.zeros(1, dtype=logp.dtype)
    for _ in range(steps):
        flat = (scores[:, None] + logp[texts[:, -1]]).flatten()
        scores, index = flat.topk(min(beams, flat.numel()))
        texts = torch.cat([texts[index // V], (index % V)[:, None]], dim=1)
    return texts[0, 1:].tolist(), scores[0].item()


def beam_search__generator(table, start, beams, steps):
    """Keeps texts as tuples and sorts with a key."""
    logp = F.log_softmax(table, dim=-1).tolist()

    def continuations(pool):
        for text, score in pool.items():
            for token, gain in enumerate(logp[text[-1]]):
                yield text + (token,), score + gain

    pool = {(start,): 0.0}
    for _ in range(steps):
        pool = dict(sorted(continuations(pool), key=lambda pair: -pair[1])[:beams])
    text, score = max(pool.items(), key=lambda pair: pair[1])
    return list(text[1:]), score


def cached_step__given_attention(x, keys, values, weights):
    """Uses PyTorch's attention."""
    new = {n: weights.get_submodule(n)(x) for n in ("query", "key", "value")}
    keys = torch.cat((keys, new["key"]), dim=-2)
    values = torch.cat((values, new["value"]), dim=-2)
    found = F.scaled_dot_product_attention(new["query"], keys, values)
    return weights.output(found), keys, values


def cached_step__own_score_apart(x, keys, values, weights):
    """Works the own score out apart and puts it behind the others."""
    q, k, v = (weights.get_submodule(n)(x) for n in ("query", "key", "value"))
    root = k.size(-1) ** 0.5
    old = torch.einsum("bqd,bsd->bqs", q, keys) / root
    own = (q * k).sum(-1, keepdim=True) / root
    w = torch.cat([old, own], dim=-1).softmax(dim=-1)
    found = w[..., :-1] @ values + w[..., -1:] * v
    longer = [torch.cat(pair, dim=1) for pair in ((keys, k), (values, v))]
    return weights.output(found), *longer


def embed_new__sliced(ids, past, tokens, positions):
    """Slices the table of positions."""
    return tokens[ids] + positions[past : past + ids.size(1)]


def embed_new__narrowed(ids, past, tokens, positions):
    """Narrows the table, and looks up with embedding."""
    return F.embedding(ids, tokens) + positions.narrow(0, past, ids.shape[-1]).unsqueeze(0)


def shapes__named(B, S, T, D, H, V):
    """Names the parts."""
    K = D // H
    memory, logits, table = (B, S, D), (B, T, V), (V, D)
    return memory, (B, H, T, S), logits, table, (B, H, T, K)


def rename_weights__by_piece(weights):
    """Takes each name apart and puts it together anew."""
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
    outer = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "LayerNorm": "norm",
    }
    out = {}
    for name, tensor in weights.items():
        body, kind = name.rsplit(".", 1)
        if name.startswith("pooler."):
            continue
        if body.startswith("embeddings."):
            out[f"embeddings.{outer[body.split('.', 1)[1]]}.{kind}"] = tensor
        else:
            _, _, number, piece = body.split(".", 3)
            out[f"encoder.layers.{number}.{inner[piece]}.{kind}"] = tensor
    return out


def rename_weights__patterns(weights):
    """Replaces by regular expressions."""
    import re

    rules = [
        (r"^embeddings\.word_embeddings", "embeddings.tokens"),
        (r"^embeddings\.position_embeddings", "embeddings.positions"),
        (r"^embeddings\.token_type_embeddings", "embeddings.segments"),
        (r"^embeddings\.LayerNorm", "embeddings.norm"),
        (r"^encoder\.layer\.", "encoder.layers."),
        (r"(\d+)\.output\.dense", r"\1.feed_forward.narrow"),
        (r"(\d+)\.output\.LayerNorm", r"\1.around_feed_forward.norm"),
        (r"intermediate\.dense", "feed_forward.widen"),
        (r"attention\.self", "attention"),
        (r"attention\.output\.LayerNorm", "around_attention.norm"),
        (r"attention\.output\.dense", "attention.output"),
    ]

    def ours(name):
        for pattern, new in rules:
            name = re.sub(pattern, new, name)
        return name

    return {ours(n): t for n, t in weights.items() if not n.startswith("pooler.")}


def sentence_embedding__weights_as_mean(weights, ids, real):
    """Takes the mean as a product with shares."""
    ours = weights
    tables = ours
    places = torch.arange(ids.size(-1))
    x = tables.tokens.weight[ids] + tables.positions.weight[places]
    x = tables.norm(x + tables.segments.weight[:1])
    x = ours.encoder(x, real.unsqueeze(-2))
    shares = real.to(x.dtype) / real.sum(-1, keepdim=True)
    mean = (shares.unsqueeze(-2) @ x).squeeze(-2)
    return F.normalize(mean, dim=-1)


def sentence_embedding__sum_only(weights, ids, real):
    """Sums the real tokens and sets the length at once, as the divisor cancels."""
    w = weights
    segment = w.segments.weight[0]
    x = F.embedding(ids, w.tokens.weight)
    x = x + w.positions.weight[None, : ids.shape[1]] + segment
    x = w.norm(x)
    mask = real[:, None, :].expand(-1, ids.size(1), -1)
    x = w.encoder(x, mask)
    total = torch.where(real[..., None], x, torch.zeros_like(x)).sum(dim=1)
    return total / total.square().sum(-1, keepdim=True).sqrt()
