"""A known mistake as an edit: where the code stands, or what is returned instead."""

import pytest
import torch

from tensorgrader.exercise import Exercise


def centred(x):
    return x - middle(x)


def middle(x):
    return x.mean(dim=-1, keepdim=True)


@pytest.mark.parametrize(
    ("edit", "right", "result"),
    [
        ({"x - ": "x + "}, centred, [3.0, 5.0]),
        ({"mean": "amax"}, middle, [-2.0, 0.0]),
        ("centred(-x)", centred, [1.0, -1.0]),
        ("y = x + 1; return y", centred, [2.0, 4.0]),
    ],
)
def test_an_edit_is_made_where_its_code_stands_or_is_returned_instead(edit, right, result):
    exercise = Exercise("course.chapter.centred", centred, results={}, section="")
    ((step, wrong),) = exercise.edit("wrong", edit, why="").made(centred)
    x = torch.tensor([1.0, 3.0])
    assert step is right
    assert (wrong(x) if right is centred else x - wrong(x)).tolist() == pytest.approx(result)


def test_code_that_stands_nowhere_is_said():
    exercise = Exercise("course.chapter.centred", centred, results={}, section="")
    with pytest.raises(ValueError, match="never"):
        exercise.edit("wrong", {"y": "x"}, why="").made(centred)
