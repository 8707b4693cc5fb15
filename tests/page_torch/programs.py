"""Random programs of operations, run by PyTorch and by the page's small one, and compared.

A program is drawn once, as plain values, and run twice. After each step both sides must agree:
an error, or results of the same shape, type and numbers, that share storage with the same tensors
and are connected with the same ones; and all tensors must be what they are on the other side. Then
the small one goes on with PyTorch's numbers, so that rounding adds up nowhere, and new tensors lie
in memory as PyTorch's do, so that views of them have the same strides.
"""

import math
import operator
from dataclasses import dataclass

import torch
from hypothesis import strategies as st

from page_torch import torch as small
from page_torch.torch.layout import places
from page_torch.torch.missing import NotOnThisPage
from page_torch.torch.tensor import numbers as numbers_of
from tensorgrader.sandbox.gradients import _reached

FLOATS = ("float32", "float32", "float32", "float64", "float16", "bfloat16")
WHOLE = ("int64", "int64", "int32", "int16", "int8", "uint8")
KINDS = (*FLOATS, *WHOLE, "bool")
SLIPS = (AttributeError, NameError, KeyError)  # errors of our code's, if PyTorch has them not
CLOSE = {"float64": 1e-12, "float32": 3e-6, "float16": 2e-3, "bfloat16": 2e-2}


@dataclass(frozen=True)
class Ref:
    """Stands in a program for a tensor of the pool."""

    index: int


@dataclass(frozen=True)
class Kind:
    """Stands in a program for a dtype."""

    name: str


def build(side, spec):
    kind, shape, numbers, turned, skipped, wants = spec
    made = side.tensor(numbers, dtype=getattr(side, kind)).reshape(shape)
    if turned:
        made = made.transpose(0, -1) if shape else made
    if skipped and shape:
        made = made[..., ::2]
    if wants and kind in FLOATS:
        made = made.detach().requires_grad_()
    return made


def resolve(side, pool, value):
    if isinstance(value, Ref):
        return pool[value.index % len(pool)]
    if isinstance(value, Kind):
        return getattr(side, value.name)
    if isinstance(value, tuple | list):
        return type(value)(resolve(side, pool, part) for part in value)
    if isinstance(value, dict):
        return {key: resolve(side, pool, part) for key, part in value.items()}
    return value


def do(side, pool, step):
    """Do one step on one side: give the result, or the type of the error."""
    place, name, args, options = step
    args, options = resolve(side, pool, args), resolve(side, pool, options)
    try:
        if place == "method":
            return getattr(args[0], name)(*args[1:], **options)
        if place == "operator":
            return getattr(operator, name)(*args)
        if place == "put":
            args[0][args[1]] = args[2]
            return args[0]
        home = {"functional": side.nn.functional, "linalg": side.linalg}.get(place, side)
        return getattr(home, name)(*args, **options)
    except Exception as error:
        return error


def results(value):
    """List the results of a step: several, or one."""
    return list(value) if isinstance(value, tuple | list) else [value]


def run(specs, steps):
    """Run a program on both sides. Raises AssertionError where they differ."""
    ours, theirs = ([build(side, spec) for spec in specs] for side in (small, torch))
    leaves = len(specs)
    for step in steps:
        try:
            mine = do(small, ours, step)
        except NotOnThisPage:
            return
        right = do(torch, theirs, step)
        if isinstance(right, torch.Tensor) and min(right.shape, default=0) < 0:
            return  # a size of -1, which PyTorch's expand gives a tensor without axes
        if isinstance(right, Exception) or isinstance(mine, Exception):
            both = isinstance(right, Exception) and isinstance(mine, Exception)
            ours_alone = isinstance(mine, SLIPS) and not isinstance(right, type(mine))
            assert both, f"{step}: {mine!r}, PyTorch: {right!r}"
            assert not ours_alone, f"{step}: {mine!r}, PyTorch: {right!r}"
            break
        if step[1] == "topk" and repeats(right.values):  # any of those that are equal may be named
            mine, right = mine.values, right.values
        mine, right = results(mine), results(right)
        assert len(mine) == len(right), step
        for one, other in zip(mine, right, strict=True):
            if isinstance(other, torch.Tensor):
                if other.numel() > 2000:
                    return
                ours.append(one)
                theirs.append(other)
            else:
                same = one == other or repr(one) == repr(other)  # nan, in a list too
                alike = same and type(one) is type(other)
                assert alike, f"{step}: {one!r}, PyTorch: {other!r}"
        pools = in_floats(ours), in_floats(theirs)
        for n, (one, other) in enumerate(zip(*pools, strict=True)):
            if shared(other, pools[1]) == n and shared(one, pools[0]) == n:
                lay_as(one, other)
            difference = differs(one, other, *pools, leaves)
            assert not difference, f"{step}: {difference}\n{one}\nPyTorch:\n{other}"
            copy_numbers(one, other)
    for n in range(leaves, len(ours)):
        compare_gradients(ours[n], theirs[n], ours[:leaves], theirs[:leaves], steps)


def compare_gradients(one, other, ours, theirs, steps):
    """Compare the gradients of a result in the leaves. Raises AssertionError where they differ.

    Half precision is left out, since PyTorch rounds on the way; so is what is no finite number.
    """
    if other.is_complex() or not other.requires_grad or not other.numel():
        return
    wanting = [n for n, leaf in enumerate(theirs) if leaf.requires_grad]
    wide = all(theirs[n].dtype.itemsize >= 4 for n in wanting) and other.dtype.itemsize >= 4
    weights = torch.arange(other.numel()).cos().reshape(other.shape)
    mine = small.tensor(weights.tolist(), dtype=getattr(small, str(other.dtype)[6:]))
    how = {"retain_graph": True, "allow_unused": True}
    try:
        right = torch.autograd.grad(
            other, [theirs[n] for n in wanting], weights.to(other.dtype), **how
        )
    except RuntimeError:
        return
    try:
        found = small.autograd.grad(one, [ours[n] for n in wanting], mine.reshape(one.shape), **how)
    except NotOnThisPage:
        return
    for got, want in zip(found, right, strict=True):
        if want is None or not wide:
            continue
        assert got is not None, steps
        known = want.isfinite()
        scale = want[known].abs().max().item() if known.any() else 0.0
        given = torch.tensor(got.tolist(), dtype=want.dtype).reshape(want.shape)
        close = torch.isclose(given, want, rtol=1e-5, atol=1e-5 * max(1.0, scale))
        assert (close | ~known).all(), f"{steps}\n{given}\nPyTorch:\n{want}"


def repeats(x):
    return x.unique().numel() < x.numel()


def as_pairs(x):
    return torch.view_as_real(x) if isinstance(x, torch.Tensor) else x.pairs


def in_floats(pool):
    return [as_pairs(x) if x.is_complex() else x for x in pool]


def differs(one, other, ours, theirs, leaves):
    """Say in what a tensor is not PyTorch's, or nothing."""
    told = {
        "shape": tuple(one.shape) == tuple(other.shape),
        "dtype": str(one.dtype) == str(other.dtype),
    }
    if not all(told.values()):
        return next(key for key, holds in told.items() if not holds)
    told = {
        "strides": strides(one) == strides(other),
        "contiguous": one.is_contiguous() == other.is_contiguous(),
        "storage": shared(one, ours) == shared(other, theirs),
        "requires_grad": one.requires_grad == other.requires_grad,
        "is_leaf": one.is_leaf == other.is_leaf,
        "origins": origins(other, theirs[:leaves]) in (None, origins(one, ours[:leaves])),
        "version": (one._version > 0) <= (other._version > 0),
        "numbers": all(map(near(one), one.flatten().tolist(), other.detach().flatten().tolist())),
    }
    return next((key for key, holds in told.items() if not holds), "")


def strides(x):
    steps = x.stride() if isinstance(x, torch.Tensor) else x._strides
    return [] if 0 in x.shape else [s for s, n in zip(steps, x.shape, strict=True) if n > 1]


def shared(x, pool):
    return next((n for n, other in enumerate(pool) if x.numel() and place(other) == place(x)), -1)


def place(x):
    if isinstance(x, torch.Tensor):
        return x.untyped_storage().data_ptr()
    return id(x._storage)


def origins(x, leaves):
    """Return the leaves to which gradients would get, or None if what they need was written into.

    The page hears of that for fewer operations than PyTorch, and for no other.
    """
    if x.grad_fn is None:
        return []
    try:
        reached = _reached(x.grad_fn)
    except RuntimeError as error:
        if "modified by an inplace operation" in str(error):
            return None
        raise
    return [n for n, leaf in enumerate(leaves) if id(leaf) in reached]


def near(x):
    close = CLOSE.get(str(x.dtype).removeprefix("torch."), 0.0)
    known = [abs(v) for v in x.flatten().tolist() if math.isfinite(v)] if close else []
    absolute = close * max([1.0, *known])

    def compare(a, b):
        if a == b or (a != a and b != b):
            return True
        return math.isclose(a, b, rel_tol=close, abs_tol=absolute)

    return compare


def lay_as(one, other):
    """Lay out a new tensor as PyTorch's, which owns its storage and has all of it."""
    if one.shape == other.shape and one._strides != other.stride() and is_whole(other):
        kept = numbers_of(one)
        one._strides = other.stride()
        if (node := one._node) is not None and len(node.shape) == len(one.shape):
            node.strides = one._strides
        elif node is not None:
            node.back = None  # something was written into it, at places that are others now
        for at, value in zip(places(tuple(one.shape), one._strides), kept, strict=True):
            one._storage[at] = value


def is_whole(x):
    """Return whether a tensor of PyTorch's has all of its storage, and nothing twice."""
    return x.storage_offset() == 0 and x.untyped_storage().nbytes() == x.nbytes


def copy_numbers(one, other):
    """Return a small tensor PyTorch's numbers."""
    values = other.detach().flatten().tolist()
    for at, value in zip(places(tuple(one.shape), one._strides), values, strict=True):
        one._storage[one._offset + at] = value


# --- drawing programs ------------------------------------------------------------------------

numbers = st.one_of(
    st.integers(-3, 9),
    st.sampled_from([0.0, -0.0, 0.5, -1.5, 2.25, 1e-3, 0.1, 3.7, -7.3, 100.0]),
    st.sampled_from([math.inf, -math.inf, math.nan, 1e5]),
)
whole = st.integers(-4, 4)
lengths = st.integers(0, 4)
shapes = st.one_of(
    st.lists(st.integers(1, 3), max_size=3), st.lists(st.sampled_from([1, 2, 3, 0]), max_size=4)
).map(tuple)


@st.composite
def tensors(draw):
    kind, shape = draw(st.sampled_from(KINDS)), draw(shapes)
    drawn = numbers if kind in FLOATS else st.integers(0, 5) if kind != "bool" else st.booleans()
    count = math.prod(shape)
    values = draw(st.lists(drawn, min_size=count, max_size=count))
    return (
        kind,
        shape,
        values,
        draw(st.booleans()),
        draw(st.integers(0, 3)) == 0,
        draw(st.booleans()),
    )


dim = st.integers(-3, 3)
tensor = st.integers(0, 20).map(Ref)
scalar = st.one_of(
    st.integers(-3, 5), st.sampled_from([0.5, -1.5, 2.0, 0.1, 1e9, math.inf]), st.booleans()
)
operand = st.one_of(tensor, tensor, scalar)
dims = st.one_of(dim, st.none(), st.lists(dim, max_size=2).map(tuple))
sizes = st.lists(st.sampled_from([-1, 1, 2, 3, 4, 6, 0]), max_size=4)
kinds = st.sampled_from(KINDS).map(Kind)
keep = st.booleans()
slices = st.builds(slice, *[st.one_of(st.none(), whole)] * 2, st.sampled_from([None, 1, 2]))
part = st.one_of(
    st.integers(-3, 3), slices, slices, st.none(), st.just(...), tensor,
    st.lists(st.integers(-2, 2), min_size=1, max_size=3),
)  # fmt: skip
several = st.lists(part, min_size=1, max_size=3)
keys = st.one_of(part, several, several.map(tuple))
no_options = st.just({})


def options(**choices):
    return st.fixed_dictionaries({}, optional=choices)


BINARY = "add sub mul div floor_divide remainder pow maximum minimum eq ne lt le gt ge"
BINARY += " logical_and logical_or bitwise_and bitwise_or bitwise_xor hypot"
UNARY = "exp exp2 log log2 sqrt rsqrt sin cos tanh sigmoid reciprocal ceil round"
UNARY += " abs neg square relu logical_not bitwise_not isnan isinf isfinite clone detach positive"
UNARY += " contiguous t nonzero numel dim tolist flatten squeeze"
UNARY += " float double half bfloat16 long int short char byte bool"
UNARY += " any all sum mean prod max min argmax argmin var std nan_to_num"
WRITING, WRITING_ALONE = (
    [f"{name}_" for name in names.split() if hasattr(torch.Tensor, f"{name}_")]
    for names in (
        BINARY,
        UNARY.replace(" t ", " ").replace(" squeeze ", " ").replace(" detach", ""),
    )
)
REDUCING = "sum mean prod amax amin any all var std"
CHOOSING = "max min argmax argmin"
ALONG = "cumsum cumprod softmax log_softmax"
OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor eq ne lt le gt ge matmul"
WRITING_OPERATORS = "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor"


EQUATIONS = st.sampled_from([
    "ij,jk->ik", "ij,kj->ik", "...d,...d->...", "bij,bjk->bik", "ij,ij->", "i,j->ij", "ij,j->i",
    "ij,jk", "...ij,...kj->...ik", "ii,i->i", "ij,k->ijk", "bqd,bkd->bqk",
])  # fmt: skip

#: How steps may be drawn: where, which names, which arguments, which options.
STEPS = [
    ("method", BINARY.split(), (tensor, operand), no_options),
    ("operator", OPERATORS.split(), (operand, tensor), no_options),
    ("operator", OPERATORS.split(), (tensor, operand), no_options),
    ("operator", WRITING_OPERATORS.split(), (tensor, operand), no_options),
    ("method", UNARY.split(), (tensor,), no_options),
    ("method", WRITING, (tensor, operand), no_options),
    ("method", [*WRITING_ALONE, "zero_"], (tensor,), no_options),
    ("method", REDUCING.split(), (tensor, dims), options(keepdim=keep)),
    ("method", ["logsumexp"], (tensor, dim), options(keepdim=keep)),
    ("method", CHOOSING.split(), (tensor, dim), options(keepdim=keep)),
    ("method", ALONG.split(), (tensor, dim), no_options),
    ("method", ["sum", "cumsum"], (tensor, dim), options(dtype=kinds)),
    ("method", ["var", "std"], (tensor, dim), options(correction=st.integers(0, 2), keepdim=keep)),
    ("method", ["norm"], (tensor, st.sampled_from([1, 2, math.inf, 3]), dim), no_options),
    ("method", ["sort", "argsort"], (tensor,),
     st.fixed_dictionaries({"dim": dim, "descending": keep, "stable": st.just(True)})),
    ("method", ["view", "reshape"], (tensor, sizes), no_options),
    ("method", ["expand", "repeat"], (tensor, sizes), no_options),
    ("method", ["permute"], (tensor, st.permutations([0, 1, 2]) | st.lists(dim, max_size=3)),
     no_options),
    ("method", ["transpose", "swapaxes"], (tensor, dim, dim), no_options),
    ("method", ["transpose_", "swapaxes_"], (tensor, dim, dim), no_options),
    ("method", ["unsqueeze", "squeeze", "unbind"], (tensor, dim), no_options),
    ("method", ["unsqueeze_", "squeeze_"], (tensor, dim), no_options),
    ("method", ["t_", "squeeze_"], (tensor,), no_options),
    ("method", ["movedim"], (tensor, dim, dim), no_options),
    ("method", ["flatten"], (tensor, dim, dim), no_options),
    ("method", ["unflatten"], (tensor, dim, st.sampled_from([(1, -1), (-1, 1), (2, -1), (3,)])),
     no_options),
    ("method", ["split", "chunk"], (tensor, st.integers(1, 3), dim), no_options),
    ("method", ["tensor_split"], (tensor, st.integers(1, 3), dim), no_options),
    ("method", ["narrow"], (tensor, dim, whole, st.integers(0, 2)), no_options),
    ("method", ["select"], (tensor, dim, whole), no_options),
    ("method", ["diagonal", "tril", "triu", "diag"], (tensor, whole), no_options),
    ("method", ["roll"], (tensor, whole, dim), no_options),
    ("method", ["flip"], (tensor, st.lists(dim, max_size=2)), no_options),
    ("method", ["repeat_interleave"], (tensor, st.integers(1, 2), dim), no_options),
    ("method", ["expand_as", "view_as"], (tensor, tensor), no_options),
    ("method", ["matmul", "dot", "mm", "bmm", "mv", "outer"], (tensor, tensor), no_options),
    ("method", ["to"], (tensor, kinds), no_options),
    ("method", ["masked_fill", "masked_fill_"], (tensor, tensor, scalar), no_options),
    ("method", ["masked_select", "isclose", "equal"], (tensor, tensor), no_options),
    ("method", ["gather", "index_select"], (tensor, dim, tensor), no_options),
    ("method", ["fill_"], (tensor, scalar), no_options),
    ("method", ["copy_"], (tensor, tensor), no_options),
    ("method", ["clamp"], (tensor, operand, operand), no_options),
    ("method", ["clamp_", "clamp_min"], (tensor, scalar), no_options),
    ("method", ["topk"], (tensor, st.integers(0, 2), dim), no_options),
    ("method", ["addcmul"], (tensor, tensor, tensor), no_options),
    ("method", ["round"], (tensor,),
     st.fixed_dictionaries({"decimals": st.sampled_from([-1, 1, 2, 3])})),
    ("method", ["__getitem__"], (tensor, keys), no_options),
    ("put", ["put"], (tensor, keys, operand), no_options),
    ("torch", ["where"], (tensor, operand, operand), no_options),
    ("torch", ["cat"], (st.lists(tensor, min_size=1, max_size=3), dim), no_options),
    ("torch", ["stack"], (st.lists(tensor, min_size=1, max_size=3), dim), no_options),
    ("torch", ["zeros_like", "ones_like"], (tensor,), options(dtype=kinds)),
    ("torch", ["full_like"], (tensor, scalar), no_options),
    ("torch", ["arange"], (whole, whole), options(dtype=kinds)),
    ("torch", ["arange"],
     (st.sampled_from([0.0, -1.0, 0.5]), whole, st.sampled_from([0.5, 1, 0.3])),
     no_options),
    ("torch", ["linspace"], (whole, whole, st.integers(0, 6)), no_options),
    ("torch", ["eye"], (st.integers(0, 3), st.integers(0, 3)), no_options),
    ("torch", ["einsum"], (EQUATIONS, tensor, tensor), no_options),
    ("functional", ["softmax", "log_softmax"], (tensor, dim), no_options),
    ("functional", ["silu", "relu", "softplus", "logsigmoid"], (tensor,), no_options),
    ("functional", ["linear", "embedding"], (tensor, tensor), no_options),
    ("functional", ["one_hot"], (tensor,), no_options),
    ("functional", ["pad"], (tensor, st.lists(st.integers(-1, 2), min_size=2, max_size=4)),
     no_options),
    ("functional", ["cross_entropy"], (tensor, tensor),
     options(reduction=st.sampled_from(["none", "sum", "mean"]))),
    ("functional", ["normalize"], (tensor,), options(dim=dim)),
]  # fmt: skip


@st.composite
def steps(draw, choices):
    where, names, args, chosen = draw(st.sampled_from(choices))
    name = draw(st.sampled_from(names))
    return where, name, tuple(draw(arg) for arg in args), draw(chosen)


programs = st.tuples(
    st.lists(tensors(), min_size=1, max_size=3), st.lists(steps(STEPS), min_size=1, max_size=6)
)

# --- programs of complex numbers ---------------------------------------------------------------

UNARY_OF_COMPLEX = "view_as_real view_as_complex exp is_complex"
complex_operand = st.one_of(
    tensor, tensor, scalar, st.sampled_from([1j, -2j, 0.5 - 1.5j, complex(math.inf, 1)])
)


@st.composite
def pairs(draw):
    kind, shape = draw(st.sampled_from(["float32", "float32", "float64"])), draw(shapes)
    shape = (*shape, draw(st.sampled_from([2, 2, 2, 4])))
    values = draw(st.lists(numbers, min_size=math.prod(shape), max_size=math.prod(shape)))
    return kind, shape, values, draw(st.integers(0, 3)) == 0, False, draw(st.booleans())


#: How steps with complex numbers may be drawn.
STEPS_OF_COMPLEX = [
    ("torch", ["complex", "polar"], (tensor, tensor), no_options),
    ("torch", UNARY_OF_COMPLEX.split(), (tensor,), no_options),
    ("torch", ["mul"], (tensor, complex_operand), no_options),
    ("operator", ["mul"], (tensor, complex_operand), no_options),
    ("operator", ["mul"], (complex_operand, tensor), no_options),
    ("method", ["dim", "size"], (tensor,), no_options),
    ("method", ["unflatten"], (tensor, st.just(-1), st.just((-1, 2))), no_options),
    ("method", ["transpose"], (tensor, dim, dim), no_options),
]  # fmt: skip


programs_of_complex = st.tuples(
    st.lists(pairs(), min_size=2, max_size=3),
    st.lists(steps(STEPS_OF_COMPLEX), min_size=1, max_size=6).map(
        lambda drawn: [("torch", "view_as_complex", (Ref(0),), {}), *drawn]
    ),
)
