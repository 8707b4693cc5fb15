"""A grade in words: a card for each function, or plain data."""

import textwrap
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from tensorgrader.behaviour import behaviour, crash
from tensorgrader.card.card import Card, Line, Standing
from tensorgrader.card.html import bare_html
from tensorgrader.card.text import WIDTH, card_text, trouble_text
from tensorgrader.grade import Grade
from tensorgrader.judge import Result
from tensorgrader.make_card import compose
from tensorgrader.outcome import Died, TimedOut
from tensorgrader.sandbox.values import clean

LINES = 400  # characters of an answer are kept


def grade_text(grade: Grade) -> str:
    """Return a whole grade as text: the score, and a card for each function."""
    first = f"{grade.notebook}: {grade.earned} of {grade.points} points (seed {grade.seed})"
    cards = [card_text(card) for _, card in _cards(grade)]
    told = [textwrap.fill(grade.outdated, WIDTH)] if grade.outdated else []
    return "\n".join([first, *told, *cards])


def grade_json(grade: Grade) -> dict[str, Any]:
    """Return a grade as plain data."""
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
    return {"notebook": grade.notebook, **score, "outdated": grade.outdated, "results": rows}


def works_json(grade: Grade, answers: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return each exercise of a grade as plain data: points, mistakes, the answer and its card."""
    return [
        {
            "id": results[0].exercise.id,
            "function": card.function,
            "points": card.points,
            "earned": card.earned,
            "written": results[0].exercise.id in answers
            and not any(r.is_unwritten for r in results),
            "behaviour": behaviour(results),
            "crash": crash(results),
            "failed": [result.prop.id for result in results if result.finding],
            "mistakes": list(dict.fromkeys(m.name for r in results for m in r.mistakes)),
            "stopped": next(filter(None, map(_stopped, results)), ""),
            "slow": next(filter(None, map(_slow, results)), ""),
            "code": _shown(answers.get(results[0].exercise.id, "")),
            "card": bare_html(card),
            "text": card_text(card),
        }
        for results, card in _cards(grade)
    ]


def _stopped(result: Result) -> str:
    ended = isinstance(result.outcome, TimedOut | Died)
    return result.finding.words if result.finding and ended and not _slow(result) else ""


def _slow(result: Result) -> str:
    match result.outcome:
        case TimedOut(_, statement) if result.finding and statement >= 0:
            return result.finding.words
    return result.beside


def _shown(code: str) -> str:
    return "\n".join(map(clean, code.expandtabs(4).split("\n")[:LINES]))


def _cards(grade: Grade) -> list[tuple[list[Result], Card]]:
    by_function = groupby(grade.results, key=lambda result: result.exercise.id)
    return [
        (results, compose(results, final=True))
        for results in (list(group) for _, group in by_function)
    ]


def _reason(card: Card, line: Line) -> str | None:
    trouble = line.trouble or card.trouble
    return trouble_text(trouble) if trouble and line.standing is Standing.FAILS else None
