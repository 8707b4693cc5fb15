"""A reader's own mistakes as questions: from what is known of each exercise."""

import re
from html import unescape

import pytest

from book._ext.own_mistakes import STUB, asked
from tests.course import EXERCISES

DIVIDES = "attention-attention: it divides by d_k, not by its square root"


@pytest.fixture(scope="module")
def by_name():
    """Return the HTML of all questions by the mistake's name, which takes a second."""
    return {one["id"]: one["html"] for e in EXERCISES.values() for one in asked(e)}


def choices(html):
    """Give the choices but the last, "I don't know": whether right, words, reason."""
    found = re.findall(
        r'<details class="(tl-option[^"]*)"><summary><span>(.*?)</span></summary><p>(.*?)</p>', html
    )
    return [("tl-right" in kind, unescape(words), reason) for kind, words, reason in found][:-1]


def test_each_mistake_of_a_reader_has_a_question(by_name):
    names = {f"{e.id}: {m.name}" for e in EXERCISES.values() for m in e.mistakes if m.name != STUB}
    assert by_name.keys() == names


def test_the_line_that_was_written_stands_beside_the_right_one(by_name):
    found = choices(by_name[DIVIDES])
    assert "<code>return scores / d_k</code>" in [words for _, words, _ in found]
    (right,) = (words for is_right, words, _ in found if is_right)
    assert right == "<code>return scores / d_k ** 0.5</code>"
    assert all("d_k" in reason for _, _, reason in found)


def test_one_choice_is_right_and_no_two_are_the_same(by_name):
    for name, html in by_name.items():
        found = choices(html)
        assert sum(is_right for is_right, _, _ in found) == 1, name
        assert len({words for _, words, _ in found}) == len(found) >= 2, name


def test_the_right_one_stands_at_every_place(by_name):
    places = [
        [is_right for is_right, _, _ in choices(html)].index(True) for html in by_name.values()
    ]
    assert all(places.count(place) > len(places) / 4 for place in range(3))
