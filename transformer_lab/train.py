"""Training: the learning rate at each step, one step, and a loop that can be saved and resumed.

What a step draws at random, its batch and its dropout, depends on the seed and on the step's number
and on nothing else. So a training that was saved and resumed ends where an uninterrupted one does,
to the last bit on the same machine, and an interrupted loop just continues.
"""

import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm import tqdm

from transformer_lab._checks import (
    check_integers,
    check_not_negative,
    check_optimizer,
    check_positive,
)
from transformer_lab._renamed import new_names
from transformer_lab.parameters import device_of

Batch = dict[str, Tensor]
"""The arguments of a model's `loss`, by name."""


def noam_schedule(step: int, *, d_model: int, warm_up: int = 4000) -> float:
    """Return the learning rate of a step, counted from 1: linear up, then down as 1 / sqrt(step).

    Source: Vaswani et al. 2017, equation 3. Raises ValueError for numbers below 1.
    """
    check_integers(step=step, d_model=d_model, warm_up=warm_up)
    return d_model**-0.5 * min(step**-0.5, step * warm_up**-1.5)


def cosine_schedule(step: int, *, peak: float, warm_up: int, steps: int) -> float:
    """Return the learning rate of a step, counted from 1: linear up, then down half a cosine.

    It reaches `peak` at step `warm_up`, and 0 right after the last of `steps`.

    Source: Loshchilov and Hutter 2017, equation 5, without restarts. Raises ValueError for a peak
    that is not positive and a warm-up of more than `steps`.
    """
    check_integers(step=step, steps=steps)
    check_integers(least=0, warm_up=warm_up)
    check_positive(peak=peak)
    if warm_up > steps:
        raise ValueError(
            f"warm_up must be at most the {steps} steps of the training, but is {warm_up}."
        )
    if step < warm_up:
        return peak * step / warm_up
    progress = min((step - warm_up) / (steps + 1 - warm_up), 1.0)
    return peak * (1 + math.cos(math.pi * progress)) / 2


def train_step(
    model: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch, *, clip: float
) -> float:
    """Update the parameters on one batch, and return the loss before the update.

    The batch is moved to the model's device. A gradient whose norm over all parameters exceeds
    `clip` is scaled down to it: Pascanu et al. 2013, section 3.2; `math.inf` clips none. Raises
    ValueError, and changes nothing, if loss or gradient is not a number, clip is not positive, or
    the optimizer has other parameters.
    """
    check_positive(clip=clip)
    check_optimizer(model, optimizer)
    optimizer.zero_grad()  # it may have more parameters than this model,
    model.zero_grad()  # or not all of them
    loss = model.loss(**on_device_of(model, batch))  # type: ignore[operator]
    loss.backward()
    length = nn.utils.clip_grad_norm_(model.parameters(), clip)
    if not (loss + length).isfinite():
        raise ValueError(
            f"the loss is {loss.item():g} and its gradient has length {length.item():g}, so no "
            f"step was taken. A lower learning rate or a longer warm-up usually fixes this."
        )
    optimizer.step()
    return loss.item()


def on_device_of(model: nn.Module, batch: Batch) -> Batch:
    """Return the batch on the device of the model's parameters."""
    device = device_of(model)
    return {name: tensor.to(device) for name, tensor in batch.items()}


@dataclass
class History:
    """The course of a training: the loss of every step, and the measurements."""

    losses: list[float] = field(default_factory=list)
    measured: dict[int, float] = field(default_factory=dict)


class Trainer:
    """Trains a model, with AdamW, on batches created as needed.

    `make_batch(size, generator)` returns the arguments of `model.loss`, by name, and draws all
    random numbers from the generator, on the CPU: the same seed gives the same batches on any
    device. `schedule(step)` is the learning rate.

    Sources: Loshchilov and Hutter 2019 for AdamW; its β2 = 0.98 from Vaswani et al. 2017.
    """

    def __init__(
        self,
        model: nn.Module,
        make_batch: Callable[[int, torch.Generator], Batch],
        *,
        schedule: Callable[[int], float],
        batch_size: int = 64,
        clip: float = 1.0,
        seed: int = 0,
    ):
        """Get ready for the first step. Raises what `train_step` would."""
        check_integers(batch_size=batch_size)
        check_positive(clip=clip)
        self.model, self.make_batch, self.schedule = model, make_batch, schedule
        self.batch_size, self.clip, self.seed = batch_size, clip, seed
        # foreach: the same numbers, in fewer calls
        self.optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), foreach=True)
        self.history = History()
        check_optimizer(model, self.optimizer)

    @property
    def step(self) -> int:
        """The number of steps taken so far."""
        return len(self.history.losses)

    def run(
        self, until: int, *, measure: Callable[[nn.Module], float] | None = None, every: int = 50
    ) -> History:
        """Train up to so many steps in all; leave the model in evaluation mode.

        After each `every` steps `measure(model)`, in evaluation mode, is added to the history.
        Raises what `train_step` raises, and ValueError for a negative learning rate.
        """
        check_integers(every=every)
        try:
            with tqdm(
                total=until, initial=self.step, file=sys.stdout, unit="step", disable=not _watched()
            ) as bar:
                while self.step < until:
                    self.history.losses.append(self._take_step(self.step + 1))
                    if measure is not None and self.step % every == 0:
                        with torch.no_grad():
                            measured = measure(self.model.eval())
                        self.history.measured[self.step] = float(measured)
                    bar.set_postfix(loss=f"{self.history.losses[-1]:.3f}", refresh=False)
                    bar.update()
        finally:
            self.model.eval()
        return self.history

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write a checkpoint, which `resume` reads. Either the whole file appears, or none.

        Raises ValueError if the file exists, unless overwrite is True.
        """
        path = Path(path)
        if path.exists() and not overwrite:
            raise ValueError(
                f"{path} exists already. Choose another name, or save with overwrite=True."
            )
        parts = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        checkpoint = parts | {"history": vars(self.history), "settings": self._settings()}
        part = path.with_name(f"{path.name}.part")
        try:
            with part.open("wb") as file:
                torch.save(checkpoint, file)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def resume(self, path: str | Path) -> None:
        """Continue a saved training where it stopped. Nothing in the file is executed.

        This trainer must be created like the one that saved: raises ValueError, and changes
        nothing, if batch_size, clip, seed or the model's parameters (number, names, shapes, dtypes)
        differ. make_batch, schedule and the number of heads cannot be compared.
        """
        file = BytesIO(Path(path).read_bytes())
        try:
            checkpoint = torch.load(file, map_location="cpu", weights_only=True)
            wanted, state = checkpoint["settings"], new_names(checkpoint["model"])
        except Exception as error:  # of many kinds, depending on where the file is broken
            raise ValueError(f"{path} is not a complete checkpoint written by `save`.") from error
        if wanted != self._settings():
            raise ValueError(
                f"{path} was saved by a trainer with {wanted}, but this one has "
                f"{self._settings()}. Create both with the same settings."
            )
        theirs, own = _kinds(state), _kinds(self.model.state_dict())
        for name in sorted(theirs | own):
            if theirs.get(name) != own.get(name):
                raise ValueError(
                    f"{path} holds another model: its {name} is {theirs.get(name, 'absent')}, this "
                    f"model's is {own.get(name, 'absent')}. Create the model from the same config."
                )
        self.model.load_state_dict(state)
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        self.history = History(**checkpoint["history"])

    def _settings(self) -> dict[str, int | float]:
        settings = {name: getattr(self, name) for name in ("batch_size", "clip", "seed")}
        # state_dict does not show this: a tied output adds no tensor of its own.
        return settings | {"tensors": sum(1 for _ in self.model.parameters())}

    def _take_step(self, step: int) -> float:
        """Run one step, with its own learning rate and random numbers; return the batch's loss."""
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + step)
        rate = self.schedule(step)
        check_not_negative(**{f"schedule({step}), a learning rate,": rate})
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        device = device_of(self.model)
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.manual_seed(int(torch.randint(2**31, (), generator=generator)))  # for dropout
            batch = self.make_batch(self.batch_size, generator)
            return train_step(self.model.train(), self.optimizer, batch, clip=self.clip)


def _kinds(state: dict[str, Tensor]) -> dict[str, str]:
    """Return the shape and dtype of each tensor."""
    return {name: f"{tuple(tensor.shape)} {tensor.dtype}" for name, tensor in state.items()}


def _watched() -> bool:
    """Return whether a progress bar would be visible: at a terminal, or in a live notebook."""
    in_notebook = type(sys.stdout).__module__ == "ipykernel.iostream"
    return (sys.stdout.isatty() or in_notebook) and not os.environ.get("TQDM_DISABLE")
