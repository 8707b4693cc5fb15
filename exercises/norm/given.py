"""What the notebook on norms gives to work with."""

import torch


def sublayer(x, weight):
    """Stand for a sublayer: one matrix (D, D) and a ReLU."""
    return torch.relu(x @ weight)
