"""The share of wrong answers that loses points: `python -m tests.exercises.mutants PAGE ...`.

`corpus/mutants.json` keeps, for each solution, what was found out about the mutants that pass: how
many inputs they were asked without a difference, 0 if there is one, or why there can be none. Only
those of which nothing is known are asked.
"""

import ast
import json
import runpy
import sys
import time
from difflib import unified_diff
from pathlib import Path
from zlib import crc32

import torch

from tensorgrader.author.mutants import passes, questions, solved, survivors
from tests.course import CHAPTERS, COURSE
from tests.exercises.table import put_into, row
from tests.exercises.test_answers import FOLDER

MUTANTS = "<!-- table of the mutants -->"
OF_RIGHT = "<!-- table of the mutants of right answers -->"
KEPT = Path(__file__).parents[2] / "corpus/mutants.json"
ENOUGH = 10_000
#: Of the right answers to an exercise, one in so many is changed.
ONE_IN = 8


def key(exercise):
    """Return what names a solution: what is known of its mutants is of no use to another."""
    code = ast.unparse(solved(COURSE, exercise)[0])
    return f"{exercise.id} {crc32(code.encode()):08x}"


def changed(exercise, tree):
    """Return the lines that a mutant changes, as they were and as they are."""
    old, new = (ast.unparse(one).splitlines() for one in (solved(COURSE, exercise)[0], tree))
    lines = list(unified_diff(old, new, n=0, lineterm=""))[2:]
    return " ".join(line.replace("    ", "") for line in lines)


def asked(exercise, trees, enough=ENOUGH, seconds=1200):
    """Return how many inputs each mutant was asked; 0 if one of them shows a difference.

    After so many seconds those that are not decided are left out.
    """
    names, left, total, seed = solved(COURSE, exercise)[1], dict(trees), 0, 2
    end = time.process_time() + seconds
    while left and total < enough and time.process_time() < end:
        some = []
        while len(some) < 200:
            some += questions(exercise, seed)
            seed += 1
        left = {n: t for n, t in left.items() if passes(exercise, t, names, some, total)}
        total += len(some)
    differ = dict.fromkeys(trees.keys() - left.keys(), 0)
    return differ | dict.fromkeys(left if total >= enough else (), total)


def score(exercise, known, seconds=1200):
    """Return how many mutants of a solution there are, are excluded, and lose points."""
    passing, of = survivors(exercise, *solved(COURSE, exercise))
    trees = {changed(exercise, mutant.tree): mutant.tree for mutant in passing}
    new = {name: tree for name, tree in trees.items() if name not in known}
    known |= asked(exercise, new, seconds=seconds)
    excluded = sum(bool(known.get(changed(exercise, mutant.tree))) for mutant in passing)
    return of, excluded, of - len(passing)


def scores():
    """Return the scores of all solutions by function, and keep what was found out."""
    kept, found = json.loads(KEPT.read_text("utf8")), {}
    for exercise in (e for chapter in CHAPTERS.values() for e in chapter.exercises):
        known = kept.get(key(exercise), {})
        found[exercise.function] = score(exercise, known)
        kept = {n: k for n, k in kept.items() if n.split()[0] != exercise.id}
        kept |= {key(exercise): known} if known else {}
        KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf8")
    return found


def of_right_answers():
    """Return for each chapter how many right answers are changed, their mutants, and the caught."""
    return {name: _of_right(chapter) for name, chapter in CHAPTERS.items()}


def _of_right(chapter):
    path, of, caught = FOLDER / f"{chapter.name}.py", 0, 0
    names, by_function = runpy.run_path(str(path)), {e.function: e for e in chapter.exercises}
    nodes = [n for n in ast.parse(path.read_text("utf8")).body if "__" in getattr(n, "name", "")]
    for node in (answers := [n for n in nodes if n.name[0] != "_"][::ONE_IN]):
        node.name = node.name.partition("__")[0]
        tree = ast.Module([node], [])
        passing, made = survivors(by_function[node.name], tree, names)
        of, caught = of + made, caught + made - len(passing)
    return len(answers), of, caught


def table(scores):
    """Return as a Markdown table how many mutants lose points of those that can."""
    head = ["function", "mutants", "excluded", "caught of the rest"]
    lines = [row(head), row(["---"] + ["--:"] * 3)]
    for name, (of, excluded, caught) in _with_sum(scores).items():
        shown = name if "*" in name else f"`{name}`"
        lines.append(row([shown, f"{of:,}", f"{excluded:,}", f"{caught / (of - excluded):.1%}"]))
    return "\n".join(lines)


def table_of_right(scores):
    """Return as a Markdown table how many mutants of right answers lose points."""
    lines = [row(["chapter", "right answers", "mutants", "caught"]), row(["---"] + ["--:"] * 3)]
    for name, (answers, of, caught) in _with_sum(scores).items():
        lines.append(row([name, answers, f"{of:,}", f"{caught / of:.1%}"]))
    return "\n".join(lines)


def _with_sum(scores):
    return scores | {"**in all**": tuple(map(sum, zip(*scores.values(), strict=True)))}


if __name__ == "__main__":
    torch.set_num_threads(1)
    tables = {MUTANTS: table(scores()), OF_RIGHT: table_of_right(of_right_answers())}
    for path in map(Path, sys.argv[1:]):
        for mark, text in tables.items():
            path.write_text(put_into(path.read_text("utf8"), mark, text), "utf8")
