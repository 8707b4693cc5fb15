"""What the page's GPT is held against: gpt.py, of which parts may be missing, with torch."""

import torch
from torch import nn

from transformer_lab.widgets._training import assembled, gpt

__all__ = ["gpt", "variant"]


def variant(config):
    """Build a model as a config describes it; its norms scale by other than 1."""
    model = assembled(config, generator := torch.Generator().manual_seed(0))
    for parameter in model.parameters():
        if parameter.dim() == 1:
            nn.init.uniform_(parameter, 0.5, 1.5, generator)
    return model
