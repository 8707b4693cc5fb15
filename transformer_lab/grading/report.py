"""Results in words: one row per property, and an explanation of what fails."""

import textwrap
from typing import Any

from torch import Tensor

from transformer_lab.grading.exercise import Exercise, Inputs
from transformer_lab.grading.findings import first_difference
from transformer_lab.grading.grade import Grade
from transformer_lab.grading.judge import Result
from transformer_lab.grading.trial import Case
from transformer_lab.grading.worker import Raised

WIDTH = 88
SHOWN = 24


def grade_text(grade: Grade) -> str:
    """Tell a whole grade: the score, a row per property, each different explanation once."""
    lines = [f"{grade.notebook}: {grade.earned} of {grade.points} points (seed {grade.seed})"]
    told: set[tuple] = set()
    for result in grade.results:
        lines.append(row(result))
        if result.finding:
            name = result.mistake.name if result.mistake else result.finding.words
            key = (result.exercise.id, name)
            lines.append("    As above." if key in told else _indent(explanation(result)))
            told.add(key)
    return "\n".join(lines)


def grade_json(grade: Grade) -> dict[str, Any]:
    """Give a grade as plain data."""
    rows = [
        {
            "id": result.prop.id,
            "exercise": result.exercise.function,
            "says": result.prop.says,
            "points": result.points,
            "earned": result.earned,
            "mistake": result.mistake.name if result.mistake else None,
            "reason": explanation(result) if result.finding else None,
        }
        for result in grade.results
    ]
    score = {"points": grade.points, "earned": grade.earned, "seed": grade.seed}
    return {"notebook": grade.notebook, **score, "results": rows}


def row(result: Result) -> str:
    """Give a property's line: whether it holds, its name, its points."""
    mark = "✗" if result.finding else "✓"
    return f"{mark} {result.prop.id}: {result.earned} of {result.points} points"


def explanation(result: Result) -> str:
    """Say what was promised, what happened, which mistake it is, and show the smallest case."""
    finding, mistake = result.finding, result.mistake
    story = [result.prop.says]
    if mistake:
        page, _, heading = mistake.section.partition("#")
        story.append(
            f"\nKnown mistake: {mistake.name}.\n{mistake.why}\n"
            f"Read again: {page}, section “{heading}”."
        )
    story += ["", *result.notes, finding.words]
    if result.case and not _is_stub(result.case):
        story.append(_inputs(result.exercise, result.case.inputs))
    if finding.yours is not None:
        story.append(_results(finding.yours, finding.expected))
    return "\n".join(_wrap(part) for part in story).rstrip()


def _is_stub(case: Case) -> bool:
    """Tell whether nothing has been written yet, so that no input matters."""
    return isinstance(case.outcome, Raised) and case.outcome.type == "NotImplementedError"


def _inputs(exercise: Exercise, inputs: Inputs) -> str:
    """Show the input it happened with: its shapes, and the numbers where they are few."""
    names = (*exercise.arguments[: len(inputs.args)], "mask")
    given = {n: v for n, v in zip(names, (*inputs.args, inputs.mask), strict=True) if v is not None}
    tensors = {name: value for name, value in given.items() if isinstance(value, Tensor)}
    calls = (
        f"{name} {tuple(value.shape)}" if name in tensors else f"{name} = {value}"
        for name, value in given.items()
    )
    lines = [f"Smallest input that shows it: {', '.join(calls)}"]
    if all(map(_is_small, tensors.values())):
        lines += _beside([[name, *_matrix(tensor)] for name, tensor in tensors.items()])
    return "\n".join(lines)


def _results(yours: Tensor, expected: Tensor) -> str:
    """Show two results beside each other, the first different entry in brackets."""
    if yours.shape != expected.shape:
        if not (_is_small(yours) and _is_small(expected)):
            return ""
        return "\n".join(_beside([["yours", *_matrix(yours)], ["expected", *_matrix(expected)]]))
    place = first_difference(yours, expected)
    front, last = place[:-2], place[-2:]
    title = f" at {list(front)}" if front else ""
    digits = _digits(yours[place].item(), expected[place].item())
    return "\n".join(
        _beside(
            [
                [f"yours{title}", *_matrix(yours[front], last, digits)],
                [f"expected{title}", *_matrix(expected[front], last, digits)],
            ]
        )
    )


def _matrix(tensor: Tensor, marked: tuple[int, ...] = (), digits: int = 2) -> list[str]:
    """Write a tensor of at most two axes in aligned columns."""
    rows = tensor if tensor.dim() == 2 else tensor.reshape(1, -1)
    place = marked if len(marked) == 2 else (0, *marked)
    cells = [[_number(value, digits) for value in line] for line in rows.tolist()]
    width = max((len(cell) for line in cells for cell in line), default=0)
    return [
        "".join(
            f"[{cell:>{width}}]" if (i, j) == place else f" {cell:>{width}} "
            for j, cell in enumerate(line)
        )
        for i, line in enumerate(cells)
    ]


def _number(value: float | bool, digits: int) -> str:
    """Write one entry; a mask's are words."""
    if isinstance(value, bool | int):
        return str(value)
    return f"{value:.{digits}f}" if abs(value) < 1e5 else f"{value:.{digits}e}"


def _digits(mine: float, right: float) -> int:
    """Find how many decimals it takes to see that two numbers differ."""
    return next((n for n in range(2, 7) if _number(mine, n) != _number(right, n)), 7)


def _is_small(tensor: Tensor) -> bool:
    """Tell whether a reader can take a tensor in."""
    return tensor.dim() <= 2 and max(tensor.numel(), *tensor.shape, 0) <= SHOWN


def _beside(blocks: list[list[str]]) -> list[str]:
    """Put blocks of lines next to each other, or below each other where the page is too narrow."""
    widths = [max(map(len, block)) for block in blocks]
    if sum(widths) + 4 * len(blocks) > WIDTH:
        return [line.rstrip() for block in blocks for line in block]
    height = max(map(len, blocks))
    filled = [block + [""] * (height - len(block)) for block in blocks]
    return [
        "    ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip()
        for line in zip(*filled, strict=True)
    ]


def _wrap(text: str) -> str:
    """Break long lines of prose; tables are shorter than that."""
    return "\n".join(
        textwrap.fill(line, WIDTH) if len(line) > WIDTH else line for line in text.split("\n")
    )


def _indent(text: str) -> str:
    """Set an explanation off from the rows."""
    return textwrap.indent(text, "    ")
