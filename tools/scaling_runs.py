#!/usr/bin/env python3
"""Record the trainings of the chapter `after_pretraining`: scaling_runs.json.

usage: tools/scaling_runs.py [PART...]      (only needed to change gpt.py, or what is trained)

The parts, and about how many minutes each takes on two idle cores; all of them if none is named:

losses    5  GPTs of several widths, each trained for several numbers of steps, with a schedule of
             its own, on all six plays or on their beginning
curve     3  GPTs of four widths, each trained with as many operations as the others
tuned     4  the chapter's GPT, tuned on answers in several ways
experts   2  gpt.py with a mixture of experts
smollm2   3  SmolLM2 before and after LoRA, on dates
products  0  how long one core multiplies weights of 32 and of 8 bits
"""

import calendar
import copy
import json
import math
import random
import sys
import time
from collections.abc import Callable
from itertools import product
from multiprocessing import Pool
from pathlib import Path
from statistics import median
from typing import Any

import jupytext
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tools.gpt_ladder import SOURCE, module, operations, replaced, texts
from transformer_lab.pretrained import load_smollm2
from transformer_lab.tasks.shakespeare import plays
from transformer_lab.widgets.scaling_runs import PASSAGES, SHARES, STEPS, WIDTHS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book/after_pretraining.md"
TARGET = ROOT / "widgets/scaling_runs.json"
SEEDS = 3
BUDGETS = [2e11, 6e11]  # operations of a whole training
CURVE = [*WIDTHS, 192]


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


def losses() -> dict[str, Any]:
    """Train a model for each place of the widget's map, and one that learns its text by heart."""
    with Pool() as pool:
        done = dict(pool.imap_unordered(job, places(), chunksize=1))
    by_text = {
        name: [[done[width, share, steps] for steps in STEPS] for width in WIDTHS]
        for name, share in SHARES.items()
    }
    by_heart = trained(program(192), 1600, SHARES["a thirty-second of them"])
    return {"sizes": sizes(), "losses": by_text, "by heart": by_heart}


def curve_run(place: tuple[float, int, int]) -> float:
    """Return the held-out loss of one width after a training of so many operations."""
    budget, width, seed = place
    source = program(width)
    steps = round(budget / operations(source) / PASSAGES)
    source = replaced(source, "warm_up=50", f"warm_up={min(50, steps // 10)}")
    return trained(source, steps, seed=seed)[1]


def curve() -> dict[str, Any]:
    """Train each width with each budget, from several seeds."""
    everywhere = [*product(BUDGETS, CURVE, range(SEEDS))]
    with Pool() as pool:
        found = pool.map(curve_run, everywhere, chunksize=1)
    held_out = torch.tensor(found, dtype=torch.float64).view(len(BUDGETS), len(CURVE), SEEDS)
    return {"curve": {"budgets": BUDGETS, "held out": held_out.tolist()}}


def cell(beginning: str) -> str:
    """Return the source of the chapter's cell that begins with these words."""
    (source,) = (c.source for c in jupytext.read(PAGE).cells if c.source.startswith(beginning))
    return source


def chapter(last: str) -> dict[str, Any]:
    """Run the chapter's cells, but for proofs, up to the one that contains some words."""
    names: dict[str, Any] = {}
    for part in jupytext.read(PAGE).cells:
        if part.cell_type == "code" and "proof" not in part.metadata.get("tags", []):
            exec(part.source, names)
            if last in part.source:
                return names
    raise ValueError(f"{PAGE} has no cell with {last!r}")


def tuned() -> dict[str, Any]:
    """Tune the chapter's model in several ways; return what each moves, answers and forgets."""
    page = chapter("def exact(")
    model, lessons, gpt = page["model"], page["lessons"], page["gpt"]
    ids, targets = lessons
    asked = (targets != -100).flip(1).cumsum(1).flip(1) > 0  # all up to the answer's end
    output = copy.deepcopy(model).requires_grad_(False)
    output.output.requires_grad_(True)
    all_of_it: dict[str, Any] = {"model": model, "lessons": lessons, "peak": 2e-3}
    ways = {
        "all weights": {},
        "all, no loss mask": {"lessons": [ids, ids.where(asked, -100)]},
        "all, with plays": {"replay": 8},
        "output matrix only": {"model": output},
        "LoRA": {"peak": 1e-2},
        "LoRA, with plays": {"peak": 1e-2, "replay": 8},
    }
    found = {}
    for name, changed in ways.items():
        runs = []
        is_lora = name.startswith("LoRA")
        for seed in range(9 if is_lora else SEEDS):  # LoRA's results spread most
            torch.manual_seed(seed)
            given = all_of_it | changed
            copied = (page["with_lora"] if is_lora else copy.deepcopy)(given.pop("model"))
            after = page["tune"](copied, given.pop("lessons"), **given)
            right = int(page["exact"](after, page["tests"]).sum())
            runs.append([right, round(gpt.eval_loss(after, page["val"]), 3)])
        moved = sum(p.numel() for p in after.parameters() if p.requires_grad)
        found[name] = {"moved": moved, "runs": runs}
        print(name, found[name], flush=True)
    return {"tuned": found}


def expert_run(seed: int) -> float:
    """Return the held-out loss of gpt.py with the chapter's experts, after 800 steps."""
    network, block = "= FeedForward(", "class Block(nn.Module)"
    source = replaced(SOURCE, network, "= Experts(")
    taught = cell("class Experts").replace("gpt.", "")
    return trained(replaced(source, block, f"{taught}\n\n\n{block}"), 800, seed=seed)[1]


def experts() -> dict[str, Any]:
    """Train gpt.py with a mixture of experts from several seeds."""
    with Pool() as pool:
        return {"experts": pool.map(expert_run, range(SEEDS), chunksize=1)}


def dates(count: int) -> list[tuple[str, str]]:
    """Return different dates as one writes them, each with the answer: "14 May 1915 ->"."""
    every = [*product(range(1900, 2020), range(1, 13), range(1, 29))]
    return [
        (f"{day} {calendar.month_name[month]} {year} ->", f" {year}-{month:02}-{day:02}\n")
        for year, month, day in random.Random(0).sample(every, count)
    ]


def smollm2(steps: int = 60, size: int = 8, tests: int = 200, shots: int = 4) -> dict[str, Any]:
    """Teach SmolLM2 by LoRA to write dates in another format; return what changes."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    names: dict[str, Any] = {"nn": nn}
    exec(cell("class LoRA"), names)
    real = load_smollm2()
    model, encode = real.model, real.tokenizer.encode
    for layer in model.decoder.layers:
        for name in ("query", "value"):
            setattr(layer.attention, name, names["LoRA"](getattr(layer.attention, name)))
    moved = [p for p in model.parameters() if p.requires_grad]
    asked = dates(tests + steps * size)
    tested, lessons = asked[:tests], asked[tests:]

    def answers(some: list[tuple[str, str]]) -> tuple[Tensor, Tensor]:
        """Return the loss of the answers, and for each whether all of it is the likeliest."""
        rows = [[encode([part])[0][0] for part in one] for one in some]
        longest = max(len(question) + len(answer) for question, answer in rows)
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        targets = torch.full_like(ids, -100)
        for row, (question, answer) in enumerate(rows):
            end = len(question) + len(answer)
            ids[row, :end] = torch.cat([question, answer])
            targets[row, len(question) : end] = answer
        logits, wanted = model(ids[:, :-1]), targets[:, 1:]
        right = (logits.argmax(-1) == wanted) | (wanted == -100)
        return F.cross_entropy(logits.flatten(0, 1), wanted.flatten()), right.all(dim=1)

    @torch.no_grad()
    def look(prompt: str = "") -> int:
        """Return how many answers to the tests are right, to the last character."""
        told = [(prompt + question, answer) for question, answer in tested]
        return sum(int(answers(told[i : i + 20])[1].sum()) for i in range(0, tests, 20))

    @torch.no_grad()
    def bits() -> float:
        """Return the bits a character of the chapter's passage of The Tempest."""
        text = plays()["The Tempest"][40_000:41_025]
        ids, _ = encode([text])
        loss = F.cross_entropy(model(ids)[0, :-1], ids[0, 1:], reduction="sum")
        return round(loss.item() / math.log(2) / (len(text) - 1), 3)

    prompt = "".join(question + answer for question, answer in lessons[:shots])
    before = {"right": look(), "after examples": look(prompt), "bits": bits()}
    started = time.process_time()
    optimizer = torch.optim.AdamW(moved, betas=(0.9, 0.98))
    for step in range(steps):
        rate = 2e-3 * min(1, (step + 1) / 5) * (1 + math.cos(math.pi * step / steps)) / 2
        optimizer.param_groups[0]["lr"] = rate
        loss, _ = answers(lessons[step * size : (step + 1) * size])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(moved, 1.0)
        optimizer.step()
    seconds = round(time.process_time() - started)
    found = {"moved": sum(p.numel() for p in moved), "lessons": len(lessons), "seconds": seconds}
    return {"smollm2": found | {"before": before, "after": {"right": look(), "bits": bits()}}}


def products(rounds: int = 60, matrices: int = 30) -> dict[str, Any]:
    """Time a vector by matrices as large as SmolLM2's largest; return medians in microseconds.

    There are as many matrices as SmolLM2 has layers, so that no cache holds them.
    """
    torch.set_num_threads(1)
    weights, x = torch.randn(matrices, 1536, 576), torch.randn(1, 576)
    scales = weights.abs().amax(dim=-1, keepdim=True) / 127
    integers = (weights / scales).round().to(torch.int8)
    half, row = x.bfloat16(), scales[..., 0].bfloat16()
    ways: dict[str, Callable[[int], Tensor]] = {
        "floats": lambda n: x @ weights[n].T,
        "integers, made floats first": lambda n: x @ (integers[n] * scales[n]).T,
        "integers as they are": lambda n: torch._weight_int8pack_mm(half, integers[n], row[n]),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _, name in product(range(rounds), ways):  # in turn
        start = time.perf_counter()
        for n in range(matrices):
            ways[name](n)
        times[name].append((time.perf_counter() - start) / matrices)
    return {"products": {name: round(median(all_) * 1e6) for name, all_ in times.items()}}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    part.__name__: part for part in (losses, curve, tuned, experts, smollm2, products)
}


def main() -> None:
    """Train what was named, or all, and write what came out."""
    for name in sys.argv[1:] or PARTS:
        found = PARTS[name]()
        content = json.loads(TARGET.read_text("utf8")) | found
        TARGET.write_text(json.dumps(content, separators=(",", ":")) + "\n", "utf8")


if __name__ == "__main__":
    main()
