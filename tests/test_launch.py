"""The book elsewhere: its addresses, and the cell that makes a notebook ready on Colab."""

import ast
import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path
from unittest import mock

import nbformat
import pytest

from tests.test_structure import tracked
from transformer_lab import launch
from transformer_lab.notebooks import read_notebook, sources

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
HERE = "https://github.com/owner/name"
# Colab brings these of what the package requires (pip-freeze.txt of googlecolab/backend-info).
COLAB_HAS = {"torch", "numpy", "ipywidgets", "matplotlib", "jupytext", "nbformat", "tqdm"}


def test_the_repository_has_one_address():
    address = PROJECT["urls"]["Repository"]
    assert launch.repository() == address, "install the package again"
    owner_and_name = address.removeprefix("https://github.com/")
    repeating = [p.name for p in tracked() if owner_and_name.encode() in p.read_bytes()]
    assert repeating == ["pyproject.toml"]


def test_the_links_name_repository_and_notebook():
    on_binder = "https://mybinder.org/v2/gh/owner/name/HEAD?urlpath=lab%2Ftree%2Fbook%2Fnorm.ipynb"
    on_colab = "https://colab.research.google.com/github/owner/name/blob/notebooks/book/norm.ipynb"
    assert launch.binder("book/norm", HERE) == on_binder
    assert launch.colab("book/norm", HERE) == on_colab


@pytest.mark.parametrize(
    "address", ["", "owner/name", "https://example.org/owner/name", "https://github.com/owner"]
)
def test_another_address_is_refused_with_the_way_to_mend_it(address):
    with pytest.raises(ValueError, match=re.escape("[project.urls] in pyproject.toml")):
        launch.colab("book/norm", address)


@pytest.mark.parametrize("name", [name for name in sources() if name != "book/glossary"])
def test_every_notebook_has_the_cell_before_its_first_other_code(name):
    notebook = read_notebook(name)
    first, *_ = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert first.source == launch.colab_cell(launch.repository()).source
    assert first.metadata["jupyter"] == {"source_hidden": True}
    nbformat.validate(notebook)


def test_a_notebook_without_code_needs_no_such_cell():
    assert all(cell.cell_type == "markdown" for cell in read_notebook("book/glossary").cells)


def run_cell():
    """Run the cell; return the magics it called."""
    shell = mock.Mock()
    exec(launch.colab_cell(HERE).source, {"get_ipython": lambda: shell})
    return [call.args for call in shell.run_line_magic.call_args_list]


def test_the_cell_does_nothing_elsewhere(capfd):
    assert run_cell() == []
    assert capfd.readouterr() == ("", "")


def test_the_cell_installs_the_package_on_colab(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    adds, package = run_cell()
    assert adds == ("pip", "install --quiet anywidget jaxtyping")
    assert package == ("pip", f"install --quiet --no-deps git+{HERE}")


def test_notebooks_need_nothing_that_colab_lacks():
    """Import what the notebooks import, and show each widget, without the other requirements."""
    required = {re.match(r"[\w-]+", item)[0] for item in PROJECT["dependencies"]}
    lacking = required - COLAB_HAS - set(launch.COLAB_ADDS)
    assert "jupyterlab" in lacking
    imports = [
        ast.unparse(node)
        for name in sources()
        for cell in read_notebook(name).cells
        if cell.cell_type == "code" and cell.id != "colab"
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert any("check" in line for line in imports)
    code = "\n".join(
        [
            "import sys",
            f"sys.modules.update(dict.fromkeys({lacking!r}))",  # importing one of them fails
            *imports,
            "from transformer_lab import widgets",
            "for name in widgets.__all__: getattr(widgets, name)()._repr_mimebundle_()",
        ]
    )
    subprocess.run([sys.executable, "-c", code], check=True)
