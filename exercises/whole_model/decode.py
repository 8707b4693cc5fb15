"""decode: put the bytes of all ids together, and read them as a text."""

from tensorgrader.exercise import Draw, Exercise, Inputs

from .encode import encode
from .learn_merges import Pairs, learn_merges


def decode(ids: list, merges: Pairs) -> str:
    """Join the bytes of all ids, and decode them as text."""
    spelled = _spelled(merges)
    return b"".join(spelled[token] for token in ids).decode(errors="replace")


def _spelled(merges: Pairs) -> list[bytes]:
    """Return the bytes of each id."""
    spelled = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelled.append(joined(spelled, left, right))
    return spelled


def joined(spelled: list[bytes], left: int, right: int) -> bytes:
    """Return the bytes of a pair."""
    return spelled[left] + spelled[right]


EXERCISE = Exercise(__name__, decode, results={"text": ""}, section="book/from_text_to_loss#Tokens")


@EXERCISE.requires("What was encoded comes back.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return ids by hand, then texts of learned merges, one of them with two-byte letters."""
    by_hand = Inputs(([257, 256], [(97, 98), (256, 99)]))
    texts = ["".join(draw.shuffled(["the ", "then ", "été ", "hen ", "où "])) for _ in range(4)]
    merges = learn_merges(texts[0], 8)
    return [by_hand, *(Inputs((encode(text, merges), merges)) for text in texts)]


@EXERCISE.requires(
    'Bytes that are no text become the sign �, as `errors="replace"` does, and raise nothing.',
    points=1,
)
def broken(draw: Draw) -> list[Inputs]:
    """Return halves of letters, as a model may write them, and no ids at all."""
    first, second = "é".encode()
    merges = [(first, second)]
    cases: tuple[list[int], ...] = ([first], [97, second, 98], [256, first], [255, 254], [])
    drawn = draw.shuffled([first, second, 256, 97, 98, 255, first])
    return [Inputs((ids, merges)) for ids in (*cases, drawn)]


EXERCISE.untouched()


JOINED = 'b"".join(spelled[token] for token in ids).decode(errors="replace")'

EXERCISE.edit(
    "each id is decoded by itself",
    {JOINED: '"".join(spelled[token].decode(errors="replace") for token in ids)'},
    why="A letter such as é has two bytes, which may stand in two ids.\nPut all bytes together "
    "first, then decode.",
)
EXERCISE.edit(
    "bytes are taken for characters",
    {JOINED: '"".join(chr(byte) for token in ids for byte in spelled[token])'},
    why="A byte is no letter.\n`bytes.decode()` reads them as UTF-8.",
)
EXERCISE.edit(
    "the two halves of a merge are swapped",
    {"[left] + spelled[right]": "[right] + spelled[left]"},
    why="A merged id is its left part, then its right part.",
    of=joined,
)
EXERCISE.edit(
    "broken bytes are dropped",
    {"replace": "ignore"},
    why='A reader should see that something is missing.\n`errors="replace"` puts � there.',
)
EXERCISE.edit(
    "the merges are not undone to the end",
    {
        "spelled[left] + spelled[right]": 'b"".join(bytes([one]) if one < 256 else b"" for one in '
        "(left, right))"
    },
    why="A merged id may be made of merged ids.\nTake it apart until only bytes are left, or keep "
    "for each id its bytes.",
    of=joined,
)
