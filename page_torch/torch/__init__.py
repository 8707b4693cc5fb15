"""A small PyTorch in plain Python, for a reader's browser: what the exercises need, and no more.

In the browser it lies on the path as `torch`. It is exact in what it has: views and strides,
broadcasting, types and their rounding, what may not be written into, random numbers, errors. It
keeps in mind from what a tensor was computed (`graph`), and computes no gradient. What PyTorch has
and this has not raises `missing.NotOnThisPage`, which is no Exception: that is not the learner's
mistake. Three things differ and are not told: the last digits of sums and of functions such as exp,
which are rounded once here; the order of equal numbers that `sort` and `kthvalue` meet, which stays
here and is left open there; and the names of steps in what is printed of `grad_fn`.

How to add an operation
-----------------------
1. Write it as a function of tensors into the file it belongs to (`unary`, `arithmetic`,
   `comparing`, `reducing`, `ordering`, `lines`, `views`, `picking`, `joining`, `products`, ...),
   under PyTorch's name and with PyTorch's parameters, and decorate it: `@operation` defines
   `torch.NAME` and `Tensor.NAME`, `@method` and `@torch_function` one of them, `@functional`
   `F.NAME`. `Tensor.NAME_` and `axis=` for `dim=` come by themselves.
2. Make its result by `elementwise.mapped`, `paired` or `together` (entry by entry), by
   `reducing.reduced` (many numbers become one), by `lines.along` (along an axis), by
   `tensor.show` (a view), or by `tensor.new`, which is told from which tensors the numbers came.
   Numbers are kept as their type keeps them (`rounding.keep`).
3. Raise what PyTorch raises. What is not worth having raises `missing.missing("...")`.
4. Add it to the random programs of `tests/page_torch/programs.py`, or a few telling calls of it to
   `tests/page_torch/calls.py`: both compare it with PyTorch, and what is in neither fails a test.
"""

from math import e, inf, nan, pi

from . import (  # what they define is found by its names
    activations,
    arithmetic,
    axes,
    casting,
    comparing,
    compiler,
    complexes,
    drawing,
    einsum,
    joining,
    layers,
    linalg,
    lines,
    losses,
    making,
    nn,
    operators,
    ordering,
    overrides,
    parts,
    picking,
    placing,
    printing,
    products,
    random,
    ranges,
    reducing,
    repeating,
    unary,
    views,
)
from .compiler import _C, SymInt, compile
from .dtypes import ALL, SPOKEN, dtype, finfo, promote_types
from .elementwise import result_type
from .generator import Generator
from .graph import enable_grad, inference_mode, is_grad_enabled, no_grad
from .kinds import Size, channels_last, contiguous_format, device, preserve_format, strided
from .missing import absent_from
from .names import NAMES
from .operation import TORCH
from .tensor import Tensor
from .writing import define_in_place

layout = type(strided)
__version__ = "2.13.0+page"
newaxis = None

define_in_place(NAMES["Tensor"], NAMES[""])
operators.define()
globals().update(TORCH | ALL | SPOKEN)
__getattr__ = absent_from("")
