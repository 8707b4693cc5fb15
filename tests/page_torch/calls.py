"""Telling calls of each operation that the random programs do not draw, for both to do.

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
    "parts": ((4,), [0.5, -0.25, 0, 1]),
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
    one, even, odd, none, three, two, grid, wide, tall, square, batch, deep, empty, parts, strange,
    holes, turned, skipped, picks, again, below, beyond, places, fewer, counts, mask, lid, double,
    whole,
) = (Given(n) for n in range(len(GIVEN) + len(FIXED)))  # fmt: skip
torch, F, linalg = Home("torch"), Home("functional"), Home("linalg")
int64, float64, long = Kind("int64"), Kind("float64"), Kind("int64")


def specs(kind, wants):
    """Give the tensors of the table, those whose type varies in this one."""
    for name, (shape, numbers) in GIVEN.items():
        fitting = [fit(v, kind) for v in numbers]
        yield kind, shape, fitting, name == "turned", name == "skipped", wants
    for own, shape, numbers in FIXED.values():
        yield own, shape, numbers, False, False, False


def fit(number, kind):
    """Give a number that a type has."""
    if kind in FLOATS:
        return number
    whole = int(number) if math.isfinite(number) else 0
    return bool(whole) if kind == "bool" else abs(whole) if kind == "uint8" else whole


def every(names, *args):
    """Write down a method of each of these names."""
    return [getattr(args[0], name)(*args[1:]) for name in names.split()]


ONE = "acos asin atan arccos arcsin arctan sinh cosh tan exp2 log10 lgamma erfc deg2rad rad2deg"
ONE += " absolute negative positive fix isposinf isneginf"
ONE_IN_PLACE = "absolute_ acos_ arccos_ arcsin_ arctan_ asin_ atan_ bitwise_not_ ceil_ cos_ cosh_"
ONE_IN_PLACE += " deg2rad_ erf_ erfc_ exp2_ expm1_ fix_ frac_ lgamma_ log10_ log1p_ log2_ log_"
ONE_IN_PLACE += " nan_to_num_ negative_ rad2deg_ reciprocal_ rsqrt_ sign_ sin_ sinh_ tan_ trunc_"
TWO = "arctan2 divide float_power greater greater_equal hypot less less_equal multiply not_equal"
TWO += " subtract true_divide"
TWO_IN_PLACE = "arctan2_ atan2_ bitwise_and_ bitwise_xor_ divide_ eq_ float_power_ fmod_ ge_ gt_"
TWO_IN_PLACE += " greater_ greater_equal_ hypot_ le_ less_ less_equal_ logical_or_ logical_xor_ lt_"
TWO_IN_PLACE += " multiply_ ne_ not_equal_ subtract_ true_divide_"
ASKED = "is_floating_point is_signed element_size nelement ndimension storage_offset stride type"
ASKED += " get_device cpu byte char short detach_ share_memory_ requires_grad_ retain_grad"
PROPERTIES = "T H mT mH data real nbytes itemsize ndim is_cpu is_meta is_cuda is_sparse"

CALLS = [
    three.pow(1e9), three.pow_(1e9), three.pow(1e39), one.pow(INF),
    *(step for alpha in (0, 1.0, -1, 300, 1e9, 1e39, INF, True) for step in (
        torch.add(three, three, alpha=alpha), three.add(2, alpha=alpha),
        three.sub(one, alpha=alpha), three.sub_(three, alpha=alpha),
        torch.add(mask, mask, alpha=alpha))),
    *(F.pad(x, (1, n), value=-1e9) for x in (three, none) for n in (0, 1)),
    F.pad(three, (-1, 0), value=-1e9),
    *(torch.linspace(0, 1e9, steps, dtype=Kind("float16")) for steps in (1, 2)),
    *(step for x in (parts, strange, grid, one, none, turned) for step in every(ONE, x)),
    *(step for x in (parts, strange, one) for step in every(ONE_IN_PLACE, x)),
    *(step for x in (three, one, double, whole) for step in every(TWO, grid, x)),
    *(step for x in (2, -1.5, 0, True) for step in every(TWO, three, x)),
    *(step for x in (three, whole, 2, 0.5) for step in every(TWO_IN_PLACE, three, x)),
    *(step for x in (grid, one, turned, skipped, whole) for step in every(ASKED, x)),
    *(("method", "__getattribute__", (x, name), {})
      for x in (grid, one, batch, turned) for name in PROPERTIES.split()),
    torch.rsub(grid, three), torch.rsub(grid, 2), torch.rsub(grid, three, alpha=2),
    torch.is_tensor(one), torch.is_tensor(2), torch.is_nonzero(one), torch.is_nonzero(grid),
    torch.float_power(2, three), torch.float_power(three, 0.5),
    three.stride(0), one.stride(0), three.type("torch.LongTensor"), three.type(float64),
    three.is_same_size(double), three.is_same_size(one), three.is_set_to(three), one.is_set_to(two),
    three.requires_grad_(False),
    # the least and the greatest, and order
    *(x.median() for x in (even, odd, one, none, grid, strange, turned)),
    even.median(0), odd.median(0), wide.median(1), wide.median(-1, keepdim=True), grid.median(0),
    strange.median(0), turned.median(0), one.median(0), empty.median(1), empty.median(0),
    grid.median(2), grid.median(1, True),
    even.kthvalue(1), even.kthvalue(2), even.kthvalue(4), even.kthvalue(0), even.kthvalue(5),
    wide.kthvalue(3, 1), wide.kthvalue(2, 0, keepdim=True), strange.kthvalue(6), one.kthvalue(1),
    turned.kthvalue(2, 0), none.kthvalue(1),
    even.msort(), grid.msort(), one.msort(), empty.msort(), turned.msort(),
    *(x.cummax(0) for x in (even, grid, strange, one, empty)), grid.cummax(2),
    *(x.cummin(-1) for x in (even, grid, strange, one, empty)), turned.cummin(0),
    *(x.unique() for x in (even, grid, one, none)),
    even.unique(return_inverse=True, return_counts=True), grid.unique(return_counts=True),
    # sums and counts
    *(x.nansum() for x in (holes, strange, one, none, grid)), holes.nansum(0), holes.nansum(1,
    True),
    holes.nansum((0, 1)), holes.nansum(dtype=float64), grid.nansum(dtype=long), empty.nansum(0),
    *(x.nanmean() for x in (holes, strange, one, none)), holes.nanmean(0), holes.nanmean(1, True),
    holes.nanmean((0, 1)), grid.nanmean(dtype=float64), empty.nanmean(0), holes.nanmean(dtype=long),
    *(x.count_nonzero() for x in (grid, strange, one, none)), grid.count_nonzero(0),
    grid.count_nonzero((0, 1)), empty.count_nonzero(0), grid.count_nonzero(2),
    *(getattr(torch, name)(*args) for name in ("var_mean", "std_mean") for args in (
        (grid,), (grid, 0), (grid, 1, False), (grid, False), (one,), (empty, 0), (grid, 3))),
    torch.var_mean(grid, 1, keepdim=True, correction=0), torch.std_mean(grid, dim=(0, 1)),
    counts.bincount(), counts.bincount(minlength=7), whole.bincount(), even.bincount(),
    grid.bincount(), none.bincount(),
    even.diff(), even.diff(2), grid.diff(dim=0), grid.diff(3), one.diff(), even.diff(0),
    none.diff(),
    even.diff(-1), turned.diff(1, 0),
    grid.cumsum_(0), grid.cumsum_(1), grid.cumprod_(0), turned.cumprod_(1),
    grid.allclose(grid), holes.allclose(holes), holes.allclose(holes, equal_nan=True),
    three.allclose(double), three.allclose(grid, 1, 3),
    # bounds
    grid.clip(0, 2), grid.clip(min=1), grid.clip(max=three), grid.clip(), grid.clip(2, 0),
    strange.clip(0, 1), grid.clip_(0, 2), grid.clip_(three), grid.clip_(max=0.5),
    grid.clamp_min_(1), grid.clamp_max_(0.5), grid.clamp_min_(three), strange.clamp_max_(1),
    torch.clip(grid, three, 2), three.clip_(double),
    # products
    square.addmm(square, square),
    two.addmm(grid, tall), three.addmm(tall, grid, beta=2, alpha=-1), one.addmm(grid, tall),
    three.addmm(tall, grid, beta=0), strange.addmm(tall, grid), three.addmm(grid, grid),
    holes.addmm(grid, square, beta=0), holes.addmm(grid, square), three.addmm(tall, grid, beta=0.5),
    double.addmm(tall, grid), grid.addmm(tall, tall), three.addmm(three, grid),
    square.addmm_(tall, grid, beta=0), three.addmm_(tall, grid),
    two.addmv(grid, three), one.addmv(grid, three), two.addmv(grid, three, beta=2, alpha=3),
    three.addmv(grid, three), two.addmv(three, three), two.addmv(grid, double),
    two.addmv(grid, three, beta=0), two.addmv_(grid, three), two.addmv_(grid, two),
    batch.baddbmm(batch, deep), one.baddbmm(batch, deep), two.baddbmm(batch, deep, beta=2, alpha=3),
    two.baddbmm(batch, deep, beta=0), three.baddbmm(batch, deep), grid.baddbmm(grid, deep),
    deep.baddbmm_(deep, deep), batch.baddbmm_(batch, deep), one.baddbmm(batch, batch),
    three.ger(two), three.ger(double), none.ger(two), grid.ger(two), one.ger(two),
    three.inner(three), grid.inner(three), grid.inner(batch), grid.inner(one), one.inner(one),
    grid.inner(two), three.inner(double), none.inner(none), batch.inner(grid), empty.inner(grid),
    torch.vdot(three, three), torch.vdot(grid, grid), torch.vdot(three, double),
    torch.vdot(three, two),
    square.matrix_power(0), square.matrix_power(1), square.matrix_power(3), grid.matrix_power(2),
    square.matrix_power(-1), three.matrix_power(2), batch.matrix_power(2),
    linalg.matrix_power(square, 2), linalg.matrix_power(square, -2),
    square.inverse(), grid.inverse(), linalg.inv(square), linalg.inv(three),
    square.matrix_exp(), linalg.matrix_exp(grid), linalg.matmul(grid, tall),
    linalg.solve(square, three), linalg.solve(square, tall), linalg.solve(grid, two),
    linalg.lstsq(square, tall), linalg.lstsq(square, three), linalg.lstsq(grid, tall),
    linalg.pinv(square), linalg.pinv(three),
    linalg.vecdot(grid, three), linalg.vecdot(grid, grid),
    linalg.vecdot(grid, grid, dim=0), linalg.vecdot(grid, two), linalg.vecdot(grid, double),
    linalg.norm(grid), linalg.norm(three, 1), linalg.norm(grid, dim=1), linalg.norm(one),
    linalg.norm(grid, 2, 0, True), linalg.norm(three, 0), linalg.norm(strange, INF),
    linalg.vector_norm(grid), linalg.vector_norm(grid, 3, 1), linalg.vector_norm(none),
    linalg.vector_norm(grid, -INF, (0, 1), True), linalg.vector_norm(grid, dtype=float64),
    grid.kron(square), three.kron(grid), one.kron(grid), three.kron(double), none.kron(three),
    torch.cdist(grid, square), torch.cdist(grid, square, 1.0), torch.cdist(grid, tall),
    torch.cdist(grid, three), torch.cdist(batch, square, INF), torch.cdist(grid, square, 0.0),
    three.addcdiv(three, grid), grid.addcdiv(three, double), grid.addcdiv(three, three, value=2),
    grid.addcdiv(three, two), grid.addcdiv(whole, whole), one.addcdiv(grid, three, value=0.5),
    grid.addcdiv_(three, grid), three.addcdiv_(grid, grid), three.addcdiv_(whole, double),
    grid.addcmul_(three, grid), three.addcmul_(grid, grid), grid.addcmul_(three, three, value=0.5),
    grid.lerp_(grid, 0.5), grid.lerp_(three, 2), three.lerp_(three, three), three.lerp_(grid, 0.25),
    # shapes
    one.broadcast_to((2, 3)), three.broadcast_to((2, 3)), three.broadcast_to((2, -1)),
    three.broadcast_to((2,)), grid.broadcast_to((3,)), torch.broadcast_to(three, (2, 2, 3)),
    grid.moveaxis(0, 1), batch.moveaxis((0, 1), (2, 0)), batch.moveaxis(0, 3), one.moveaxis(0, 0),
    batch.moveaxis((0, 0), (1, 2)), grid.swapdims(0, 1), batch.swapdims(0, -1), one.swapdims(0, 0),
    grid.swapdims(0, 2),
    three.tile(2), three.tile((2, 2)), grid.tile(2), batch.tile((2, 1)), one.tile(()), one.tile(2),
    grid.tile((2, 0)), grid.tile(-1), turned.tile(2, 1), grid.tile(()), grid.tile(2, 1, 1),
    even.unfold(0, 2, 1), even.unfold(0, 2, 3), grid.unfold(1, 2, 1), grid.unfold(0, 3, 1),
    even.unfold(0, 5, 1), even.unfold(0, 2, 0), even.unfold(0, -1, 1), one.unfold(0, 1, 1),
    even.unfold(0, 0, 2), turned.unfold(0, 2, 1), one.unfold(0, 0, 1), one.unfold(0, 2, 1),
    *(x.fliplr() for x in (grid, batch, three, one, turned)),
    *(x.flipud() for x in (grid, batch, three, one, empty)),
    grid.rot90(), grid.rot90(2), grid.rot90(-1), grid.rot90(4), batch.rot90(1, (1, 2)),
    grid.rot90(1, (0, 0)), grid.rot90(1, (0,)), grid.rot90(1, (0, 2)), three.rot90(),
    grid.rot90(1, (1, 0)), batch.rot90(3, (0, 2)), turned.rot90(), turned.rot90(2), grid.rot90(5),
    three.diag_embed(), three.diag_embed(1), three.diag_embed(-2), grid.diag_embed(),
    grid.diag_embed(0, 0, 2), one.diag_embed(), grid.diag_embed(1, 0, 1), none.diag_embed(),
    none.diag_embed(1), grid.diag_embed(0, 1, 1), grid.diag_embed(0, 0, 3),
    grid.diag_embed(0, 2, 0),
    grid.tril_(), square.triu_(1), three.tril_(), turned.triu_(), batch.tril_(-1),
    grid.fill_diagonal_(9), grid.fill_diagonal_(1.5), three.fill_diagonal_(1),
    square.fill_diagonal_(True), turned.fill_diagonal_(2), tall.fill_diagonal_(4, False),
    torch.block_diag(grid, three, one), torch.block_diag(grid, double), torch.block_diag(none),
    torch.block_diag(batch), torch.block_diag(),
    torch.broadcast_tensors(grid, three), torch.broadcast_tensors(grid, one, turned),
    torch.broadcast_tensors(three, two), torch.broadcast_shapes((2, 1), (3,)),
    torch.broadcast_shapes(2, (3, 1)), torch.broadcast_shapes((2,), (3,)),
    torch.atleast_1d(one), torch.atleast_1d(grid), torch.atleast_1d(one, three),
    torch.atleast_2d(one), torch.atleast_2d(three), torch.atleast_2d(batch, three),
    *(getattr(torch, name)(x) for name in (
        "hstack", "vstack", "row_stack", "column_stack", "dstack", "concat",
        "concatenate") for x in (
        (three, double), (grid, grid), (one, one), (three, two), (batch, batch), (grid, three), (),
        (none, three), (grid, empty), (three, grid), (three, one))),
    torch.concat((grid, wide), 1), torch.concatenate((grid, wide), dim=-1),
    torch.concat((three, 1)),
    torch.cartesian_prod(three), torch.cartesian_prod(three, two),
    torch.cartesian_prod(three, grid),
    torch.cartesian_prod(three, none), torch.cartesian_prod(three, two, double),
    torch.meshgrid(three, two, indexing="ij"), torch.meshgrid(three, two, indexing="xy"),
    torch.meshgrid(three, one, indexing="ij"), torch.meshgrid(grid, indexing="ij"),
    torch.meshgrid(three, two, indexing="yx"), torch.meshgrid(three, double, indexing="ij"),
    # places
    *(x.argwhere() for x in (grid, strange, one, none, batch)),
    grid.take(picks), grid.take(places), grid.take(below), grid.take(beyond), one.take(again),
    grid.take(three), none.take(again), turned.take(picks), grid.take(fewer),
    grid.take_along_dim(places, 1), grid.take_along_dim(places), grid.take_along_dim(picks, 1),
    grid.take_along_dim(fewer, 1), square.take_along_dim(places, 1), grid.take_along_dim(places, 0),
    grid.take_along_dim(mask, 1), three.take_along_dim(again, 0), three.take_along_dim(below, 0),
    three.take_along_dim(below), two.take_along_dim(beyond, 0), one.take_along_dim(again, 0),
    *(getattr(x, name)(*args) for name in ("scatter", "scatter_") for x, *args in (
        (grid, 1, places, grid), (grid, 0, places, grid), (grid, 1, places, 7), (three, 0, again,
        three),
        (three, 0, picks, three), (grid, 0, places, three), (grid, 0, picks, grid), (grid, 2,
        places, 1),
        (three, 0, beyond, three), (three, 0, below, three), (three, 0, again, double),
        (three, 0, again, 1.5), (square, 0, places, grid), (grid, 1, fewer, grid), (one, 0, again,
        1),
        (three, 0, three, three), (three, 0, picks, two), (two, 0, again, two), (turned, 0, fewer,
        1))),
    grid.scatter(1, places, 2, reduce="add"), grid.scatter(1, places, grid, reduce="multiply"),
    grid.scatter(1, places, 2, reduce="mean"), grid.scatter_(1, places, value=2),
    three.scatter_(0, again, three, reduce="add"), grid.scatter(dim=1, index=places, src=grid),
    *(getattr(x, name)(*args) for name in ("scatter_add", "scatter_add_") for x, *args in (
        (grid, 1, places, grid), (grid, 0, places, grid), (three, 0, again, three), (one, 0, again,
        two),
        (two, 0, again, three), (three, 0, beyond, three), (three, 0, below, three),
        (three, 0, again, double), (three, 0, again, 1), (grid, 0, picks, grid), (square, 0,
        places, grid),
        (three, 0, fewer, three), (three, 0, again, two), (turned, 1, fewer, grid))),
    *(getattr(x, name)(*args) for name in ("index_add", "index_add_") for x, *args in (
        (grid, 1, picks, tall), (grid, 0, again, square), (grid, 1, again, grid), (three, 0, again,
        three),
        (three, 0, beyond, two), (three, 0, below, three), (three, 0, again, double), (three, 0,
        again, 1),
        (three, 0, picks, three), (one, 0, again, three), (grid, 0, places, grid), (grid, 2, picks,
        grid),
        (grid, 1, picks, grid), (three, 0, three, three), (turned, 0, again, square), (one, 0, one,
        one))),
    *(getattr(odd, name)(0, counts, x) for name in ("index_add", "index_copy", "index_fill")
      for x in (odd, one)),
    three.index_add(0, again, three, alpha=2), three.index_add(0, again, three, alpha=1.5),
    grid.index_add_(1, again, grid, alpha=0.5),
    *(getattr(x, name)(*args) for name in ("index_copy", "index_copy_") for x, *args in (
        (grid, 1, again, grid), (grid, 0, again, square), (three, 0, picks, two), (three, 0, again,
        three),
        (three, 0, beyond, two), (three, 0, below, three), (three, 0, again, double), (three, 0,
        picks, 1),
        (three, 0, picks, three), (three, 0, picks, one), (grid, 0, picks, three), (grid, 1, picks,
        grid),
        (grid, 2, picks, grid), (three, 0, three, three), (turned, 1, again, square))),
    *(getattr(x, name)(*args) for name in ("index_fill", "index_fill_") for x, *args in (
        (grid, 1, picks, 7), (grid, 0, again, 1.5), (three, 0, picks, one), (three, 0, below, 2),
        (three, 0, beyond, 2), (three, 0, picks, two), (three, 0, three, 2), (grid, 0, places, 2),
        (grid, 2, picks, 2), (one, 0, again, 2), (three, 0, picks, True), (turned, 0, picks, 3))),
    *(getattr(x, name)(*args) for name in ("index_put", "index_put_") for x, *args in (
        (three, (picks,), two), (three, [picks], one), (grid, (again, picks), one), (grid, (mask,),
        one),
        (grid, (again, again), three), (three, (beyond,), two), (three, (picks,), double),
        (three, (picks,), three), (three, (lid,), two), (three, (picks,), 1), (three, (again,),
        three),
        (grid, (again,), three), (three, (fewer,), two))),
    *(getattr(x, name)(*args) for name in ("masked_scatter", "masked_scatter_") for x, *args in (
        (grid, mask, square), (grid, mask, three), (grid, lid, wide), (three, mask, wide), (grid,
        mask, two),
        (three, lid, double), (three, whole, three), (three, lid, 1), (turned, lid, grid),
        (skipped, mask, grid), (one, lid, wide))),
    torch.isin(three, two), torch.isin(three, three), torch.isin(grid, double),
    torch.isin(grid, whole),
    torch.isin(three, 2), torch.isin(strange, strange), torch.isin(three, two, invert=True),
    torch.isin(grid, none), torch.isin(three, 2.0), torch.isin(2, three), torch.isin(turned, three),
    torch.isin(three, three, assume_unique=True), torch.isin(whole, True), torch.isin(2, 2),
    # made
    three.new_full((2, 2), 1.5), three.new_full((), 3), three.new_full((2,), True),
    three.new_full((1,), one), three.new_full((2,), 1, dtype=float64), three.new_full(2, 1),
    three.new_tensor([1, 2.5]), three.new_tensor(3), three.new_tensor([[1], [0]], dtype=long),
    three.new_tensor([1.5], requires_grad=True), three.new_tensor([True]), three.new_tensor("a"),
    three.new_ones(2, 3), three.new_ones((2,), dtype=long), three.new_ones(-1),
    three.new_zeros(2, 0),
    three.new_zeros([2], dtype=float64), three.new_zeros(()),
    *(getattr(torch, name)(*args) for name in ("ones", "zeros") for args in (
        (2, 3), ((2,),), (), ([0, 1],), (-1,), (1.5,))),
    torch.ones(2, dtype=long), torch.zeros(2, requires_grad=True), torch.full((2,), 1),
    torch.full((2, 1), 0.5), torch.full((), True), torch.full((2,), 1.5, dtype=long),
    torch.full((2,), one), torch.full(2, 1), torch.full((-1,), 1),
    torch.tensor([[1, 2], [3, 4.5]]), torch.tensor([]), torch.tensor(True),
    torch.tensor([[1], [2, 3]]),
    torch.tensor("a"), torch.tensor([1, 2], dtype=float64), torch.tensor(three),
    torch.tensor([one, 2]),
    torch.tensor(1e300), torch.tensor([1.5], dtype=long), torch.tensor(None),
    torch.as_tensor([1, 2]), torch.as_tensor(three), torch.as_tensor(three, dtype=float64),
    torch.asarray([1.5]), torch.asarray(three), torch.asarray(three, dtype=long),
    torch.scalar_tensor(2), torch.scalar_tensor(2.5, dtype=long), torch.scalar_tensor([1]),
    torch.logspace(0, 2, 3), torch.logspace(-1, 1, 4, base=2), torch.logspace(0, 1, 0),
    torch.logspace(0, 3, 4, dtype=long), torch.logspace(0, 1, -1), torch.logspace(0, 1, 5, 3.0),
    *(getattr(torch, name)(*args) for name in ("tril_indices", "triu_indices") for args in (
        (3, 3), (2, 4), (4, 2, 1), (3, 3, -1), (0, 3), (3, 3, 9), (-1, 2))),
    torch.set_default_dtype(Kind("float32")), torch.is_autocast_enabled(),
    # layers and losses
    *(getattr(F, name)(x) for x in (grid, strange, one, empty) for name in (
        "hardtanh", "mish", "relu6", "softsign", "sigmoid", "tanh")),
    *(F.gelu(x) for x in (grid, one, empty, holes, parts)),  # processors differ at infinity
    F.gelu(grid, approximate="tanh"), F.gelu(grid, approximate="no"), F.hardtanh(grid, -2, 0.5),
    F.relu6(grid, inplace=True), F.hardtanh(grid, 0, 1, True), F.mish(grid, inplace=True),
    F.softmin(grid, 0), F.softmin(three, -1), F.softmin(grid, 2), F.softmin(grid, 1, dtype=float64),
    F.glu(wide), F.glu(wide, 0), F.glu(grid), F.glu(one), F.glu(wide, 2),
    F.dropout(grid, 0.5, False), F.dropout(grid, 0.0), F.dropout(grid, 1.5),
    F.dropout(grid, -1, False),
    F.layer_norm(grid, (3,)), F.layer_norm(grid, (3,), three, three), F.layer_norm(grid, (2,)),
    F.layer_norm(grid, (2, 3), eps=0.1), F.layer_norm(grid, (3,), two),
    torch.layer_norm(grid, (3,)),
    F.layer_norm(grid, ()), F.layer_norm(empty, (3,)), F.layer_norm(grid, (3,), double),
    F.rms_norm(grid, (3,)), F.rms_norm(grid, (3,), three), F.rms_norm(grid, (2,)),
    F.rms_norm(grid, (2, 3), eps=0.1), torch.rms_norm(grid, (3,)), F.rms_norm(grid, (3,), two),
    F.cosine_similarity(grid, grid), F.cosine_similarity(grid, three),
    F.cosine_similarity(grid, wide),
    F.cosine_similarity(grid, square, 0), F.cosine_similarity(three, three, 0),
    F.cosine_similarity(grid, grid, dim=0),
    *(F.l1_loss(*args, **how) for args in ((grid, grid), (grid, three), (three, double))
      for how in ({}, {"reduction": "sum"}, {"reduction": "none"}, {"reduction": "all"})),
    *(F.kl_div(*args, **how) for args in ((grid, grid), (parts, parts), (three,
    double)) for how in (
        {}, {"reduction": "sum"}, {"reduction": "none"}, {"reduction": "batchmean"},
        {"log_target": True}, {"reduction": "all"})),
    F.nll_loss(grid, picks), F.nll_loss(grid, picks, reduction="sum"), F.nll_loss(three, picks),
    F.nll_loss(grid, picks, three), F.nll_loss(grid, picks, ignore_index=2),
    F.nll_loss(grid, beyond),
    F.nll_loss(grid, again), F.nll_loss(grid, picks, reduction="none"), F.nll_loss(grid, two),
    F.nll_loss(grid, picks, reduction="all"), F.nll_loss(grid, picks, two),
    F.nll_loss(grid, picks, double),
    F.scaled_dot_product_attention(batch, batch, batch),
    F.scaled_dot_product_attention(batch, batch, batch, is_causal=True),
    F.scaled_dot_product_attention(batch, batch, batch, scale=0.5),
    F.scaled_dot_product_attention(batch, deep, deep),
    F.scaled_dot_product_attention(grid, square, square),
    F.scaled_dot_product_attention(grid, square, square, mask),
    F.scaled_dot_product_attention(grid, square, square, holes),
    F.scaled_dot_product_attention(grid, square, square, places),
    F.scaled_dot_product_attention(grid, square, square, mask, is_causal=True),
    F.scaled_dot_product_attention(three, three, three),
]  # fmt: skip

LAST = Given(-1)  # what the call before gave
CHAINS = [  # calls that follow on one another: of views, of what shares numbers
    *([three.broadcast_to((2, 3)), step] for step in (
        LAST.scatter_(0, fewer, 2), LAST.index_add_(0, again, square),
    LAST.index_fill_(0, again, 2),
        LAST.index_copy_(0, again, square), LAST.masked_scatter_(mask, grid), LAST.diff(1, 0),
        LAST.fill_diagonal_(2), LAST.storage_offset(), LAST.kthvalue(2, 1),
    LAST.addcdiv_(three, three))),
    *([batch.select(1, 1), step] for step in (
        LAST.storage_offset(), LAST.stride(), LAST.median(1), LAST.kthvalue(2, 0), LAST.msort(),
        LAST.scatter_add_(1, places, grid), LAST.index_add_(1, again, grid), LAST.fill_diagonal_(9),
        LAST.index_copy_(0, picks, grid), LAST.scatter_(1, places, 3), LAST.argwhere(),
        LAST.masked_scatter_(mask, grid), LAST.detach_(), LAST.is_set_to(batch),
    LAST.unfold(1, 2, 1),
        LAST.index_fill_(1, again, 5), LAST.retain_grad(), LAST.triu_(1), LAST.take(picks),
        LAST.addmm_(tall, square), LAST.cumsum_(1), LAST.diag_embed(), LAST.rot90())),
    *([three.detach(), step] for step in (
        three.scatter_(0, again, LAST), three.index_add_(0, again, LAST), three.is_set_to(LAST),
        three.index_copy_(0, again, LAST), three.addcmul_(LAST, LAST), three.lerp_(LAST, 0.5))),
]  # fmt: skip
