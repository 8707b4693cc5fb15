"""The faults of hunts: each is shown by the exercise's own requirements, whatever the inputs."""

import ast

import pytest

from tensorgrader.author.mutants import applying
from tensorgrader.exercise import IMPORTS
from tensorgrader.hunt.bank import read_bank
from tensorgrader.hunt.draw import needed
from tensorgrader.hunt.measure import faults, mutants
from tensorgrader.judge import holds
from tensorgrader.repair.tree import Turns
from tensorgrader.trial import Questions, Trial
from tests.course import COURSE
from tests.sweeps import few

FAULTS = read_bank(COURSE).faults
ASKED = list(dict.fromkeys(fault.exercise for fault in FAULTS))


def solution(name):
    return COURSE.solutions(COURSE.exercises[name].chapter)[name]


def names(name):
    found = {}
    exec("\n\n".join([IMPORTS, *needed(COURSE, name).values()]), found)
    return found


def test_there_are_enough_functions_and_faults():
    assert len(ASKED) > 40
    assert len({*FAULTS}) == len(FAULTS) > 300


@pytest.mark.parametrize("name", few(ASKED, "masking-causal", "norm-layer", "whole_model-encode"))
@pytest.mark.parametrize("seed", [7, 8])
def test_no_fault_passes_and_the_solution_does(name, seed):
    questions = Questions(COURSE.exercises[name], seed)

    def passes(code):
        apply = applying(questions.exercise, ast.parse(code), names(name), Turns())
        return holds(Trial(questions, apply))

    assert passes(solution(name))
    for fault in FAULTS:
        if fault.exercise == name:
            assert not passes(fault.put_into(solution(name))), fault


@pytest.mark.parametrize("name", few(ASKED, "masking-causal", "norm-rms"))
def test_the_faults_are_those_of_the_solution_of_today(name):
    """If one is missing, a solution has changed: run tools/hunts.py."""
    questions = Questions(COURSE.exercises[name], 1)
    possible = {*mutants(questions.exercise, solution(name), names(name), questions)}
    for fault in FAULTS:
        if fault.exercise == name:
            assert (fault.line, fault.code) in possible


def test_what_shows_seldom_or_quietly_is_difficult():
    exercise = COURSE.exercises["masking-causal"]
    code, own = solution(exercise.id), names(exercise.id)
    found = {f.code.strip(): f for f in faults(COURSE, exercise, code, own, unnamed=0.0)}
    assert {f.name for f in found.values()} <= {m.name for m in exercise.mistakes} | {
        f.name for f in FAULTS
    }
    harder = [*faults(COURSE, exercise, code, own, unnamed=1.0)]
    assert [f.difficulty - found[f.code.strip()].difficulty for f in harder] == pytest.approx(
        [2.0] * len(harder)
    )
