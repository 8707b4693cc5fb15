"""talk: in each head, the words of a sentence attend to each other."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .merge import merge_heads
from .parts import attention
from .split import split_heads


def talk(x: Tensor, heads: int) -> Tensor:
    """Return self-attention of the words of a sentence, in each head."""
    parts = split_heads(x, heads)
    return merge_heads(attention(parts, parts, parts)[0])


EXERCISE = Exercise(
    __name__,
    talk,
    results={"output": "tokens, d_model"},
    section="One projection for all heads",
    forbidden=ATTENTION,
)


@EXERCISE.requires(
    "In each head, every word reads every word, and each output returns to its own word.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Return sentences of other lengths than heads, but for one; once float64."""
    sizes = ((1, 3, 4, 2), (2, 5, 6, 2), (2, 3, 6, 3), (2, 3, 8, 4), (2, 3, 4, 1))
    drawn = [Inputs((draw.normal(*size[:3]), size[3])) for size in sizes]
    return [*drawn, Inputs((draw.normal(2, 4, 6).double(), 2))]


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many words as heads and features of a head, and heads of other widths."""
    sizes = ((2, 2, 4, 2), (3, 3, 9, 3), (4, 4, 16, 4), (2, 3, 10, 2), (2, 4, 12, 2))
    return [Inputs((draw.normal(*size[:3]), size[3])) for size in sizes]


EXERCISE.edit(
    "the mistake is still in it",
    "B, T, D = x.shape; parts = x.reshape(B, heads, T, D // heads); "
    "return attention(parts, parts, parts)[0].reshape(B, T, D)",
    why="It computes the same as before your change. Number the words' entries from 0 and print "
    "what the first head holds: is it a slice of every word?",
    section="What goes wrong",
)
EXERCISE.edit(
    "the split is right, the merge is not",
    "B, T, D = x.shape; parts = x.reshape(B, T, heads, D // heads).transpose(1, 2); "
    "return attention(parts, parts, parts)[0].reshape(B, T, D)",
    why="The heads are right, but then a reshape joins words of one head, so the outputs end up at "
    "other words.\nUndo on the way back every swap of axes made on the way in.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the merge is right, the split is not",
    "B, T, D = x.shape; parts = x.reshape(B, heads, T, D // heads); "
    "return attention(parts, parts, parts)[0].transpose(1, 2).reshape(B, T, D)",
    why="Each head still holds a few whole words.\nCut the last axis first, (B, T, heads, d_k), "
    "and then bring the heads to the front.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the heads of one word attend to each other",
    "parts = x.unflatten(-1, (heads, -1)); return attention(parts, parts, parts)[0].flatten(-2)",
    why="The last axis is cut, but the heads come after the words, so attention treats heads as "
    "words: no word reads another.\nThe last two axes have to be words and width.",
)
EXERCISE.edit(
    "the heads are gone",
    {"merge_heads(attention(parts, parts, parts)[0])": "attention(x, x, x)[0]"},
    why="Now every word reads every word, by one head of full width.\nKeep the heads, each with "
    "its own slice of every word.",
    section="Several heads, side by side",
)
EXERCISE.edit(
    "the numbers are interleaved between the heads",
    "parts = x.unflatten(-1, (-1, heads)).movedim(-1, 1); "
    "return attention(parts, parts, parts)[0].movedim(1, -1).flatten(-2)",
    why="Every word is in every head, which is right. But head 0 should have the first slice of "
    "each word in one piece, not every n-th number.\nCut into (heads, d_k).",
    section="What goes wrong",
)
EXERCISE.edit(
    "the numbers of a word attend to each other",
    {"heads)": "heads).mT", "[0]": "[0].mT"},
    why="Attention works on the last two axes, words and width. Here these are swapped, so the "
    "numbers of a word act as queries and keys.",
)
EXERCISE.edit(
    "the future is hidden, which nobody asked for",
    "past = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril(); "
    "return merge_heads(attention(parts, parts, parts, past)[0])",
    why="The words are mixed now, but the first one reads only itself: no mask is needed here.",
    section="book/masking#The causal mask",
)
