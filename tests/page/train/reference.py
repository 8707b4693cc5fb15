"""What the page's GPT is held against: gpt.py, of which parts may be missing."""

import importlib.util
import math
from pathlib import Path
from typing import Any

import torch
from torch import nn

_spec = importlib.util.spec_from_file_location("gpt", Path(__file__).parents[3] / "book/gpt.py")
gpt: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(gpt)


class Attention(gpt.Attention):
    """gpt.py's attention, of which something may be missing."""

    def __init__(self, config):
        super().__init__(config["width"], config["heads"])
        self.average, self.mask = config["average"], config["mask"]
        self.rotate = gpt.rotate if config["positions"] else lambda x: x
        if self.average:
            del self.query, self.key

    def forward(self, x):
        v = self.split(self.value(x))
        if self.average:
            scores = torch.zeros(*v.shape[:-1], v.size(-2), dtype=v.dtype)
        else:
            q, k = (self.rotate(self.split(project(x))) for project in (self.query, self.key))
            scores = q @ k.mT / math.sqrt(q.size(-1))
        causal_mask = torch.ones_like(scores, dtype=torch.bool).tril()
        if self.mask:
            scores = scores.masked_fill(~causal_mask, -torch.inf)
        return self.output((scores.softmax(dim=-1) @ v).transpose(1, 2).flatten(-2))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, norms = config["width"], config["norms"]
        self.residuals = config["residuals"]
        self.attention_norm = gpt.RMSNorm(width) if norms else nn.Identity()
        self.attention = Attention(config)
        self.feed_forward = None
        if config["feedForward"]:
            self.feed_forward_norm = gpt.RMSNorm(width) if norms else nn.Identity()
            self.feed_forward = gpt.FeedForward(width, 4 * width // 3)

    def forward(self, x):
        found = self.attention(self.attention_norm(x))
        x = x + found if self.residuals else found
        if self.feed_forward is None:
            return x
        thought = self.feed_forward(self.feed_forward_norm(x))
        return x + thought if self.residuals else thought


def variant(config):
    """Build a model of gpt.py's parts, as a variant wants it; its norms scale by other than 1."""
    torch.manual_seed(0)
    model = gpt.GPT(config["symbols"], config["width"], config["heads"], 0)
    model.blocks.extend(Block(config) for _ in range(config["layers"]))
    if not config["norms"]:
        model.norm = nn.Identity()
    for parameter in model.parameters():
        if parameter.dim() == 1:
            nn.init.uniform_(parameter, 0.5, 1.5)
    return model
