"""The exercise in JupyterLab: typed, checked, saved, reopened, graded; nothing is lost."""

import json
import re
import subprocess

import pytest
from playwright.sync_api import expect

from lab_notebooks.notebooks import read_notebook
from tensorgrader.source.forms import solved_text, student_text
from tests.jupyterlab.notebook import PATIENCE
from tests.jupyterlab.server import COMMAND

EXERCISE = "exercises/attention.ipynb"
SOLVED = {cell.id: cell for cell in read_notebook("exercises/attention", solved_text).cells}
GIVEN = read_notebook("exercises/attention", student_text).cells
STUB = next(cell.source for cell in GIVEN if cell.source.startswith("def scores("))
ANSWERS = [id for id, cell in SOLVED.items() if cell.metadata.get("nbgrader", {}).get("solution")]
CHECKS = [id for id, cell in SOLVED.items() if cell.metadata.get("nbgrader", {}).get("grade")]


@pytest.fixture(scope="module")
def exercise(open_notebook):
    notebook = open_notebook(EXERCISE)
    for text in ("import math", "words = ["):
        run(notebook, text)
    return notebook


def run(notebook, text):
    """Click into the cell with this text and run it as learners do; give what it shows."""
    cell = notebook.cell(text)
    prompt = cell.locator(".jp-InputPrompt")
    before = prompt.text_content()
    cell.locator(".cm-content").click()
    notebook.page.keyboard.press("Control+Enter")
    expect(prompt).not_to_have_text(before)
    expect(prompt).to_have_text(re.compile(r"\[\d+\]:"), timeout=PATIENCE)
    return "\n".join(cell.locator(".jp-OutputArea-output").all_text_contents())


def type_answer(notebook, name, text):
    notebook.cell(f"def {name}(").locator(".cm-content").click()
    notebook.page.keyboard.press("Control+a")
    notebook.page.keyboard.insert_text(text)


def on_disk(notebook):
    cells = json.loads(notebook.file.read_text("utf8"))["cells"]
    return {cell["id"]: "".join(cell["source"]) for cell in cells}


def test_a_stub_is_told_what_to_do(exercise):
    type_answer(exercise, "scores", STUB)
    run(exercise, "def scores(")
    shown = run(exercise, 'check("attention-scores")')
    assert "not written" in shown
    assert "Traceback" not in shown


def test_an_answer_typed_key_by_key_passes(exercise):
    type_answer(exercise, "scores", STUB)
    cell = exercise.cell("def scores(")
    cell.locator(".cm-line", has_text="raise NotImplementedError").click()
    keyboard = exercise.page.keyboard
    keyboard.press("End")
    keyboard.press("Shift+Home")
    keyboard.type("return q @ k.mT")
    run(exercise, "def scores(")
    assert "✓" in run(exercise, 'check("attention-scores")')


def mistaken(notebook):
    """Make a mistake, and check it; give what is shown."""
    wrong = "def soft_lookup(query, keys, values):\n    return (keys @ query) @ values"
    type_answer(notebook, "soft_lookup", wrong)
    run(notebook, "def soft_lookup(")
    return run(notebook, 'check("attention-lookup")')


def test_a_mistake_is_named_where_it_is_made(exercise):
    shown = mistaken(exercise)
    assert "without softmax" in shown
    assert "Traceback" not in shown


def test_a_card_stands_alone_follows_the_theme_and_links_to_the_chapter(exercise):
    mistaken(exercise)
    cell = exercise.cell('check("attention-lookup")')
    card = cell.locator(".tl-card")
    expect(cell.locator(".jp-OutputArea-output:visible")).to_have_count(1)
    expect(card.locator("a")).to_have_attribute(
        "href", re.compile(r"book/attention\.ipynb.*#Weights-are-a-softmax-of-scores")
    )

    def backgrounds(is_light):
        exercise.page.evaluate(f"document.body.dataset.jpThemeLight = '{is_light}'")
        style = "element => getComputedStyle(element).backgroundColor"
        return [one.evaluate(style) for one in (card, card.locator("pre").first)]

    assert backgrounds("false") == ["rgb(20, 24, 30)", "rgb(35, 42, 52)"]
    assert backgrounds("true") == ["rgb(255, 255, 255)", "rgb(241, 243, 246)"]


@pytest.mark.slow  # a whole chapter: the pages of exercises do it too
def test_every_answer_passes_comes_back_from_disk_and_is_graded(exercise):
    for id in ANSWERS:
        name = SOLVED[id].source.split("(")[0].removeprefix("def ")
        type_answer(exercise, name, SOLVED[id].source)
    exercise.restart_and_run_all()
    assert exercise.errors() == []
    cards = exercise.page.locator(".tl-card")
    expect(cards).to_have_count(len(CHECKS))
    for card in cards.all():
        expect(card.locator(".tl-card-head")).to_contain_text("is right")
    expect(cards.last).to_contain_text("everything here is right")
    exercise.page.keyboard.press("Escape")
    exercise.page.keyboard.press("Control+s")
    exercise.wait_until_saved()
    saved = on_disk(exercise)
    assert {id: saved[id] for id in ANSWERS} == {id: SOLVED[id].source for id in ANSWERS}
    exercise.reload()
    for id in ANSWERS:
        first, *_, last = SOLVED[id].source.splitlines()
        expect(exercise.cell(first).locator(".cm-content")).to_contain_text(last.strip())
    assert "✓" in run(exercise, 'check("attention-scores")'), "the kernel is still there"
    graded = subprocess.run([COMMAND, "grade", str(exercise.file)], capture_output=True, text=True)
    assert graded.returncode == 0, graded.stdout + graded.stderr
