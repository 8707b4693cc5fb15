"""The still pictures, for where no widget can run, show the numbers of the frames."""

import pytest
import torch

from transformer_lab import widgets

DTYPES = {"shares": torch.uint8, "halves": torch.float16}


def unpacked(packed, kind, *shape):
    """Read a frame's bytes as the page does."""
    numbers = torch.frombuffer(bytearray(packed), dtype=DTYPES[kind]).double()
    return (numbers / 255 if kind == "shares" else numbers).view(shape)


def image(ax):
    return torch.tensor(ax.images[0].get_array().data).double()


def widths(bars):
    return torch.tensor([bar.get_width() for bar in bars], dtype=torch.float64)


def close(shown, expected, atol=1e-6):
    torch.testing.assert_close(shown, torch.as_tensor(expected).double(), rtol=0, atol=atol)


def attention_stepper():
    widget = widgets.AttentionStepper(asks="last", ending="soft")
    _, scores, weights = widget.figure().axes
    for ax, name in ((scores, "scores"), (weights, "weights")):
        close(widths(ax.patches), widget.frame[name][0][0][9])


def block_walk():
    widget = widgets.BlockWalk()
    (before, chosen) = widget.frame["steps"][0], widget.frame["steps"][1]
    widget.step = 1
    shape = len(chosen["rows"]), len(chosen["columns"])
    start = len(before["rows"]) * len(before["columns"])
    values = unpacked(widget.frame["values"], "halves", -1)[start:][: shape[0] * shape[1]]
    ax = widget.figure().axes[0]
    close(image(ax), values.view(shape), atol=1e-2)
    assert [text.get_text() for text in ax.get_yticklabels()] == chosen["rows"]
    assert chosen["code"] in ax.get_title()


def mask_playground():
    widget = widgets.MaskPlayground(kind="causal", length=4, fill="0 after softmax")
    frame = widget.frame
    shape = len(frame["queries"]), len(frame["keys"])
    mask, scores, weights = widget.figure().axes
    hidden = torch.frombuffer(bytearray(frame["hidden"]), dtype=torch.uint8).view(shape)
    close(image(mask), hidden == 0)
    close(image(scores), unpacked(frame["scores"], "halves", *shape), atol=1e-2)
    close(image(weights), unpacked(frame["weights"], "halves", *shape), atol=1e-3)


STILLS = (attention_stepper, block_walk, mask_playground)


@pytest.mark.usefixtures("as_readers_run_it")  # one of them trains
@pytest.mark.parametrize("shows_its_frame", STILLS, ids=lambda test: test.__name__)
def test_a_still_shows_its_frame(shows_its_frame):
    shows_its_frame()
