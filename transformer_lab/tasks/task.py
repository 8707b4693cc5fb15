"""The contents of a small task: batches, a model, and how the model is trained on them.

Batches are created as needed; nothing is stored, nothing is loaded. Id 0 is the start symbol of
every task, and the padding of a source.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from transformer_lab.embedding import untied_output
from transformer_lab.model import ModelConfig
from transformer_lab.norm import LayerNorm, PreNorm
from transformer_lab.train import Batch, Trainer, cosine_schedule

START = "<start>"


@dataclass(frozen=True, kw_only=True)
class Task:
    """What to learn, from which batches, with which model, and how it is trained and measured.

    `symbols[i]` is the text of id i. `make_batch(size, generator)` returns the arguments of the
    model's `loss`, by name, and draws from the generator. `measure(model, batch)` is 1 at best.
    """

    symbols: tuple[str, ...]
    make_batch: Callable[[int, torch.Generator], Batch]
    measure: Callable[[Any, Batch], float]  # Any: the model that the task is for
    model: Callable[[ModelConfig], nn.Module]
    config: ModelConfig
    steps: int
    batch_size: int
    learning_rate: float

    def trainer(self, *, seed: int = 0) -> Trainer:
        """Return the trainer of a new model with this seed: `.run(task.steps)` trains it."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = self.model(self.config)
        schedule = partial(cosine_schedule, peak=self.learning_rate, warm_up=50, steps=self.steps)
        return Trainer(
            model, self.make_batch, schedule=schedule, batch_size=self.batch_size, seed=seed
        )

    def held_out(self, size: int = 500) -> Batch:
        """Return a batch for evaluation: always the same, drawn apart from those for training."""
        return self.make_batch(size, torch.Generator().manual_seed(2**31))


def small_model(symbols: Sequence[str], **others: Any) -> ModelConfig:
    """Return the config that the tasks share, changed by `others`.

    It is the paper's except for its pre-norm wiring, embeddings that are small beside the
    positions, and a separate output matrix: each makes tasks like these train in fewer steps.
    """
    config = ModelConfig(
        vocabulary=len(symbols),
        d_model=64,
        heads=2,
        d_ff=256,
        layers=1,
        tokens=nn.Embedding,
        residual=PreNorm,
        final_norm=LayerNorm,
        output=untied_output,
    )
    return replace(config, **others)


def ids_of(
    texts: Iterable[Sequence[str]], symbols: Sequence[str]
) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
    """Return the ids of each text's symbols, padded with 0, and which of them are tokens.

    Raises ValueError for a text that holds anything else, and if there is no text; TypeError for a
    single text in place of a list.
    """
    if isinstance(texts, str):
        raise TypeError(f"texts must be a list of texts, like {[texts]}, but is a str.")
    number = {symbol: i for i, symbol in enumerate(symbols)}
    try:
        rows = [
            torch.tensor([number[symbol] for symbol in text], dtype=torch.long) for text in texts
        ]
    except KeyError as error:
        raise ValueError(
            f"{error} is not a symbol of this task: its {len(symbols)} are {', '.join(symbols)}."
        ) from None
    if not rows:
        raise ValueError("texts must hold at least one text, but there is none.")
    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, torch.arange(ids.size(1)) < lengths[:, None]
