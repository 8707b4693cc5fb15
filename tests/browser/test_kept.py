"""Work on an exercise's page: kept, seen, taken along, graded, and brought back."""

import json
import re
import subprocess
import sys

import nbformat
import pytest
from playwright.sync_api import expect

from lab_notebooks.notebooks import write_notebooks
from tests.browser.axe import complaints_in_both_themes
from tests.browser.test_laboratory import ATTENTION, Laboratory
from tests.chromium import BEYOND, SCREENS, SITE, opener
from tests.course import CHAPTERS
from tests.written import solutions

SOLVED = solutions("attention")
POINTS = sum(p.points for e in CHAPTERS["attention"].exercises for p in e.properties)
OTHER = "def scores(q, k):\n    return torch.einsum('...td,...sd->...ts', q, k)"


class Work(Laboratory):
    """The page of an exercise, and a reader who comes and goes."""

    def lines(self, name):
        return self.answer(name).locator(".cm-line, .highlight[tabindex] pre")

    def text(self, name):
        """Give what stands in an answer, in an editor or before there is one."""
        return "\n".join(self.lines(name).all_text_contents()).rstrip()

    def does(self, name):
        return self.page.locator(".tl-work").get_by_role("button", name=name)

    def saved(self, name, folder):
        """Press a button that saves a file; give the file."""
        with self.page.expect_download() as download:
            self.does(name).click()
        target = folder / download.value.suggested_filename
        download.value.save_as(target)
        return target

    def brings(self, *files):
        self.page.locator(".tl-work input").set_input_files(files)

    @property
    def status(self):
        return self.page.locator(".tl-work > [role=status]")

    def signs(self):
        """Give how the page's sections stand in the list of pages, as it is heard."""
        heard = self.page.locator(".tl-contents .tl-sign").all_text_contents()
        return [words.removeprefix(", ") for words in heard]


def graded(notebook):
    """Ask for the verdict in a terminal."""
    command = [sys.executable, "-m", "lab_notebooks.cli", "grade", str(notebook)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    "site", [pytest.param("http", marks=pytest.mark.slow), "file"], indirect=True
)
def test_solved_on_a_phone_kept_taken_along_graded_changed_and_brought_back(
    open_page, site, tmp_path
):
    work = Work(open_page(f"{site}/{ATTENTION}", **SCREENS["phone"]))
    assert work.signs() == ["not begun"] * len(SOLVED)
    work.write("lookup", SOLVED["attention-lookup"])
    assert work.signs() == ["begun"] + ["not begun"] * (len(SOLVED) - 1)
    output = work.run("lookup")
    following = output.locator(".tl-next")
    expect(following).to_have_text("Next: scores")
    assert following.get_by_role("link").get_attribute("href") == "#scores"
    expect(work.answer("lookup").get_by_role("status")).to_have_text(
        f"soft_lookup: 3 of 3 points. 1 of {len(SOLVED)} exercises done."
    )
    work.run_all()  # opens the others
    for name, code in SOLVED.items():
        work.page.locator(f"#{name} .cm-content").fill(code)
    work.run_all()
    last = work.output("design").locator(".tl-next")
    expect(last).to_contain_text("All of this page is done.")
    assert last.get_by_role("link").get_attribute("href").endswith("book/masking.html")
    work.page.reload()
    expect(work.page.locator(".tl-contents .tl-sign")).to_have_text([", done"] * len(SOLVED))
    assert work.text("softmax") == SOLVED["attention-softmax"]
    assert work.page.evaluate(BEYOND) <= 0
    work.run("attention")  # what it calls comes back by itself
    expect(work.output("attention")).to_contain_text(f"attention: {POINTS} of {POINTS} points")

    taken = work.saved("Save as notebook", tmp_path)
    assert taken.name == "attention.ipynb"
    assert f"attention.ipynb: {POINTS} of {POINTS} points" in graded(taken)
    noted = json.loads(work.saved("Save progress", tmp_path).read_text("utf8"))
    assert noted.pop("questions").keys() == {"attention-mend-width: the mistake is still in it"}
    assert noted == {p.id: True for e in CHAPTERS["attention"].exercises for p in e.properties}

    notebook = nbformat.read(taken, as_version=4)  # as JupyterLab opens and saves it
    (cell,) = (cell for cell in notebook.cells if cell.id == "attention-scores")
    assert cell.source == SOLVED["attention-scores"]
    cell.source = OTHER
    nbformat.write(notebook, taken)
    work.brings(taken)
    expect(work.status).to_contain_text("1 answer came from it")
    assert work.text("scores") == OTHER
    earlier = work.answer("scores").locator(".tl-before")
    earlier.locator("summary").click()
    assert earlier.locator("pre").inner_text() == SOLVED["attention-scores"]
    expect(work.run("scores")).to_contain_text("scores is right")
    earlier.get_by_role("button", name="Use this answer").click()
    expect(work.answer("scores").get_by_role("button", name="Run scores")).to_be_focused()
    assert work.text("scores") == SOLVED["attention-scores"]
    work.page.reload()
    # A browser may hand a page what another process kept only after its scripts ran. The page reads
    # once more when it is shown and when it hears of a change, and never writes over what it has
    # not read, so nothing is lost by waiting for it.
    expect(work.lines("scores")).to_have_text([SOLVED["attention-scores"]])


def test_the_notebook_of_the_site_is_the_one_of_the_terminal(tmp_path):
    for path, _ in write_notebooks(tmp_path):
        there = SITE / "notebooks" / path.relative_to(tmp_path)
        assert there.read_bytes() == path.read_bytes()
        script = there.with_name(f"{there.name}.js").read_text("utf8")
        handed = re.fullmatch(r"tensorgraderNotebook\((.*)\);\n", script, re.DOTALL)[1]
        assert json.loads(handed) == path.read_text("utf8")


HOSTILE = """</pre><img src=x onerror="document.body.innerHTML = ''"><script>alert(1)</script>
def scores(q, k):
    raise SystemExit"""
KEEP = "kept => localStorage.setItem('transformer-lab/1/attention-scores', kept)"
DROP = """(place, [name, text]) => {
    const how = { dataTransfer: new DataTransfer(), bubbles: true, cancelable: true };
    how.dataTransfer.items.add(new File([text], name));
    return ["dragover", "drop"].map((type) => place.dispatchEvent(new DragEvent(type, how)));
}"""


@pytest.mark.smoke
def test_a_dropped_notebook_fills_the_cells_and_nothing_of_it_runs(open_page, served):
    work = Work(open_page(f"{served}/{ATTENTION}"))

    def drop(name, text, at="body"):
        by_browser = work.page.locator(at).first.evaluate(DROP, [name, text])
        assert by_browser == [False, False], "it would leave the page for the file"

    def notebook(**answers):
        cells = [
            {"cell_type": "code", "source": source.splitlines(keepends=True),
             "metadata": {"nbgrader": {"grade_id": id_.replace("_", "-"), "solution": True}}}
            for id_, source in answers.items()
        ]  # fmt: skip
        return json.dumps({"cells": cells, "metadata": {}})

    work.write("scores", "mine")
    listens = "one => getComputedStyle(one).display !== 'none'"
    assert work.status.evaluate(listens), "what it says would not be heard"
    theirs = notebook(attention_scores=HOSTILE, attention_gone=HOSTILE)
    drop("theirs.ipynb", theirs, ".cm-content")
    expect(work.status).to_contain_text("theirs.ipynb: 2 answers came from it")
    assert work.text("scores") == HOSTILE
    expect(work.output("scores")).to_be_empty()
    gone = work.page.locator(".tl-work .tl-before")
    gone.locator("summary").click()
    assert gone.locator("pre").inner_text() == f"# attention-gone\n{HOSTILE}"
    drop("again.ipynb", notebook(attention_scores=HOSTILE))
    expect(work.status).to_have_text("again.ipynb: All its answers are here already.")
    drop("else.ipynb", notebook(norm_rms="x"))
    expect(work.status).to_contain_text("It answers other exercises (norm-rms)")
    drop("picture.png", "\x89PNG")
    expect(work.status).to_contain_text("not a notebook, or a broken one")
    work.page.reload()
    assert work.text("scores") == HOSTILE
    work.answer("scores").get_by_role("button", name="Reset").click()
    earlier = work.answer("scores").locator(".tl-before")
    earlier.locator("summary").click()
    assert earlier.locator("pre").all_inner_texts() == ["mine", HOSTILE]
    for name in ("Use this answer: 1 of 2", "Use this answer: 2 of 2"):
        expect(earlier.get_by_role("button", name=name, exact=True)).to_be_visible()
    assert not complaints_in_both_themes(work.page)
    assert work.page.locator("img[src=x]").count() == 0
    work.page.on("dialog", lambda dialog: dialog.accept())
    work.does("Clear answers").click()
    expect(work.status).to_contain_text("no longer keeps")
    assert not re.findall("transformer-lab.*", str(work.page.evaluate("({ ...localStorage })")))
    expect(gone).to_have_count(0)
    expect(work.answer("scores").locator(".tl-before")).to_be_hidden()
    assert "NotImplementedError" in work.text("scores")


def test_an_answer_to_an_exercise_that_has_changed_is_shown(open_page, served):
    work = Work(open_page(f"{served}/{ATTENTION}"))
    kept = json.dumps({"code": "def scores(a):\n    return a", "given": "old", "before": []})
    work.page.evaluate(KEEP, kept)
    work.page.evaluate("dispatchEvent(new Event('pageshow'))")  # it comes back from memory
    assert work.text("scores") == "def scores(a):\n    return a"
    work.page.reload()
    assert work.text("scores") == "def scores(a):\n    return a"
    expect(work.output("scores")).to_contain_text("This exercise has changed")
    work.answer("scores").get_by_role("button", name="Reset").click()
    assert "NotImplementedError" in work.text("scores")
    expect(work.answer("scores").locator(".tl-before")).to_contain_text("Earlier: 1 answer")


def test_a_reset_keeps_what_is_shown_where_another_page_has_cleared_it(open_page, served):
    work = Work(open_page(f"{served}/{ATTENTION}"))
    work.write("scores", OTHER)
    work.page.evaluate("localStorage.clear()")
    work.answer("scores").get_by_role("button", name="Reset").click()
    assert "NotImplementedError" in work.text("scores")
    earlier = work.answer("scores").locator(".tl-before")
    earlier.locator("summary").click()
    assert earlier.locator("pre").all_inner_texts() == [OTHER]


FORBIDS = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("no", "SecurityError"); },
});"""
HOOK = """() => {
    const place = document.createElement("span");
    document.body.append(Object.assign(place, { className: "tl-progress" }));
    place.dataset.chapter = "attention";
    dispatchEvent(new Event("storage"));
    return place.innerText;
}"""


def test_where_a_browser_keeps_nothing_the_page_says_so_and_works(chromium, tmp_path):
    complaints = []  # the theme's own, which minds
    with opener(chromium, complaints) as open_page:
        page = open_page("about:blank")
        page.add_init_script(FORBIDS)
        page.goto(f"{SITE.as_uri()}/{ATTENTION}")
        work = Work(page)
        expect(work.status).to_contain_text("This browser does not let the page keep anything.")
        leaves = "dispatchEvent(new Event('beforeunload', { cancelable: true }))"
        assert page.evaluate(leaves)
        work.write("scores", OTHER)
        assert not page.evaluate(leaves), "the browser asks first"
        taken = nbformat.read(work.saved("Save as notebook", tmp_path), as_version=4)
        assert OTHER in [cell.source for cell in taken.cells]


@pytest.mark.slow
def test_other_pages_show_it_and_a_card_leads_there_and_back(open_page, served):
    work = Work(open_page(f"{served}/{ATTENTION}"))
    work.write("softmax", "def softmax(x):\n    return x.exp() / x.exp().sum(-1, True)\n")
    work.run("softmax").get_by_role("link").click()
    back = work.page.get_by_role("link", name="Back to your answer")
    expect(back).to_be_in_viewport()
    link = work.page.locator("nav.bd-docs-nav").get_by_role("link", name="Exercise: attention")
    expect(link).to_contain_text(f"0 of {len(SOLVED)} exercises done")
    assert work.page.evaluate(HOOK) == f"0 of {len(SOLVED)} exercises done"
    assert work.page.locator(".tl-progress .tl-sign").count() == len(SOLVED)
    other = work.page.context.new_page()
    other.goto(f"{served}/{ATTENTION}")
    Work(other).write("scores", "from the other page")
    back.click()
    expect(work.answer("softmax")).to_be_in_viewport()
    assert work.text("scores") == "from the other page"
    Work(other).write("scores", "and on")
    expect(work.answer("scores").locator("pre").first).to_have_text("and on")


def test_answers_that_are_cleared_while_python_comes_let_it_come(open_page, served):
    work, held, cleared = Work(open_page(f"{served}/{ATTENTION}")), [], []

    def hold(route):
        return route.continue_() if cleared else held.append(route)

    work.page.route(re.compile(r"/transformer_lab/page/(?!editor)"), hold)
    work.write("scores", OTHER)
    work.page.on("dialog", lambda dialog: dialog.accept())
    work.does("Clear answers").click()
    expect(work.status).to_contain_text("no longer keeps")
    cleared.append(True)
    for route in held:
        route.continue_()
    expect(work.answer("scores").get_by_role("status")).to_have_text("Python is ready.")
    work.write("scores", OTHER)
    expect(work.run("scores")).to_contain_text("scores is right")
    assert work.page.locator("iframe").count() == 1


def test_an_older_note_of_progress_takes_back_nothing_that_holds(open_page, served, tmp_path):
    work = Work(open_page(f"{served}/{ATTENTION}"))
    checks = [prop.id for prop in CHAPTERS["attention"].exercises[0].properties]
    for holds in (True, False):
        note = tmp_path / f"{holds}.json"
        note.write_text(json.dumps(dict.fromkeys(checks, holds)), "utf8")
        work.brings(note)
        expect(work.status).to_contain_text(f"{holds}.json: Your progress was read from it.")
        assert work.signs()[0] == "done"
