"""Small tasks that a small model masters in seconds, and whose attention can be read.

| task        | reads               | writes              | what a head must find                |
|-------------|---------------------|---------------------|--------------------------------------|
| `REVERSE`   | ten digits          | them, backwards     | the place as far from the other end  |
| `ADDITION`  | `357+486`           | `3480`: units first | the two digits of a column           |
| `INDUCTION` | what it has written | a round, repeated   | what followed the same symbol before |
"""

from functools import partial

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from transformer_lab.feed_forward import NoFeedForward
from transformer_lab.model import DecoderModel, EncoderDecoderModel
from transformer_lab.multi_head import MultiHeadAttention
from transformer_lab.parameters import initialise_normal
from transformer_lab.positional_encoding import LearnedPositions, NoPositions, RotaryPositions
from transformer_lab.tasks.accuracy import correct_tokens, exact_match
from transformer_lab.tasks.task import START, Task, small_model
from transformer_lab.train import Batch

DIGITS = tuple("0123456789")
DIGIT_SYMBOLS = (START, *DIGITS)
SUM_SYMBOLS = (*DIGIT_SYMBOLS, "+")
LETTER_SYMBOLS = (START, *"abcdefghijklmnopqrstuvwxyzαβγδε")


def digits_of(numbers: Int[Tensor, "B"], count: int) -> Int[Tensor, "B T"]:
    """Return ids of the last `count` digits of each number, units first. Id 1 is the digit 0."""
    return numbers[:, None] // 10 ** torch.arange(count) % 10 + 1


def reverse(size: int, generator: torch.Generator, *, length: int = 10) -> Batch:
    """Return random digits, with the same backwards as targets."""
    source = torch.randint(1, 11, (size, length), generator=generator)
    return {"source": source, "targets": source.flip(-1)}


def addition(size: int, generator: torch.Generator, *, digits: int = 3) -> Batch:
    """Return two numbers, "357+486", with their sum as target, units first: "3480".

    So each digit is written when the carry is known, as in addition on paper.
    """
    a, b = torch.randint(10**digits, (2, size), generator=generator)
    plus = torch.full((size, 1), SUM_SYMBOLS.index("+"))
    source = [digits_of(a, digits).flip(-1), plus, digits_of(b, digits).flip(-1)]
    return {"source": torch.cat(source, dim=-1), "targets": digits_of(a + b, digits + 1)}


def induction(size: int, generator: torch.Generator, *, length: int = 32) -> Batch:
    """Return different random symbols, then the same again, and again; their number differs by row.

    From its second occurrence on, a symbol is followed by the one that followed it before.
    """
    symbols = 1 + torch.rand(size, len(LETTER_SYMBOLS) - 1, generator=generator).argsort(dim=-1)
    period = torch.randint(4, length // 2 + 1, (size, 1), generator=generator)
    return {"targets": symbols.gather(-1, torch.arange(length) % period)}


def repeated(targets: Int[Tensor, "B T"]) -> Bool[Tensor, "B T"]:
    """Return which targets can be known: those whose predecessor has appeared before."""
    seen = (targets[:, :, None] == targets[:, None, :]).tril(-1).any(dim=-1)
    return torch.cat([torch.zeros_like(seen[:, :1]), seen[:, :-1]], dim=-1)


def repetition_accuracy(model: nn.Module, batch: Batch) -> float:
    """Return the share of predictable targets that the model gets right."""
    known = repeated(batch["targets"]).cpu()
    return correct_tokens(model, batch).cpu()[known].float().mean().item()


REVERSE = Task(
    symbols=DIGIT_SYMBOLS,
    make_batch=reverse,
    measure=exact_match,
    model=EncoderDecoderModel,
    config=small_model(DIGIT_SYMBOLS, heads=1),
    steps=200,
    batch_size=64,
    learning_rate=3e-3,
)
ADDITION = Task(
    symbols=SUM_SYMBOLS,
    make_batch=addition,
    measure=exact_match,
    model=EncoderDecoderModel,
    config=small_model(
        SUM_SYMBOLS,
        d_model=128,
        heads=4,
        decoder_layers=2,
        positions=partial(LearnedPositions, max_length=7),
    ),
    steps=500,
    batch_size=64,
    learning_rate=1e-3,
)
INDUCTION = Task(
    symbols=LETTER_SYMBOLS,
    make_batch=induction,
    measure=repetition_accuracy,
    model=DecoderModel,
    config=small_model(
        LETTER_SYMBOLS,
        layers=2,
        positions=NoPositions,
        attention=partial(MultiHeadAttention, positions=RotaryPositions()),
        feed_forward=NoFeedForward,
        initialise=initialise_normal,
    ),
    steps=200,
    batch_size=64,
    learning_rate=5e-3,
)
