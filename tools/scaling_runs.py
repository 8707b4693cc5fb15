#!/usr/bin/env python3
"""Record the trainings of the chapter `after_pretraining`: scaling_runs.json.

usage: tools/scaling_runs.py      (five minutes; only needed to change gpt.py, or what is trained)

GPTs of several widths, each trained for several numbers of steps, with a schedule of its own, on
all six plays or on their beginning.
"""

import json
from itertools import product
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import torch

from tools.gpt_ladder import SOURCE, module, operations, replaced, texts
from transformer_lab.widgets.scaling_runs import SHARES, STEPS, WIDTHS

TARGET = Path(__file__).parents[1] / "transformer_lab/widgets/scaling_runs.json"


def program(width: int) -> str:
    """Return gpt.py with another width, and heads of 32 features where it has several."""
    heads = max(1, width // 32)
    return replaced(SOURCE, "width=96, heads=3", f"width={width}, heads={heads}")


def trained(source: str, steps: int, share: int = 1, seed: int = 0) -> list[float]:
    """Train a program's model on a share of the text; return its loss there and held out."""
    torch.set_num_threads(1)
    vocabulary, data, held_out = texts()
    data = data[: len(data) // share]
    gpt = module(source)
    torch.manual_seed(seed)
    model = gpt.GPT(len(vocabulary))
    for _ in gpt.train(model, data, steps):
        pass
    return [round(gpt.eval_loss(model, text), 3) for text in (data, held_out)]


def job(place: tuple[int, int, int]) -> tuple[tuple[int, int, int], list[float]]:
    """Run one training."""
    width, share, steps = place
    losses = trained(program(width), steps, share)
    print(*place, *losses, flush=True)
    return place, losses


def places() -> list[tuple[int, int, int]]:
    """Return each width, share and number of steps, the longest trainings first."""
    return sorted(product(WIDTHS, SHARES.values(), STEPS), key=lambda p: -p[0] * p[2])


def sizes() -> dict[str, dict[str, int]]:
    """Return for each width its parameters, and its operations for one passage of training."""
    found = {}
    for width in WIDTHS:
        model = module(program(width)).GPT(len(texts()[0]))
        count = sum(p.numel() for p in model.parameters())
        found[str(width)] = {"parameters": count, "operations": operations(program(width))}
    return found


def main() -> None:
    """Train all, in as many processes as there are cores, and write what came out."""
    with Pool() as pool:
        done = dict(pool.imap_unordered(job, places(), chunksize=1))
    content: dict[str, Any] = {"sizes": sizes()}
    content["by heart"] = trained(program(192), 1600, SHARES["a thirty-second of them"])
    content["losses"] = {
        name: [[done[width, share, steps] for steps in STEPS] for width in WIDTHS]
        for name, share in SHARES.items()
    }
    TARGET.write_text(json.dumps(content, separators=(",", ":")) + "\n", "utf8")


if __name__ == "__main__":
    main()
