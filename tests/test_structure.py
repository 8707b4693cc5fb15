"""The rules of the house, checked: who imports whom, one stem per concept, no outside addresses."""

import ast
import itertools
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "transformer_lab"
APART = {"widgets", "grading", "sphinxext", "pretrained"}
THIRD_PARTY_OF_MODELS = {"torch", "jaxtyping"}
ALSO = {"train": {"tqdm"}}  # who may import what besides
# What a layer may import of ours, and whose libraries besides torch.
TOOLS = {"cli", "launch", "notebooks", "plain_markdown", "plots", "serve", "show", "solutions"}


def tracked(*patterns):
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def imports(path):
    """Return the modules that a file imports, at any depth of it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def room(path):
    """Return the part of the package a file belongs to: a folder, or a module's stem."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


MODELS = sorted(p for p in PACKAGE.glob("*.py") if p.stem not in TOOLS | {"__init__"})


@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
def test_a_model_module_imports_models_and_torch_only(path):
    stems = {p.stem for p in MODELS}
    libraries = THIRD_PARTY_OF_MODELS | ALSO.get(path.stem, set()) | sys.stdlib_module_names
    for module in imports(path):
        top, *rest = module.split(".")
        if top == "transformer_lab":
            assert set(rest[:1]) <= stems, f"{path.name} imports {module}"
        else:
            assert top in libraries, f"{path.name}: {module}"


def test_widgets_import_no_grader():
    for path in (PACKAGE / "widgets").glob("*.py"):
        assert not any(m.startswith("transformer_lab.grading") for m in imports(path)), path


def test_importing_the_package_is_light():
    code = "import sys, transformer_lab; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"anywidget", "ipywidgets", "matplotlib", "IPython", "jupytext", "nbformat"}
    assert "transformer_lab.grading" not in done.stdout


def test_every_chapter_has_its_four_rooms():
    toc = (ROOT / "_toc.yml").read_text("utf8")
    stems = [p.stem for p in (ROOT / "exercises").glob("*.md")]
    assert "attention" in stems
    for stem in stems:
        module = {"full_model": "model"}.get(stem, stem)
        assert (ROOT / f"book/{stem}.md").is_file()
        assert (PACKAGE / f"{module}.py").is_file()
        assert (ROOT / f"tests/test_{module}.py").is_file()
        assert f"book/{stem}" in toc
        assert f"exercises/{stem}" in toc


def test_every_widget_is_one_class_and_one_module_of_the_same_stem():
    python = {p.stem for p in (PACKAGE / "widgets").glob("*.py") if not p.stem.startswith("_")}
    shared = {"host", "kit", "pictures"}
    assert python == {p.stem for p in (PACKAGE / "widgets").glob("*.js")} - shared


def test_markdown_is_the_only_form_of_a_notebook():
    assert not tracked("*.ipynb")


def test_no_page_names_a_content_network():
    sources = tracked("book", "exercises", "transformer_lab", "_config.yml")
    for path in sources:
        if path.suffix in {".md", ".py", ".js", ".css", ".html", ".yml"}:
            found = re.search(
                r"jsdelivr|unpkg|cdnjs|googleapis|gstatic|\bcdn\.", path.read_text("utf8")
            )
            assert not found, f"{path}: {found[0]}"


def test_constraints_pin_everything_exactly():
    lines = [
        line for line in (ROOT / "constraints.txt").read_text("utf8").splitlines()
        if line and not line.startswith("#")
    ]  # fmt: skip
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[^=\s]+", line) for line in lines)
    assert "torch==2.13.0" in lines
    pinned = {re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
    wanted = [project["dependencies"], *project["optional-dependencies"].values()]
    for requirement in itertools.chain(*wanted):
        name = re.match(r"[A-Za-z0-9._-]+", requirement)[0]
        assert re.sub(r"[-_.]+", "-", name).lower() in pinned, requirement


def test_the_readmes_commands_exist():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf8"), flags=re.M)
    for page in ("README.md", "CONTRIBUTING.md"):
        for command in re.findall(r"\bmake ([a-z]+)\b(?=`|\s+#)", (ROOT / page).read_text("utf8")):
            assert command in targets, f"{page}: make {command}"


def test_the_readmes_python_runs():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
