"""Every operation is compared with PyTorch: by random programs, or by a table of telling calls."""

import inspect

import pytest
import torch

from page_torch import torch as small
from page_torch.torch.operation import FUNCTIONAL, TENSOR, TORCH
from tests.page_torch import programs
from tests.page_torch.calls import CALLS, CHAINS, specs
from tests.page_torch.programs import Ref, build, do, run

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch warns of old habits


KINDS = ["float32", "float16", "bfloat16", "int64", "uint8", "bool"]

OF_LINALG = ("torch", small.linalg.__name__)

#: Operations in neither list, and why.
ELSEWHERE = {
    "rand randn randint randperm uniform_ normal_ exponential_ multinomial":
        "test_generator compares what is drawn",
    "manual_seed": "test_generator draws by it; it gives no tensor",
    "get_default_dtype": "a type, of which there is one",
    "numpy": "missing: test_names tries it",
    "backward": "after each program its gradients are compared, and test_gradients tries it",
    "empty new_empty empty_like data_ptr": "what they give is any number in PyTorch",
}  # fmt: skip


def needed(specs, steps):
    used = sorted({n for n in spoken_of(steps) if n >= 0})
    order = {n: place for place, n in enumerate(used)}
    return [specs[n] for n in used], renumbered(steps, order)


def spoken_of(value):
    if isinstance(value, Ref):
        return [value.index]
    parts = value.values() if isinstance(value, dict) else value
    return [n for part in parts for n in spoken_of(part)] if is_nested(value) else []


def renumbered(value, order):
    if isinstance(value, Ref):
        return Ref(order.get(value.index, value.index))
    if isinstance(value, dict):
        return {key: renumbered(part, order) for key, part in value.items()}
    return type(value)(renumbered(part, order) for part in value) if is_nested(value) else value


def is_nested(value):
    return isinstance(value, tuple | list | dict)


@pytest.mark.parametrize("kind", [*KINDS, "float32 that wants gradients"])
def test_telling_calls_do_what_they_do_with_pytorch(kind):
    given = list(specs(kind.split()[0], "wants" in kind))
    for steps in [*([call] for call in CALLS), *CHAINS]:
        run(*needed(given, steps))


@pytest.mark.parametrize("other", [None, "2", (1.0,), ...], ids=repr)
def test_what_is_no_operand_is_refused_in_the_same_words(other):
    """Python says which two do not go together, once both have left it to the other."""
    for spec in specs("float32", True):
        for name in [*programs.OPERATORS.split(), *programs.WRITING_OPERATORS.split()]:
            for operands in [(Ref(0), other), (other, Ref(0))]:
                step = ("operator", name, operands, {})
                mine, right = (do(side, [build(side, spec)], step) for side in (small, torch))
                assert (type(mine), str(mine)) == (type(right), str(right)), (spec, step)


def test_the_page_has_what_the_table_calls():
    """What is missing would be compared with nothing."""
    given = list(specs("float32", False))
    for call in CALLS:
        used, (step,) = needed(given, [call])
        do(small, [build(small, spec) for spec in used], step)


def test_the_page_has_what_programs_call():
    homes = {"method": small.Tensor, "torch": small, "functional": small.nn.functional}
    drawn = {(place, name) for place, name in named() if place in homes}
    assert [step for step in sorted(drawn) if not hasattr(homes[step[0]], step[1])] == []


def named():
    """List what is compared: by place and name."""
    for choices in (programs.STEPS, programs.STEPS_OF_COMPLEX):
        for place, names, *_ in choices:
            yield from ((place, name) for name in names)
    yield from ((place, name) for place, name, *_ in CALLS)


def test_every_operation_is_compared_with_pytorch():
    compared = {}
    for place, name in named():
        compared.setdefault(place, set()).add(name)
    elsewhere = set(" ".join(ELSEWHERE).split())
    of_matrices = {name for name, thing in vars(small.linalg).items() if is_operation(name, thing)}
    assert elsewhere <= (TORCH | TENSOR).keys()
    assert (TORCH | TENSOR).keys() - compared["torch"] - compared["method"] <= elsewhere
    assert FUNCTIONAL.keys() <= compared["functional"]
    assert of_matrices <= compared["linalg"]


def is_operation(name, thing):
    home = getattr(thing, "__module__", "")
    return not name.startswith("_") and inspect.isfunction(thing) and home in OF_LINALG


def test_there_is_no_operation_that_pytorch_has_not():
    homes = (TORCH, torch), (TENSOR, torch.Tensor), (FUNCTIONAL, torch.nn.functional)
    assert [name for mine, home in homes for name in mine if not hasattr(home, name)] == []
