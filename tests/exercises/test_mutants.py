"""Mutants of the solutions: nearly all lose points, and what passes once passes again."""

import ast
import json

import pytest

from tensorgrader.author.mutants import mutants, passes, questions, solved, survivors
from tests.course import COURSE, EXERCISES
from tests.exercises.mutants import KEPT, asked, changed, key, score, table


@pytest.mark.parametrize("name", ["attention-softmax", "norm-rms", "masking-window"])
def test_what_passes_with_one_seed_passes_with_others_and_is_known(name):
    exercise = EXERCISES[name]
    passing, of = survivors(exercise, *solved(COURSE, exercise))
    assert len(passing) < of / 10
    trees = {changed(exercise, mutant.tree): mutant.tree for mutant in passing}
    found = asked(exercise, trees, enough=200)
    assert min(found.values()) >= 200
    known = json.loads(KEPT.read_text("utf8"))[key(exercise)]
    assert score(exercise, known) == (of, len(passing), of - len(passing))


def test_a_solution_passes_and_its_mutants_are_other_code():
    exercise = EXERCISES["attention-softmax"]
    code, names = solved(COURSE, exercise)
    some = questions(exercise, 1)
    assert passes(exercise, code, names, some)
    made = [ast.unparse(m.tree) for m in mutants(exercise, code, names, some)]
    assert ast.unparse(code) not in made
    assert any("dim=-2" in one for one in made)


def test_a_mutant_is_asked_until_it_differs():
    exercise = EXERCISES["attention-softmax"]
    tree = ast.parse("def softmax(x):\n    e = x.exp()\n    return e / e.sum(dim=-1, keepdim=True)")
    assert asked(exercise, {"overflows": tree}) == {"overflows": 0}


def test_what_is_not_decided_is_not_excluded():
    exercise = EXERCISES["attention-softmax"]
    passing, of = survivors(exercise, *solved(COURSE, exercise))
    assert score(exercise, {}, seconds=0) == (of, 0, of - len(passing))


def test_the_table_has_shares_of_what_is_not_excluded():
    assert table({"f": (4, 2, 1), "g": (8, 0, 8)}).endswith("| **in all** | 12 | 2 | 90.0% |")
