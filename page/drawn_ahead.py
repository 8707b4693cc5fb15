"""Questions about models that are trained, drawn when the page is packed: here it takes minutes.

With each question come the right result and what the exercise's known mistakes make of it.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from page.packed import packed
from tensorgrader.course import Course, place_of
from tensorgrader.exercise import DrawInputs, Exercise, Function, Inputs, Made
from tensorgrader.naming.match import outcome_of
from tensorgrader.naming.mutate import own
from tensorgrader.outcome import Raised, Returned
from tensorgrader.trial import SILENCE, Case, Question, Questions

FILE = "drawn.json"  # beside this one, packed
#: With some seeds a training that diverges ends as nan on one PyTorch, and finite on the other.
SEED = 1


class Ahead(Questions):
    """The questions of an exercise that were drawn: always the same."""

    def drawn(self, name: str, draw_inputs: DrawInputs) -> list[Question]:
        """Return the questions of that name."""
        if name not in self._drawn:
            told = _packed()[self.exercise.id][name]
            self._drawn[name] = [_question(self.exercise, one) for one in told]
        return self._drawn[name]


def questions(exercise: Exercise, seed: int) -> Questions:
    """Return the questions of an exercise: those that were drawn, or those of a seed."""
    return (Ahead if exercise.id in _packed() else Questions)(exercise, seed)


def _packed() -> dict[str, Any]:
    """Return what was drawn, by exercise and property: nothing outside of the page."""
    return packed(FILE)


def is_drawn_ahead(exercise: Exercise) -> bool:
    """Return whether the models that are trained are inputs: those of a driver are small."""
    return exercise.seconds is not None and not exercise.driver


def written(course: Course) -> str:
    """Draw the questions of all exercises that train a model; return them as JSON.

    Raises ValueError with the name of an exercise, and the place, if its questions cannot be drawn.
    """
    told = {}
    for exercise in filter(is_drawn_ahead, course.exercises.values()):
        try:
            told[exercise.id] = _drawn(exercise)
        except Exception as error:
            raise ValueError(f"{exercise.id}: {place_of(error)}") from error
    return json.dumps(told)


def _drawn(exercise: Exercise) -> dict[str, list]:
    """Draw the questions of an exercise, with the outcomes of its known mistakes."""
    asked = Questions(exercise, SEED)
    makers = [(prop.id, prop.inputs) for prop in exercise.properties]
    makers += [(draw_inputs.__name__, draw_inputs) for draw_inputs in exercise.probes]
    return {
        name: [
            {
                "args": [_told(arg) for arg in question.inputs.args],
                "expected": _told(question.expected),
                "mistaken": [_mistaken(way, question) for way in _ways(exercise)],
            }
            for question in asked.drawn(name, draw_inputs)
        ]
        for name, draw_inputs in makers
    }


def _ways(exercise: Exercise) -> Iterator[Function]:
    """Yield the functions with known mistakes, always in the same order."""
    return (wrong.function for wrong in own(exercise))


def _question(exercise: Exercise, told: dict[str, Any]) -> Question:
    args = tuple(_read(exercise, arg) for arg in told["args"])
    question = Question(Inputs(args), _read(exercise, told["expected"]), (), None, exercise.effect)
    for way, (kind, *parts) in zip(_ways(exercise), told["mistaken"], strict=True):
        values = [_read(exercise, part) for part in parts]
        question.mistaken[way] = Returned(*values) if kind == "returned" else Raised(*values)
    return question


def _mistaken(way: Function, question: Question) -> list:
    """Return the outcome of a known mistake as JSON."""
    outcome = outcome_of(way, Case(question, SILENCE))
    if isinstance(outcome, Returned):
        return ["returned", *map(_told, outcome)]
    if isinstance(outcome, Raised):
        return ["raised", *map(_told, outcome)]
    raise TypeError(f"a known mistake neither returns nor raises: {outcome}")


def _told(value: Any) -> Any:
    """Return a plain value, or a recipe, as JSON."""
    if isinstance(value, Tensor):
        kind = str(value.dtype).removeprefix("torch.")
        return {"tensor": [list(value.shape), kind, value.flatten().tolist()]}
    if isinstance(value, Made):
        recipe, given = value.recipe.__name__, _told(value.given)
        return {"made": [value.says, recipe, given, value.steady, value.trained]}
    if isinstance(value, tuple):
        return {"tuple": [_told(part) for part in value]}
    return [_told(part) for part in value] if isinstance(value, list) else value


def _read(exercise: Exercise, told: Any) -> Any:
    """Return the value of some JSON."""
    match told:
        case {"tensor": [shape, kind, numbers]}:
            return torch.tensor(numbers, dtype=getattr(torch, kind)).reshape(shape)
        case {"made": [says, recipe, given, steady, trained]}:
            function = getattr(sys.modules[exercise.module], recipe)
            return Made(says, function, _read(exercise, given), steady, trained)
        case {"tuple": parts}:
            return tuple(_read(exercise, part) for part in parts)
        case list():
            return [_read(exercise, part) for part in told]
    return told


if __name__ == "__main__":
    print(written(Course.load(Path(sys.argv[1]))))
