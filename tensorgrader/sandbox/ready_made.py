"""Ready-made functions that would be the answer, disabled while an answer runs.

Loaded by path into the zygote, so it imports PyTorch and the standard library only. A kernel is
disabled where every call of it has to pass, in PyTorch's dispatcher: no alias or wrapper gets round
it. Functions that PyTorch writes in Python get other code, in the function object that all names
share, at once or when they are loaded.
"""

import contextlib
import ctypes
import functools
import os
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import SourceFileLoader
from typing import Any

import torch
from torch._library.custom_ops import CustomOpDef

KEYS = (
    "CPU",
    "SparseCPU",
    "MkldnnCPU",
    "NestedTensorCPU",
    "CompositeImplicitAutogradNestedTensor",
    "CompositeImplicitAutograd",  # run by an operator's `decompose`
    "CompositeExplicitAutograd",
)
ALSO = {  # kernels that compute the same under other names
    "softmax": "_softmax _safe_softmax _sparse_softmax _masked_softmax special_softmax "
    "SoftmaxTransform",
    "log_softmax": "_log_softmax _sparse_log_softmax special_log_softmax",
    "scaled_dot_product_attention": "_scaled_dot_product_attention_math "
    "_scaled_dot_product_flash_attention_for_cpu math_attention attention attention_23",
    "MultiheadAttention": "_native_multi_head_attention _transformer_encoder_layer_fwd",
    "LayerNorm": "layer_norm native_layer_norm",
    "layer_norm": "native_layer_norm _normalize",
    "batch_norm": "native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional "
    "_native_batch_norm_legit_no_training _batch_norm_with_update "
    "_batch_norm_with_update_functional _batch_norm_no_update _batch_norm_impl_index "
    "_native_batch_norm_legit_no_stats native_batch_norm_helper",
    "RMSNorm": "rms_norm _fused_rms_norm",
    "rms_norm": "_fused_rms_norm",
    "local_response_norm": "LocalResponseNorm CrossMapLRN2d",
    "weight_norm": "_weight_norm _weight_norm_interface",
}
FOLDER = os.path.join(os.path.dirname(torch.__file__), "")
PAST_THE_DISPATCHER = (  # these create PyTorch's other executors, which no exercise needs
    "_jit_to_static_module",
    "_fuse_to_static_module",
    "_create_function_from_graph",
    "parse_ir",
    "Node.g_",  # with it any function's graph, changed in place, gets a part for such an executor
    "Node.copyAttributes",
    "_jit_pass_fuse_tensorexprs",
    "_jit_set_te_must_use_llvm_cpu",
    "_te.TensorExprKernel.__init__",
    "_te.TensorExprKernel.run",
    "_te.TensorExprKernel.fallback",
    "_te",
)


def refuse(names: Iterable[str]) -> None:
    """Make the ready-made functions of these names raise RuntimeError in this process, for good."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's warning that kernels are replaced
        for key in KEYS:
            library = torch._C._dispatch_library("IMPL", "aten", key, __file__, 0)
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))  # never freed, so never undone
            for name in names:
                for overload in kernels(name):
                    library.impl(overload, key, _refusal(name))
    for name in names:
        _replace(written_in_python(name), name)
    _watch(names)
    sys.modules.pop("torch._C._te", None)
    for path in PAST_THE_DISPATCHER:
        _close(path)


def look_up(names: Iterable[str]) -> None:
    """Find these ready-made functions now, so that a fork need not."""
    for name in names:
        kernels(name)
        written_in_python(name)


@functools.cache
def kernels(name: str) -> list[str]:
    """Return the kernels of a ready-made function as the dispatcher spells them: name.overload."""
    schemas = [
        schema
        for kernel in _aliases(name)
        for schema in torch._C._jit_get_schemas_for_operator(f"aten::{kernel}")
    ]
    parts = [(s.name.partition("::")[2], s.overload_name) for s in schemas]
    return [".".join(filter(None, pair)) for pair in parts]


@functools.cache
def written_in_python(name: str) -> list[types.FunctionType]:
    """Return PyTorch's Python functions of that name, and the four methods of its classes."""
    modules = [m for n, m in list(sys.modules.items()) if n.partition(".")[0] == "torch" and m]
    return list(dict.fromkeys(f for module in modules for f in _written_in(module, name)))


def _written_in(module: types.ModuleType, name: str) -> Iterator[types.FunctionType]:
    for alias in _aliases(name):
        yield from _functions(vars(module).get(alias))


def _replace(functions: Iterable[types.FunctionType], name: str) -> None:
    code = _refusal(name).__code__
    for function in functions:
        function.__code__ = code.replace(co_freevars=function.__code__.co_freevars)


def _watch(names: Iterable[str]) -> None:
    """Disable them also in what is loaded later of PyTorch, by whatever name."""
    load = SourceFileLoader.exec_module

    def load_without(loader: SourceFileLoader, module: types.ModuleType) -> None:
        try:
            load(loader, module)
        finally:
            for name in names if loader.path.startswith(FOLDER) else ():
                _replace(_written_in(module, name), name)

    SourceFileLoader.exec_module = load_without  # type: ignore[assignment, method-assign]


def _close(path: str) -> None:
    """Replace something that PyTorch has, by its path, with a function that raises."""
    *within, name = path.split(".")
    for start in (torch._C, torch):  # which has the public names again
        with contextlib.suppress(AttributeError):
            holder = functools.reduce(getattr, within, start)
            if name in vars(holder):
                setattr(holder, name, _raising(f"`{path}` is not for exercises"))


def _aliases(name: str) -> list[str]:
    return [name, *ALSO.get(name, "").split()]


def _functions(value: Any) -> Iterator[types.FunctionType]:
    """Yield the functions behind a value: itself, those it wraps, a class's own four."""
    value = value._init_fn if isinstance(value, CustomOpDef) else value
    value = value.__func__ if isinstance(value, staticmethod) else value
    if isinstance(value, type):
        for method in ("__init__", "forward", "_forward_impl", "_call"):
            yield from _functions(vars(value).get(method))
    while isinstance(value, types.FunctionType):
        yield value
        value = getattr(value, "__wrapped__", None)


def _refusal(name: str) -> Callable[..., None]:
    return _raising(f"the ready-made `{name}` is what this exercise asks you to write")


@functools.cache
def _raising(text: str) -> Callable[..., None]:
    """Return a function that raises, without looking up any other name."""
    made: dict[str, Any] = {}
    exec(f"def refused(*_, **__): raise RuntimeError({text!r})", made)
    return made["refused"]
