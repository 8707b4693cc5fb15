"""The page judges as PyTorch does: the same verdicts, the same names, or it says what it lacks."""

import pytest

from lab_notebooks.sources import root
from tests.course import CHAPTERS
from tests.page_torch.counts import counts, updated
from tests.page_torch.judging import judged, judged_on_the_page

EVERY = ("bank", "right", "blind")
PAGE = "corpus/scores.md"
#: Compares a norm far from 0 to five digits, so what it says depends on the last ones.
LAST_DIGITS = (
    "/is_layer_norm__strict, tenth",
    "/choose__crossing_token_dropped, twelfth",  # whether sums of all probabilities reach 1
)


@pytest.fixture(scope="module")
def on_the_page():
    return {name: judged_on_the_page(chapter, *EVERY) for name, chapter in CHAPTERS.items()}


@pytest.mark.parametrize(
    "chapter",
    [  # the exercises that ask most of the small PyTorch; `make test-full` asks about all, below
        pytest.param(chapter, id=name, marks=[pytest.mark.score] * (name != "multi_head"))
        for name, chapter in CHAPTERS.items()
    ],
)
def test_right_answers_are_right_on_the_page_or_say_what_is_missing(chapter):
    found = judged_on_the_page(chapter, "right")
    refused = {
        name: failing for name, failing in found.items() if isinstance(failing, list) and failing
    }
    assert not refused
    assert len(found) > 20
    missing = [name for name, failing in found.items() if isinstance(failing, str)]
    assert len(missing) <= 0.06 * len(found), missing


@pytest.mark.score
@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_every_answer_is_judged_and_named_as_by_pytorch(chapter, on_the_page):
    right = judged(chapter, EVERY)
    mine = on_the_page[chapter.name]
    assert mine.keys() == right.keys()
    other = {
        name: (found, right[name])
        for name, found in mine.items()
        if found != right[name] and not name.endswith(LAST_DIGITS)
    }
    assert all(isinstance(found, str) for found, _ in other.values()), other


@pytest.mark.score
def test_the_page_tells_how_many_answers_it_cannot_judge(on_the_page):
    page = (root() / PAGE).read_text("utf8")
    assert updated(page, on_the_page) == page, f"python -m tests.page_torch.counts {PAGE}"


def of(on_the_page, is_meant):
    return {
        chapter: {n: o for n, o in outcomes.items() if is_meant(n, o)}
        for chapter, outcomes in on_the_page.items()
    }


@pytest.mark.score
def test_at_most_two_right_answers_in_a_hundred_are_not_on_the_page(on_the_page):
    """But for the tenth set, whose writers were asked to use NumPy and what is seldom used."""
    missing, every = counts(of(on_the_page, lambda name, _: not name.endswith(", tenth")))["right"]
    assert 0 < missing <= 0.02 * every


@pytest.mark.score
def test_nor_are_more_of_all_that_use_pytorch_alone(on_the_page):
    in_pytorch = of(on_the_page, lambda _, outcome: "no numpy" not in str(outcome))
    missing, every = counts(in_pytorch)["right"]
    assert 0 < missing <= 0.02 * every
