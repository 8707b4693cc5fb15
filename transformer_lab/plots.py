"""Figures of the book, in one visual language (matplotlib).

A role has one colour everywhere: query, key, value, output. Weights have one scale, 0 to 1, with
queries as rows and keys as columns. Every function draws on `ax`, or on a new figure, and returns
the axes; alternative text belongs to the page that shows the figure.
"""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import product

import matplotlib.pyplot as plt
import torch
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.font_manager import findSystemFonts, fontManager
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.text import Text
from torch import Tensor

QUERY = "#0072B2"
KEY = "#B34700"
VALUE = "#00724F"
OUTPUT = "#CC79A7"
BLOCKED = "#BDBDBD"  # hatched too, so that it does not rely on colour
BLOCKED_HATCH = "///"
INDIGO = "#3b2a8c"
GOLD = "#b8860b"
INK = "#222222"
WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#ffffff", INDIGO])
DARK = 0.64  # the weight above which white is easier to read than INK
SIGNS = LinearSegmentedColormap.from_list("signs", [GOLD, "#ffffff", INDIGO])  # 0 in the middle

#: Of colours in which a name can be read, too: at least 4.5 : 1 on white.
_LINES = ((INDIGO, "-", "o"), ("#8F6A00", "--", "s"), ("#0F7B9C", "-.", "^"), ("#666666", ":", "D"))


def use_book_style() -> None:
    """Set the type and a white ground; in a notebook also draw figures as SVG."""
    if folder := os.environ.get("TRANSFORMER_LAB_FACES"):  # while the book is built
        for file in findSystemFonts(folder):
            fontManager.addfont(file)
        sans, italic, bold = (f"Source Sans 3{style}" for style in ("", ":italic", ":bold"))
        plt.rc("font", family=[sans, "DejaVu Sans"])  # a missing glyph comes from the next font
        plt.rc("mathtext", fontset="custom", fallback="stix", rm=sans, it=italic, bf=bold)
        plt.rc("mathtext", cal=italic)
    plt.rc("font", size=12 if folder else 11)  # so that they look equally large
    plt.rc("axes", titlesize="medium")
    plt.rc("axes.spines", top=False, right=False)
    plt.rc("figure", facecolor="white")
    plt.rc("figure.constrained_layout", use=True)
    plt.rc("svg", hashsalt="transformer_lab")  # the same figure gives the same file
    from IPython import get_ipython

    if get_ipython() is not None:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg", metadata={"Date": None})


def weights(
    matrix: Float[Tensor, "T S"],
    queries: Sequence[str],
    keys: Sequence[str],
    ax: Axes | None = None,
    *,
    title: str = "",
) -> Axes:
    """Draw attention weights as a heat map on the fixed scale 0 to 1; small ones with numbers.

    Raises ValueError if a token is missing or too many, or if the matrix cannot be weights.
    """
    matrix = torch.as_tensor(matrix).detach().cpu().double()
    if tuple(matrix.shape) != (len(queries), len(keys)):
        raise ValueError(
            f"weights has shape {tuple(matrix.shape)}, but there are {len(queries)} queries and "
            f"{len(keys)} keys: pass one token for each row and one for each column."
        )
    if not ((matrix >= 0) & (matrix <= 1 + 1e-6)).all():
        hidden = "A row whose keys are all masked has no softmax: it becomes nan."
        scores = "Scores become weights with `scores.softmax(dim=-1)`."
        raise ValueError(
            f"weights must lie between 0 and 1, but go from {matrix.min():.3g} to "
            f"{matrix.max():.3g}. {hidden if matrix.isnan().any() else scores}"
        )
    columns = max(matrix.shape)
    ax = ax or _new(1.6 + 0.55 * len(keys), 1.1 + 0.45 * len(queries))
    ax.imshow(matrix.numpy(), cmap=WEIGHTS, vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(len(keys)), keys, rotation=0 if columns <= 4 else 60)
    ax.set_yticks(range(len(queries)), queries)
    ax.set_xlabel("key", color=KEY)
    ax.set_ylabel("query", color=QUERY)
    ax.set_title(title)
    ax.spines[:].set_visible(False)
    ax.set_xticks([i - 0.5 for i in range(len(keys) + 1)], minor=True)
    ax.set_yticks([i - 0.5 for i in range(len(queries) + 1)], minor=True)
    ax.grid(which="minor", color="#dddddd", linewidth=0.8)
    ax.tick_params(which="both", length=0)
    if columns <= 6:
        for row, column in product(*map(range, matrix.shape)):
            weight = float(matrix[row, column])
            ink = "white" if weight > DARK else INK
            ax.text(column, row, f"{weight:.2f}", ha="center", va="center", color=ink)
    return ax


def lines(
    x: Sequence[int | float],
    series: Mapping[str, Sequence[int | float] | Tensor],
    ax: Axes | None = None,
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
) -> Axes:
    """Draw up to four measured series over x, told apart by dash and marker as well as colour.

    A value that a logarithmic y axis cannot show (0 or less) leaves a gap. Raises ValueError for
    more than four series, or for a series whose length is not that of x.
    """
    if len(series) > len(_LINES):
        raise ValueError(f"lines draws at most {len(_LINES)} series, but was given {len(series)}.")
    ax = ax or _new(5.0, 3.0)
    names: list[_EndName] = []
    for (name, y), (colour, dash, marker) in zip(series.items(), _LINES, strict=False):
        if len(y) != len(x):
            raise ValueError(f"series {name!r} has {len(y)} values, but x has {len(x)}.")
        shown = [value if value > 0 or not log_y else float("nan") for value in map(float, y)]
        every = max(1, len(x) // 10)
        ax.plot(x, shown, dash, color=colour, marker=marker, markevery=every, ms=4.5, label=name)
        end = next((value for value in reversed(shown) if value == value), 0.0)
        _EndName(ax, name, end, names).set_color(colour)
    if log_x:
        ax.set_xscale("log", base=2)
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.minorticks_off()
    if log_y:
        ax.set_yscale("log")
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.grid(color="#e6e6e6")
    return ax


class _EndName(Text):
    """A name at the right edge of the axes, beside its line's end and clear of the other names."""

    def __init__(self, ax: Axes, name: str, value: float, names: list["_EndName"]):
        """Name a line that ends at a value; `names` has all names of the axes, this one too."""
        super().__init__(1.02, 0.5, _wrapped(name), va="center", transform=ax.transAxes)
        self.ax, self.value, self.names = ax, value, names
        names.append(self)
        ax.add_artist(self).set_clip_on(False)

    def draw(self, renderer: RendererBase) -> None:
        """Draw it, where the limits of the axes and the other names leave room by now."""
        box = self.ax.bbox
        heights = {name: name.get_window_extent(renderer).height for name in self.names}
        end = {name: self.ax.transData.transform((1, name.value))[1] for name in self.names}
        below = box.y0 - heights[self]
        for name in sorted(self.names, key=end.__getitem__):
            half = heights[name] / 2
            at = max(min(end[name], box.y1), box.y0, below + half)
            name.set_y((at - box.y0) / box.height)
            below = at + half
        super().draw(renderer)


def _wrapped(name: str, width: int = 18) -> str:
    """Return a name in lines of about so many characters, its formulas whole."""
    lines = [""]
    for word in re.findall(r"\S*\$[^$]*\$\S*|\S+", name):
        longer = f"{lines[-1]} {word}".strip()
        lines[-1:] = [longer] if len(longer) <= width or not lines[-1] else [lines[-1], word]
    return "\n".join(lines)


def head(
    *, tokens: int | str, d_model: int | str, d_k: int | str, d_v: int | str, ax: Axes | None = None
) -> Axes:
    """Draw the data flow of one attention head, top to bottom, with the shape of each step."""
    ax = ax or _new(4.6, 6.2)
    ax.set(xlim=(0, 10), ylim=(0, 14.2))
    ax.axis("off")
    square = f"({tokens}, {tokens})"
    boxes = (
        (5.0, 13.3, 4.4, f"tokens $X$\n({tokens}, {d_model})", INK),
        (1.6, 10.4, 2.8, f"queries $Q$\n({tokens}, {d_k})", QUERY),
        (5.0, 10.4, 2.8, f"keys $K$\n({tokens}, {d_k})", KEY),
        (8.4, 10.4, 2.8, f"values $V$\n({tokens}, {d_v})", VALUE),
        (3.3, 7.3, 4.4, f"scores $QK^\\top/\\sqrt{{d_k}}$\n{square}", INK),
        (3.3, 4.2, 4.4, f"weights\n{square}", INDIGO),
        (3.3, 1.1, 4.4, f"output\n({tokens}, {d_v})", OUTPUT),
    )
    for x, y, width, label, colour in boxes:
        corner, shape = (x - width / 2, y - 0.75), "round,pad=0.1"
        box = FancyBboxPatch(corner, width, 1.5, boxstyle=shape, fc="white", ec=colour, lw=2)
        ax.add_patch(box)
        ax.text(x, y, label, ha="center", va="center", color=INK, linespacing=1.4)
    arrows = (
        ((4.2, 12.4), (2.2, 11.3), QUERY),
        ((5.0, 12.4), (5.0, 11.3), KEY),
        ((5.8, 12.4), (7.8, 11.3), VALUE),
        ((1.9, 9.5), (2.6, 8.2), QUERY),
        ((4.7, 9.5), (4.0, 8.2), KEY),
        ((3.3, 6.4), (3.3, 5.1), INK),
        ((3.3, 3.3), (3.3, 2.0), INDIGO),
        ((8.4, 1.1), (5.65, 1.1), VALUE),
    )
    for start, end, colour in arrows:
        style = {"arrowstyle": "-|>", "color": colour, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", xy=end, xytext=start, arrowprops=style)
    ax.plot([8.4, 8.4], [9.5, 1.1], color=VALUE, lw=1.8)
    notes = (
        (2.5, 12.0, "$W_Q$"),
        (5.2, 12.0, "$W_K$"),
        (7.1, 12.0, "$W_V$"),
        (4.6, 8.8, "dot product, scale"),
        (3.6, 5.75, "softmax, row by row"),
        (3.6, 2.65, "weighted sum"),
    )
    for x, y, note in notes:
        ax.text(x, y, note, va="center", color=INK)
    return ax


def wirings(ax: Axes | None = None) -> Axes:
    """Draw which of five inputs the last output depends on, in a layer of each backbone."""
    ax = ax or _new(4.8, 3.6)
    ax.set(xlim=(-0.6, 11.6), ylim=(-0.4, 8.6))
    ax.axis("off")
    even, uneven = (1.8,) * 5, (1.0, 4.5, 1.0, 2.0, 3.0)  # line widths, one for each input
    panels = (
        ("feed-forward", 0, 4.8, range(5), (), even, ":"),
        ("convolution, window 3", 7, 4.8, (3, 4), (), even, "-"),
        ("recurrence", 0, 0, (4,), range(4), even, "-"),
        ("attention", 7, 0, range(5), (), uneven, "-"),
    )
    for name, left, floor, heard, passed_on, widths, dash in panels:
        for i in heard:
            ax.plot([left + i, left + 4], [floor, floor + 2], dash, color=INDIGO, lw=widths[i])
        for i in passed_on:
            ax.plot([left + i, left + i], [floor, floor + 2], "-", color=BLOCKED, lw=1.4)
            arrow = {"arrowstyle": "-|>", "color": INDIGO, "lw": 1.8}
            ends = (left + i + 0.9, floor + 2), (left + i + 0.1, floor + 2)
            ax.annotate("", xy=ends[0], xytext=ends[1], arrowprops=arrow)
        for height in (floor, floor + 2):
            ax.plot(range(left, left + 5), [height] * 5, "o", color=INK, ms=6)
        ax.text(left + 2, floor + 3, name, ha="center", color=INK)
    return ax


def hatch(ax: Axes, mask: Bool[Tensor, "T S"]) -> Axes:
    """Hatch the cells that queries may not attend to: where the boolean mask is False."""
    if mask.dtype != torch.bool:
        raise TypeError(f"mask must be boolean, True = may attend, but is {mask.dtype}.")
    for row, column in (~mask).nonzero().tolist():
        corner = column - 0.5, row - 0.5
        cover = Rectangle(corner, 1, 1, facecolor="white", edgecolor=BLOCKED, hatch=BLOCKED_HATCH)
        cover.set(linewidth=0.8, zorder=4)  # above the numbers
        ax.add_patch(cover)
    return ax


def _new(width: float, height: float) -> Axes:
    """Return the axes of a new figure of this size in inches, narrow enough for a phone."""
    return plt.subplots(figsize=(width, height))[1]
