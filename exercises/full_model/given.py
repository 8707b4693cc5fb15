"""What the notebook on the full model provides: the parts from earlier chapters."""

import math

import torch
import torch.nn.functional as F


def part(weights, name):
    """Return the weights of one part, without the part's name in front."""
    start = f"{name}."
    names = [key for key in weights if key.startswith(start)]
    return {key.removeprefix(start): weights[key] for key in names}


def linear(x, weights):
    """Apply a linear layer: weight (outputs, inputs), bias (outputs)."""
    return x @ weights["weight"].mT + weights["bias"]


def layer_norm(x, weights):
    """Normalise each vector of x, then scale and shift it."""
    normal = x - x.mean(dim=-1, keepdim=True)
    variance = normal.square().mean(dim=-1, keepdim=True)
    normal = normal / torch.sqrt(variance + 1e-12)
    return normal * weights["weight"] + weights["bias"]


def split_heads(x, heads):
    """Split the features into heads: (B, T, D) becomes (B, H, T, K)."""
    return x.unflatten(-1, (heads, -1)).transpose(-2, -3)


def attention(x, memory, weights, heads, mask):
    """Attend from x to the memory. True = may attend; None means no mask."""
    q = split_heads(linear(x, part(weights, "query")), heads)
    k = split_heads(linear(memory, part(weights, "key")), heads)
    v = split_heads(linear(memory, part(weights, "value")), heads)
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask.unsqueeze(-3), -torch.inf)
    found = torch.softmax(scores, dim=-1) @ v
    found = found.transpose(-2, -3).flatten(-2)
    return linear(found, part(weights, "output"))


def feed_forward(x, weights):
    """Project each vector of x up, apply GELU, and project it down again."""
    hidden = F.gelu(linear(x, part(weights, "widen")))
    return linear(hidden, part(weights, "narrow"))


def encoder_layer(x, weights, heads, mask):
    """Mix the tokens x (B, T, D) by attention, then change each by itself."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    norm = part(weights, "around_feed_forward.norm")
    return layer_norm(x + thought, norm)


def encoder(x, weights, heads, layers, mask):
    """Send x through all layers, one after the other."""
    for number in range(layers):
        own = part(weights, f"layers.{number}")
        x = encoder_layer(x, own, heads, mask)
    return x


def rename_weights(weights):
    """Return the weights under our names, without the pooler."""
    pieces = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.LayerNorm": "around_attention.norm",
        "attention.output.dense": "attention.out",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
        "attention.out.": "attention.output.",
    }
    renamed = {}
    for name, weight in weights.items():
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        if not name.startswith("pooler."):
            renamed[name] = weight
    return renamed
