"""Unusual but right answers to the exercise on the full model."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def shift_right__pad(targets, start_id):
    """pads on the left with the start's id"""
    return F.pad(targets[:, :-1], (1, 0), value=start_id)


def translation_task__class(source, target, pad_id, start_id):
    """a small class for a padded text"""

    class Text:
        def __init__(self, ids):
            self.ids = ids
            self.real = torch.ne(ids, pad_id)

        def read(self):
            out = torch.full_like(self.ids, start_id)
            out[:, 1:] = self.ids[:, :-1]
            return out

        def said(self):
            return torch.where(self.real, self.ids, torch.full_like(self.ids, -100))

    text = Text(target)
    return Text(source).real, text.read(), text.said()


def encoder_layer__head_by_head(x, weights, heads, mask):
    """own softmax and layer_norm, attention written out head by head"""

    def softmax(z):
        e = torch.exp(z - z.amax(dim=-1, keepdim=True))
        return e / e.sum(dim=-1, keepdim=True)

    def layer_norm(z, name):
        variance, mean = torch.var_mean(z, dim=-1, correction=0, keepdim=True)
        z = (z - mean) / torch.sqrt(variance + 1e-12)
        return z * weights[f"{name}.norm.weight"] + weights[f"{name}.norm.bias"]

    q, k, v = (
        F.linear(
            x, weights[f"attention.{n}.weight"], weights[f"attention.{n}.bias"]
        ).chunk(heads, dim=-1)
        for n in ("query", "key", "value")
    )
    found = []
    for h in range(heads):
        scores = q[h] @ k[h].mT / q[h].size(-1) ** 0.5
        if mask is not None:
            scores = torch.where(mask, scores, -torch.inf)
        found.append(softmax(scores) @ v[h])
    joined = torch.cat(found, dim=-1)
    joined = linear(joined, part(weights, "attention.output"))
    x = layer_norm(x + joined, "around_attention")
    return layer_norm(
        x + feed_forward(x, part(weights, "feed_forward")), "around_feed_forward"
    )


def encoder__recursion(x, weights, heads, layers, mask):
    """recursion from the last layer down instead of a loop"""

    def after(n):
        if n == 0:
            return x
        return encoder_layer(after(n - 1), part(weights, f"layers.{n - 1}"), heads, mask)

    return after(layers)


def decoder_layer__list_of_sublayers(x, memory, weights, mask, memory_mask):
    """a dict of three sublayers, all wired by one loop"""
    sublayers = {
        "attention": lambda z, w: w(z, z, mask),
        "cross_attention": lambda z, w: w(z, memory, memory_mask),
        "feed_forward": (lambda y, w: w(y)),
    }
    for name, f in sublayers.items():
        x = weights.get_submodule(f"{name}_norm")(x + f(x, weights.get_submodule(name)))
    return x


def decoder__mask_by_hand(x, weights, real):
    """the mask is built place by place in three loops"""
    batch, length = real.shape
    mask = torch.zeros(batch, length, length, dtype=torch.bool)
    for b in range(batch):
        for asks in range(length):
            for asked in range(asks + 1):
                mask[b, asks, asked] = bool(real[b, asked])
    return weights(x, mask)


def shifted_loss__logsumexp(logits, ids, real):
    """logsumexp minus the logit picked by a one-hot product's like"""
    guesses, answers, there = logits[:, :-1], ids[:, 1:], real[:, 1:]
    picked = guesses.gather(-1, answers[..., None])[..., 0]
    surprise = torch.logsumexp(guesses, dim=-1) - picked
    surprise = torch.where(there, surprise, torch.zeros_like(surprise))
    return surprise.sum() / there.sum()


def top_k__count_larger(logits, k):
    """counts for each logit how many are larger"""
    larger = (logits.unsqueeze(-2) > logits.unsqueeze(-1)).sum(dim=-1)
    return torch.where(larger < k, logits, -torch.inf)


def top_p__without_sort(logits, p):
    """no sort: for each token the probability of all likelier ones"""

    def softmax(z):
        e = (z - z.max(dim=-1, keepdim=True).values).exp()
        return e / e.sum(dim=-1, keepdim=True)

    probs = softmax(logits)
    size = logits.size(-1)
    mine, other = logits.unsqueeze(-1), logits.unsqueeze(-2)
    earlier = torch.ones(size, size, dtype=torch.bool).tril(-1)
    likelier = (other > mine) | ((other == mine) & earlier)
    before = (likelier * probs.unsqueeze(-2)).sum(dim=-1)
    return logits.masked_fill(before >= p, -torch.inf)


def beam_search__tensors(table, start, beams, steps):
    """all texts in one tensor, topk over the flattened scores"""
    logp = table.log_softmax(dim=-1)
    vocabulary = table.size(-1)
    texts = torch.tensor([[start]])
    scores = torch.zeros(1, dtype=logp.dtype)
    for _ in range(steps):
        grown = (scores.unsqueeze(-1) + logp[texts[:, -1]]).flatten()
        scores, chosen = grown.topk(min(beams, grown.numel()))
        texts = torch.cat(
            [texts[chosen // vocabulary], (chosen % vocabulary).unsqueeze(-1)], dim=1
        )
    return texts[0, 1:].tolist(), scores[0].item()


def cached_step__running_softmax(x, keys, values, weights):
    """goes from key to key with a running softmax"""
    q = weights.query(x) / math.sqrt(x.size(-1))
    keys = torch.cat([keys, weights.key(x)], dim=1)
    values = torch.cat([values, weights.value(x)], dim=1)
    top = torch.full_like(q[..., :1], -torch.inf)
    total = torch.zeros_like(top)
    mixed = torch.zeros_like(q)
    for s in range(keys.size(1)):
        score = (q * keys[:, s : s + 1]).sum(dim=-1, keepdim=True)
        new_top = torch.maximum(top, score)
        shrink, weight = (top - new_top).exp(), (score - new_top).exp()
        total = total * shrink + weight
        mixed = mixed * shrink + weight * values[:, s : s + 1]
        top = new_top
    return weights.output(mixed / total), keys, values


def rename_weights__split_names(weights):
    """takes the names apart at the dots and looks the places up"""
    outside = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
    }
    inside = {
        "attention.self.query": "attention.query",
        "attention.self.key": "attention.key",
        "attention.self.value": "attention.value",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    ours = {}
    for name, tensor in weights.items():
        if name.split(".")[0] == "pooler":
            continue
        place, _, kind = name.rpartition(".")
        pieces = place.split(".")
        if pieces[:2] == ["encoder", "layer"]:
            rest = ".".join(pieces[3:])
            place = f"encoder.layers.{pieces[2]}.{inside[rest]}"
        else:
            place = outside.get(place, place)
        ours[f"{place}.{kind}"] = tensor
    return ours


def sentence_embedding__no_padding_at_all(weights, ids, real):
    """each sentence alone without its padding; a sum instead of a mean"""
    ours = weights
    tables = ours
    vectors = []
    for sentence, there in zip(ids, real):
        places = there.nonzero().squeeze(-1)
        x = tables.tokens.weight[sentence[places]]
        x = x + tables.positions.weight[places] + tables.segments.weight[0]
        x = tables.norm(x.unsqueeze(0))
        x = ours.encoder(x, None)
        total = x.sum(dim=(0, 1))
        vectors.append(total / torch.sqrt(total @ total))
    return torch.stack(vectors)
