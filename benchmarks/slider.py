"""Move a slider with the pointer and time its picture."""

import random
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Locator, expect

from transformer_lab.widgets import AttentionStepper

PROBE = Path(__file__).with_name("slider_to_paint.js").read_text("utf8").rstrip(";\n")
STOPS = AttentionStepper.grid()["d_k"]
PAUSE = 200  # milliseconds between two moves, so that each one is measured alone


class Slider:
    """A slider over the stops of d_k: its track, the value it shows, and its picture."""

    def __init__(self, track: Locator, value: Locator, picture: Locator, *, thumb: float = 0):
        self.track, self.value, self.picture, self.thumb = track, value, picture, thumb

    def move(self, index: int) -> float:
        """Press on the track at a stop; return the milliseconds until its picture appears."""
        page = self.track.page
        page.bring_to_front()  # a page behind another one is not drawn
        self.track.scroll_into_view_if_needed()
        page.wait_for_timeout(PAUSE)
        box = self.track.bounding_box()
        inset = 2 + self.thumb / 2  # the very edge is no longer the track
        x = box["x"] + inset + (box["width"] - 2 * inset) * index / (len(STOPS) - 1)
        page.mouse.move(x, box["y"] + box["height"] / 2)
        self.picture.evaluate(f"picture => {{ painted = ({PROBE})(picture); }}")
        page.mouse.down()
        page.mouse.up()
        expect(self.value).to_have_text(str(STOPS[index]), timeout=30_000)
        milliseconds = page.evaluate("() => painted")
        return milliseconds


def explorer(widget: Locator) -> Slider:
    """Return the slider of the key width; a native slider's thumb stays inside its track."""
    widget.locator(".tl-more summary").click()
    track = widget.get_by_role("slider", name="Key width d_k")
    return Slider(
        track,
        widget.locator("[data-name=d_k] output"),
        widget.locator(".tl-result .tl-grid"),
        thumb=16,
    )


def interact(widget: Locator) -> Slider:
    """Return the slider of `ipywidgets.interact`."""
    return Slider(widget.locator(".noUi-base"), widget.locator(".widget-readout"), widget)


def route(moves: int) -> Iterator[int]:
    """Yield so many stops, each different from the last; the same on every run."""
    dice, at = random.Random(0), STOPS.index(AttentionStepper().d_k)
    for _ in range(moves):
        at = dice.choice([index for index in range(len(STOPS)) if index != at])
        yield at
