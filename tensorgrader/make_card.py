"""From judged results to a card: what is shown, in which order, and what is not shown yet."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from tensorgrader.card.card import (
    Card,
    Line,
    Named,
    Progress,
    Section,
    Standing,
    Table,
    Trouble,
    cell,
)
from tensorgrader.course import Course
from tensorgrader.describe_value import short
from tensorgrader.difference import Finding
from tensorgrader.exercise import Exercise, Inputs, Mistake
from tensorgrader.judge import Result
from tensorgrader.outcome import Raised, Returned
from tensorgrader.sandbox.describe import sized, unusual
from tensorgrader.sandbox.values import Made
from tensorgrader.trial import Case, same, tensors

SMALL = 36  # the largest table that is shown whole
FEW = 16  # the most numbers of more axes that are written out
ROWS, COLUMNS = 8, 8  # the size of the window into a larger one

Address = Callable[[str, str], str]


def compose(
    results: Sequence[Result], address: Address = lambda page, heading: "", *, final: bool = False
) -> Card:
    """Return the card of all results of one function.

    `address` returns the address of a page's section, or "". A missing answer is reported before
    all requirements, and so is a call of a function that is not right yet. What fails besides is
    left for later, unless the verdict is `final`.
    """
    first = next((result for result in results if result.finding), None)
    before = first and (first.wrong_steps or (first is results[0] and _gave_nothing(first)))
    lines = []
    for result in results:
        own = result.finding and not before and (result is first or _is_right(result.case))
        failed = Standing.FAILS if own or final else Standing.WAITS
        standing = failed if result.finding else Standing.HOLDS
        told = trouble(result, address) if own else None
        if result.finding and final and not own and not before:
            told = Trouble(sentences=(*result.finding.words.split("\n"),))
        lines.append(Line(result.prop.says, result.points, standing, told))
    function = results[0].exercise.function
    told = trouble(first, address) if first and before else None
    beside = " ".join(filter(None, (results[0].earlier, results[0].beside)))
    return Card(function, tuple(lines), told, beside=beside)


def chapter_progress(course: Course, exercise: Exercise, noted: dict[str, bool]) -> Progress:
    """Sum the points of the properties of a chapter that are known to hold."""
    every = [prop for e in course.chapters[exercise.chapter].exercises for prop in e.properties]
    held = sum(prop.points for prop in every if noted.get(prop.id))
    return Progress(exercise.chapter, held, sum(prop.points for prop in every))


def trouble(result: Result, address: Address = lambda page, heading: "") -> Trouble:
    """Return what is wrong with one result, with the smallest case."""
    finding, case = result.finding, result.case
    assert finding, "there is nothing to explain"
    if result.wrong_steps:
        blamed = (
            f"It calls your `{step}`, which is not written or not right yet: start there."
            for step in result.wrong_steps
        )
        return Trouble(sentences=(*blamed, *result.notes))
    sentences = (*result.notes, *finding.words.split("\n"), *_gallery(result))
    told: dict[str, Any] = {"sentences": sentences}
    told |= {"mistakes": tuple(_named(mistake, address) for mistake in result.mistakes)}
    if case and isinstance(case.outcome, Raised):
        told |= {"code": case.outcome.code, "line": case.outcome.line, "had": case.outcome.had}
    if case and not result.is_unwritten:
        arguments = _arguments(result.exercise, case.inputs)
        given = _given(arguments)
        shown = [table.name for table in given]
        call = [_argument(n, v) for n, v in arguments.items() if n not in shown]
        told |= {"call": ", ".join(call + _moving(result.exercise, case.inputs)), "given": given}
    return Trouble(results=_results(finding), **told)


def _gallery(result: Result) -> list[str]:
    """Return what a learner's test judges rightly so far, ticked, and what it doesn't."""
    lists = {"✓ Judged rightly": True, "✗ Not yet": False}
    listed = {
        title: [name for name, right in result.gallery if right is kind]
        for title, kind in lists.items()
    }
    return [f"{title}: {'; '.join(names)}." for title, names in listed.items() if names]


def _gave_nothing(result: Result) -> bool:
    """Return whether there is no answer to judge, so that no single requirement is to blame."""
    return not isinstance(result.outcome, Returned) or result.outcome.value is None


def _is_right(case: Case | None) -> bool:
    """Return whether the result itself is right, so that something else is wrong."""
    outcome = case.outcome if case else None
    return isinstance(outcome, Returned) and same(outcome.value, case.expected if case else None)


def _named(mistake: Mistake, address: Address) -> Named:
    page, _, heading = mistake.section.partition("#")
    read = Section(page, heading, address(page, heading))
    return Named(mistake.name, mistake.reason, read, mistake.remedy)


def _arguments(exercise: Exercise, inputs: Inputs) -> dict[str, Any]:
    names = (*exercise.arguments[: len(inputs.args)], "mask")
    values = (*inputs.args, inputs.mask)
    return {n: v for n, v in zip(names, values, strict=True) if v is not None}


def _argument(name: str, value: Any) -> str:
    """Describe an argument: a tensor by a few numbers or its shape, several by the first."""
    if isinstance(value, Made):
        return f"{name} is {value.says}"
    if isinstance(value, Tensor):
        few = value.dim() > 2 and value.numel() <= FEW
        return f"{name} = {_numbers(value.tolist())}" if few else f"{name} {sized(value)}"
    if isinstance(value, dict) and any(isinstance(item, Tensor) for item in value.values()):
        key, first = next(iter(value.items()))
        return f"{name} with {len(value)} entries, the first {_argument(repr(key), first)}"
    if isinstance(value, list) and any(isinstance(item, Tensor) for item in value):
        every = [*tensors(value)]
        if len(every) == len(value) and sum(map(Tensor.numel, every)) <= FEW:
            return f"{name} = {_numbers([item.tolist() for item in every])}"
        return f"{name} of {len(value)} entries, the first {_argument('', value[0]).strip()}"
    return f"{name} = {short(value)}"


def _numbers(value: Any) -> str:
    """Return nested lists of numbers as text."""
    if isinstance(value, list):
        return f"[{', '.join(map(_numbers, value))}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _moving(exercise: Exercise, inputs: Inputs) -> list[str]:
    names = [
        exercise.arguments[number]
        for number in inputs.trains
        if any(tensor.is_floating_point() for tensor in tensors(inputs.args[number]))
    ]
    return [f"requires_grad=True for {', '.join(names)}"] if names else []


def _given(arguments: dict[str, Any]) -> tuple[Table, ...]:
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    return tuple(_table(name, tensor) for name, tensor in tensors.items() if _is_small(tensor))


def _results(finding: Finding) -> tuple[Table, ...]:
    """Return tables of both results, with the first different entry framed."""
    pair = {"yours": finding.yours, "expected": finding.expected}
    if finding.yours is None:
        return ()
    if not isinstance(finding.expected, Tensor):
        return tuple(_entries(name, values, *finding.place) for name, values in pair.items())
    if not finding.place:  # the shapes differ
        small = all(map(_is_small, pair.values()))
        return tuple(_table(name, tensor) for name, tensor in pair.items()) if small else ()
    mine, right = (tensor[finding.place].item() for tensor in pair.values())
    digits = next((n for n in range(2, 7) if cell(mine, n) != cell(right, n)), 7)
    return tuple(_table(name, tensor, finding.place, digits) for name, tensor in pair.items())


def _table(name: str, tensor: Tensor, place: tuple[int, ...] = (), digits: int = 2) -> Table:
    shape = tuple(tensor.shape)
    front = place[:-2] if place else (0,) * (tensor.dim() - 2)
    flat = tensor[front].tolist()
    rows = flat if tensor.dim() > 1 else [flat] if tensor.dim() else [[flat]]
    here = ((0, *place)[-2], place[-1]) if place else None
    part = f"at {list(front)}" if front else ""
    cells = tuple(map(tuple, rows))
    table = Table(name, shape, cells, digits, part, framed=here, dtype=unusual(tensor))
    return _window(table)


def _entries(name: str, values: Sequence, place: int) -> Table:
    row = tuple(v if isinstance(v, int | float) else short(v) for v in values)
    return _window(Table(name, (len(values),), (row,), framed=(0, place)))


def _window(table: Table) -> Table:
    """Crop a table to the surroundings of the framed place."""
    top, left = (
        max(0, min(at - most // 2, size - most))
        for at, size, most in zip(
            table.framed or (0, 0),
            (len(table.rows), len(table.rows[0]) if table.rows else 0),
            (ROWS, COLUMNS),
            strict=True,
        )
    )
    rows = tuple(row[left : left + COLUMNS] for row in table.rows[top : top + ROWS])
    framed = table.framed and (table.framed[0] - top, table.framed[1] - left)
    across = "columns" if len(table.shape) > 1 else "numbers"
    cut = [
        _cut("rows", top, table.rows, ROWS),
        _cut(across, left, table.rows[0] if table.rows else (), COLUMNS),
    ]
    part = ", ".join(filter(None, [table.part, *cut]))
    return replace(table, rows=rows, framed=framed, start=(top, left), part=part)


def _cut(what: str, start: int, whole: Sequence, most: int) -> str:
    return f"{what} {start} to {start + most - 1} of {len(whole)}" if len(whole) > most else ""


def _is_small(tensor: Tensor) -> bool:
    return tensor.dim() <= 2 and max(tensor.numel(), *tensor.shape, 0) <= SMALL
