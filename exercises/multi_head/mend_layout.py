"""talk: in each head, the words of a sentence attend to each other."""

import torch
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
    "In each head, every word hears from every word, and answers go back to their words.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Return batches of sentences in which length, number of heads and head width differ."""
    sizes = ((1, 3, 4, 2), (2, 5, 6, 2), (3, 4, 6, 3), (2, 3, 8, 4))
    return [Inputs((draw.normal(*size[:3]), size[3])) for size in sizes]


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many words as heads and features of a head, and heads of other widths."""
    sizes = ((2, 2, 4, 2), (3, 3, 9, 3), (4, 4, 16, 4), (2, 3, 10, 2), (2, 4, 12, 2))
    return [Inputs((draw.normal(*size[:3]), size[3])) for size in sizes]


@EXERCISE.mistake(
    "the mistake is still in it",
    why="It computes what it did when you got it. Number the words' entries from 0 and print what "
    "the first head holds: is it a slice of every word?",
    section="What goes wrong",
)
def as_given(x: Tensor, heads: int) -> Tensor:
    B, T, D = x.shape
    parts = x.reshape(B, heads, T, D // heads)
    return attention(parts, parts, parts)[0].reshape(B, T, D)


@EXERCISE.mistake(
    "the way in is mended, the way back is not",
    why="The heads are right, and then a reshape lays words of one head end to end: no answer gets "
    "back to its word. Whatever axes were moved on the way in have to be moved back.",
    section="What goes wrong",
)
def in_only(x: Tensor, heads: int) -> Tensor:
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
    return attention(parts, parts, parts)[0].reshape(B, T, D)


@EXERCISE.mistake(
    "the way back is mended, the way in is not",
    why="Each head still holds a few whole words. Cut the last axis first, (B, T, heads, d_k), and "
    "then bring the heads to the front.",
    section="What goes wrong",
)
def out_only(x: Tensor, heads: int) -> Tensor:
    B, T, D = x.shape
    parts = x.reshape(B, heads, T, D // heads)
    return attention(parts, parts, parts)[0].transpose(1, 2).reshape(B, T, D)


@EXERCISE.mistake(
    "the heads of one word attend to each other",
    why=(
        "The last axis is cut, but the heads stand behind the words, so attention takes them for "
        "words: no word reads another. The last two axes have to be words by width."
    ),
)
def heads_talk(x: Tensor, heads: int) -> Tensor:
    parts = x.unflatten(-1, (heads, -1))
    return attention(parts, parts, parts)[0].flatten(-2)


@EXERCISE.mistake(
    "the heads are gone",
    why=(
        "Now every word reads every word, by one head of full width. Keep the heads, each with "
        "its own slice of every word."
    ),
    section="Several heads, side by side",
)
def one_head(x: Tensor, heads: int) -> Tensor:
    return attention(x, x, x)[0]


@EXERCISE.mistake(
    "the numbers are dealt out to the heads in turn",
    why="Every word is in every head, which is the point. But head 0 should have the first slice "
    "of each word in one piece, not every so-many-th number: cut into (heads, d_k).",
    section="What goes wrong",
)
def dealt(x: Tensor, heads: int) -> Tensor:
    parts = x.unflatten(-1, (-1, heads)).movedim(-1, 1)
    return attention(parts, parts, parts)[0].movedim(1, -1).flatten(-2)


@EXERCISE.mistake(
    "the numbers of a word attend to each other",
    why="Attention works on the last two axes, words by width. Here they stand the other way "
    "round, so numbers ask numbers.",
)
def features_talk(x: Tensor, heads: int) -> Tensor:
    parts = split_heads(x, heads).mT
    return merge_heads(attention(parts, parts, parts)[0].mT)


@EXERCISE.mistake(
    "the future is hidden, which nobody asked for",
    why="The words meet now, but the first one reads itself alone: no mask is asked for here.",
    section="book/masking#The causal mask",
)
def causal(x: Tensor, heads: int) -> Tensor:
    parts = split_heads(x, heads)
    past = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
    return merge_heads(attention(parts, parts, parts, past)[0])
