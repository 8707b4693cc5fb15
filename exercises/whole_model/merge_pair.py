"""merge_pair: replace each occurrence of two neighbouring ids by a new one."""

from tensorgrader.exercise import Draw, Exercise, Inputs

Pair = tuple[int, int]


def merge_pair(ids: list, pair: Pair, new: int) -> list:
    """Replace each occurrence of two neighbouring ids by a new one, from the left."""
    merged, position = [], 0
    while position < len(ids):
        found = tuple(ids[position : position + 2]) == tuple(pair)
        merged.append(new if found else ids[position])
        position += 1 + found
    return merged


EXERCISE = Exercise(
    __name__, merge_pair, results={"ids": ""}, section="book/from_text_to_loss#Tokens"
)


@EXERCISE.requires("Each occurrence of the pair becomes the new id.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return short texts of three ids, in which the pair occurs several times."""
    by_hand = Inputs(([1, 2, 3, 1, 2], (1, 2), 256))
    return [by_hand, *(_text(draw, n, (0, 1)) for n in (12, 20, 30)), _text(draw, 25, (2, 1))]


@EXERCISE.requires(
    "Of three equal ids the first two are merged, and the text may be empty or hold no such pair.",
    points=1,
)
def edges(draw: Draw) -> list[Inputs]:
    """Return runs of equal ids, texts that begin or end with the pair, and texts without it."""
    runs = [Inputs(([7] * n, (7, 7), 300)) for n in (2, 3, 4, 5, 7)]
    others = [Inputs((ids, (4, 5), 300)) for ids in ([], [4], [5, 4, 5, 4], [14, 5, 4, 50, 4, 5])]
    return [*runs, *others, _text(draw, 20, (1, 1))]


EXERCISE.untouched()


def _text(draw: Draw, length: int, pair: Pair) -> Inputs:
    """Draw a text in which a pair occurs."""
    ids = draw.ids(length, high=3).tolist()
    return Inputs(([*ids, *pair, *ids[:3], *pair], pair, 256))


EXERCISE.edit(
    "the second id of the pair stays",
    {"1 + found": "1"},
    why="The new id stands for both: after a merge, go on two places further, not one.",
)
EXERCISE.edit(
    "only the first occurrence is merged",
    {"== tuple(pair)": "== tuple(pair) and new not in merged"},
    why="The pair may occur many times.\nGo through the text to its end.",
)
EXERCISE.edit(
    "the last id is lost",
    {"(ids)": "(ids) - 1"},
    why="A loop over pairs ends one place early: an id that is last and not merged stays.",
)
EXERCISE.edit(
    "the pair is merged in either order",
    {"== tuple(pair)": "in (tuple(pair), tuple(pair)[::-1])"},
    why="(1, 2) and (2, 1) are different pairs: the order counts.",
)
