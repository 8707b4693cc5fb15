"""`check` and `grade` agree on everything that both see."""

import ast
import linecache
import re
import textwrap
from functools import partial

import pytest
import torch

from tensorgrader.check import CheckFailed
from tensorgrader.difference import change, finding
from tensorgrader.exercise import IMPORTS
from tensorgrader.ready_made import ready_made, statements
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.trial import Trial
from tests.course import CHAPTERS, grade_notebook
from tests.exercises import unseen
from tests.exercises.test_answers import FOLDER, written
from tests.sweeps import few
from tests.tensorgrader.asking import here, questions
from transformer_lab import check

SEED = "import torch\ntorch.manual_seed(0)\n"  # for those that draw numbers of their own


def verdicts(trial):
    """Give what is said of every case of every property, but for where in the file."""
    told = [
        finding(trial.exercise, case) or (prop.unchanged and change(trial.exercise, case))
        for prop in trial.exercise.properties
        for case in trial.cases(prop)
    ]
    return [found and re.sub(r" in line \d+", "", found.words) for found in told]


@pytest.mark.parametrize("name", few(CHAPTERS, "attention", tier="score"))
def test_they_agree_on_every_right_answer(name):
    chapter = CHAPTERS[name]
    source = (FOLDER / f"{chapter.name}.py").read_text("utf8")
    given = {"imports": IMPORTS, "given": chapter.given_source}
    agree(given, source, written(chapter))


@pytest.mark.score
@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
@pytest.mark.parametrize("kind", ["wrong", "right"])
@pytest.mark.parametrize("name", unseen.SETS)
def test_they_agree_on_every_answer_written_blind(name, kind, chapter):
    path = unseen.FOLDER / name / kind / f"{chapter.name}.py"
    if not path.is_file():
        pytest.skip(f"there are no {kind} answers for this chapter")
    given = {"notebook": unseen.notebook_source(chapter)}
    agree(given, path.read_text("utf8"), unseen.answers(name, kind, chapter))


def agree(given, source, answers):
    """Give the same answers to both judges, and compare what they say."""
    code = statements(ast.parse(source))
    for forbidden in {exercise.forbidden for exercise, _ in answers}:
        with Sandbox(forbidden=forbidden) as sandbox:
            sandbox.run({**given, "answers": source})
            for exercise, function in answers:
                if exercise.forbidden != forbidden:
                    continue
                name = function.__name__
                there = Trial(questions(exercise, 3), lambda batch, n=name: sandbox.call(n, batch))
                answer = here(exercise, function, 3)
                torch.manual_seed(0)
                judged_here = verdicts(answer.trial)
                sandbox.run({"seed": SEED})
                assert judged_here == verdicts(there), name
                found = ready_made([name], code, forbidden)
                assert bool(answer.ready_made()) == bool(found), name


deeper = partial(textwrap.indent, prefix="    ")
MINE = "    e = (x - x.amax(-1, True)).exp()\n    return e / e.sum(-1, True)\n"
SOFTMAX = f"def softmax(x):\n{MINE}"
COMPARED = "print(torch.allclose(softmax(torch.ones(2)), torch.softmax(torch.ones(2), -1)))\n"
CLASS = f"class Own:\n    def softmax(self, x):\n{deeper(MINE)}"
RIGHT = {
    "compared below": SOFTMAX + COMPARED,
    "a method of that name": CLASS + "def softmax(x):\n    return Own().softmax(x)\n",
    "an attribute": (
        "class Own:\n    def __init__(self, f):\n        self.softmax = f\n"
        "    def __call__(self, x):\n        return self.softmax(x)\n"
        f"def helper(x):\n{MINE}def softmax(x):\n    return Own(helper)(x)\n"
    ),
}
WRONG = {
    "a function": "def softmax(x):\n    return torch.softmax(x, -1)\n",
    "behind a helper": "def helper(x):\n    return x.softmax(-1)\nsoftmax = helper\n",
    "in a text": "def softmax(x):\n    return getattr(x, 'soft' + 'max')(-1)\n",
}


def in_a_kernel(source):
    """Run a cell as a notebook would, and check softmax; give the card."""
    names = {}
    linecache.cache["cell"] = (len(source), None, source.splitlines(keepends=True), "cell")
    exec(compile(IMPORTS, "imports", "exec"), names)
    exec(compile(source, "cell", "exec"), names)
    try:
        check("attention-softmax", names["softmax"])
    except CheckFailed as failed:
        return str(failed)
    return "✓"


@pytest.mark.parametrize(
    ("source", "right"),
    [(source, True) for source in RIGHT.values()] + [(source, False) for source in WRONG.values()],
    ids=[*RIGHT, *WRONG],
)
def test_both_refuse_a_ready_made_in_the_answer_and_none_beside_it(submit, source, right):
    grade = grade_notebook(submit({"attention-softmax": source}), 0)
    results = [r for r in grade.results if r.exercise.id == "attention-softmax"]
    assert {not r.finding for r in results} == {right}
    assert in_a_kernel(source).startswith("✓" if right else "✗ softmax: 0 of ")
