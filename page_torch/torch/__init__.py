"""A small PyTorch in plain Python for the reader's browser: what the exercises need, and no more.

In the browser it is on the path as `torch`. What it has does what PyTorch does: views, strides,
broadcasting, dtypes and their rounding, checks of in-place operations, random numbers, errors,
gradients of the first order (`graph`, `derivatives`). What it lacks of PyTorch raises
`missing.NotOnThisPage`, which is no Exception, since it is not the learner's mistake. Five things
differ silently: the last digits of sums and of functions such as exp, rounded only once here; the
order of equal numbers in `sort` and `kthvalue`; the names of nodes that `grad_fn` shows; what
`multinomial` and `exponential_` draw, though not how often; and the memory layout of results, which
is that of their first operand of the same shape.

How to add an operation
-----------------------
Only add what at least two answers need, or what is common in such code elsewhere
(`trunc_normal_`, `exponential_`). Everything else raises NotOnThisPage.

1. Write it as a function of tensors in the file it belongs to (`unary`, `arithmetic`, `comparing`,
   `reducing`, `ordering`, `along_axis`, `views`, `gathering`, `joining`, `products`, ...), under
   PyTorch's name and with PyTorch's parameters, and decorate it: `@operation` defines `torch.NAME`
   and `Tensor.NAME`, `@method` and `@torch_function` one of them, `@functional` `F.NAME`.
   `Tensor.NAME_` and `axis=` for `dim=` follow from that.
2. Compute its result with `elementwise.mapped`, `paired` or `together` (element by element),
   `reducing.reduced` (many numbers become one), `along_axis.along`, `tensor.show` (a view), or
   `tensor.new`, which takes the tensors that the numbers were computed from, and the way `back` of
   gradients: that of a function of numbers stands by its name in `derivatives`. Numbers are
   converted to a dtype by `rounding.keep`.
3. Raise what PyTorch raises. Options that are not worth having raise `missing.missing("...")`, or
   are listed in `operation.ABSENT`.
4. Add it to the random programs of `tests/page_torch/programs.py`, or a few calls of it to
   `tests/page_torch/calls.py`. Both compare it with PyTorch; a test fails for what is in neither.
"""

from math import e, inf, nan, pi

from . import (  # imported for the operations that they register
    activations,
    along_axis,
    arithmetic,
    autograd,
    axes,
    comparing,
    compiler,
    complexes,
    converting,
    creation,
    einsum,
    gathering,
    joining,
    layers,
    linalg,
    losses,
    nn,
    operators,
    optim,
    ordering,
    overrides,
    printing,
    products,
    random,
    random_tensors,
    ranges,
    reducing,
    repeating,
    scattering,
    slicing,
    unary,
    views,
)
from .compiler import _C, SymInt, compile
from .descriptions import Size, channels_last, contiguous_format, device, preserve_format, strided
from .dtypes import ALL, SPOKEN, dtype, finfo, promote_types
from .elementwise import result_type
from .generator import Generator
from .graph import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from .in_place import define_in_place
from .missing import absent_from
from .names import NAMES
from .operation import TORCH
from .tensor import Tensor

layout = type(strided)
__version__ = "2.13.0+page"
newaxis = None

define_in_place()
operators.define()
globals().update(TORCH | ALL | SPOKEN)
__getattr__ = absent_from("")
