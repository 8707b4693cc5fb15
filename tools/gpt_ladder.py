#!/usr/bin/env python3
"""Record the trainings of the chapter `whole_model`: gpt_ladder.json and learning_to_write.json.

usage: tools/gpt_ladder.py      (half an hour; only needed to change gpt.py)

A rung is the text of gpt.py without a few lines; a broken model is one with a changed line. Every
rung is trained with as many operations as the whole model needs in STEPS steps, and from three
seeds.
"""

import json
import re
from functools import cache
from itertools import chain
from multiprocessing import Pool
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from transformer_lab.tasks.shakespeare import HELD_OUT, plays

ROOT = Path(__file__).parents[1]
SOURCE = (ROOT / "book/gpt.py").read_text("utf8")
WIDGETS = ROOT / "transformer_lab/widgets"
STEPS = 800
SEEDS = 3

LINEAR = "nn.Linear(width, width, bias=False)\n"
#: From the whole model down, the name of the next rung and the replacements that lead there.
DOWN = [
    ("residuals and norm", [
        ("class Block", ""),
        ("heads=3, layers=3", "heads=3"),
        ("        blocks = [Block(width, heads) for _ in range(layers)]\n"
         "        self.blocks = nn.Sequential(*blocks)\n",
         "        self.attention_norm = RMSNorm(width)\n"
         "        self.attention = Attention(width, heads)\n"
         "        self.feed_forward_norm = RMSNorm(width)\n"
         "        self.feed_forward = FeedForward(width, 4 * width // 3)\n"),
        ("        x = self.blocks(self.tokens(ids))\n",
         "        x = self.tokens(ids)\n"
         "        x = x + self.attention(self.attention_norm(x))\n"
         "        x = x + self.feed_forward(self.feed_forward_norm(x))\n"),
    ]),
    ("feed-forward", [
        ("class RMSNorm", ""),
        ("        self.attention_norm = RMSNorm(width)\n", ""),
        ("        self.feed_forward_norm = RMSNorm(width)\n", ""),
        ("        self.norm = RMSNorm(width)\n", ""),
        ("x = x + self.attention(self.attention_norm(x))", "x = self.attention(x)"),
        ("x = x + self.feed_forward(self.feed_forward_norm(x))", "x = self.feed_forward(x)"),
        ("self.output(self.norm(x))", "self.output(x)"),
    ]),
    ("rotary positions", [
        ("class FeedForward", ""),
        ("        self.feed_forward = FeedForward(width, 4 * width // 3)\n", ""),
        ("        x = self.feed_forward(x)\n", ""),
    ]),
    ("several heads", [
        ("def rotate", ""),
        ("rotate(self.split(self.query(x)))", "self.split(self.query(x))"),
        ("rotate(self.split(self.key(x)))", "self.split(self.key(x))"),
    ]),
    ("one head", [
        ("    def split", ""),
        ("        self.heads = heads\n", ""),
        ("def __init__(self, width, heads)", "def __init__(self, width)"),
        ("self.split(self.query(x))", "self.query(x)"),
        ("self.split(self.key(x))", "self.key(x)"),
        ("self.split(self.value(x))", "self.value(x)"),
        ("(B, H, T, T)", "(B, T, T)"),
        ("        heads = weights @ v  # (B, H, T, K); side by side again: (B, T, D)\n", ""),
        ("heads.transpose(1, 2).flatten(-2)", "weights @ v"),
        ("width=96, heads=3", "width=96"),
        ("Attention(width, heads)", "Attention(width)"),
    ]),
    ("average", [
        ("        self.query = " + LINEAR, ""),
        ("        self.key = " + LINEAR, ""),
        ("        q = self.query(x)\n        k = self.key(x)\n", ""),
        ("scores = q @ k.mT / math.sqrt(q.size(-1))  # (B, T, T)",
         "scores = torch.zeros(x.size(1), x.size(1))"),
    ]),
    ("bigram", [
        ("class Attention", ""),
        ("        self.attention = Attention(width)\n", ""),
        ("        x = self.attention(x)\n", ""),
    ]),
]  # fmt: skip

#: The replacements for a model that lacks something, or has more of it.
WAYS = {
    "whole": [],
    "no positions": [("return torch.stack(turned, dim=-1).flatten(-2)", "return x")],
    "no residuals": [("x = x + self.", "x = self.")],
    "no mask": [("scores.masked_fill(~causal_mask, -torch.inf)", "scores")],
    "no warm-up": [("warm_up=50", "warm_up=1")],
    "one head": [("heads=3", "heads=1")],
}
MORE = {
    "4 × the steps": [],
    "4 × the context": [
        ("block_size = 64", "block_size = 256"), ("(data, 16)", "(data, 4)"),
        ("(data, 200,", "(data, 50,"),
    ],
    "4 × the parameters": [("width=96, heads=3", "width=192, heads=6")],
}  # fmt: skip
#: Rungs with one line changed.
BESIDE = {
    "average and itself": ("average", ("x = self.attention(x)", "x = x + self.attention(x)")),
    "positions, one head": ("rotary positions", ("heads=3", "heads=1")),
}
Done = dict[tuple[str, str, int], dict[str, Any]]


def replaced(text: str, old: str, new: str) -> str:
    """Return the text with a part replaced, wherever it is; `class X` stands for all of it.

    Raises ValueError if the text doesn't contain it.
    """
    if found := re.fullmatch(r"( *)(class|def) \w+", old):
        (old,) = re.findall(rf"^{old}\b.*\n(?:{found[1]} +.*\n|\n)*", text, re.MULTILINE)
    if old not in text:
        raise ValueError(f"the text has no {old!r} to replace")
    return text.replace(old, new)


def edited(text: str, edits: list[tuple[str, str]]) -> str:
    """Return the text after all replacements."""
    for old, new in edits:
        text = replaced(text, old, new)
    return text


def rungs() -> dict[str, str]:
    """Return the program of each rung, from the bigram up."""
    programs = {"layers": SOURCE}
    for name, edits in DOWN:
        programs[name] = edited([*programs.values()][-1], edits)
    return dict(reversed(programs.items()))


def module(program: str) -> Any:
    """Return the program as a module."""
    made = ModuleType("gpt")
    exec(program, made.__dict__)
    return made


@cache
def texts() -> tuple[str, Tensor, Tensor]:
    """Return the vocabulary, and the ids of the training plays and of the held-out ones."""
    vocabulary = "".join(sorted({*"".join(plays().values())}))
    number = {character: i for i, character in enumerate(vocabulary)}
    known, others = (
        "".join(text for title, text in plays().items() if (title in HELD_OUT) == held_out)
        for held_out in (False, True)
    )
    data, val = (torch.tensor([number[c] for c in text]) for text in (known, others))
    return vocabulary, data, val


def operations(program: str) -> int:
    """Return the number of operations for one passage's loss and its gradients."""
    vocabulary, data, _ = texts()
    model = module(program).GPT(len(vocabulary))
    with FlopCounterMode(display=False) as counter:
        model.loss(data[None, :65]).backward()
    return counter.get_total_flops()


def trained(
    program: str, steps: int, seed: int = 0, every: int = 0, length: int = 0
) -> dict[str, Any]:
    """Train a program's model; return its losses and texts on the way, and its final text."""
    torch.set_num_threads(1)
    vocabulary, data, val = texts()
    gpt = module(program)
    torch.manual_seed(seed)
    model = gpt.GPT(len(vocabulary))
    seen: list[dict[str, Any]] = []

    def write(count: int) -> str:
        prompt = torch.tensor([[vocabulary.index("\n")]])
        ids = model.generate(prompt, count, torch.Generator().manual_seed(0))
        return "".join(vocabulary[i] for i in ids[0])

    for step in chain([0], gpt.train(model, data, steps)):
        if step == 0 or step == steps or (every and step % every == 0):
            loss, held_out = gpt.eval_loss(model, data), gpt.eval_loss(model, val)
            seen.append({"step": step, "loss": loss, "held_out": held_out, "text": write(250)})
    run = {"parameters": sum(p.numel() for p in model.parameters()), "seen": seen}
    return run | ({"text": write(length)} if length else {})


def job(given: tuple) -> tuple[str, str, int, dict[str, Any]]:
    """Run one training: of a rung, or of another model."""
    kind, name, program, steps, seed, every, length = given
    run = trained(program, steps, seed, every, length)
    print(kind, name, seed, steps, f"{run['seen'][-1]['held_out']:.3f}", flush=True)
    return kind, name, seed, run


def jobs() -> list[tuple]:
    """Return all trainings, the most informative first."""
    programs = rungs()
    count = {name: operations(program) for name, program in programs.items()}
    steps = {name: round(STEPS * count["layers"] / number) for name, number in count.items()}
    climbing = [
        [("rung", name, programs[name], steps[name], seed, 0, 0) for name in programs]
        for seed in range(SEEDS)
    ]
    ways = [
        ("way", name, edited(SOURCE, edits), STEPS, 0, 100, 4000) for name, edits in WAYS.items()
    ]
    more = [
        ("more", name, edited(SOURCE, edits), STEPS * (1 + 3 * (not edits)), 0, 400, 4000)
        for name, edits in MORE.items()
    ]
    beside = [
        ("beside", name, edited(programs[rung], [edit]), steps[rung], 0, 0, 0)
        for name, (rung, edit) in BESIDE.items()
    ]
    return [*climbing[0][:-1], *ways, more[0], *climbing[1], *climbing[2], *beside, *more[1:]]


def rounded(run: dict[str, Any]) -> dict[str, Any]:
    """Return a training with its losses rounded to four digits."""
    losses = ("loss", "held_out")
    seen = [look | {name: round(look[name], 4) for name in losses} for look in run["seen"]]
    return run | {"seen": seen}


def ladder(done: Done) -> dict[str, Any]:
    """Return the data of the widget GptLadder, from the bigram up."""
    found = {}
    for name, program in rungs().items():
        top = name == "layers"  # its first seed is the whole model of the other widget
        runs = [done["rung", name, s] for s in range(top, SEEDS)]
        runs = [rounded(run) for run in [done["way", "whole", 0]] * top + runs]
        last = [run["seen"][-1] for run in runs]
        found[name] = {
            "program": program,
            "parameters": runs[0]["parameters"],
            "steps": last[0]["step"],
            "held_out": [look["held_out"] for look in last],
            "text": last[0]["text"],
        }
    return found


def writing(done: Done) -> dict[str, Any]:
    """Return the data of the widget LearningToWrite and its chapter."""
    kinds = {"ways": ("way", WAYS), "more": ("more", MORE), "beside": ("beside", BESIDE)}
    return {
        kind: {name: rounded(done[key, name, 0]) for name in names}
        for kind, (key, names) in kinds.items()
    }


def main() -> None:
    """Train all, in as many processes as there are cores, and write the two files."""
    with Pool() as pool:
        done = {(kind, name, seed): run for kind, name, seed, run in pool.imap(job, jobs())}
    for name, content in {"gpt_ladder": ladder(done), "learning_to_write": writing(done)}.items():
        text = json.dumps(content, indent=1, ensure_ascii=False)
        (WIDGETS / f"{name}.json").write_text(text + "\n", "utf8")


if __name__ == "__main__":
    main()
