"""A bug hunt on the page, in Chromium: drawn, corrected and kept; or loaded, and saved again."""

import nbformat
from playwright.sync_api import expect

from lab_notebooks.hunts import hunt_notebook
from tensorgrader.hunt.draw import TASKS, deal, hunt_of
from tests.browser.axe import complaints
from tests.browser.test_laboratory import Laboratory
from tests.course import COURSE

HUNT = "book/hunt.html"


def solution(fault):
    return COURSE.solutions(COURSE.exercises[fault.exercise].chapter)[fault.exercise]


def begun(page):
    """Wait for a hunt; give what the course has of it, and the page of its tasks."""
    expect(page.locator(".tl-answer")).to_have_count(TASKS, timeout=60_000)
    text = page.evaluate("location.hash.slice(1)")
    return hunt_of(COURSE, text), Laboratory(page, f"hunt-{text[-6:]}")


def test_faults_are_drawn_corrected_and_kept_and_another_hunt_has_others(open_page, served):
    page = open_page(f"{served}/{HUNT}", viewport={"width": 360, "height": 700})
    page.get_by_role("button", name="Begin a hunt").click()
    first, lab = begun(page)
    assert not complaints(page)
    for number, fault in enumerate(first.faults, 1):
        expect(lab.answer(number)).to_contain_text(fault.code.strip())
    output = lab.run(1)
    expect(output.locator(".tl-card-fails").first).to_be_visible()
    expect(output).not_to_contain_text(first.faults[0].name)
    lab.write(1, solution(first.faults[0]))
    expect(lab.run(1)).to_contain_text("is right")
    expect(lab.answer(1)).to_contain_text("1 of 5 exercises done")
    lab.write(2, f"{solution(first.faults[1])}\n# mine")

    page.get_by_role("button", name="Another one").click()
    expect(page.locator(f"#hunt-{first.text[-6:]}-1")).to_have_count(0)
    second, lab = begun(page)
    assert not first.exercises & second.exercises
    lab.write(1, solution(second.faults[0]))
    expect(lab.run(1)).to_contain_text("is right")

    page.reload()
    assert begun(page)[0] == second
    page.go_back()
    expect(page.locator(f"#hunt-{first.text[-6:]}-1")).to_have_count(1)
    expect(begun(page)[1].answer(2)).to_contain_text("# mine")
    page.goto(f"{served}/exercises/attention.html")
    lab = Laboratory(page)
    lab.write("scores", COURSE.solutions("attention")["attention-scores"])
    expect(lab.run("scores")).to_contain_text("is right")
    page.goto(f"{served}/{HUNT}")  # the last one, without its link
    hunt, lab = begun(page)
    expect(lab.answer(2)).to_contain_text("# mine")
    lab.write(3, solution(hunt.faults[2]))
    lab.run(3)
    expect(lab.answer(3)).to_contain_text("2 of 5 exercises done")


def test_a_notebook_of_a_class_is_loaded_and_saved_with_the_answers(open_page, served, tmp_path):
    (hunt,) = deal(COURSE, b"k" * 32, ["Ana"], ["norm"])
    notebook = hunt_notebook(hunt.text)
    (mine,) = [cell for cell in notebook.cells if cell.id == "hunt-2"]
    mine.source += "  # mine"
    path = tmp_path / "hunt.ipynb"
    nbformat.write(notebook, path)
    page = open_page(f"{served}/{HUNT}#all:0:0")
    page.locator("input[type=file]").set_input_files(path)
    there, lab = begun(page)
    assert there == hunt
    expect(lab.answer(2)).to_contain_text("# mine")
    lab.write(1, solution(hunt.faults[0]))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save it").click()
    after = nbformat.read(saved.value.path(), 4)
    (cell,) = [cell for cell in notebook.cells if cell.id == "hunt-1"]
    cell.source = solution(hunt.faults[0])
    assert after == notebook


def test_a_link_to_no_hunt_says_so(open_page, served):
    page = open_page(f"{served}/{HUNT}#all:000000:0123456789abcdef")
    expect(page.get_by_role("status")).to_contain_text("another version", timeout=60_000)
