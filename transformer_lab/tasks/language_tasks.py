"""The three ways to learn from text, on the sentences of `toy_language`.

| task          | model                 | reads               | learns to say      | as in        |
|---------------|-----------------------|---------------------|--------------------|--------------|
| `WRITING`     | `DecoderModel`        | what it has written | the next word      | GPT          |
| `MASKED`      | `EncoderModel`        | two texts with gaps | what was there     | BERT         |
| `TRANSLATION` | `EncoderDecoderModel` | a text in English   | it in Portuguese   | Vaswani 2017 |
"""

import math
from functools import partial

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from transformer_lab.loss import IGNORED
from transformer_lab.model import DecoderModel, EncoderDecoderModel, EncoderModel
from transformer_lab.positional_encoding import LearnedPositions
from transformer_lab.tasks.accuracy import exact_match, token_accuracy
from transformer_lab.tasks.task import START, Task, ids_of, small_model
from transformer_lab.tasks.toy_language import Phrase, sentences, words
from transformer_lab.train import Batch, on_device_of

END, MASK = "<end>", "<mask>"
SYMBOLS = (START, END, MASK, *words())
"""The text of each id, the same in all three tasks."""


def draw(size: int, generator: torch.Generator) -> list[Phrase]:
    """Draw sentences, all equally likely."""
    numbers = torch.randint(len(sentences()), (size,), generator=generator)
    return [sentences()[number] for number in numbers.tolist()]


def writing(size: int, generator: torch.Generator) -> Batch:
    """Return a batch of English sentences to write word by word, to the end."""
    texts = [[*english.split(), END] for english, _ in draw(size, generator)]
    ids, real = ids_of(texts, SYMBOLS)
    return {"targets": ids.masked_fill(~real, IGNORED)}


def certainty(model: DecoderModel, batch: Batch) -> float:
    """Return the loss of a perfect model, log(number of sentences) each, divided by this one's."""
    targets = batch["targets"]
    perfect = len(targets) * math.log(len(sentences())) / (targets != IGNORED).sum().item()
    return perfect / model.loss(on_device_of(model, batch)["targets"]).item()


def masked(size: int, generator: torch.Generator) -> Batch:
    """Return sentences in both languages, with gaps to be filled from the other language.

    Where the word is hidden in the other language too, one gap in seven, it has to be guessed.

    Source: Conneau and Lample 2019, section 3.3 (translation language modelling).
    """
    texts = [
        [*english.split(), END, *portuguese.split(), END]
        for english, portuguese in draw(size, generator)
    ]
    ids, real = ids_of(texts, SYMBOLS)
    words = real & (ids > SYMBOLS.index(MASK))
    gaps, targets = hide(ids, words, generator, mask_id=SYMBOLS.index(MASK), symbols=len(SYMBOLS))
    return {"ids": gaps, "targets": targets, "real": real}


def hide(
    ids: Int[Tensor, "B T"],
    words: Bool[Tensor, "B T"],
    generator: torch.Generator,
    *,
    mask_id: int,
    symbols: int,
) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B T"]]:
    """Choose 15 % of the words as targets; return the ids with these hidden, and the targets.

    Of those chosen, 80 % become the mask, 10 % a random word (an id above mask_id and below
    symbols), and 10 % stay, so that the model must have a view on every word. All other targets are
    IGNORED. Source: Devlin et al. 2019, section 3.1.
    """
    choice, way = torch.rand(2, *ids.shape, generator=generator)
    chosen = words & (choice < 0.15)
    random = torch.randint(mask_id + 1, symbols, ids.shape, generator=generator)
    hidden = ids.masked_fill(chosen & (way < 0.8), mask_id)
    hidden = torch.where(chosen & (way >= 0.8) & (way < 0.9), random, hidden)
    return hidden, ids.masked_fill(~chosen, IGNORED)


def translation(size: int, generator: torch.Generator) -> Batch:
    """Return sentences in English, with their translations into Portuguese."""
    pairs = draw(size, generator)
    source, source_real = ids_of([english.split() for english, _ in pairs], SYMBOLS)
    targets, real = ids_of([[*portuguese.split(), END] for _, portuguese in pairs], SYMBOLS)
    targets = targets.masked_fill(~real, IGNORED)
    return {"source": source, "targets": targets, "source_real": source_real}


WRITING = Task(
    symbols=SYMBOLS,
    make_batch=writing,
    measure=certainty,
    model=DecoderModel,
    config=small_model(SYMBOLS),
    steps=300,
    batch_size=64,
    learning_rate=3e-3,
)
MASKED = Task(
    symbols=SYMBOLS,
    make_batch=masked,
    measure=token_accuracy,
    model=EncoderModel,
    config=small_model(SYMBOLS, layers=2, positions=partial(LearnedPositions, max_length=16)),
    steps=400,
    batch_size=64,
    learning_rate=3e-3,
)
TRANSLATION = Task(
    symbols=SYMBOLS,
    make_batch=translation,
    measure=exact_match,
    model=EncoderDecoderModel,
    config=small_model(SYMBOLS),
    steps=150,
    batch_size=64,
    learning_rate=3e-3,
)
