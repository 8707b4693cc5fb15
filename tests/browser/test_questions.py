"""A reader answers questions as they read, and they come back on the page Again when it is time."""

import json

import pytest
from playwright.sync_api import expect

from book._ext.exercises import COURSE
from tests.browser.axe import complaints_in_both_themes
from tests.chromium import BEYOND, SCREENS
from tests.sweeps import few

CHAPTER, AGAIN = "book/attention.html", "book/again.html"
CHOICES, NUMBER = "#q-only-differences", "#q-four-times-wider"
DAY = 86_400  # seconds
MISTAKE = "attention-attention: it divides by d_k, not by its square root"


@pytest.fixture
def read(open_page, served):
    """Give a function that opens a page some days after the first."""
    page = open_page("about:blank")
    page.clock.install(time=0)

    def at(name, day=0):
        page.clock.set_fixed_time(DAY * day + 1)
        page.goto(f"{served}/{name}")
        return page

    return at


def answered(page):
    return json.loads(page.evaluate("localStorage['transformer-lab/1/questions']") or "{}")


def put(page, **kept):
    """Let the browser have kept something."""
    for name, value in kept.items():
        page.evaluate(
            "([name, text]) => localStorage.setItem(`transformer-lab/1/${name}`, text)",
            [name, json.dumps(value)],
        )


def test_by_keyboard_a_choice_opens_its_reason_and_the_first_counts(read):
    page = read(CHAPTER)
    box = page.locator(CHOICES)
    wrong, right = (
        box.locator(f".tl-option{kind}").first for kind in (":not(.tl-right)", ".tl-right")
    )
    wrong.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(wrong.locator("p")).to_be_visible()
    right.locator("summary").press("Enter")
    expect(right.locator("p")).to_be_visible()
    noted = answered(page)[CHOICES[1:]]
    assert not noted["right"]
    page = read(CHAPTER)
    expect(page.locator(f"{CHOICES} [data-chosen]")).to_have_text(noted["chosen"])


def test_who_does_not_know_is_told_and_asked_tomorrow(read):
    page = read(CHAPTER)
    last = page.locator(f"{CHOICES} .tl-option").last
    last.locator("summary").click()
    expect(last.locator("p")).to_contain_text("the same")
    assert answered(page)[CHOICES[1:]] == {
        "chosen": "",
        "right": False,
        "box": 0,
        "due": 1000 * (1 + DAY),
    }


@pytest.mark.parametrize(
    ("number", "right", "opened"), [("8.0", True, "8"), ("16", False, "16"), ("5", False, "8")]
)
def test_a_number_is_asked_for_before_the_choices_show(read, number, right, opened):
    page = read(CHAPTER)
    box = page.locator(NUMBER)
    choices = box.locator("[data-number]")
    expect(choices.first).to_be_hidden()
    field = box.get_by_role("textbox")
    field.fill("eight")
    field.press("Enter")
    expect(box.get_by_role("status")).to_contain_text("number")
    assert not answered(page)
    field.fill(number)
    field.press("Enter")
    expect(box.locator("[open] > summary")).to_have_text(opened)
    expect(choices.first).to_be_visible()
    assert answered(page)[NUMBER[1:]]["right"] is right
    page = read(CHAPTER)
    expect(page.locator(NUMBER).get_by_role("textbox")).to_have_value(number.removesuffix(".0"))


def test_questions_come_back_when_it_is_time(read, tmp_path):
    page = read(CHAPTER)
    page.locator(f"{CHOICES} .tl-right summary").click()
    page.locator(f"{NUMBER} .tl-option").last.locator("summary").click()
    page = read(AGAIN)
    expect(page.locator(".tl-again")).to_contain_text("comes back in 1 day.")
    page = read(AGAIN, day=1.5)
    expect(page.locator(".tl-again .predict")).to_have_count(1)  # the one that was not known
    page = read(AGAIN, day=3.5)
    expect(page.locator(".tl-again .predict")).to_have_count(2)
    expect(page.locator(CHOICES).get_by_role("link", name="Attention")).to_be_visible()
    page.locator(f"{CHOICES} .tl-right summary").click()
    page.locator(NUMBER).get_by_role("textbox").fill("8")
    page.locator(NUMBER).get_by_role("button").click()
    page = read(AGAIN, day=4)
    expect(page.locator(".tl-again")).to_contain_text("in 3 days")  # known once, not yet twice
    for button, name in (
        ("Save your answers", "answers.json"),
        ("Save for Anki", "transformer-lab.txt"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        assert download.value.suggested_filename == name
        download.value.save_as(tmp_path / name)
    assert json.loads((tmp_path / "answers.json").read_text("utf8"))["questions"] == answered(page)
    cards = (tmp_path / "transformer-lab.txt").read_text("utf8").splitlines()[3:]
    assert [card.count("\t") for card in cards] == [2, 2]


def test_more_questions_come_where_the_keyboard_is(read):
    page = read(AGAIN)
    names = page.evaluate("window.transformerLabAsked.map(({ id }) => id)")
    put(
        page, questions={name: {"chosen": "", "right": False, "box": 0, "due": 1} for name in names}
    )
    page = read(AGAIN, day=1)
    boxes = page.locator(".tl-again .predict")
    few = boxes.count()
    assert 0 < few < len(names)
    for box in boxes.all():
        box.locator(".tl-option").last.locator("summary").click()
    first = boxes.first.get_attribute("id")
    page.get_by_role("button", name="More").click()
    assert boxes.first.get_attribute("id") != first
    expect(boxes.first.get_by_role("link")).to_be_focused()


def test_a_mistake_of_ones_own_comes_back_when_its_exercise_is_solved(read):
    page = read(AGAIN)
    put(page, questions={MISTAKE: {"chosen": "", "right": False, "box": 0, "due": 1}})
    page = read(AGAIN, day=3)
    expect(page.locator(".tl-again")).to_contain_text("when their exercises are solved")
    expect(page.locator(".tl-again .predict")).to_have_count(0)
    assert "mistakes-" not in page.content()
    exercise = COURSE.bundle.course.exercises["attention-attention"]
    put(page, progress={prop.id: True for prop in exercise.properties})
    page = read(AGAIN, day=3)
    box = page.locator(".tl-again .predict")
    expect(box).to_contain_text("you once made a mistake")
    box.get_by_text("return scores / d_k", exact=True).click()
    expect(box.locator("[open] p")).to_contain_text("This was your mistake")
    link = box.get_by_role("link", name="exercise attention")
    assert link.get_attribute("href").endswith("exercises/attention.html#attention-attention")


@pytest.mark.parametrize("screen", few(SCREENS, "desktop", "phone"))  # each in both themes
def test_again_is_for_everybody(open_page, served, screen):
    page = open_page(f"{served}/{AGAIN}", **SCREENS[screen])
    due = {"chosen": "", "right": False, "box": 0, "due": 1}
    put(page, questions={CHOICES[1:]: due, NUMBER[1:]: due})
    page.reload()
    expect(page.locator(".tl-again .predict")).to_have_count(2)
    assert page.evaluate(BEYOND) <= 0
    for one in page.locator(".tl-again :is(summary, button, input)").all():
        if one.is_visible():
            assert one.bounding_box()["height"] >= 44
    assert not complaints_in_both_themes(page)


def test_without_javascript_every_choice_opens(open_page, served):
    page = open_page(f"{served}/{CHAPTER}", java_script_enabled=False)
    page.locator(f"{NUMBER} .tl-right summary").click()
    expect(page.locator(f"{NUMBER} .tl-right p")).to_be_visible()
    expect(page.locator(f"{NUMBER} form")).to_have_count(0)
