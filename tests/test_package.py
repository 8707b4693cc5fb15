"""The front door: all names of the models, and `check`, which brings the grader along."""

import pytest

import transformer_lab as lab


def test_the_grader_comes_when_it_is_asked_for():
    assert "check" in lab.__all__
    assert callable(lab.check)


def test_what_is_not_there_is_named():
    with pytest.raises(AttributeError, match="has no attribute 'chek'"):
        lab.chek  # noqa: B018 -- asking is the test
