"""From sources to notebooks: stubs, solutions, links, and no MyST left."""

import re
from functools import cache
from importlib.metadata import version
from urllib.parse import unquote

import nbformat
import pytest

from lab_notebooks import notebooks, sources
from lab_notebooks.notebooks import read_notebook, write_notebooks
from lab_notebooks.plain_markdown import UNKNOWN
from tensorgrader.source.forms import release_text, solved_text, student_text


@pytest.mark.parametrize("name", sources.sources())
@pytest.mark.parametrize("form", [student_text, release_text, solved_text])
def test_every_source_makes_a_valid_notebook_without_myst(name, form):
    notebook = read_notebook(name, form)
    nbformat.validate(notebook)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert notebook.metadata.kernelspec.name == "python3"
    told = {"source": name, "form": form.__name__, "version": version("transformer-lab-book")}
    assert notebook.metadata.transformer_lab == told
    for cell in notebook.cells:
        assert "### BEGIN" not in cell.source
        assert "### END" not in cell.source
        if cell.cell_type == "markdown":
            assert not UNKNOWN.search(cell.source.replace("``", ""))
            assert ".md)" not in cell.source
        else:
            compile(cell.source, name, "exec")


def test_a_stub_notebook_holds_no_solution_and_names_stay():
    stub, solved = (read_notebook("exercises/attention", f) for f in (release_text, solved_text))
    assert [c.id for c in stub.cells] == [c.id for c in solved.cells]
    changed = [a.id for a, b in zip(stub.cells, solved.cells, strict=True) if a.source != b.source]
    answers = [c.id for c in stub.cells if c.metadata.get("nbgrader", {}).get("solution")]
    assert changed == answers
    sources = {c.id: c.source for c in stub.cells}
    for name in answers:
        assert sources[name].count("NotImplementedError") == ("-mend-" not in name)


def test_the_same_source_makes_the_same_notebook():
    assert read_notebook("book/attention") == read_notebook("book/attention")


def test_an_unknown_name_is_told():
    with pytest.raises(ValueError, match="there are: book/"):
        read_notebook("book/nothing")


@pytest.fixture
def little_book(tmp_path, monkeypatch):
    """Write a book of two pages; gives a way to set the first one's text."""
    head = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n\n"

    def write(text):
        for room in sources.ROOMS:
            (tmp_path / room).mkdir(exist_ok=True)
        (tmp_path / "book/one.md").write_text(head + text, "utf8")
        (tmp_path / "exercises/one.md").write_text(head + "(there)=\n## Over there\n", "utf8")
        (tmp_path / "book/references.bib").write_text(
            '@book{x, author = {M{\\"u}ller, A. and de Boor, Carl}, year = {2000}, doi = {10.1/2}}',
            "utf8",
        )
        (tmp_path / "book/page.md").write_text("# A page, not a notebook", "utf8")

    for module in (notebooks, sources):
        monkeypatch.setattr(module, "root", lambda: tmp_path)
    return write


def test_links_lead_to_notebooks(little_book):
    little_book(
        "(here)=\n# A `b` or c?\n\n[a](../exercises/one.md) [b](there) [c](here) [d](https://x.org)"
        " [e](#there) [f](#here)"
    )
    text = read_notebook("book/one").cells[0].source
    assert "[a](../exercises/one.ipynb)" in text
    assert "[b](../exercises/one.ipynb#Over-there)" in text
    assert "[c](#A-b-or-c?)" in text
    assert "[d](https://x.org)" in text
    assert "[e](../exercises/one.ipynb#Over-there)" in text
    assert "[f](#A-b-or-c?)" in text


@cache
def words(name):
    cells = read_notebook(name).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("name", sources.sources())
def test_links_to_sections_lead_to_headings_as_jupyterlab_names_them(name):
    for other, anchor in re.findall(r"\]\((?:\.\./([\w/]+)\.ipynb)?#(.+?)\)", words(name)):
        headings = re.findall("^#+ (.+)$", words(other or name), re.MULTILINE)
        named = [heading.replace("`", "").replace(" ", "-") for heading in headings]
        assert unquote(anchor) in named


@pytest.mark.parametrize(
    "text", ["see {ref}`x`", "[a](nowhere)", "[a](#nowhere)", "[a](page.md)", "{cite:p}`y`"]
)
def test_what_has_no_plain_form_is_told_with_its_place(little_book, text):
    little_book(f"# A\n\nfine\n\n+++\n\nhere: {text}")
    with pytest.raises(ValueError, match=r"book/one\.md.* line 13"):
        read_notebook("book/one")


def test_files_that_are_there_are_kept_unless_told_to_overwrite(tmp_path):
    def written(*form, **how):
        return dict(write_notebooks(tmp_path, *form, **how, place=of_attention))

    assert [*written().values()] == [True, True]
    assert [*written().values()] == [False, False]
    assert [*written(solved_text, overwrite=True).values()] == [True, True]


def of_attention(name):
    return notebooks.notebook_path(name) if name.endswith("/attention") else None
