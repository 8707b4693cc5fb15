"""Learning to write like Shakespeare: the time it takes, and the loss on held-out plays."""

import time
from statistics import median

import torch

from benchmarks import report
from transformer_lab import count_parameters
from transformer_lab.tasks import shakespeare
from transformer_lab.tasks.shakespeare import PlayTask

TASKS = {"`SHAKESPEARE`": shakespeare.SHAKESPEARE, "`LONGER`": shakespeare.LONGER}
WHAT = """\
The tasks of `shakespeare` are trained as a chapter does it, on all cores that PyTorch takes, and
measured on 500 passages of {length} characters from two plays that they never read. The loss is in
nats for each character, over {seeds} seeds: the median, and the smallest and largest behind it."""


def trained(task: PlayTask, seed: int) -> tuple[float, float]:
    """Train; return the seconds, and the loss on held-out text."""
    trainer = task.trainer(seed=seed)
    start = time.perf_counter()
    trainer.run(task.steps)
    seconds = time.perf_counter() - start
    with torch.no_grad():
        return seconds, trainer.model.loss(**task.held_out()).item()


def spread(found: list[float], digits: int) -> str:
    """Return the median, with the smallest and the largest: "1.90 (1.88–1.91)"."""
    return "{:.{d}f} ({:.{d}f}–{:.{d}f})".format(median(found), min(found), max(found), d=digits)


def measure(seeds: int = 3) -> str:
    """Train every task with every seed; return the report."""
    rows = []
    for name, task in TASKS.items():
        seconds, losses = zip(*(trained(task, seed) for seed in range(seeds)), strict=True)
        parameters = count_parameters(task.trainer().model)
        steps = f"{task.steps:,}"
        rows.append([name, f"{parameters:,}", steps, spread(seconds, 0), spread(losses, 3)])
    header = ["task", "parameters", "steps", "seconds", "loss on unseen plays"]
    what = WHAT.format(length=shakespeare.LENGTH, seeds=seeds)
    return f"{report.table(header, rows)}\n\n{what}"
