"""Results in words: one row per property, and an explanation of what fails."""

import textwrap
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from transformer_lab.grading.exercise import Exercise, Inputs
from transformer_lab.grading.finding import Finding
from transformer_lab.grading.grade import Grade
from transformer_lab.grading.judge import Result
from transformer_lab.grading.outcome import Raised
from transformer_lab.grading.questions import Case
from transformer_lab.grading.words import short

WIDTH = 88
SHOWN = 24


def grade_text(grade: Grade) -> str:
    """Tell a whole grade: the score, a row per property, each different explanation once."""
    lines = [f"{grade.notebook}: {grade.earned} of {grade.points} points (seed {grade.seed})"]
    told: set[tuple] = set()
    for result in grade.results:
        lines.append(row(result))
        if result.finding:
            known = result.wrong_steps or tuple(_names(result))
            key = (result.exercise.id, known or result.finding.words)
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
            "mistakes": _names(result),
            "reason": explanation(result) if result.finding else None,
        }
        for result in grade.results
    ]
    score = {"points": grade.points, "earned": grade.earned, "seed": grade.seed}
    return {"notebook": grade.notebook, **score, "results": rows}


def _names(result: Result) -> list[str]:
    """Give the names of the mistakes that were found."""
    return [mistake.name for mistake in result.mistakes]


def row(result: Result) -> str:
    """Give a property's line: whether it holds, its name, its points."""
    mark = "✗" if result.finding else "✓"
    return f"{mark} {result.prop.id}: {result.earned} of {result.points} points"


def explanation(result: Result) -> str:
    """Say what was promised, what happened, which mistakes it is, and show the smallest case."""
    finding = result.finding
    assert finding, "there is nothing to explain"
    story = [result.prop.says]
    for mistake in result.mistakes:
        page, _, heading = mistake.section.partition("#")
        story.append(
            f"\nKnown mistake: {mistake.name}.\n{mistake.why}\n"
            f"Read again: {page}, section “{heading}”."
        )
    blame = "It calls your `{}`, which is not right yet: mend that first."
    story += ["", *map(blame.format, result.wrong_steps), *result.notes, finding.words]
    if result.case and not _is_stub(result.case):
        story.append(_inputs(result.exercise, result.case.inputs))
    if finding.yours is not None:
        story.append(_results(finding))
    return "\n".join(_wrap(part) for part in story).rstrip()


def _is_stub(case: Case) -> bool:
    """Tell whether nothing has been written yet, so that no input matters."""
    return isinstance(case.outcome, Raised) and case.outcome.type == "NotImplementedError"


def _inputs(exercise: Exercise, inputs: Inputs) -> str:
    """Show the input it happened with: its shapes, and the numbers where they are few."""
    names = (*exercise.arguments[: len(inputs.args)], "mask")
    given = {n: v for n, v in zip(names, (*inputs.args, inputs.mask), strict=True) if v is not None}
    tensors = {name: value for name, value in given.items() if isinstance(value, Tensor)}
    calls = ", ".join(_argument(name, value) for name, value in given.items())
    lines = [f"Smallest input that shows it: {calls}"]
    if tensors and all(map(_is_small, tensors.values())):
        lines += _beside([[name, *_matrix(tensor)] for name, tensor in tensors.items()])
    return "\n".join(lines)


def _argument(name: str, value: Any) -> str:
    """Name an argument: a tensor with its shape, of a dict of tensors the first, others whole."""
    if isinstance(value, Tensor):
        return f"{name} {tuple(value.shape)}"
    if isinstance(value, dict) and any(isinstance(item, Tensor) for item in value.values()):
        key, first = next(iter(value.items()))
        return f"{name} with {len(value)} entries, the first {_argument(repr(key), first)}"
    return f"{name} = {short(value)}"


def _results(finding: Finding) -> str:
    """Show two results beside each other, the first different entry in brackets."""
    yours, expected, place = finding.yours, finding.expected, finding.place
    if not isinstance(expected, Tensor):
        return _entries(yours, expected, *place)
    if yours.shape != expected.shape:
        if not (_is_small(yours) and _is_small(expected)):
            return ""
        return "\n".join(_beside([["yours", *_matrix(yours)], ["expected", *_matrix(expected)]]))
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


def _entries(yours: Sequence, expected: Sequence, place: int) -> str:
    """Show two lists of simple entries below each other, where they are short."""
    cells = [[short(entry) for entry in entries] for entries in (yours, expected)]
    lines = _columns(cells, {(0, place), (1, place)})
    titled = [
        f"{title:<10}{line}".rstrip()
        for title, line in zip(("yours", "expected"), lines, strict=True)
    ]
    return "\n".join(titled) if max(map(len, titled)) <= WIDTH else ""


def _matrix(tensor: Tensor, marked: tuple[int, ...] = (), digits: int = 2) -> list[str]:
    """Write a tensor of at most two axes in aligned columns."""
    rows = tensor if tensor.dim() == 2 else tensor.reshape(1, -1)
    place = marked if len(marked) == 2 else (0, *marked)
    return _columns([[_number(value, digits) for value in line] for line in rows.tolist()], {place})


def _columns(cells: list[list[str]], marked: set[tuple[int, ...]]) -> list[str]:
    """Write a table with columns of one width, the marked cells in brackets."""
    width = max((len(cell) for line in cells for cell in line), default=0)
    return [
        "".join(
            f"[{cell:>{width}}]" if (i, j) in marked else f" {cell:>{width}} "
            for j, cell in enumerate(line)
        )
        for i, line in enumerate(cells)
    ]


def _number(value: float | int, digits: int) -> str:
    """Write one entry; a mask's are words."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.{digits}f}" if abs(value) < 1e5 else f"{value:.{digits}e}"


def _digits(mine: float | int, right: float | int) -> int:
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
