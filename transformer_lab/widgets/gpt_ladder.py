"""The ladder: from a table of pairs of characters to a GPT, a few lines of code at a time."""

import ast
import json
import re
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import traitlets

from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._traits import Stop

RUNGS = [
    "bigram",
    "average",
    "one head",
    "several heads",
    "rotary positions",
    "feed-forward",
    "residuals and norm",
    "layers",
]


@cache
def recorded() -> dict[str, dict[str, Any]]:
    """Return what `tools/gpt_ladder.py` recorded of each rung, from the bigram up.

    The last `program` is `gpt.py` itself. `held_out` are losses on plays that were not trained on,
    one for each seed; `text` was written by the model of the first.
    """
    return json.loads(Path(__file__).with_name("gpt_ladder.json").read_text("utf8"))


def mean(rung: str) -> float:
    """Return the held-out loss of a rung, averaged over the seeds."""
    losses = recorded()[rung]["held_out"]
    return sum(losses) / len(losses)


def marked(rung: str) -> list[list[str]]:
    """Return the lines that make a rung of the one below, each after "+", "-" or " ".

    Those with " " have not changed, and say where the others stand. The bigram is shown whole.
    """
    number = RUNGS.index(rung)
    now = _definitions(recorded()[rung]["program"])
    if not number:
        whole = "\n".join(now["GPT"]).partition("\n\n    def loss")[0]
        return [[" ", line] for line in whole.splitlines()]
    below = _definitions(recorded()[RUNGS[number - 1]]["program"])
    lines: list[list[str]] = []
    for name, definition in now.items():
        if definition != below.get(name):
            lines += [[" ", ""]] * bool(lines) + _changes(below.get(name, []), definition)
    return lines


def _definitions(program: str) -> dict[str, list[str]]:
    """Map the name of each class and function of a program to its lines."""
    lines = program.splitlines()
    return {
        node.name: lines[node.lineno - 1 : node.end_lineno]
        for node in ast.parse(program).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }


def _changes(before: list[str], after: list[str]) -> list[list[str]]:
    """Return the lines that differ, and of the others those that name where these stand."""
    lines = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        lines += [["-", line] for line in before[a:b] if kind != "equal" and line.strip()]
        lines += [[" " if kind == "equal" else "+", line] for line in after[c:d]]
    heads = [n for n, (_, line) in enumerate(lines) if re.match(r"    def ", line)] + [len(lines)]
    kept = lines[: heads[0]] if len(heads) == 1 else [lines[0]]
    for first, end in pairwise(heads):
        changed = [line for line in lines[first:end] if line[0] != " "]
        kept += [lines[first]] * (lines[first] not in changed) + changed if changed else []
    return kept


class GptLadder(Widget):
    """Eight models between a bigram and a GPT: what each adds, how well it predicts, its text.

    One control: `rung`.
    """

    stem = "gpt_ladder"
    alt = (
        "The rungs from a bigram to a GPT of three layers, each with its loss on plays that it has "
        "not read, a point for each seed. The average is worse than the bigram, one head "
        "is back at its level, and from the rotary positions on each rung is better than the last."
    )
    rung = Stop(RUNGS, RUNGS[-1], label="The rung")
    ladder: traitlets.List = traitlets.List(read_only=True).tag(sync=True)

    @traitlets.default("ladder")
    def _ladder(self) -> list[dict[str, Any]]:
        return [
            {
                "parameters": run["parameters"],
                "steps": run["steps"],
                "losses": run["held_out"],
                "mean": mean(rung),
            }
            for rung, run in recorded().items()
        ]

    def frame_at(self, rung: str) -> dict[str, Any]:
        """Return the lines of code that are new, and a text."""
        return {"lines": marked(rung), "text": recorded()[rung]["text"].strip()}

    def figure(self) -> Any:
        """Draw the losses of all rungs, and mark the chosen one."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        ax = figure.subplots()
        for number, run in enumerate(self.ladder):
            ax.plot(run["losses"], [number] * len(run["losses"]), "o", color=plots.QUERY)
        ax.axhspan(*(RUNGS.index(self.rung) + side for side in (-0.4, 0.4)), alpha=0.15)
        ax.set_yticks(range(len(RUNGS)), RUNGS)
        ax.set_xlabel("loss on held-out plays")
        return figure
