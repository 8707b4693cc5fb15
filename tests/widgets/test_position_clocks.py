"""The clocks' hands against the formula and the encoding."""

import math

import pytest
import torch

from transformer_lab import sinusoidal_encoding
from transformer_lab.widgets import PositionClocks


@pytest.mark.parametrize("apart", PositionClocks.apart.stops)
def test_the_hands_are_the_encoding_of_their_positions(apart):
    widget = PositionClocks(position=7, apart=apart)
    positions = [7 + apart * column for column in range(6)]
    table = sinusoidal_encoding(torch.tensor(positions), 8, dtype=torch.float64)
    for t, angles, row in zip(positions, widget.frame["angles"], table, strict=True):
        assert angles == pytest.approx([t / 10**hand for hand in range(4)])
        shown = [f(angle) for angle in angles for f in (math.sin, math.cos)]
        assert shown == pytest.approx(row.tolist())
