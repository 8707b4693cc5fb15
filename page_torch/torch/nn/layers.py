"""Layers and losses as modules."""

import inspect
import math
from typing import Any

from ..creation import alike
from ..dtypes import FLOAT32
from ..operation import FUNCTIONAL
from ..tensor import Tensor
from . import init
from .module import Module
from .parameter import Parameter


def _parameter(shape: tuple[int, ...], value: float, dtype: Any, device: Any) -> Parameter:
    return Parameter(alike(shape, value, dtype or FLOAT32, device=device))


class Linear(Module):
    """A matrix and a bias."""

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ):  # fmt: skip
        """Initialise both uniformly up to ±1 / sqrt(in_features)."""
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = _parameter((out_features, in_features), 0, dtype, device)
        self.bias = _parameter((out_features,), 0, dtype, device) if bias else None
        bound = 1 / math.sqrt(in_features) if in_features else 0
        for part in self.parameters():
            if not part.is_meta:
                init.uniform_(part, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Multiply by the matrix and add the bias."""
        return FUNCTIONAL["linear"](input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes, as `repr` shows them."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Embedding(Module):
    """A table of vectors."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
        device: Any = None, dtype: Any = None,
    ):  # fmt: skip
        """Initialise the table from N(0, 1)."""
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx
        self.weight = _parameter((num_embeddings, embedding_dim), 0, dtype, device)
        if not self.weight.is_meta:
            init.normal_(self.weight)
            if padding_idx is not None:
                init.zeros_(self.weight.detach()[padding_idx])

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> "Embedding":
        """Return an embedding with an existing table."""
        count, width = embeddings.shape
        made = cls(count, width, padding_idx, device="meta")
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def forward(self, input: Tensor) -> Tensor:
        """Look up the vectors."""
        return FUNCTIONAL["embedding"](input, self.weight)

    def extra_repr(self) -> str:
        """Return the sizes, as `repr` shows them."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class _Norm(Module):
    """The common part of norms: the lengths of the last axes, and weights for each place."""

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True,
        bias: bool = False, device: Any = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__()
        one = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        shape = self.normalized_shape
        self.weight = _parameter(shape, 1, dtype, device) if elementwise_affine else None
        self.bias = _parameter(shape, 0, dtype, device) if elementwise_affine and bias else None

    def extra_repr(self) -> str:
        """Return the sizes, as `repr` shows them."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class LayerNorm(_Norm):
    """Normalises to mean 0 and variance 1."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ):  # fmt: skip
        """Initialise weights with 1 and biases with 0."""
        super().__init__(normalized_shape, eps, elementwise_affine, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Normalise."""
        norm = FUNCTIONAL["layer_norm"]
        return norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(_Norm):
    """Normalises to mean square 1."""

    def forward(self, input: Tensor) -> Tensor:
        """Normalise."""
        return FUNCTIONAL["rms_norm"](input, self.normalized_shape, self.weight, self.eps)


class Dropout(Module):
    """Drops numbers in training, which this page cannot do."""

    def __init__(self, p: float = 0.5, inplace: bool = False):
        """Store the probability."""
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        super().__init__()
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Drop nothing."""
        return FUNCTIONAL["dropout"](input, self.p, self.training)

    def extra_repr(self) -> str:
        """Return the share that is dropped, as `repr` shows it."""
        return f"p={self.p}, inplace={self.inplace}"


class _Applied(Module):
    """A function with options, as a module."""

    name = ""
    positional: tuple[str, ...] = ()

    def __init__(self, *args: Any, **options: Any):
        super().__init__()
        self.options = dict(zip(self.positional, args, strict=False)) | options

    def __getattr__(self, name: str) -> Any:
        """Return an option, set or default."""
        if name != "options" and name in self.__dict__.get("options", {}):
            return self.__dict__["options"][name]
        usual = inspect.signature(FUNCTIONAL[self.name]).parameters.get(name)
        if usual is not None and usual.default is not usual.empty:
            return usual.default
        return super().__getattr__(name)

    def forward(self, *args: Tensor) -> Tensor:
        """Apply the function."""
        return FUNCTIONAL[self.name](*args, **self.options)


def _applied(title: str, name: str, *positional: str) -> Any:
    return type(title, (_Applied,), {"name": name, "positional": positional})


ReLU, GELU = _applied("ReLU", "relu", "inplace"), _applied("GELU", "gelu", "approximate")
SiLU, Softmax = _applied("SiLU", "silu", "inplace"), _applied("Softmax", "softmax", "dim")
LogSoftmax = _applied("LogSoftmax", "log_softmax", "dim")
CrossEntropyLoss = _applied("CrossEntropyLoss", "cross_entropy", "weight")
