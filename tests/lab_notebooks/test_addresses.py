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

from lab_notebooks import addresses
from lab_notebooks.notebooks import read_notebook
from lab_notebooks.sources import sources
from tests.test_structure import imports, tracked

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
HERE = "https://github.com/owner/name"
# Colab brings these of what the package requires (pip-freeze.txt of googlecolab/backend-info).
COLAB_HAS = {"torch", "numpy", "ipywidgets", "matplotlib", "jupytext", "nbformat", "tqdm"}
WITH = {"transformer_lab.pretrained", "transformer_lab.widgets._real"}


def test_the_repository_has_one_address():
    address = PROJECT["urls"]["Repository"]
    assert addresses.repository() == address, "install the package again"
    owner_and_name = address.removeprefix("https://github.com/")
    repeating = [p.name for p in tracked() if owner_and_name.encode() in p.read_bytes()]
    # what is read by itself, what a clone is typed from, and what everything else asks
    assert repeating == ["CITATION.cff", "README.md", "pyproject.toml"]
    cited = (ROOT / "CITATION.cff").read_text("utf8")
    assert f'repository-code: "{address}"' in cited
    assert f'url: "{addresses.site(address)}"' in cited


@pytest.mark.parametrize(
    "address", ["", "owner/name", "https://example.org/owner/name", "https://github.com/owner"]
)
def test_another_address_is_refused_with_the_way_to_mend_it(address):
    with pytest.raises(ValueError, match=r"project\.urls"):
        addresses.colab("book/norm", address)


@pytest.mark.parametrize("name", [name for name in sources() if name != "book/glossary"])
def test_every_notebook_has_the_cell_before_its_first_other_code(name):
    notebook = read_notebook(name)
    first, *others = [cell for cell in notebook.cells if cell.cell_type == "code"]
    code = "\n".join(cell.source for cell in others)
    assert first.source == addresses.colab_cell(addresses.repository(), code).source
    assert first.metadata["jupyter"] == {"source_hidden": True}
    nbformat.validate(notebook)


def run_cell(code=""):
    """Run the cell of a notebook with this code; return what it asked of the shell."""
    shell = mock.Mock()
    exec(addresses.colab_cell(HERE, code).source, {"get_ipython": lambda: shell})
    return [(name, *arguments) for name, arguments, _ in shell.method_calls]


def test_the_cell_does_nothing_elsewhere(capfd):
    assert run_cell("import transformer_lab.pretrained") == []
    assert capfd.readouterr() == ("", "")


def test_the_cell_installs_the_package_on_colab(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    adds, package = run_cell()
    assert adds == ("run_line_magic", "pip", "install --quiet anywidget jaxtyping")
    assert package == ("run_line_magic", "pip", f"install --quiet --no-deps git+{HERE}")


def test_real_models_come_to_colab_with_the_notebooks_that_show_them(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    real = [p for p in (ROOT / "transformer_lab/widgets").glob("[a-z]*.py") if imports(p) & WITH]
    kinds = ["".join(map(str.capitalize, path.stem.split("_"))) for path in real]
    assert "NextToken" in kinds
    for code in ("from transformer_lab.pretrained import load_minilm", *kinds):
        assert run_cell(code)[2:] == [("system", "transformer-lab pretrained")]
    assert len(run_cell("AttentionStepper()")) == 2


@pytest.mark.slow  # imports what all notebooks import, and shows all widgets
def test_notebooks_need_nothing_that_colab_lacks():
    """Import what the notebooks import, show each widget, and install the real models."""
    required = {re.match(r"[\w-]+", item)[0] for item in PROJECT["dependencies"]}
    lacking = required - COLAB_HAS - set(addresses.COLAB_ADDS)
    assert "jupyterlab" in lacking
    imported = [
        ast.unparse(node)
        for name in sources()
        for cell in read_notebook(name).cells
        if cell.cell_type == "code" and cell.id != "colab"
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert any("check" in line for line in imported)
    code = "\n".join(
        [
            "import sys",
            f"sys.modules.update(dict.fromkeys({lacking!r}))",  # importing one of them fails
            *imported,
            "from transformer_lab import widgets",
            "for name in widgets.__all__: getattr(widgets, name)()._repr_mimebundle_()",
            "from lab_notebooks import cli",
            "cli.subprocess.call = lambda line: 0",
            "cli.main(['pretrained'])",
        ]
    )
    subprocess.run([sys.executable, "-c", code], check=True)
