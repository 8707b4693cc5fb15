"""Every answer there is, judged by the PyTorch that is imported: `python -m ... CHAPTER`.

Run with the page's small PyTorch first on the path, it prints as JSON what the grader makes of each
answer to the exercises of a chapter: which properties fail, by which names, or what is missing.
"""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from tests.grading import unseen
from tests.grading.test_answers import in_this_process, written
from transformer_lab.grading.composing import own
from transformer_lab.grading.exercises import CHAPTERS
from transformer_lab.grading.judge import judge
from transformer_lab.grading.listening import listening

ROOT = Path(__file__).parents[3]
STAND_INS = ROOT / "transformer_lab/page/stand_ins"
#: Without those for widgets: whoever reads a notebook has the real ones.
JUDGED_WITH = ("torch", "jaxtyping.py", "numpy.py", "tqdm.py")


def answers(chapter, kinds):
    """Give (kind, exercise, label, function) for each answer to a chapter's exercises."""
    if "bank" in kinds:
        for exercise in chapter.exercises:
            for number, known in enumerate(own(exercise)):
                yield "wrong", exercise, f"{known.way.__name__} {number}", known.function
    for kind in ("right", "wrong", "mixed"):
        if kind in kinds:
            for exercise, function in written(kind, chapter):
                of = "right" if kind == "right" else "wrong"
                yield of, exercise, function.__name__, function
    if "blind" in kinds:
        for name in unseen.SETS:
            for kind in ("right", "wrong"):
                for exercise, function in unseen.answers(name, kind, chapter):
                    yield kind, exercise, f"{function.__name__}, {name}", function


def judged(chapter, kinds, seed=1):
    """Give what the grader makes of each answer: by exercise, kind and label."""
    found = {}
    for kind, exercise, label, function in answers(chapter, kinds):
        found[f"{exercise.id}/{kind}/{label}"] = outcome(exercise, function, seed)
    return found


def outcome(exercise, function, seed):
    """Say which properties fail and how they are named, or what the page has not."""
    try:
        with listening(io.StringIO()):
            results = judge(in_this_process(exercise, function, seed), exercise.properties)
    except BaseException as missing:
        if type(missing).__name__ != "NotOnThisPage":
            raise
        return str(missing)
    failing = [result for result in results if result.finding]
    return [[r.prop.id, sorted(mistake.name for mistake in r.mistakes)] for r in failing]


def judged_on_the_page(chapter, *kinds):
    """Judge in a process of its own, whose PyTorch is the page's."""
    with TemporaryDirectory() as folder:
        for name in JUDGED_WITH:
            Path(folder, name).symlink_to(STAND_INS / name)
        path = os.pathsep.join([folder, str(ROOT)])
        done = subprocess.run(
            [sys.executable, "-m", "tests.page.torch.judging", chapter.name, *kinds],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


if __name__ == "__main__":
    assert torch.__version__.endswith("+page"), torch.__file__
    name, *kinds = sys.argv[1:]
    print(json.dumps(judged(CHAPTERS[name], kinds)))
