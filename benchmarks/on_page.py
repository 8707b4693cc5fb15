"""Training on a page beside PyTorch: the same GPT, the same start and batches, one core each."""

import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import torch

from benchmarks import report
from book._ext.training import SOURCES, kernels
from tests.page.node import answered
from transformer_lab.tasks.shakespeare import plays
from transformer_lab.widgets._training import Training
from transformer_lab.widgets.train_here import PLAY

ANSWER = Path(__file__).parents[1] / "tests/page/train/answer.js"
SIZES = {"24 × 2": "24x2", "48 × 2": "48x2", "96 × 3": "96x3"}
GOAL = 2.1  # nats on held-out text
WHAT = """\
The GPT of `gpt.py` by width and layers, learning {play}, in batches of {batch} passages of 64
characters. On a page a worker does it, with WebAssembly; here Node runs the same modules, in the
engine of Chromium. PyTorch trains the same model from the same start over the same batches. Times
are the processor's, of one core: the median of {rounds} steps or more, and between which nine in
ten of them lie. Seconds to {goal} nats: of steps alone, until the loss on the last tenth of the
play, which is never trained on, is below that, looked at after every 20 steps. Memory is that
of the page's engine, and for PyTorch what its process takes at most from the first step on, which
includes what PyTorch loads only then."""


def ask(what: str, **more: Any) -> Any:
    """Call the page's modules in Node, and return the answer."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernels.wasm").write_bytes(kernels())
        return answered(ANSWER, folder, SOURCES, what, **more)


def torch_told(config: dict[str, int], plan: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Train with torch as Node does, on one core; return the same figures.

    Memory is the most that the process, which does nothing else, takes beyond what it took before.
    """
    torch.set_num_threads(1)
    before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    training = Training(plays()[PLAY], config=config, plan=plan)
    times: list[float] = []
    while len(times) < rounds or training.step % 20 or training.held_out() > GOAL:
        start = time.process_time()
        training.next()
        times.append(1000 * (time.process_time() - start))
    low, *_, high = quantiles(times, n=20)
    most = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"low": low, "ms": median(times), "high": high, "seconds": sum(times) / 1000,
            "megabytes": (most - before) / 1e6}  # fmt: skip


def timed(told: dict[str, Any]) -> str:
    """Return the milliseconds of a step, with how they spread."""
    return f"{told['ms']:.1f} ({told['low']:.1f}–{told['high']:.1f})"


def measure(rounds: int = 60) -> str:
    """Time every size both ways; return the report."""
    rows = []
    for name, size in SIZES.items():
        settings = {"size": size, "steps": 0, "rung": "layers", "without": []}
        plan = ask("settings", call="planned", given=[settings])
        told = ask("time", text=plays()[PLAY], goal=GOAL, rounds=rounds, **plan)
        with ProcessPoolExecutor(1, get_context("spawn")) as alone:
            theirs = alone.submit(torch_told, **plan, rounds=rounds).result()
        rows.append([
            name, f"{told['parameters']:,}", timed(told), timed(theirs),
            f"{told['ms'] / theirs['ms']:.2f}", f"{told['megabytes']:.0f}",
            f"{theirs['megabytes']:.0f}", f"{told['seconds']:.1f}", f"{theirs['seconds']:.1f}",
        ])  # fmt: skip
    header = ["width × layers", "parameters", "a step on a page, ms", "PyTorch's", "÷ PyTorch's",
              "memory, MB", "PyTorch's", f"seconds to {GOAL} nats", "PyTorch's"]  # fmt: skip
    what = WHAT.format(play=PLAY, batch=16, rounds=rounds, goal=GOAL)
    return f"{report.table(header, rows)}\n\n{what}"
