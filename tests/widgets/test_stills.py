"""The still pictures, for where no widget can run, show the numbers of the frames."""

import pytest
import torch
from matplotlib.colors import to_hex

from transformer_lab import plots, widgets

DTYPES = {"shares": torch.uint8, "halves": torch.float16}


def unpacked(packed, kind, *shape):
    """Read a frame's bytes as the page does."""
    numbers = torch.frombuffer(bytearray(packed), dtype=DTYPES[kind]).double()
    return (numbers / 255 if kind == "shares" else numbers).view(shape)


def image(ax):
    return torch.tensor(ax.images[0].get_array().data).double()


def heights(bars):
    return torch.tensor([bar.get_height() for bar in bars], dtype=torch.float64)


def widths(bars):
    return torch.tensor([bar.get_width() for bar in bars], dtype=torch.float64)


def line(ax, label):
    (found,) = [line for line in ax.lines if line.get_label() == label]
    return torch.tensor(found.get_ydata()).double()


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


def head_splitter():
    widget = widgets.HeadSplitter(heads=2, step="attend", word="eats")
    word = widgets.head_splitter.WORDS.index("eats")
    for way, ax in zip(widget.frame["ways"], widget.figure().axes, strict=True):
        assert ax.get_title() == way["code"]
        heard = [way["heard"][0][number][word] for number in way["places"]]
        for number, x, text in zip(way["places"], heard, ax.texts, strict=True):
            token, feature = divmod(number, 8)
            name = f"{widgets.head_splitter.WORDS[token][0]}{feature}"
            assert text.get_text().split("\n") == [name, f"{x:.2f}".lstrip("0")]
        colours = [to_hex(cell.get_facecolor()[0]) for cell in ax.collections]
        assert colours == [to_hex(plots.WEIGHTS(share)) for share in heard]
    right, wrong = widget.figure().axes
    assert [y.get_text() for y in right.get_yticklabels()] == widgets.head_splitter.WORDS
    assert [y.get_text() for y in wrong.get_yticklabels()] == ["T+e", "T+e", "c+f", "c+f"]


def mask_playground():
    widget = widgets.MaskPlayground(kind="causal", length=4, fill="0 after softmax")
    frame = widget.frame
    shape = len(frame["queries"]), len(frame["keys"])
    mask, scores, weights = widget.figure().axes
    hidden = torch.frombuffer(bytearray(frame["hidden"]), dtype=torch.uint8).view(shape)
    close(image(mask), hidden == 0)
    close(image(scores), unpacked(frame["scores"], "halves", *shape), atol=1e-2)
    close(image(weights), unpacked(frame["weights"], "halves", *shape), atol=1e-3)


def next_token():
    widget = widgets.NextToken(model="translator", temperature=0.5)
    (ax,) = widget.figure().axes
    (first,) = [n for n in widget.frame["nodes"] if ax.get_title().endswith(f"… {n['text']}")]
    at, names = widget.frame["nodes"].index(first), first["names"]
    logits = unpacked(widget.frame["logits"], "halves", len(widget.frame["nodes"]), -1)[at]
    share = 1 - widget.frame["others"][at]
    models, to_choose_by = (widths(bars) for bars in ax.containers)
    close(models, logits.softmax(-1) * share, atol=2e-3)
    close(to_choose_by, (logits / 0.5).softmax(-1), atol=2e-3)
    assert [text.get_text() for text in ax.get_yticklabels()] == names


def position_explorer():
    widget = widgets.PositionExplorer(feature=1)
    table, wave, curves, reads = widget.figure().axes
    whole = unpacked(widget.frame["table"], "halves", -1, widget.frame["columns"])
    close(image(table), whole[: widget.length], atol=1e-3)
    close(line(wave, "feature 1"), whole[: widget.length, 1], atol=1e-3)
    curve = unpacked(widget.frame["curves"], "halves", len(widget.frame["names"]), -1)
    outside = (curve.size(1) + 1) // 2 - widget.length
    for name, values in zip(widget.frame["names"], curve, strict=True):
        close(line(curves, name), values[outside : len(values) - outside], atol=0.1)
    for bars, rows, words in zip(
        reads.containers, widget.frame["weights"], widgets.position_explorer.SENTENCES, strict=True
    ):
        close(heights(bars), rows[words.index("dog")], atol=1e-3)


def real_heads():
    widget = widgets.RealHeads(layer=1, head=2)
    wall, chosen = widget.figure().axes[:2]
    shown = image(wall)
    close(shown.flatten(), unpacked(widget.frame["wall"], "shares", -1), atol=0.51 / 255)
    T, S = len(widget.frame["queries"]), len(widget.frame["keys"])
    head = shown[T + 1 : 2 * T + 1, 2 * (S + 1) : 3 * S + 2]
    close(image(chosen), head)


STILLS = (
    attention_stepper, block_walk, head_splitter, mask_playground, next_token, position_explorer,
    real_heads,
)  # fmt: skip


@pytest.mark.usefixtures("as_readers_run_it")  # one of them trains
@pytest.mark.parametrize("shows_its_frame", STILLS, ids=lambda test: test.__name__)
def test_a_still_shows_its_frame(shows_its_frame):
    shows_its_frame()
