"""A tokenizer to type into: characters, byte pairs learned on the plays, or a real model's."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import traitlets

from transformer_lab.pretrained import bergamot, minilm, smollm2
from transformer_lab.pretrained._model import PretrainedTokenizer
from transformer_lab.tasks.shakespeare import HELD_OUT, SYMBOLS, plays
from transformer_lab.tokenizer import Pair, count_merges, merge_pair, split_pieces
from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._learner import Trouble
from transformer_lab.widgets._traits import Stop, Text

MERGES = 200
TEXT = "The lowest of the low: thou, thou lowliest café!"


#: The real models whose tokenizers can be chosen.
TABLES: dict[str, Callable[[], PretrainedTokenizer]] = {
    "MiniLM": minilm.load_tokenizer,
    "translator": partial(bergamot.load_tokenizer, "en-pt"),
    "SmolLM2": smollm2.load_tokenizer,
}


@cache
def learned() -> list[tuple[Pair, int]]:
    """Return the first merges of the plays, each with how often its pair occurred."""
    text = "".join(text for title, text in plays().items() if title not in HELD_OUT)
    return count_merges(text, MERGES)


def spelled() -> list[bytes]:
    """Return the bytes of each token of `learned`."""
    tokens = [bytes([byte]) for byte in range(256)]
    for (left, right), _ in learned():
        tokens.append(tokens[left] + tokens[right])
    return tokens


def written(token: bytes) -> str:
    """Return a token as text, or its bytes as ‹C3› if it is a part of a character."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return "".join(f"‹{byte:02X}›" for byte in token)


@cache
def table(model: str) -> PretrainedTokenizer:
    """Return a real model's tokenizer. Raises Trouble, which says how to install it."""
    try:
        return TABLES[model]()
    except ModuleNotFoundError as error:
        raise Trouble(str(error)) from error


@cache
def signs() -> frozenset[str]:
    """Return the pieces of SmolLM2 that are not spelled in bytes."""
    return frozenset(smollm2.read_table()[2])


@cache
def letters() -> dict[str, int]:
    """Return the byte that each letter of SmolLM2's pieces stands for: GPT-2's letters."""
    seen = [byte for byte in range(256) if 32 < byte < 127 or (byte > 160 and byte != 173)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return {chr(b): b for b in seen} | {chr(256 + n): b for n, b in enumerate(unseen)}


def cut_by(model: str, text: str) -> tuple[list[str], list[int]]:
    """Return a real model's pieces of a text, and their ids."""
    tokenizer = table(model)
    ids = tokenizer.encode([text])[0][0]
    pieces = tokenizer.spelled(ids)
    if model == "SmolLM2":
        pieces = [p if p in signs() else written(bytes(letters()[c] for c in p)) for p in pieces]
    return pieces, ids.tolist()


class TokenizerLab(Widget):
    """A text of your own, cut into tokens, with their ids.

    Controls: `text`, `by` (characters, or byte pairs learned on six plays), `merges` (how many
    pairs are joined), and `model` (a real model whose tokenizer cuts instead, or "none"). Those
    need `transformer-lab pretrained`.
    """

    stem = "tokenizer_lab"
    alt = (
        "A sentence cut into coloured pieces, each with its id below: frequent words such as “the” "
        "are one piece together with the space before them, a rare word such as “lowliest” is "
        "several, and é is two bytes. A curve shows how the number of tokens falls with the number "
        "of merges."
    )
    text = Text(TEXT, most=240, label="Your text", computed=True)
    by = Stop(["characters", "byte pairs"], "byte pairs", label="Cut into", computed=True)
    merges = Stop([*range(MERGES + 1)], MERGES, label="Merges", computed=True)
    model = Stop(["none", *TABLES], "none", label="Or as a real model does", swept=False)
    learned: Any = traitlets.List(read_only=True).tag(sync=True)
    symbols = traitlets.Unicode("".join(SYMBOLS[1:]), read_only=True).tag(sync=True)

    @traitlets.default("learned")
    def _learned(self) -> list[list[int]]:
        return [[*pair, times] for pair, times in learned()]

    def frame_at(self, text: str, by: str, merges: int, model: str) -> dict[str, Any]:
        """Return the tokens, their ids, and how many tokens there are after each merge.

        A character without an id has the id -1. A real model's merges are not counted.
        """
        if model != "none":
            pieces, ids = cut_by(model, text)
            return {"pieces": pieces, "ids": ids, "lengths": []}
        words = [tuple(word.encode()) for word in split_pieces(text)]
        ids = [token for word in words for token in word]
        lengths = [len(ids)]
        for n, (pair, _) in enumerate(learned()):
            words = [merge_pair(word, pair, 256 + n) for word in words]
            lengths.append(sum(map(len, words)))
            if n < merges:
                ids = [token for word in words for token in word]
        pieces = [written(spelled()[token]) for token in ids]
        if by == "characters":
            pieces = [*text]
            ids = [SYMBOLS.index(c) if c in SYMBOLS else -1 for c in text]
        return {"pieces": pieces, "ids": ids, "lengths": lengths}

    def told(self) -> str:
        """Return the picture in words, with the text and the number of tokens."""
        return f"{self.alt} The text: {self.text} Its tokens: {len(self.frame['ids'])}."

    def figure(self) -> Any:
        """Draw the tokens above the curve of their number."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(7.2, 5), layout="constrained")
        above, below = figure.subplots(2)
        above.set(xlim=(0, 60), ylim=(6, 0))
        above.axis("off")
        colours = [plots.QUERY, plots.KEY, plots.VALUE, plots.INDIGO]
        column, row = 0, 0
        for n, (piece, token) in enumerate(
            zip(self.frame["pieces"], self.frame["ids"], strict=True)
        ):
            name = piece.replace(" ", "␣").replace("\n", "↵")
            wide = max(len(name), len(str(token))) + 1
            if column + wide > 60:
                column, row = 0, row + 2
            middle = {"x": column + wide / 2, "ha": "center", "family": "monospace"}
            above.text(y=row + 0.6, s=name, color=colours[n % 4], fontsize=10, **middle)
            above.text(y=row + 1.4, s=str(token), color="#666666", fontsize=7, **middle)
            column += wide
        if not self.frame["lengths"]:
            below.remove()
            return figure
        lengths = {"tokens of this text": self.frame["lengths"]}
        merges = [*range(MERGES + 1)]
        plots.lines(merges, lengths, below, x_label="merges", y_label="tokens")
        below.axvline(self.merges, color=plots.QUERY, linestyle=":")
        return figure
