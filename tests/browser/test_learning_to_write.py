"""Learning to write, on the static page: a click shows the recorded text, and its loss."""

import torch

from tests.browser.test_position_explorer import line
from transformer_lab.widgets.learning_to_write import STEPS, WAYS, recorded

STEM = "learning_to_write"


def test_each_way_is_a_click_and_shows_what_was_recorded(widget_page):
    widget = widget_page(STEM, fragment=f"#{STEM}:step=800")
    for way in WAYS:
        widget.get_by_role("radio", name=way).check()
        seen = recorded()["ways"][way]["seen"]
        assert widget.locator(".tl-written").inner_text().strip() == seen[-1]["text"].strip()
        drawn = line(widget.locator(".tl-chart"), 1)
        held_out = torch.tensor([look["held_out"] for look in seen]) / 6
        expected = torch.stack([torch.tensor(STEPS) / STEPS[-1], held_out], -1)
        torch.testing.assert_close(drawn, expected, rtol=0, atol=1e-3)
        said = widget.locator(".tl-summary").inner_text()
        assert f"on held-out plays {seen[-1]['held_out']:.2f}" in said
