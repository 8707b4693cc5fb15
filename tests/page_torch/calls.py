"""Calls of each operation that the random programs do not draw, for both sides to make.

A call is written as it is done, and means a step of a program: `grid.median(0)`, `torch.isin(...)`.
"""

import math
from dataclasses import dataclass

from tests.page_torch.programs import FLOATS, Kind, Ref


@dataclass(frozen=True)
class Given(Ref):
    """A tensor of the table: a call of its method is written down, and not done."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **options: ("method", name, (self, *args), options)


@dataclass(frozen=True)
class Home:
    """Where functions are: a call of one is written down, and not done."""

    place: str

    def __getattr__(self, name):
        return lambda *args, **options: (self.place, name, args, options)


NAN, INF = math.nan, math.inf
GIVEN = {  # whose type varies: the shape, and what is in it
    "one": ((), [2.5]),
    "even": ((4,), [3, 1, 2.5, 1]),
    "odd": ((5,), [3, 1, -2, 1, 5]),
    "none": ((0,), []),
    "three": ((3,), [0.5, -1, 2]),
    "two": ((2,), [1.5, 3]),
    "grid": ((2, 3), [2.5, 0, -0.3, 2.5, 7, -3]),
    "wide": ((2, 4), [4, 1, 1, 3, -2, 0, 5, -3]),
    "tall": ((3, 2), [1, -2, 0.5, 0, 3, 1]),
    "square": ((3, 3), [1, 2, 0, -1, 0.5, 3, 2, 0, 1]),
    "batch": ((2, 2, 3), [1, 0, 2, -1, 3, 0.5, 2, 2, 1, 0, -2, 1]),
    "deep": ((2, 3, 2), [1, 2, 0, 1, -1, 0.5, 3, 0, 1, 1, 2, -2]),
    "empty": ((0, 3), []),
    "strange": ((6,), [NAN, 1, INF, -INF, -0.0, 2]),
    "holes": ((2, 3), [NAN, 1, 4, 2, NAN, NAN]),
    "turned": ((3, 2), [4, 1, 1, 3, -2, 0.5]),
    "skipped": ((2, 6), [9, 1, 4, 1, 0, 5, 3, 2, 2, 8, 1, 7]),
}
FIXED = {  # and whose type is their own
    "picks": ("int64", (2,), [2, 0]),
    "again": ("int64", (3,), [1, 0, 1]),
    "below": ("int64", (3,), [-1, 0, 1]),
    "beyond": ("int64", (2,), [0, 9]),
    "places": ("int64", (2, 3), [0, 1, 0, 1, 1, 0]),
    "fewer": ("int32", (1, 2), [1, 0]),
    "counts": ("int32", (5,), [1, 3, 1, 0, 2]),
    "mask": ("bool", (2, 3), [True, False, True, False, False, True]),
    "lid": ("bool", (3,), [True, False, True]),
    "double": ("float64", (3,), [0.1, -2, 3]),
    "whole": ("int64", (3,), [1, 0, -2]),
}
(
    one, even, odd, none, three, two, grid, wide, tall, square, batch, deep, empty, strange,
    holes, turned, skipped, picks, again, below, beyond, places, fewer, counts, mask, lid, double,
    whole,
) = (Given(n) for n in range(len(GIVEN) + len(FIXED)))  # fmt: skip
torch, F, linalg = Home("torch"), Home("functional"), Home("linalg")
int64, float64, long = Kind("int64"), Kind("float64"), Kind("int64")


def specs(kind, wants):
    for name, (shape, numbers) in GIVEN.items():
        fitting = [fit(v, kind) for v in numbers]
        yield kind, shape, fitting, name == "turned", name == "skipped", wants
    for own, shape, numbers in FIXED.values():
        yield own, shape, numbers, False, False, False


def fit(number, kind):
    if kind in FLOATS:
        return number
    whole = int(number) if math.isfinite(number) else 0
    return bool(whole) if kind == "bool" else abs(whole) if kind == "uint8" else whole


def each(names, *calls):
    return [getattr(x, name)(*args) for name in names.split() for x, *args in calls]


CALLS = [
    # numbers that a type cannot hold
    three.pow(1e9), three.pow_(1e9), three.pow(1e39), one.pow(INF),
    *(step for alpha in (0, 1.0, -1, 300, 1e9, 1e39, INF, True) for step in (
        torch.add(three, three, alpha=alpha), three.add(2, alpha=alpha),
        three.sub(one, alpha=alpha), three.sub_(three, alpha=alpha),
        torch.add(mask, mask, alpha=alpha))),
    *(F.pad(x, (1, n), value=-1e9) for x in (three, none) for n in (0, 1)),
    F.pad(three, (-1, 0), value=-1e9),
    *(torch.linspace(0, 1e9, steps, dtype=Kind("float16")) for steps in (1, 2)),
    # what describes a tensor
    *each("is_floating_point is_contiguous type cpu requires_grad_ item",
          *((x,) for x in (grid, one, turned, skipped, whole))),
    *(("method", "__getattribute__", (x, name), {}) for x in (grid, one, batch, turned)
      for name in ("T", "mT", "data", "real", "nbytes", "itemsize", "ndim", "is_meta")),
    three.type(float64), three.requires_grad_(False), torch.is_autocast_enabled(),
    # the least and the greatest, and order
    *each("median", *((x,) for x in (even, odd, one, none, grid, strange, turned)), (even, 0),
          (odd, 0), (wide, 1), (wide, -1, True), (grid, 0), (strange, 0), (turned, 0), (one, 0),
          (empty, 1), (empty, 0), (grid, 2)),
    *each("kthvalue", (even, 1), (even, 4), (even, 0), (even, 5), (wide, 3, 1), (wide, 2, 0, True),
          (strange, 6), (one, 1), (turned, 2, 0), (none, 1)),
    # sums, counts, what runs along an axis
    *each("nanmean", *((x,) for x in (holes, strange, one, none)), (holes, 0), (holes, 1, True),
          (holes, (0, 1)), (empty, 0)),
    *each("count_nonzero", *((x,) for x in (grid, strange, one, none)), (grid, 0), (grid, (0, 1)),
          (empty, 0), (grid, 2)),
    *(torch.var_mean(*args) for args in (
        (grid,), (grid, 0), (grid, 1, False), (grid, False), (one,), (empty, 0), (grid, 3))),
    torch.var_mean(grid, 1, keepdim=True, correction=0),
    *each("diff", (even,), (even, 2), (grid, 3), (one,), (even, 0), (none,), (even, -1),
          (turned, 1, 0)),
    *each("cumsum_ cumprod_", (grid, 0), (turned, 1)),
    grid.allclose(grid), holes.allclose(holes), holes.allclose(holes, equal_nan=True),
    three.allclose(double), three.allclose(grid, 1, 3),
    grid.clamp_(0, 2), grid.clamp_(three), grid.clamp_min_(1), grid.clamp_min_(three),
    strange.nan_to_num_(), grid.clamp(), grid.clamp(2, 0), grid.clamp(three, one),
    # products
    *each("baddbmm baddbmm_", (batch, batch, deep), (one, batch, deep), (three, batch, deep),
          (grid, grid, deep), (deep, deep, deep), (one, batch, batch)),
    two.baddbmm(batch, deep, beta=2, alpha=3), two.baddbmm(batch, deep, beta=0),
    *each("inner", (three, three), (grid, three), (grid, batch), (grid, one), (one, one),
          (grid, two), (three, double), (none, none), (batch, grid)),
    *each("matrix_power", (square, 0), (square, 1), (square, 3), (grid, 2),
          (three, 2), (batch, 2), (square, -1)),
    *(matrix(x) for matrix in (linalg.matrix_exp, linalg.pinv) for x in (square, grid, three)),
    square.matrix_exp(), linalg.matrix_power(square, 2),
    linalg.solve(square, three), linalg.solve(square, tall), linalg.solve(grid, two),
    linalg.lstsq(square, tall), linalg.lstsq(square, three), linalg.lstsq(grid, tall),
    linalg.norm(grid), linalg.norm(three, 1), linalg.norm(grid, dim=1), linalg.norm(one),
    linalg.norm(grid, 2, 0, True), linalg.norm(three, 0), linalg.norm(strange, INF),
    linalg.vector_norm(grid), linalg.vector_norm(grid, 3, 1), linalg.vector_norm(none),
    linalg.vector_norm(grid, -INF, (0, 1), True), linalg.vector_norm(grid, dtype=float64),
    *each("kron", (grid, square), (three, grid), (one, grid), (three, double), (none, three)),
    *(torch.cdist(*args) for args in (
        (grid, square), (grid, square, 1.0), (grid, tall), (grid, three), (batch, square, INF))),
    grid.addcmul_(three, grid), three.addcmul_(grid, grid), grid.addcmul_(three, three, value=0.5),
    # shapes
    *each("broadcast_to", (one, (2, 3)), (three, (2, 3)), (three, (2, -1)), (three, (2,)),
          (grid, (3,)), (three, (2, 2, 3))),
    *each("unfold", (even, 0, 2, 1), (even, 0, 2, 3), (grid, 1, 2, 1), (grid, 0, 3, 1),
          (even, 0, 2, 0), (even, 0, -1, 1), (even, 0, 0, 2), (turned, 0, 2, 1)),
    *each("fliplr", *((x,) for x in (grid, batch, three, one, turned))),
    *each("diag_embed", (three,), (three, 1), (three, -2), (grid,), (grid, 0, 0, 2), (one,),
          (grid, 1, 0, 1), (none,), (none, 1), (grid, 0, 1, 1), (grid, 0, 0, 3)),
    *each("tril_ triu_", (grid,), (square, 1), (three,), (turned,), (batch, -1)),
    *each("fill_diagonal_", (grid, 9), (grid, 1.5), (three, 1), (square, True), (turned, 2)),
    *(torch.block_diag(*args) for args in ((grid, three, one), (grid, double), (none,), (batch,))),
    *(torch.broadcast_shapes(*args) for args in (((2, 1), (3,)), (2, (3, 1)), ((2,), (3,)))),
    *(getattr(torch, name)(x) for name in ("hstack", "vstack", "column_stack", "concat") for x in (
        (three, double), (grid, grid), (one, one), (three, two), (batch, batch), (grid, three), (),
        (none, three), (grid, empty), (three, grid), (three, one))),
    torch.concat((grid, wide), 1), torch.concat((three, 1)),
    torch.meshgrid(three, two, indexing="ij"), torch.meshgrid(three, two, indexing="xy"),
    torch.meshgrid(three, one, indexing="ij"), torch.meshgrid(grid, indexing="ij"),
    torch.meshgrid(three, two, indexing="yx"), torch.meshgrid(three, double, indexing="ij"),
    # places
    *each("take_along_dim", (grid, places, 1), (grid, places), (grid, picks, 1), (grid, fewer, 1),
          (square, places, 1), (grid, places, 0), (grid, mask, 1), (three, again, 0),
          (three, below, 0), (three, below), (two, beyond, 0)),
    *each("scatter scatter_", (grid, 1, places, grid), (grid, 0, places, grid),
          (grid, 1, places, 7), (three, 0, again, three), (three, 0, picks, three),
          (grid, 0, places, three), (grid, 0, picks, grid), (grid, 2, places, 1),
          (three, 0, beyond, three), (three, 0, below, three), (three, 0, again, double),
          (three, 0, again, 1.5), (square, 0, places, grid), (grid, 1, fewer, grid),
          (one, 0, again, 1), (three, 0, three, three), (three, 0, picks, two),
          (two, 0, again, two), (turned, 0, fewer, 1)),
    grid.scatter_(1, places, value=2), grid.scatter(dim=1, index=places, src=grid),
    *each("index_add index_add_", (grid, 1, picks, tall), (grid, 0, again, square),
          (grid, 1, again, grid), (three, 0, again, three), (three, 0, beyond, two),
          (three, 0, below, three), (three, 0, again, double), (three, 0, again, 1),
          (three, 0, picks, three), (grid, 0, places, grid), (grid, 2, picks, grid),
          (three, 0, three, three), (turned, 0, again, square), (odd, 0, counts, odd)),
    three.index_add(0, again, three, alpha=2), grid.index_add_(1, again, grid, alpha=0.5),
    *each("index_fill index_fill_", (grid, 1, picks, 7), (grid, 0, again, 1.5),
          (three, 0, picks, one), (three, 0, below, 2), (three, 0, beyond, 2),
          (three, 0, picks, two), (three, 0, three, 2), (grid, 0, places, 2), (grid, 2, picks, 2),
          (three, 0, picks, True), (turned, 0, picks, 3)),
    *each("index_put index_put_", (three, (picks,), two), (three, [picks], one),
          (grid, (again, picks), one), (grid, (mask,), one), (grid, (again, again), three),
          (three, (beyond,), two), (three, (picks,), double), (three, (picks,), three),
          (three, (lid,), two), (three, (picks,), 1), (grid, (again,), three)),
    *each("masked_scatter masked_scatter_", (grid, mask, square), (grid, mask, three),
          (grid, lid, wide), (three, mask, wide), (grid, mask, two), (three, lid, double),
          (three, whole, three), (three, lid, 1), (turned, lid, grid), (skipped, mask, grid),
          (one, lid, wide)),
    *(torch.isin(*args) for args in (
        (three, two), (three, three), (grid, double), (grid, whole), (three, 2), (grid, none),
        (strange, strange), (three, 2.0), (2, three), (turned, three), (whole, True), (2, 2))),
    # made
    *each("new_full", (three, (2, 2), 1.5), (three, (), 3), (three, (2,), True), (three, (1,), one),
          (three, 2, 1)),
    *each("new_tensor", (three, [1, 2.5]), (three, 3), (three, [True]), (three, "a")),
    *each("new_ones new_zeros", (three, 2, 3), (three, -1), (three, ()), (three, [2])),
    *(getattr(torch, name)(*args) for name in ("ones", "zeros") for args in (
        (2, 3), ((2,),), (), ([0, 1],), (-1,), (1.5,))),
    torch.ones(2, dtype=long), torch.zeros(2, requires_grad=True),
    *(torch.full(*args) for args in (((2,), 1), ((2, 1), 0.5), ((), True), ((2,), one), (2, 1),
                                     ((-1,), 1))),
    *(torch.tensor(x) for x in (
        [[1, 2], [3, 4.5]], [], True, [[1], [2, 3]], "a", three, [one, 2], 1e300, None)),
    torch.tensor([1, 2], dtype=float64), torch.tensor([1.5], dtype=long),
    torch.as_tensor([1, 2]), torch.as_tensor(three), torch.as_tensor(three, dtype=float64),
    torch.asarray([1.5]), torch.asarray(three), torch.asarray(three, dtype=long),
    *(torch.tril_indices(*args) for args in (
        (3, 3), (2, 4), (4, 2, 1), (3, 3, -1), (0, 3), (3, 3, 9), (-1, 2))),
    # layers and losses
    *(getattr(F, name)(x) for x in (grid, strange, one, empty) for name in ("sigmoid", "tanh")),
    *(F.gelu(x) for x in (grid, one, empty, holes)),  # processors differ at infinity
    F.gelu(grid, approximate="tanh"), F.gelu(grid, approximate="no"),
    F.glu(wide), F.glu(wide, 0), F.glu(grid), F.glu(one), F.glu(wide, 2),
    F.dropout(grid, 0.5, False), F.dropout(grid, 0.0), F.dropout(grid, 1.5),
    F.layer_norm(grid, (3,)), F.layer_norm(grid, (3,), three, three), F.layer_norm(grid, (2,)),
    F.layer_norm(grid, (2, 3), eps=0.1), F.layer_norm(grid, (3,), two),
    F.layer_norm(grid, ()), F.layer_norm(empty, (3,)), F.layer_norm(grid, (3,), double),
    F.rms_norm(grid, (3,)), F.rms_norm(grid, (3,), three), F.rms_norm(grid, (2,)),
    F.rms_norm(grid, (2, 3), eps=0.1), F.rms_norm(grid, (3,), two),
    torch.layer_norm(grid, (3,)), torch.rms_norm(grid, (3,)),
    *(F.cosine_similarity(*args) for args in (
        (grid, grid), (grid, three), (grid, wide), (grid, square, 0), (three, three, 0))),
    *(F.nll_loss(*args) for args in (
        (grid, picks), (three, picks), (grid, beyond), (grid, again), (grid, two))),
    F.nll_loss(grid, picks, ignore_index=2),
    *(F.nll_loss(grid, picks, reduction=how) for how in ("sum", "none", "all")),
    *(F.scaled_dot_product_attention(*args) for args in (
        (batch, batch, batch), (batch, deep, deep), (grid, square, square),
        (grid, square, square, mask), (grid, square, square, holes),
        (grid, square, square, places), (three, three, three))),
    F.scaled_dot_product_attention(batch, batch, batch, is_causal=True),
    F.scaled_dot_product_attention(batch, batch, batch, scale=0.5),
    F.scaled_dot_product_attention(grid, square, square, mask, is_causal=True),
]  # fmt: skip

LAST = Given(-1)  # what the call before gave
CHAINS = [  # calls that follow on one another: of views, of what shares numbers
    *([three.broadcast_to((2, 3)), step] for step in (
        LAST.scatter_(0, fewer, 2), LAST.index_add_(0, again, square),
        LAST.index_fill_(0, again, 2), LAST.masked_scatter_(mask, grid), LAST.diff(1, 0),
        LAST.fill_diagonal_(2), LAST.kthvalue(2, 1))),
    *([batch.select(1, 1), step] for step in (
        LAST.median(1), LAST.kthvalue(2, 0), LAST.index_add_(1, again, grid),
        LAST.fill_diagonal_(9), LAST.scatter_(1, places, 3), LAST.masked_scatter_(mask, grid),
        LAST.unfold(1, 2, 1), LAST.index_fill_(1, again, 5), LAST.triu_(1), LAST.cumsum_(1),
        LAST.diag_embed())),
    *([three.detach(), step] for step in (
        three.scatter_(0, again, LAST), three.index_add_(0, again, LAST),
        three.addcmul_(LAST, LAST))),
]  # fmt: skip
