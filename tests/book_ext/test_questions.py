"""Questions with choices: what a page makes of a list."""

import re
from collections import Counter

import pytest

from book._ext.questions import asked, offer
from lab_notebooks.questions import CHOICE, QUESTION
from lab_notebooks.questions import asked as known
from tests.book.chapters import STEMS, Chapter

BOX = """<details class="predict" id="q-sum"><summary>Predict: 1 + 1?</summary>
<ul class="simple">
<li><p>✗ <strong>One.</strong> That is a product.</p></li>
<li><p>✓ <strong>Two.</strong> One more than <em>one</em>.</p></li>
</ul>
</details>"""


def offered(body):
    context = {"body": body}
    offer(None, "book/x", "", context, None)
    return context["body"]


def test_each_choice_opens_its_own_reason_without_a_script():
    page = offered(f"<p>before</p>{BOX}<p>after</p>")
    choices = re.findall(
        r'<details class="(tl-option[^"]*)"><summary><span>(.+?)</span></summary><p>(.+?)</p>', page
    )
    assert [words for _, words, _ in choices[:2]] == ["One.", "Two."]
    assert [("tl-right" in kind) for kind, _, _ in choices] == [False, True, False]
    assert "product" in choices[0][2]
    assert "<em>one</em>" in choices[1][2]
    assert "Two." in choices[2][2], "who does not know is told"
    assert page.startswith("<p>before</p>")
    assert page.endswith("<p>after</p>")


@pytest.mark.parametrize(
    "wrong", [("✗ <s", "✓ <s"), ("✓", "✗"), ("✗ <strong>One.</strong>", "One.")]
)
def test_a_list_that_is_no_question_stops_the_build(wrong):
    with pytest.raises(ValueError, match="choice"):
        offered(BOX.replace(*wrong))


NUMBERS = BOX.replace("One.", "= 1").replace("Two.", "= 2")


def test_choices_that_are_numbers_say_what_counts_as_the_same():
    page = offered(NUMBERS.replace("= 1<", "= 1,200.5<").replace("= 2<", "= −2<"))
    found = re.findall(r'data-number="(.+?)" data-within="(.+?)"><summary><span>(.+?)<', page)
    assert found == [("1200.5", "24.01", "1,200.5"), ("-2.0", "0.5", "−2")]


@pytest.mark.parametrize("wrong", ["= 1.995", "1"])
def test_numbers_that_cannot_be_told_apart_stop_the_build(wrong):
    with pytest.raises(ValueError, match="choice"):
        offered(NUMBERS.replace("= 1", wrong).replace("= 2", "= 2.00"))


def test_a_box_without_choices_stays_as_it_is():
    box = '<details class="predict"><summary>Predict: x?</summary>\n<p>y</p>\n</details>'
    assert offered(box) == box


def test_all_questions_of_the_pages_are_found():
    page = f"<title>Sums — Book</title>{offered(BOX)}"
    (one,) = asked([("book/sums.html", page)])
    assert (one["id"], one["page"], one["title"]) == ("q-sum", "book/sums.html", "Sums")
    assert one["html"].count("<details") == 3


QUESTIONS = [found for stem in STEMS for found in QUESTION.findall(Chapter(stem).prose)]
CHOICES = {
    name: CHOICE.findall(items) for name, _, items in QUESTIONS if "**= " not in items
}  # numbers are not shown before an answer


def test_every_question_has_a_name_of_its_own():
    names = [name for name, _, _ in QUESTIONS]
    assert len(names) == len(set(names)) >= 100
    assert {*names} == known().keys()


def test_nobody_can_guess_by_form_which_choice_is_right():
    """The right one is as often at each place, the longest, or the shortest, as by chance."""
    places, longest, shortest = Counter(), 0, 0
    for choices in CHOICES.values():
        sizes = [len(words) for _, words in choices]
        (right,) = (place for place, (sign, _) in enumerate(choices) if sign == "✓")
        places[right] += 1
        longest += sizes[right] == max(sizes)
        shortest += sizes[right] == min(sizes)
    share = sum(1 / len(choices) for choices in CHOICES.values())
    assert all(abs(places[place] - share) <= share / 5 for place in range(3)), places
    assert abs(longest - share) <= share / 4, longest
    assert abs(shortest - share) <= share / 4, shortest
