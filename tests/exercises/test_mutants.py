"""Mutants of the solutions: nearly all lose points, and what passes once passes again."""

import ast

import pytest

from tests.course import EXERCISES
from tests.exercises.mutants import define, mutants, passes, questions, survivors, table
from tests.written import solutions


@pytest.mark.parametrize("name", ["attention-softmax", "norm-rms", "masking-window"])
def test_what_passes_with_one_seed_passes_with_others(name):
    exercise = EXERCISES[name]
    passing, of = survivors(exercise)
    assert len(passing) < of / 10
    for mutant in passing:
        assert all(passes(exercise, mutant.tree, questions(exercise, n)) for n in (2, 3)), mutant


def test_a_solution_passes_and_its_mutants_are_other_code():
    exercise = EXERCISES["attention-softmax"]
    code = ast.parse(solutions("attention")[exercise.id])
    assert passes(exercise, code, questions(exercise, 1))
    made = [ast.unparse(m.tree) for m in mutants(exercise, questions(exercise, 1))]
    assert ast.unparse(code) not in made
    assert any("dim=-2" in one for one in made)
    assert define(exercise, code, lambda: None)


def test_the_table_has_shares_and_their_sum():
    assert table({"f": (1, 2), "g": (8, 8)}).endswith("| **in all** | **10** | **90.0%** |")
