"""The arrows of rotary positions against complex numbers."""

import cmath
import math

import pytest

from transformer_lab.widgets import RotaryArrows
from transformer_lab.widgets.rotary_arrows import START


def turned(name, position, changed):
    """Give three arrows as complex numbers: a direction each, turned by the position."""
    degrees = [changed.get((name, n), START[name][n]) for n in range(3)]
    return [cmath.rect(1, math.radians(d) + position / 10**n) for n, d in enumerate(degrees)]


@pytest.mark.parametrize("arrows", [[], [["key", "middle", -100.0], ["query", "slow", 15.0]]])
@pytest.mark.parametrize(("before", "distance"), [(0, 0), (0, 7), (93, 7)])
def test_each_arrow_is_turned_by_its_position(before, distance, arrows):
    frame = RotaryArrows(before=before, distance=distance, arrows=arrows).frame
    changed = {(name, ["fast", "middle", "slow"].index(pair)): d for name, pair, d in arrows}
    query = turned("query", before + distance, changed)
    key = turned("key", before, changed)
    for name, numbers in {"query": query, "key": key}.items():
        assert frame[name] == pytest.approx([x for n in numbers for x in (n.real, n.imag)])
    expected = [(q * k.conjugate()).real for q, k in zip(query, key, strict=True)]
    assert frame["products"] == pytest.approx(expected)
