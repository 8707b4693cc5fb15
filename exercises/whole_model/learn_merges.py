"""learn_merges: merge the most frequent pair of a text, again and again."""

from collections import Counter
from itertools import pairwise

from tensorgrader.exercise import Draw, Exercise, Inputs

from .merge_pair import merge_pair

Pairs = list[tuple[int, int]]


def learn_merges(text: str, count: int) -> Pairs:
    """Merge the most frequent pair of a text, again and again."""
    ids, merges = bytes_of(text), Pairs()
    while len(merges) < count and len(ids) > 1:
        merges.append(most_frequent(ids))
        ids = merge_pair(ids, merges[-1], 255 + len(merges))
    return merges


def bytes_of(text: str) -> list[int]:
    """Return the bytes of a text."""
    return list(text.encode())


def most_frequent(ids: list[int]) -> tuple[int, int]:
    """Return the most frequent pair; of equally frequent ones, that which comes first."""
    return Counter(pairwise(ids)).most_common(1)[0][0]


EXERCISE = Exercise(
    __name__, learn_merges, results={"merges": ""}, section="book/from_text_to_loss#Tokens"
)


@EXERCISE.requires("Each merge takes the pair that is most frequent by then.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return the chapter's kind of text, then words drawn from a few syllables."""
    by_hand, often = Inputs(("aabaabaac", 2)), Inputs(("ab" * 60 + "cd" * 61, 2))
    return [by_hand, often, *(Inputs((_text(draw, n), k)) for n, k in ((12, 3), (20, 5), (30, 8)))]


@EXERCISE.requires(
    "Of pairs that are equally frequent it takes the one that comes first in the text.", points=1
)
def ties(draw: Draw) -> list[Inputs]:
    """Return texts in which no pair occurs more often than others."""
    texts = ("zyab", "abzy", "dcba dcba", "".join(draw.shuffled("abcdefgh")))
    return [Inputs((text, 3)) for text in texts]


@EXERCISE.requires(
    "It starts from the bytes of UTF-8, and stops early when there is no pair left.", points=1
)
def ends(draw: Draw) -> list[Inputs]:
    """Return letters of two bytes or more, and texts that are soon one token."""
    letters = (("éèéèé", 3), ("日本日本", 4), ("für, für", 3), ("ñañañ", 2))
    short = (("ab", 5), ("aaaa", 9), ("a", 2), ("", 1))
    drawn = "".join(draw.shuffled("éèàùüöñç" * 2))
    return [Inputs(case) for case in (*letters, *short, (drawn, 5))]


def _text(draw: Draw, count: int) -> str:
    """Draw words of a few syllables."""
    syllables = ("the", "he", " a", "ca", "t ", "er ", "in")
    return "".join(syllables[n] for n in draw.ids(count, high=len(syllables)))


@EXERCISE.mistake(
    "the pairs are counted once only",
    why="A merge makes new pairs, and takes others away.\nCount again after each.",
)
def counted_once(text: str, count: int) -> Pairs:
    return [pair for pair, _ in Counter(pairwise(bytes_of(text))).most_common(count)]


EXERCISE.edit(
    "it starts from characters, not from bytes",
    {"list(text.encode())": "[ord(character) for character in text]"},
    why="A letter such as é has two bytes in UTF-8, and so may be merged of two ids.\n"
    "`text.encode()` gives the bytes.",
    of=bytes_of,
)
EXERCISE.edit(
    "a tie is broken in another way",
    {
        "Counter(pairwise(ids)).most_common(1)[0][0]": "max(Counter(pairwise(ids)).items(), "
        "key=lambda one: one[::-1])[0]"
    },
    why="\nTake the one that comes first in the text, so that everyone learns the same merges. "
    "`max(counts, key=counts.get)` does that, since a dict keeps its keys in the order in which "
    "they were added.",
    of=most_frequent,
)
EXERCISE.edit(
    "new ids do not begin at 256",
    {"255 + ": "256 + "},
    {"255 + ": "-1 + "},
    why="The bytes have the ids 0 to 255, so the first merge makes 256, the next 257.",
)
EXERCISE.edit(
    "it stops at a pair that occurs only once",
    {"len(ids) > 1": "max(Counter(pairwise(ids)).values(), default=0) > 1"},
    why="\nGo on until there are as many merges as asked for, or no pair is left.",
)
