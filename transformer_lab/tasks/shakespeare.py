"""Plays by Shakespeare, read and written character by character: a real text, in a minute or so.

Eight plays, 950 thousand characters. Two of them, a tragedy and a comedy, are never trained on.

The words are Shakespeare's and in the public domain. The files are Project Gutenberg's, after the
Globe edition of Clark and Wright (1866), as Open Shakespeare 0.6 carries them (Open Knowledge
Foundation, 2005-8; Rufus Pollock, Iain Emsley): its AUTHORS calls the texts public domain, its
COPYING puts all that is not code under CC BY 2.5. `tools/shakespeare.py` chose them.
"""

import bz2
import re
import string
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

from transformer_lab._checks import check_integers
from transformer_lab.feed_forward import SwiGLU
from transformer_lab.generate import next_token_logits
from transformer_lab.model import DecoderModel
from transformer_lab.multi_head import MultiHeadAttention
from transformer_lab.norm import RMSNorm
from transformer_lab.positional_encoding import NoPositions, RotaryPositions
from transformer_lab.sampling import sample
from transformer_lab.tasks.accuracy import token_accuracy
from transformer_lab.tasks.task import START, Task, ids_of, small_model
from transformer_lab.train import Batch

HELD_OUT = ("Macbeth", "The Tempest")
SYMBOLS = (START, "\n", " ", *string.ascii_letters, *string.digits, *string.punctuation)
LENGTH = 64
WORD = re.compile("[A-Za-z']{3,}")  # one or two letters may occur by chance


@cache
def plays() -> dict[str, str]:
    """Return each play's text, from its first act on, by its title."""
    packed = Path(__file__).with_name("shakespeare.txt.bz2").read_bytes()
    texts = bz2.decompress(packed).decode("ascii").split("\f")
    return {title: text for title, _, text in (play.partition("\n") for play in texts)}


@cache
def vocabulary() -> frozenset[str]:
    """Return every WORD of the training plays in lower case."""
    texts = (text for title, text in plays().items() if title not in HELD_OUT)
    return frozenset(word.lower() for text in texts for word in WORD.findall(text))


@cache
def _ids(*, held_out: bool) -> Int[Tensor, " N"]:
    """Return the training plays, or the held-out ones, as one row of ids."""
    texts = [text for title, text in plays().items() if (title in HELD_OUT) == held_out]
    return ids_of(["".join(texts)], SYMBOLS)[0][0]


def passages(size: int, generator: torch.Generator, *, held_out: bool = False) -> Batch:
    """Return passages of LENGTH characters from anywhere in the plays."""
    ids = _ids(held_out=held_out)
    starts = torch.randint(len(ids) - LENGTH + 1, (size, 1), generator=generator)
    return {"targets": ids[starts + torch.arange(LENGTH)]}


class PlayTask(Task):
    """A task that is measured on plays from which no training batch was drawn."""

    def held_out(self, size: int = 500) -> Batch:
        """Return a batch of passages from the held-out plays: the same each time."""
        return passages(size, torch.Generator().manual_seed(2**31), held_out=True)


def write(model: DecoderModel, characters: int, *, beginning: str = "", seed: int = 0) -> str:
    """Continue a beginning, one sampled character after the other.

    The model reads START and the last LENGTH - 1 characters, as in training. START is never
    written. The same seed draws the same numbers on any device. Raises ValueError for a beginning
    with other characters than SYMBOLS, and for a negative number of characters.
    """
    check_integers(least=0, characters=characters)
    ids, _ = ids_of([beginning], SYMBOLS)
    start = torch.full((1, 1), SYMBOLS.index(START))
    is_start = torch.arange(len(SYMBOLS)) == SYMBOLS.index(START)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(characters):
        logits = next_token_logits(model, torch.cat([start, ids[:, 1 - LENGTH :]], dim=-1))
        drawn = sample(logits.cpu().masked_fill(is_start, -torch.inf), generator=generator)
        ids = torch.cat([ids, drawn[:, None]], dim=-1)
    return "".join(SYMBOLS[i] for i in ids[0].tolist())


SHAKESPEARE = PlayTask(
    symbols=SYMBOLS,
    make_batch=passages,
    measure=token_accuracy,
    model=DecoderModel,
    config=small_model(
        SYMBOLS,
        d_model=96,
        heads=3,
        d_ff=128,
        layers=3,
        positions=NoPositions,
        attention=partial(MultiHeadAttention, bias=False, positions=RotaryPositions()),
        feed_forward=SwiGLU,
        norm=RMSNorm,
        final_norm=RMSNorm,
    ),
    steps=1500,
    batch_size=16,
    learning_rate=4e-3,
)
LONGER = replace(SHAKESPEARE, steps=2500)
