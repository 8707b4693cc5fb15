"""combined_mask: the causal mask and the padding mask together."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .causal import causal_mask
from .padding import padding_mask
from .parts import padding_probes, padding_values
from .parts import triangle as triangle


def combined_mask(ids: Tensor, pad: int) -> Tensor:
    """Return the causal mask combined with the padding mask."""
    return causal_mask(ids.size(-1)) & padding_mask(ids, pad)


EXERCISE = Exercise(__name__, combined_mask, results={"mask": "queries, keys"}, section="Padding")


@EXERCISE.requires("A token may attend to what is neither future nor padding.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return padding_values(draw)


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return padding_probes(draw)


EXERCISE.edit(
    "one mask or the other is enough",
    {"& padding_mask": "| padding_mask"},
    why="| lets a token look where either mask allows it, so the causal mask opens what the "
    "padding mask has closed. A token may look only where both masks allow it: &.",
)
EXERCISE.edit(
    "the padding is not hidden",
    {"ids, pad": "~ids, pad"},
    why="Only the future is hidden. Padding at the front or in between lies in the past of some "
    "tokens, and they read it.",
)
EXERCISE.edit(
    "the future is not hidden",
    {"ids.size(-1)": "1"},
    why="Only the padding is hidden. A decoder needs both masks at once.",
)
EXERCISE.edit(
    "padding hides rows, not columns",
    {"(ids, pad)": "(ids, pad).transpose(-2, -1)"},
    why="Here padding does not ask, but it is read.\nPut the axis for the queries before the last: "
    "(B, 1, S).",
    section="What goes wrong",
)
EXERCISE.edit(
    "padding hides rows too",
    "triangle(ids.size(-1)) & (ids != pad).unsqueeze(-1) & (ids != pad).unsqueeze(-2)",
    why="If the rows of padding are hidden, those queries have nothing to read. That is not "
    "needed, because nobody reads their answers.\nHide columns only.",
)
EXERCISE.edit(
    "the mask is inverted",
    "~combined_mask(ids, pad)",
    why="True is where a token may not look. In this book True means: may attend.",
    section="True means keep. Or block.",
)
EXERCISE.edit(
    "one sentence's padding is used for all",
    "combined_mask(ids[:1], pad).expand(len(ids), -1, -1)",
    why="Each sentence is padded in its own way.\nMake a table for each, (B, S, S).",
)
EXERCISE.edit(
    "the past is hidden, not the future",
    {"(ids.size(-1))": "(ids.size(-1)).mT"},
    why="The triangle is the wrong way round: each token sees what comes after it. Rows are "
    "queries, and may look to the left.",
    section="The causal mask",
)
EXERCISE.edit(
    "padding sees itself",
    {"pad)": "pad) | torch.eye(ids.size(-1)).bool()"},
    why="The diagonal is open again, for padding too, so a hidden column has one True left. A row "
    "may have no True at all: the softmax deals with that.",
    section="A row that sees nothing",
)
EXERCISE.edit(
    "rows that see nothing are opened",
    "mask = combined_mask(ids, pad); return mask | ~mask.any(dim=-1, keepdim=True)",
    why="A row of padding at the front may have no True at all. If you open it, it reads padding "
    "and the future.\nLeave it: the softmax deals with empty rows.",
    section="A row that sees nothing",
)
EXERCISE.edit(
    "the number of texts is taken for their length",
    {"-1": "0"},
    why="len(ids) is the size of the first axis, the batch. Tokens are along the last axis.\n"
    "ids.size(-1).",
)
