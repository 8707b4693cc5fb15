"""From text to token ids and back: a byte-pair tokenizer, trained on any text.

It starts from the 256 bytes of UTF-8, so that it can encode any text, and learns merges: the pair
of neighbours that occurs most often becomes a token of its own, again and again. Common words
become one token, rare ones a few.

Sources: Gage 1994 for the compression, Sennrich et al. 2016, section 3.2, for its use on words, and
Radford et al. 2019 (GPT-2), section 2.2, for starting from bytes.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

from torch import Tensor

from transformer_lab._checks import check_integers, check_text, check_texts

Pair = tuple[int, int]
Piece = TypeVar("Piece")  # the parts of words: ids here, letters on paper

# As in GPT-2: an English ending, as in "it's", letters, digits, or symbols, with the space before
# them; of several spaces the last belongs to the word. Every character is in one piece:
# joined, they are the text. Numbers such as ½ are letters here, and digits there.
PIECE = re.compile(r"'(?:[sdmt]|ll|re|ve)| ?[^\W\d_]+| ?\d+| ?(?:[^\w\s]|_)+|\s+(?!\S)|\s+")


def split_pieces(text: str) -> list[str]:
    """Split a text into the pieces across which no merge reaches.

    Raises TypeError for anything but a str, ValueError for lone surrogates.
    """
    check_text("text", text)
    return PIECE.findall(text)


def merge_pair(
    word: Sequence[Piece], pair: tuple[Piece, Piece], merged: Piece
) -> tuple[Piece, ...]:
    """Replace each occurrence of `pair`, from the left. Raises TypeError if it is no pair."""
    _check_pair(pair)
    result: list[Piece] = []
    for piece in word:
        if result and (result[-1], piece) == pair:
            result[-1] = merged
        else:
            result.append(piece)
    return tuple(result)


def learn_merges(text: str, count: int) -> list[Pair]:
    """Return the first `count` merges of a text; the i-th creates token 256 + i.

    Raises what `count_merges` raises.
    """
    return [pair for pair, _ in count_merges(text, count)]


def count_merges(text: str, count: int) -> list[tuple[Pair, int]]:
    """Return the first `count` merges of a text, each with how often its pair occurred.

    Each merges the most frequent pair; of equally frequent ones, the one with the greatest bytes,
    first by its first token, then by its second, as in the code of Sennrich et al. The pairs are
    counted once; then each merge recounts only the words that it changes. Raises ValueError for a
    text that has too few pairs or lone surrogates, TypeError for anything but a str.
    """
    check_integers(least=0, count=count)
    words: dict[tuple[int, ...], int] = {}
    pairs: Counter[Pair] = Counter()
    where: defaultdict[Pair, set[tuple[int, ...]]] = defaultdict(set)  # and its previous place

    def add(word: tuple[int, ...], n: int) -> None:
        words[word] = n
        for pair in pairwise(word):
            pairs[pair] += n
            where[pair].add(word)

    def remove(word: tuple[int, ...]) -> int:
        n = words.pop(word)
        for pair in pairwise(word):
            pairs[pair] -= n
        return n

    for piece, n in Counter(split_pieces(text)).items():
        add(tuple(piece.encode()), n)
    merges: list[tuple[Pair, int]] = []
    spelled = [bytes([byte]) for byte in range(256)]
    while len(merges) < count:
        most = max(pairs.values(), default=0)
        if most == 0:
            raise ValueError(
                f"after {len(merges)} merges each piece of this text is a single token, so "
                f"{count} merges cannot be learned. Use a longer text or a smaller vocabulary."
            )
        rivals = (pair for pair, n in pairs.items() if n == most)
        best = max(rivals, key=lambda pair: (spelled[pair[0]], spelled[pair[1]]))
        for word in where.pop(best) & words.keys():
            add(merge_pair(word, best, len(spelled)), remove(word))
        merges.append((best, most))
        spelled.append(spelled[best[0]] + spelled[best[1]])
    return merges


class BytePairTokenizer:
    """A vocabulary of bytes, of merges, and of special tokens, which have the last ids.

    `special["<end>"]` is the id of a special token. `encode` never returns it: a text that contains
    the characters `<end>` is a text like any other, and cannot end anything.
    """

    def __init__(self, merges: Sequence[Pair], *, special: Sequence[str] = ()):
        """Create a tokenizer of merges, the i-th of which creates token 256 + i.

        Raises TypeError unless merges are pairs and names are texts, ValueError for merges that are
        out of order or duplicated.
        """
        check_texts("special", special)
        if len(set(special)) < len(special):
            raise ValueError(f"each special token needs a name of its own, but got {special}.")
        self.bytes = [bytes([byte]) for byte in range(256)]
        for i, pair in enumerate(merges):
            _check_pair(pair)
            left, right = pair
            check_integers(least=None, left=left, right=right)
            if not (0 <= left < 256 + i and 0 <= right < 256 + i):
                raise ValueError(
                    f"merge {i} joins tokens {left} and {right}, but the tokens before it go from "
                    f"0 to {255 + i}. Pass merges in the order in which they were learned."
                )
            self.bytes.append(self.bytes[left] + self.bytes[right])
        self.merged = {pair: 256 + i for i, pair in enumerate(merges)}
        if len(self.merged) < len(merges):
            (twice, _), *_ = Counter(merges).most_common()
            raise ValueError(f"each merge makes one token, but the pair {twice} occurs twice.")
        self.special = {name: len(self.bytes) + i for i, name in enumerate(special)}
        self.bytes += [name.encode() for name in special]

    @classmethod
    def train(
        cls, text: str, *, vocabulary: int, special: Sequence[str] = ()
    ) -> "BytePairTokenizer":
        """Learn as many merges from a text as the vocabulary needs.

        Raises ValueError for a vocabulary smaller than the 256 bytes and `special`, or too short a
        text, TypeError for anything but a str and an integer.
        """
        check_integers(vocabulary=vocabulary)
        smallest = len(cls([], special=special))
        if vocabulary < smallest:
            raise ValueError(
                f"the vocabulary holds the 256 bytes and {len(special)} special tokens, so it "
                f"must be at least {smallest}, but is {vocabulary}."
            )
        return cls(learn_merges(text, vocabulary - smallest), special=special)

    def __len__(self) -> int:
        """Return the number of tokens in the vocabulary."""
        return len(self.bytes)

    def encode(self, text: str) -> list[int]:
        """Split a text into tokens: in each piece, apply the merges in the order they were learned.

        Raises TypeError for anything but a str, ValueError for lone surrogates.
        """
        return [token for piece in split_pieces(text) for token in self._encode_piece(piece)]

    def decode(self, ids: Iterable[int] | Tensor) -> str:
        """Join tokens to a text. Bytes that aren't UTF-8, such as half a letter, become �.

        Raises ValueError for a tensor of several texts, and for an id outside the vocabulary,
        TypeError for anything but integers.
        """
        if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
            raise TypeError(f"ids must be a list, like {self.encode('a b')}, but is {ids!r}.")
        if isinstance(ids, Tensor) and ids.dim() != 1:
            raise ValueError(
                f"ids must be those of one text, but have the shape {tuple(ids.shape)}. Decode "
                "one text at a time: [tokenizer.decode(row) for row in ids]."
            )
        tokens = [id.item() if isinstance(id, Tensor) and not id.dim() else id for id in ids]
        for token in tokens:
            check_integers(least=None, **{"each id": token})
            if not 0 <= token < len(self):
                raise ValueError(
                    f"ids must lie between 0 and {len(self) - 1}, for a vocabulary of "
                    f"{len(self)}, but hold {token}. Were they made by another tokenizer?"
                )
        return b"".join(self.bytes[int(token)] for token in tokens).decode(errors="replace")

    def _encode_piece(self, piece: str) -> tuple[int, ...]:
        ids = tuple(piece.encode())
        while known := [pair for pair in pairwise(ids) if pair in self.merged]:
            first = min(known, key=self.merged.__getitem__)
            ids = merge_pair(ids, first, self.merged[first])
        return ids


def _check_pair(pair: object) -> None:
    """Raise TypeError unless the pair is a tuple of two tokens: a list equals none."""
    if not (isinstance(pair, tuple) and len(pair) == 2):
        raise TypeError(f"a merge must be a pair of tokens, like (97, 98), but is {pair!r}.")
