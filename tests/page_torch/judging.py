"""Every answer there is, judged by the PyTorch that is imported: `python -m ... CHAPTER`.

Run with the page's small PyTorch first on the path, it prints as JSON what the grader makes of each
answer to the exercises of a chapter: which properties fail, by which names, or what is missing.
"""

import io
import json
import os
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import WeakKeyDictionary

import pytest
import torch
from torch.overrides import TorchFunctionMode

from page import drawn_ahead
from tensorgrader.in_process import capturing
from tensorgrader.naming import match, pairs
from tensorgrader.naming.mutate import own
from tensorgrader.trial import Questions, Trial
from tests.course import CHAPTERS, COURSE, judge
from tests.exercises import test_answers, unseen
from tests.exercises.kept import kept
from tests.exercises.test_answers import written
from tests.tensorgrader.asking import questions

#: Operations by which answers may be judged: 95 of 100 in about a second in a browser, the others
#: in half a minute, of the two minutes that a page waits.
USUAL, MOST = 50_000, 1_000_000
COSTS: WeakKeyDictionary = WeakKeyDictionary()  # of a question, or of several: by whom it is asked
ROOT = Path(__file__).parents[2]
STAND_INS = (ROOT / "page/stand_ins", ROOT / "page_torch")
#: Without those for widgets: whoever reads a notebook has the real ones.
JUDGED_WITH = (
    "page_torch/torch",
    *map("page/stand_ins/{}.py".format, ("jaxtyping", "numpy", "tqdm")),
)


def answers(chapter, kinds):
    if "bank" in kinds:
        for exercise in chapter.exercises:
            for number, known in enumerate(own(exercise)):
                yield "wrong", exercise, f"{known.way.__name__} {number}", known.function
    if "right" in kinds:
        for exercise, function in written(chapter):
            yield "right", exercise, function.__name__, function
    if "blind" in kinds:
        for name in unseen.SETS:
            for kind in ("right", "wrong"):
                for exercise, function in unseen.answers(name, kind, chapter):
                    yield kind, exercise, f"{function.__name__}, {name}", function


class Bill(TorchFunctionMode):
    """Counts the operations by which one answer is judged and named, but for those of its own.

    What was found out before, for another answer, counts as if it were found out again.
    """

    def __enter__(self):
        self.total, self.asked = 0, set()
        self.patched = pytest.MonkeyPatch()
        for place, name in ((match, "outcome_of"), (pairs, "outcome_of"), (Questions, "drawn")):
            self.patched.setattr(place, name, self.charged(getattr(place, name)))
        self.patched.setattr(test_answers, "apply_here", self.free(test_answers.apply_here))
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.patched.undo()

    def __torch_function__(self, function, kinds, args=(), options=None):
        self.total += 1
        return function(*args, **(options or {}))

    def charged(self, function):
        """Let what a function remembers cost the same again: once for each answer."""

        def charging(one, other, *rest):
            before = self.total
            given = function(one, other, *rest)
            thing, of = (one, other) if isinstance(one, Questions) else (other.question, one)
            cost = COSTS.setdefault(thing, {}).setdefault(of, self.total - before)
            self.total = before + cost * ((thing, of) not in self.asked)
            self.asked.add((thing, of))
            return given

        return charging

    def free(self, function):
        """Let a function cost nothing."""

        def freely(*args):
            before = self.total
            given = function(*args)
            self.total = before
            return given

        return freely


def within_what_a_reader_waits(chapter, kinds):
    """Judge answers, and refuse to if that takes too long."""
    bills = {}

    def billed(exercise, function, seed):
        with Bill() as bill:
            found = outcome(exercise, function, seed)
        bills[exercise.id, function.__name__] = bill.total
        return found

    found = judged(chapter, kinds, billed)
    dearest = sorted(bills, key=bills.get, reverse=True)
    told = {name: bills[name] for name in dearest[: len(bills) // 20 + 1]}
    assert bills[dearest[0]] <= MOST, told
    usual = [name for name in dearest if not drawn_ahead.is_drawn_ahead(COURSE.exercises[name[0]])]
    assert bills[usual[len(usual) // 20]] <= USUAL, told  # one that trains takes some seconds
    return found


def outcome(exercise, function, seed):
    torch.manual_seed(seed)  # for answers that draw, as those to "catch" may
    try:
        with capturing(io.StringIO()):
            applied = partial(map, lambda inputs: test_answers.apply_here(function, inputs))
            results = judge(Trial(asked(exercise, seed), applied), exercise.properties)
    except BaseException as missing:
        if type(missing).__name__ != "NotOnThisPage":
            raise
        return str(missing)
    failing = [result for result in results if result.finding]
    return [[r.prop.id, sorted(mistake.name for mistake in r.mistakes)] for r in failing]


@cache
def asked(exercise, seed):
    """Return the questions of an exercise as a page has them: of one that trains, drawn ahead."""
    if not drawn_ahead.is_drawn_ahead(exercise):
        return questions(exercise, seed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(drawn_ahead, "_packed", lambda: json.loads(drawn()))
        found = drawn_ahead.questions(exercise, seed)
        for prop in exercise.properties:
            found.drawn(prop.id, prop.inputs)
        for draw_inputs in exercise.probes:
            found.drawn(draw_inputs.__name__, draw_inputs)
    return found


@cache
def drawn():
    """Return what is drawn when the page is packed, by the real PyTorch: the small one is slow."""
    if torch.__version__.endswith("+page"):
        return Path(os.environ["DRAWN"]).read_text("utf8")
    return drawn_ahead.written(COURSE)


def judged(chapter, kinds, outcome=outcome):
    """Return what the grader makes of each answer: by exercise, kind and label."""
    found = {}
    for kind, exercise, label, function in answers(chapter, kinds):
        found[f"{exercise.id}/{kind}/{label}"] = outcome(exercise, function, 1)
    return found


def judged_on_the_page(chapter, *kinds):
    """Judge with the page's PyTorch."""
    return _judged_on_the_page(chapter.name, *kinds)


@kept
def _judged_on_the_page(name, *kinds):
    """Judge in a process of its own."""
    with TemporaryDirectory() as folder:
        for file in JUDGED_WITH:
            Path(folder, Path(file).name).symlink_to(ROOT / file)
        path = os.pathsep.join([folder, str(ROOT)])
        Path(folder, "drawn.json").write_text(drawn(), "utf8")
        done = subprocess.run(
            [sys.executable, "-m", "tests.page_torch.judging", name, *kinds],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": path, "DRAWN": f"{folder}/drawn.json"},
            capture_output=True, text=True,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


if __name__ == "__main__":
    assert torch.__version__.endswith("+page"), torch.__file__
    name, *kinds = sys.argv[1:]
    print(json.dumps(within_what_a_reader_waits(CHAPTERS[name], kinds)))
