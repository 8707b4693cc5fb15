"""encode: cut a text into bytes, then merge as learned."""

from tensorgrader.exercise import Draw, Exercise, Inputs

from .learn_merges import Pairs, bytes_of, learn_merges
from .merge_pair import merge_pair


def encode(text: str, merges: Pairs) -> list[int]:
    """Cut a text into bytes, then merge as learned."""
    ids = bytes_of(text)
    for new, pair in enumerate(merges, start=256):
        ids = merge_pair(ids, pair, new)
    return ids


EXERCISE = Exercise(__name__, encode, results={"ids": ""}, section="book/from_text_to_loss#Tokens")


@EXERCISE.requires("Merges are done in the order in which they were learned.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return merges made by hand, then learned ones and other texts."""
    by_hand = Inputs(("abcab", [(97, 98), (256, 99)]))
    return [by_hand, *(case for n in (3, 6, 9) for case in _learned(draw, n))]


@EXERCISE.requires(
    "Pair k becomes 256 + k in any text, even without the pairs before it.",
    points=1,
)
def others(draw: Draw) -> list[Inputs]:
    """Return no text, no merges, letters of several bytes, and a merge inside one of them."""
    merges = learn_merges("été, été, été", 4)
    cases = [("", merges), ("no merges", []), ("été", merges), ("日本 été", merges), ("ü", merges)]
    cases.append(("".join(draw.shuffled("été, où ça? " * 2)), merges))
    # Of two merges only the second is there; the first takes what the longest piece needs.
    cases += [("cd", [(97, 98), (99, 100)]), ("abcd", [(98, 99), (97, 98), (257, 99)])]
    return [Inputs(case) for case in cases]


EXERCISE.untouched()


def _learned(draw: Draw, count: int) -> list[Inputs]:
    """Learn merges of one text, and give others of the same syllables."""
    texts = ["".join(draw.shuffled(["the ", "then ", "he ", "hen ", "ten "])) for _ in range(3)]
    merges = learn_merges(texts[0], count)
    return [Inputs((text, merges)) for text in texts[1:]]


EXERCISE.edit(
    "the merges are done in another order",
    {"enumerate(merges, start=256)": "[*enumerate(merges, start=256)][::-1]"},
    why="A later merge may need the id that an earlier one makes.\nGo through them from the first "
    "to the last.",
)
EXERCISE.edit(
    "it starts from characters, not from bytes",
    {"list(text.encode())": "[ord(character) for character in text]"},
    why="The ids 0 to 255 are bytes.\n`text.encode()` gives those of a text.",
    of=bytes_of,
)
EXERCISE.edit(
    "new ids do not begin at 256",
    {"256": "257"},
    {"256": "0"},
    why="The bytes have the ids 0 to 255, so the first merge makes 256, the next 257.",
)
