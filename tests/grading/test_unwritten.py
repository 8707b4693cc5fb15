"""An answer nobody has begun is known by its source, and nothing else is."""

import ast

import pytest

from transformer_lab.grading.checks import CHAPTERS
from transformer_lab.grading.submission import read_submission
from transformer_lab.grading.unwritten import is_unwritten


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_the_stubs_that_are_given_are_unwritten_and_solutions_are_not(chapter, submit):
    stub = read_submission(submit(chapter=chapter.name, stub=True)).answers
    solved = read_submission(submit(chapter=chapter.name)).answers
    for exercise in chapter.exercises:
        left = "NotImplementedError" in stub[exercise.id]  # else there is a bug to find
        assert is_unwritten(ast.parse(stub[exercise.id]), exercise.function) == left
        assert not is_unwritten(ast.parse(solved[exercise.id]), exercise.function)


@pytest.mark.parametrize("error", ["NotImplementedError", "NotImplementedError()"])
def test_a_stub_may_have_no_words(error):
    assert is_unwritten(ast.parse(f"def f(x):\n    # here\n    raise {error}"), "f")


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    raise NotImplementedError\ndef f(x):\n    return x",
        "def f(x):\n    raise NotImplementedError\nglobals()['f'] = abs",
        "@abs\ndef f(x):\n    raise NotImplementedError",
        "def f(x):\n    raise NotImplementedError(print(x))",
        "def f(x):\n    raise ValueError",
        "def f(x):\n    x = 1\n    raise NotImplementedError",
        "def g(x):\n    raise NotImplementedError",
        "def f(x):\n    'Only words.'",
        "",
    ],
)
def test_what_may_do_more_is_run(source):
    assert not is_unwritten(ast.parse(source), "f")
