"""The figures: what they show, in the book's visual language."""

import matplotlib
import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_hex, to_rgb

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


def test_weights_keeps_one_scale_whatever_is_in_it():
    for matrix in (torch.full((3, 3), 1 / 3), torch.eye(3), torch.zeros(3, 3)):
        image = plots.weights(matrix, WORDS, WORDS).images[0]
        assert image.get_clim() == (0, 1)
        assert image.get_cmap() is plots.WEIGHTS
    assert to_hex(plots.WEIGHTS(0.0)) == "#ffffff"
    assert to_hex(plots.WEIGHTS(1.0)) == plots.INDIGO


def contrast(*colours):
    """Compare two colours as WCAG 2.2 does: from 1 to 21."""
    dark, light = sorted(map(luminance, colours))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_the_scale_of_signs_goes_from_gold_over_white_to_indigo():
    assert [to_hex(plots.SIGNS(end)) for end in (0.0, 1.0)] == [plots.GOLD, plots.INDIGO]
    assert min(plots.SIGNS(0.5)) > 0.99


def test_weights_writes_numbers_readably_and_only_where_there_is_room():
    colours = [text.get_color() for text in plots.weights(torch.eye(3), WORDS, WORDS).texts]
    assert colours == ["white" if row == column else plots.INK for row in WORDS for column in WORDS]
    for weight in torch.arange(0, 1.01, 0.05).tolist():
        (text,) = plots.weights(torch.tensor([[weight]]), ["a"], ["a"]).texts
        assert contrast(text.get_color(), plots.WEIGHTS(weight)) > 3.5
        plt.close()
    sentence = [str(i) for i in range(7)]
    assert not texts(plots.weights(torch.eye(7), sentence, sentence))


def test_weights_draws_where_it_is_told_and_takes_a_tensor_that_requires_grad():
    _, (left, right) = plt.subplots(1, 2)
    leaf = torch.eye(3, requires_grad=True)
    assert plots.weights(leaf, WORDS, WORDS, ax=right, title="head 2") is right
    assert (right.get_title(), len(left.images), len(plt.get_fignums())) == ("head 2", 0, 1)


def test_lists_and_arrays_are_drawn_as_tensors_are(as_readers_run_it):
    ax = plots.weights(torch.eye(3).tolist(), WORDS, WORDS)
    assert len(ax.texts) == 9
    assert plots.weights(torch.eye(3).numpy(), WORDS, WORDS).images


def test_hatch_refuses_numbers(as_readers_run_it):
    ax = plots.weights(torch.eye(3), WORDS, WORDS)
    with pytest.raises(TypeError, match=r"True = may attend, but is torch\.int64"):
        plots.hatch(ax, torch.eye(3).long())


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
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list("abcd")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")


def test_lines_on_logarithmic_axes_leaves_a_gap_at_zero():
    y = [1.0, 0.0, 0.01]
    ax = plots.lines([1, 2, 4], {"a": y}, x_label="x", y_label="y", log_x=True, log_y=True)
    drawn = ax.lines[0].get_ydata()
    assert drawn[[0, 2]].tolist() == [1.0, 0.01]
    assert drawn[1] != drawn[1]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "4"]
    linear = plots.lines([1, 2, 4], {"a": y}, x_label="x", y_label="y")
    assert linear.lines[0].get_ydata().tolist() == y


def test_lines_refuses_too_many_series_and_uneven_ones():
    with pytest.raises(ValueError, match="at most 4 series, but was given 5"):
        plots.lines([1], {n: [1] for n in "abcde"}, x_label="x", y_label="y")
    with pytest.raises(ValueError, match="series 'a' has 2 values, but x has 3"):
        plots.lines([1, 2, 3], {"a": [1, 2]}, x_label="x", y_label="y")


def test_head_says_every_shape():
    ax = plots.head(tokens=3, d_model=512, d_k=64, d_v=32)
    found = " ".join(texts(ax))
    for shape, times in {"(3, 512)": 1, "(3, 64)": 2, "(3, 3)": 2, "(3, 32)": 2}.items():
        assert found.count(shape) == times
    edges = {to_hex(patch.get_edgecolor()).upper() for patch in ax.patches}
    assert {plots.QUERY, plots.KEY, plots.VALUE, plots.OUTPUT} <= edges


def test_wirings_draws_four_backbones():
    ax = plots.wirings()
    assert texts(ax)[-1] == "attention"
    assert {"feed-forward", "convolution, window 3", "recurrence", "attention"} <= set(texts(ax))
    widths = {line.get_linewidth() for line in ax.lines if line.get_xdata()[0] >= 7}
    assert len(widths) > 3, "attention's lines differ in weight"


def test_hatch_covers_what_may_not_be_attended_and_nothing_else():
    mask = torch.tensor([[True, False, False], [True, True, False]])
    ax = plots.hatch(plots.weights(mask / mask.sum(-1, keepdim=True), ["O", "gato"], WORDS), mask)
    cells = [(*patch.get_center(), patch.get_hatch()) for patch in ax.patches]
    assert cells == [(1, 0, plots.BLOCKED_HATCH), (2, 0, plots.BLOCKED_HATCH),
                     (2, 1, plots.BLOCKED_HATCH)]  # fmt: skip
    assert all(patch.get_zorder() > text.get_zorder() for patch in ax.patches for text in ax.texts)


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
