"""How a model's parameters are initialised, and how many there are."""

import torch
from torch import nn

from transformer_lab._checks import check_module


def initialise_normal(module: nn.Module) -> None:
    """Initialise matrices and tables from N(0, 0.02), biases with 0: as in GPT-2 and BERT.

    For use as `model.apply(initialise_normal)`. Norms keep their γ = 1 and β = 0. GPT-2 also
    shrinks the last matrix of each sublayer by 1 / sqrt(2 · layers); this does not. Raises
    TypeError for a class in place of a module.
    """
    check_module("module", module)
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


def initialise_xavier(module: nn.Module) -> None:
    """Initialise matrices by Xavier's uniform rule, tables from N(0, 1/√d_model), biases with 0.

    The paper says nothing about it; this is what its published code (tensor2tensor) does. For use
    as `model.apply(initialise_xavier)`. Source of the rule: Glorot and Bengio 2010, equation 16.
    Raises TypeError for a class in place of a module.
    """
    check_module("module", module)
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
    if isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)


def count_parameters(module: nn.Module, *, without: tuple[type[nn.Module], ...] = ()) -> int:
    """Return the number of parameters, shared ones once, without those of the given kinds.

    `count_parameters(model, without=(nn.Embedding,))` counts all but token and position tables,
    and so leaves out a tied output too.
    """
    left_out = {
        parameter
        for part in module.modules()
        if isinstance(part, without)
        for parameter in part.parameters()
    }
    return sum(p.numel() for p in module.parameters() if p not in left_out)


def device_of(module: nn.Module) -> torch.device:
    """Return the device of a module's parameters: batches and prompts go there."""
    return next((parameter.device for parameter in module.parameters()), torch.device("cpu"))
