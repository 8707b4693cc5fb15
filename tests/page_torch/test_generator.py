"""Random numbers are those that PyTorch draws."""

import pytest
import torch

from page_torch import torch as small


def drawn(side, draw):
    side.manual_seed(2**40 + 7)
    generator = side.Generator().manual_seed(3)
    return [draw(side, generator).tolist() for _ in range(3)]


@pytest.mark.parametrize("count", [1, 3, 15, 16, 17, 40, 100])
@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "bfloat16"])
def test_evenly_distributed_numbers(count, kind):
    def draw(side, generator):
        return side.rand(count, generator=generator, dtype=getattr(side, kind))

    assert drawn(small, draw) == drawn(torch, draw)


@pytest.mark.parametrize("count", [1, 3, 15, 16, 17, 40, 100])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_numbers_of_the_bell_curve(count, kind):
    def draw(side, generator):
        return side.randn(count, generator=generator, dtype=getattr(side, kind))

    for mine, right in zip(drawn(small, draw), drawn(torch, draw), strict=True):
        assert mine == pytest.approx(right, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("high", [2, 10, 2**20, 2**28 - 1, 2**28, 2**31, 2**33, 2**62])
def test_whole_numbers(high):
    def draw(side, generator):
        return side.randint(-1, high, (7,), generator=generator)

    assert drawn(small, draw) == drawn(torch, draw)


@pytest.mark.parametrize("replacement", [True, False])
def test_places_are_drawn_as_often_as_their_weights_say(replacement):
    rows = [[1.0, 2.0, 0.0, 1.0], [0.0, 0.0, 3.0, 1.0]]
    means = []
    for side in (small, torch):
        side.manual_seed(0)
        weights = side.tensor(rows).repeat(5000, 1)
        drawn = side.nn.functional.one_hot(weights.multinomial(2, replacement), 4).float()
        means.append(drawn.reshape(5000, 2, 2, 4).mean(0).flatten().tolist())
    assert means[0] == pytest.approx(means[1], abs=0.03)


@pytest.mark.parametrize("row", [[1.0, -1.0], [float("nan"), 1.0], [0.0, 0.0], [1.0], [[[1.0]]]])
def test_no_place_is_drawn_by_what_are_no_weights(row):
    for side in (small, torch):
        with pytest.raises(RuntimeError):
            side.tensor(row).multinomial(2)


def test_numbers_between_bounds():
    def draw(side, generator):
        return side.nn.init.trunc_normal_(side.empty(40), 1.0, 2.0, 0.0, 4.0, generator)

    for mine, right in zip(drawn(small, draw), drawn(torch, draw), strict=True):
        assert mine == pytest.approx(right, rel=1e-5, abs=1e-6)
    with pytest.raises(small.missing.NotOnThisPage):
        small.nn.init.trunc_normal_(small.empty(4), 0.0, 1.0, 9.0, 10.0)


def test_waiting_times_are_as_long_as_their_rate_says():
    for side in (small, torch):
        side.manual_seed(0)
        waits = side.empty(20_000).exponential_(2.0)
        assert waits.mean().item() == pytest.approx(0.5, abs=0.02)
        assert (waits > 1).float().mean().item() == pytest.approx(0.1353, abs=0.01)
