"""The sets of answers that were written blind, as a table: what came of them at first, and today.

`corpus/blind/SET` holds the answers as they came. `corpus/blind/SET.toml` holds the bank's names
for what their writers meant, judged by meaning alone, and the first figures, which are never
measured again.
"""

import dis
import io
import tomllib
from functools import cache
from itertools import count
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

import torch

from lab_notebooks.notebooks import read_notebook
from tensorgrader.exercise import IMPORTS
from tensorgrader.in_process import capturing
from tensorgrader.repair.hint import Looking, is_wanted
from tensorgrader.source.forms import solved_text
from tensorgrader.trial import Questions
from tests.course import CHAPTERS, part
from tests.exercises.kept import kept
from tests.exercises.test_answers import in_this_process, lost, told
from tests.tensorgrader.asking import as_cell

FOLDER = Path(__file__).parents[2] / "corpus/blind"
SETS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth",
)  # fmt: skip
#: What writers answered, or called, and no exercise asks any more: only in the first figures.
RETIRED = {
    "attention.read",
    "attention.shapes",
    "attention.scale",
    "attention.weighted_sum",
    "attention.divisor",
    "masking.real_tokens",
    "masking.cross_mask",
    "masking.to_additive",
    "masking.shapes",
    "multi_head.count_parameters",
    "multi_head.shapes",
    "multi_head.probe",
    "positional_encoding.add_learned",
    "positional_encoding.rotate_halves",
    "positional_encoding.shapes",
    "norm.normalise",
    "norm.feed_forward",
    "norm.shapes",
    "norm.pre_norm",
    "full_model.masked_task",
    "full_model.translation_task",
    "full_model.shift_right",
    "full_model.writing_task",
    "full_model.encoder",
    "full_model.encoder_layer",
    "full_model.top_k",
    "full_model.top_p",
    "full_model.rename_weights",
    "full_model.split_heads",
}


#: How many edits are tried at most for an answer: in seconds, no table would come out twice alike.
TRIED = 1500


class Score(NamedTuple):
    """How many answers of a set were treated so; those placed have no name, but a place is told."""

    caught: int
    named: int
    one_of_two: int
    misnamed: int
    refused: int
    placed: int | None = None


def meant(name):
    """Read what is written of a set: what its writers meant, and its first figures."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text("utf8"))


def answers(name, kind, chapter):
    """Give (exercise, function) for each answer of a kind, as beside a notebook's own functions."""
    by_function = {exercise.function: exercise for exercise in chapter.exercises}
    retired = retired_from(chapter)
    gone = retired - notebook(chapter).keys()
    return [
        (by_function[asked], function)
        for asked, function in written(name, kind, chapter)
        if asked not in retired and not gone.intersection(read_by(function))
    ]


def read_by(answer):
    """Return the global names of a function; a class reads none that an exercise has retired."""
    code = answer.__code__ if isinstance(answer, FunctionType) else ""
    return {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}


def written(name, kind, chapter):
    """Give (name of what is asked, function) for each answer, of what is no longer asked too."""
    path = FOLDER / name / kind / f"{chapter.name}.py"
    if not path.exists():
        return []
    names = once_asked(chapter)
    for text in (notebook_source(chapter), path.read_text("utf8")):
        exec(compile(text, as_cell(text), "exec"), names)
    return [
        (name.partition("__")[0], function)
        for name, function in names.items()
        if name[0] != "_" and "__" in name
    ]


def retired_from(chapter):
    """Give the functions that a chapter no longer asks for."""
    return {task.partition(".")[2] for task in RETIRED if task.startswith(f"{chapter.name}.")}


def once_asked(chapter):
    """Return what a chapter once asked for, and its answers may still call."""
    pieces = vars(part(f"{chapter.name}.parts"))
    return {name: pieces[name] for name in retired_from(chapter) & pieces.keys()}


@cache
def notebook(chapter):
    """Give what the solved notebook of a chapter defines, and what it once asked for."""
    names = once_asked(chapter)
    exec(notebook_source(chapter), names)
    return {name: value for name, value in names.items() if not name.startswith("__")}


def notebook_source(chapter):
    """Give the code of the solved notebook of a chapter."""
    cells = read_notebook(f"exercises/{chapter.name}", solved_text).cells
    solved = [c.source for c in cells if c.metadata.get("nbgrader", {}).get("solution")]
    return "\n\n".join([IMPORTS, chapter.given_source, *solved])


@kept
def outcomes(name, kind):
    """Return whether each answer of a kind was caught, and how it was named or placed."""
    return {
        (chapter.name, function.__name__): treated(exercise, function)
        for chapter in CHAPTERS.values()
        for exercise, function in answers(name, kind, chapter)
    }


def treated(exercise, function):
    """Tell how an answer is treated, always alike: some draw numbers of their own."""
    torch.manual_seed(0)
    loses, names = told(exercise, function)
    return loses, names, loses and not names and placed(exercise, function)


def placed(exercise, function):
    """Return whether a place is told of an answer that has no name."""
    with capturing(io.StringIO()):
        wanted = is_wanted(lost(in_this_process(exercise, function, 1)))
    ticks = count()
    looking = Looking(function, Questions(exercise, 1), TRIED * wanted, clock=lambda: next(ticks))
    looking.go_on(TRIED)
    return bool(looking.hint)


@cache
def score(name):
    """Count how the answers of a set are treated today."""
    lines = meant(name)
    also = lines.get("also", {})
    caught, named, one_of_two, misnamed, places = 0, 0, 0, 0, 0
    for (chapter, function), (loses, names, is_placed) in outcomes(name, "wrong").items():
        meanings = lines[chapter][function]
        names = names - set(also.get(function, ()))
        wrongly = any(not any(name in these for these in meanings) for name in names)
        wholly = all(names & set(these) for these in meanings)
        caught += loses
        places += is_placed
        misnamed += wrongly
        named += wholly and not wrongly
        one_of_two += bool(names) and not wholly and not wrongly
    refused = sum(loses for loses, *_ in outcomes(name, "right").values())
    return Score(caught, named, one_of_two, misnamed, refused, places)


def table():
    """Write the figures as a Markdown table: the first ones, which stay, and those of today."""
    head = ["set", "graded", "caught", "named", "placed", "either", "misnamed", "refused"]
    lines = [row(head), row(["---", "---", *["--:"] * 6])]
    for name in SETS:
        first = dict(meant(name)["measured"])
        when = f"{first.pop('date')}, by grader `{first.pop('grader')}`"
        figures = cells(Score(**first), *counts(name, written))
        lines.append(row([f"**{name}, blind**", when, *figures]))
        figures = cells(score(name), *counts(name, answers))
        lines.append(row([f"{name}, after learning", "today", *figures]))
    return "\n".join(lines)


def counts(name, read):
    """Count the wrong and the right answers of a set: those still asked, or all."""
    chapters = CHAPTERS.values()
    return [sum(len(read(name, kind, c)) for c in chapters) for kind in ("wrong", "right")]


def cells(figures, wrong, right):
    """Write each figure with how many there were; no place was told when the first were taken."""
    told = ["–", "–"]
    if figures.placed is not None:
        told = [f"{n} of {wrong}" for n in (figures.placed, figures.named + figures.placed)]
    caught, named, misnamed = (
        f"{n} of {wrong}" for n in (figures.caught, figures.named, figures.misnamed)
    )
    return [caught, named, *told, misnamed, f"{figures.refused} of {right}" if right else "–"]


def row(parts):
    return f"| {' | '.join(parts)} |"
