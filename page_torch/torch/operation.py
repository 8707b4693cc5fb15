"""Register a function as `torch.NAME`, `Tensor.NAME` or `F.NAME`, and dispatch it to modes."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from .graph import UNNAMED
from .missing import missing

MODES: list[Any] = []  # TorchFunctionModes that are active, the innermost last

#: The operations by their namespace: `torch.NAME`, `Tensor.NAME`, `F.NAME`.
TORCH: dict[str, Any] = {}
TENSOR: dict[str, Any] = {}
FUNCTIONAL: dict[str, Any] = {}

#: What is defined for complex numbers, by the same names, and the types of such numbers: Python's,
#: and those of the tensors that `complexes` makes.
COMPLEX: dict[str, Callable] = {}
COMPLEX_TYPES: set[type] = {complex}

#: Operations that save their result for the gradient, or their operands.
KEEP_RESULTS = {
    "softmax", "log_softmax", "exp", "exp2", "sqrt", "rsqrt", "sigmoid", "tanh", "relu",
    "reciprocal", "cumprod", "logsumexp",
}  # fmt: skip
KEEP_FIRST = {
    "square", "pow", "log", "log2", "sin", "cos", "abs", "clamp", "amax", "amin", "var", "std",
    "norm",
}  # fmt: skip
KEEP_BOTH = {
    "mul", "multiply", "rmul", "div", "divide", "true_divide", "truediv", "rtruediv", "matmul",
    "bmm", "mm",
}  # fmt: skip
KEEPERS = KEEP_RESULTS | KEEP_FIRST | KEEP_BOTH

#: PyTorch's options that change no number here, and those that the page doesn't have.
IGNORED = {
    "layout", "memory_format", "non_blocking", "pin_memory", "sparse_grad", "output_size",
    "assume_unique",
}  # fmt: skip
ABSENT = {
    "out", "rounding_mode", "return_inverse", "return_counts", "accumulate", "invert", "left",
    "driver", "rcond", "atol", "rtol", "hermitian", "size_average", "reduce", "dtype",
}  # fmt: skip

NUMPYS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x1": "input", "x2": "other"}


def operation(function: Callable) -> Callable:
    """Define `torch.NAME` and `Tensor.NAME`, the first parameter being the tensor."""
    return torch_function(method(function))


def method(function: Callable) -> Callable:
    """Define `Tensor.NAME` only."""
    TENSOR[function.__name__] = called(function, 0)
    return function


def torch_function(function: Callable) -> Callable:
    """Define `torch.NAME` only."""
    TORCH[function.__name__] = called(function, 1)
    return function


def functional(function: Callable) -> Callable:
    """Define `torch.nn.functional.NAME`."""
    FUNCTIONAL[function.__name__] = called(function, 1)
    return function


def named(name: str) -> Callable[[Callable], Callable]:
    """Return a decorator that sets the name PyTorch uses, which Python or another file has too."""

    def rename(function: Callable) -> Callable:
        function.__name__ = name
        return function

    return rename


def _kept(name: str, args: tuple, result: Any) -> list[Any]:
    """Return the tensors that an operation saves for the gradient, as PyTorch does.

    Of a tensor that it modifies it saves a copy, which nobody else can modify.
    """
    if name in KEEP_RESULTS:
        return [result]
    operands = [arg for arg in args[:2] if hasattr(arg, "_strides")]
    kept = operands[:1]
    if name in KEEP_BOTH:
        pairs = zip(operands, operands[::-1], strict=True)  # saved for the other's gradient
        kept = [one for one, other in pairs if len(operands) == 2 and other.requires_grad]
    return [tensor for tensor in kept if tensor is not result]


def called(function: Callable, first: int) -> Callable:
    """Wrap an operation: dispatch it to modes and complex numbers, and check its arguments."""
    name = function.__name__
    parameters = list(inspect.signature(function).parameters.values())
    wanted = [n for n, p in enumerate(parameters) if getattr(p.annotation, "is_a_tensor", False)]
    known = {parameter.name for parameter in parameters}
    many = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    bare = name.strip("_")  # also for operators
    keeps = bare in KEEPERS

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if MODES:
            return _through_mode(call, args, options)
        if not COMPLEX_TYPES.isdisjoint(map(type, args)):
            if name not in COMPLEX:
                raise missing(f"{name} of complex numbers")
            return COMPLEX[name](*args, **options)
        for n in wanted:
            if n < len(args) and not hasattr(args[n], "_strides"):
                raise TypeError(
                    f"{name}(): argument '{parameters[n].name}' (position {n + first}) must be "
                    f"Tensor, not {type(args[n]).__name__}"
                )
        if options and not known.issuperset(options):
            options = _spelt(name, options, known)
        if many in options:
            args = (*args, options.pop(many))
        result = function(*args, **options)
        if (node := getattr(result, "_node", None)) is not None:
            if node.name() == UNNAMED:
                node.rename(f"{bare.title()}{UNNAMED}")
            if keeps:
                node.keep(_kept(bare, args, result))
        return result

    call.__module__ = "torch"
    return call


def _spelt(name: str, options: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """Return options under PyTorch's names, without those that change nothing here."""
    spelt = {}
    for key, value in options.items():
        if key in known:
            spelt[key] = value
        elif NUMPYS.get(key) in known:
            spelt[NUMPYS[key]] = value
        elif key in ABSENT and value is not None and value is not False:
            raise missing(f"torch.{name} with {key}=")
        elif key not in ABSENT | IGNORED:
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return spelt


def _through_mode(call: Callable, args: tuple, options: dict[str, Any]) -> Any:
    """Pass a call to the innermost mode, which is inactive meanwhile."""
    mode = MODES.pop()
    try:
        kinds = tuple({type(arg) for arg in args if getattr(arg, "is_a_tensor", False)})
        return mode.__torch_function__(call, kinds, args, options)
    finally:
        MODES.append(mode)
