"""The figures: what they show, in the book's visual language."""

from itertools import pairwise

import matplotlib
import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_hex

from transformer_lab import plots

matplotlib.use("Agg")
WORDS = ["The", "cat", "sat"]


@pytest.fixture(autouse=True)
def _book_style():
    before = dict(plt.rcParams)
    plots.use_book_style()
    yield
    plt.close("all")
    dict.update(plt.rcParams, before)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_weights_has_queries_as_rows_and_keys_as_columns():
    matrix = torch.tensor([[0.1, 0.2, 0.7], [0.25, 0.5, 0.25]])
    ax = plots.weights(matrix, ["O", "gato"], WORDS)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["O", "gato"]
    assert [label.get_text() for label in ax.get_xticklabels()] == WORDS
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("query", "key")
    assert (ax.yaxis.label.get_color(), ax.xaxis.label.get_color()) == (plots.QUERY, plots.KEY)
    at = {text.get_position(): text.get_text() for text in ax.texts}
    assert at[2, 0] == "0.70"
    assert at[0, 1] == "0.25"
    assert torch.as_tensor(ax.images[0].get_array().data).tolist() == matrix.double().tolist()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (torch.eye(2), r"shape \(2, 2\), but there are 3 queries and 3 keys"),
        (torch.tensor([[0.0, 2.0, -1.5]] * 3), r"go from -1\.5 to 2\. Scores become weights with"),
        (torch.full((3, 3), torch.nan), "from nan to nan. A row whose keys are all masked"),
    ],
)
def test_weights_refuses_what_is_not_weights(matrix, message):
    with pytest.raises(ValueError, match=message):
        plots.weights(matrix, WORDS, WORDS)


def test_lines_tells_series_apart_without_colour():
    ax = plots.lines(range(3), {n: [1, 2, 3] for n in "abcd"}, x_label="x", y_label="y")
    assert len({line.get_linestyle() for line in ax.lines}) == 4
    assert len({line.get_marker() for line in ax.lines}) == 4
    assert [text.get_text() for text in ax.texts] == list("abcd")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")


def test_names_stand_at_the_ends_of_their_lines_and_never_touch():
    ends = {"low": 0, "beside": 0, "a name of two lines and more": 0.01, "high": 9}
    series = {name: [5, end] for name, end in ends.items()}
    ax = plots.lines([0, 1], series, x_label="x", y_label="y")
    ax.set_ylim(0, 10)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert all(a.y1 <= b.y0 + 1 for a, b in pairwise(boxes))
    assert boxes[-1].y0 < ax.transData.transform((1, 9))[1] < boxes[-1].y1


def test_every_figure_is_narrow_and_its_type_large_enough_for_a_phone():
    figures = [
        plots.weights(torch.eye(3), WORDS, WORDS),
        plots.lines([1, 2], {"a": [1, 2]}, x_label="x", y_label="y"),
        plots.head(tokens=3, d_model=512, d_k=64, d_v=64),
        plots.wirings(),
    ]
    for ax in figures:
        assert ax.figure.get_figwidth() <= 5
        ax.figure.canvas.draw()
        assert all(text.get_fontsize() >= 10 for text in ax.findobj(matplotlib.text.Text))
        assert to_hex(ax.figure.get_facecolor()) == "#ffffff"


def test_the_same_figure_gives_the_same_svg(tmp_path):
    files = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for file in files:
        plots.weights(torch.eye(3), WORDS, WORDS).figure.savefig(file, metadata={"Date": None})
    assert files[0].read_bytes() == files[1].read_bytes()
