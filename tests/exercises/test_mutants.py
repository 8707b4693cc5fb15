"""Mutants of the solutions: nearly all lose points, and what passes once passes again."""

import ast

import pytest

from tensorgrader.author.mutants import mutants, passes, questions, survivors
from tests.course import COURSE, EXERCISES
from tests.exercises.mutants import table
from tests.written import solutions


@pytest.mark.parametrize("name", ["attention-softmax", "norm-rms", "masking-window"])
def test_what_passes_with_one_seed_passes_with_others(name):
    exercise = EXERCISES[name]
    passing, of = survivors(COURSE, exercise)
    assert len(passing) < of / 10
    for mutant in passing:
        for seed in (2, 3):
            assert passes(COURSE, exercise, mutant.tree, questions(exercise, seed)), mutant


def test_a_solution_passes_and_its_mutants_are_other_code():
    exercise = EXERCISES["attention-softmax"]
    code = ast.parse(solutions("attention")[exercise.id])
    assert passes(COURSE, exercise, code, questions(exercise, 1))
    made = [ast.unparse(m.tree) for m in mutants(COURSE, exercise, questions(exercise, 1))]
    assert ast.unparse(code) not in made
    assert any("dim=-2" in one for one in made)


def test_the_table_has_shares_and_their_sum():
    assert table({"f": (1, 2), "g": (8, 8)}).endswith("| **in all** | **10** | **90.0%** |")
