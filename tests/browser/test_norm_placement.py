"""Where the norm stands, on the static page: both lines are torch's."""

import pytest
import torch

from tests.browser.test_every_widget import moves
from tests.browser.test_position_explorer import line
from tests.sweeps import few
from transformer_lab.widgets import NormPlacement
from transformer_lab.widgets.norm_placement import WIRINGS

STEM = "norm_placement"


@pytest.mark.parametrize("home", few(["http", "file"], "http"))
@pytest.mark.parametrize("shown", NormPlacement.shown.stops)
def test_both_wirings_are_drawn_at_every_depth(widget_page, home, shown):
    widget = widget_page(STEM, home=home)
    widget.get_by_role("radio", name=shown).check()
    first, high = (1, 1.2) if shown == "gradient" else (0, 6)
    for layers, move in zip(NormPlacement.layers.stops, moves(widget, "layers"), strict=True):
        move()
        curves = NormPlacement(layers=layers).frame[shown]
        for number, (wiring, values) in enumerate(zip(WIRINGS, curves, strict=True)):
            x = torch.arange(first, layers + 1) / 32
            expected = torch.stack([x, torch.tensor(values) / high], -1)
            drawn = line(widget.locator(".tl-chart"), number)
            torch.testing.assert_close(drawn, expected, rtol=0, atol=1e-3)
            said = widget.locator(".tl-summary").inner_text()
            assert f"{values[-1]:.2f} in {wiring}" in said
        assert max(max(values) for values in curves) < high
