"""A grade in words: a card for each function, or plain data."""

from itertools import groupby
from typing import Any

from transformer_lab.grading.card.card import Card, Line, Standing
from transformer_lab.grading.card.text import card_text, trouble_text
from transformer_lab.grading.compose import compose
from transformer_lab.grading.grade import Grade
from transformer_lab.grading.judge import Result


def grade_text(grade: Grade) -> str:
    """Tell a whole grade: the score, and a card for each function."""
    first = f"{grade.notebook}: {grade.earned} of {grade.points} points (seed {grade.seed})"
    return "\n".join([first, *(card_text(card) for _, card in _cards(grade))])


def grade_json(grade: Grade) -> dict[str, Any]:
    """Give a grade as plain data."""
    rows = [
        {
            "id": result.prop.id,
            "exercise": result.exercise.function,
            "says": result.prop.says,
            "points": result.points,
            "earned": result.earned,
            "mistakes": [mistake.name for mistake in result.mistakes],
            "reason": _reason(card, line),
        }
        for results, card in _cards(grade)
        for result, line in zip(results, card.lines, strict=True)
    ]
    score = {"points": grade.points, "earned": grade.earned, "seed": grade.seed}
    return {"notebook": grade.notebook, **score, "results": rows}


def _cards(grade: Grade) -> list[tuple[list[Result], Card]]:
    """Make a card of the results of each function."""
    by_function = groupby(grade.results, key=lambda result: result.exercise.id)
    return [(results, compose(results)) for results in (list(group) for _, group in by_function)]


def _reason(card: Card, line: Line) -> str | None:
    """Say why a thing that was asked for does not hold, or is not judged."""
    if line.standing is Standing.HOLDS:
        return None
    trouble = line.trouble or card.trouble
    return trouble_text(trouble) if trouble else "Not judged yet: mend first what comes before."
