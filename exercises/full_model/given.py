"""What the notebook on the full model provides: the parts from earlier chapters, as modules."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """Attention in several heads, without dropout."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def forward(self, x, memory, mask=None):
        """Attend from x to the memory. True = may attend; None means no mask."""

        def split(features):  # (B, T, D) becomes (B, H, T, K)
            return features.unflatten(-1, (self.heads, -1)).transpose(-2, -3)

        q, k = split(self.query(x)), split(self.key(memory))
        v = split(self.value(memory))
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(-3), -torch.inf)
        found = scores.softmax(dim=-1) @ v
        return self.output(found.transpose(-2, -3).flatten(-2))


class FeedForward(nn.Module):
    """Two linear layers with GELU in between."""

    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class EncoderLayer(nn.Module):
    """Attention, then a feed-forward network, both in post-norm."""

    def __init__(self, width, hidden, heads):
        super().__init__()
        self.attention = Attention(width, heads)
        self.attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.feed_forward = FeedForward(width, hidden)
        self.feed_forward_norm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, mask=None):
        x = self.attention_norm(x + self.attention(x, x, mask))
        return self.feed_forward_norm(x + self.feed_forward(x))


class Encoder(nn.Module):
    """Several layers, one after the other."""

    def __init__(self, width, hidden, heads, layers):
        super().__init__()
        every = [EncoderLayer(width, hidden, heads) for _ in range(layers)]
        self.layers = nn.ModuleList(every)

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x


class DecoderLayer(nn.Module):
    """The parts of a decoder layer. To wire them is the next task."""

    def __init__(self, width, hidden, heads):
        super().__init__()
        self.attention = Attention(width, heads)
        self.attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.cross_attention = Attention(width, heads)
        self.cross_attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.feed_forward = FeedForward(width, hidden)
        self.feed_forward_norm = nn.LayerNorm(width, eps=1e-12)


class GPT(nn.Module):
    """The parts of a small GPT: two tables and a stack of layers."""

    def __init__(self, vocabulary, length, width, hidden, heads, layers):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(length, width)
        self.encoder = Encoder(width, hidden, heads, layers)


class BERT(nn.Module):
    """The parts of BERT and MiniLM: one more table, and a norm."""

    def __init__(self, vocabulary, length, width, hidden, heads, layers):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(length, width)
        self.segments = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.encoder = Encoder(width, hidden, heads, layers)


def rename_weights(weights):
    """Return the weights of BERT's file under our names, without the pooler."""
    pieces = {
        "embeddings.word_embeddings": "tokens",
        "embeddings.position_embeddings": "positions",
        "embeddings.token_type_embeddings": "segments",
        "embeddings.LayerNorm": "norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.LayerNorm": "attention_norm",
        "attention.output.dense": "attention.out",
        "intermediate.dense": "feed_forward.up",
        "output.dense": "feed_forward.down",
        "output.LayerNorm": "feed_forward_norm",
        "attention.out.": "attention.output.",
    }
    renamed = {}
    for name, weight in weights.items():
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        if not name.startswith(("pooler.", "embeddings.position_ids")):
            renamed[name] = weight
    return renamed
