"""The rules of the house, checked: who imports whom, one stem per concept, no outside addresses."""

import ast
import itertools
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import jupytext
import pytest

from lab_notebooks.sources import sources

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "transformer_lab"
ENGINE = ROOT / "tensorgrader"
FOLDERS = (
    "book/_ext", "exercises", "lab_notebooks", "page", "page_torch", "tensorgrader",
    "transformer_lab",
)  # fmt: skip  # of our Python
THIRD_PARTY_OF_MODELS = {"torch", "jaxtyping"}
ALSO = {"train": {"tqdm"}}  # who may import what besides
TOOLS = {"plots", "show", "_course"}

#: The rooms, and of which other rooms their files may import something.
ROOMS = """\
transformer_lab:
transformer_lab/tasks: transformer_lab
transformer_lab/pretrained: transformer_lab
transformer_lab/_course: tensorgrader tensorgrader/course
transformer_lab/plots:
transformer_lab/show:
transformer_lab/widgets: transformer_lab transformer_lab/plots transformer_lab/pretrained
  transformer_lab/tasks
exercises: tensorgrader/exercise transformer_lab
tensorgrader/source: tensorgrader/exercise
tensorgrader/course: tensorgrader/exercise tensorgrader/source
tensorgrader/cache:
tensorgrader/edited:
tensorgrader/exercise: tensorgrader/cache tensorgrader/edited tensorgrader/sandbox/values
tensorgrader/sandbox/values:
tensorgrader/outcome:
tensorgrader/card:
tensorgrader/sandbox: tensorgrader/exercise tensorgrader/outcome tensorgrader/sandbox/values
tensorgrader/trial: tensorgrader/exercise tensorgrader/outcome tensorgrader/sandbox
  tensorgrader/sandbox/values
tensorgrader/explain_error: tensorgrader/exercise tensorgrader/outcome
tensorgrader/naming: tensorgrader/cache tensorgrader/course tensorgrader/edited
  tensorgrader/exercise tensorgrader/explain_error tensorgrader/outcome tensorgrader/sandbox/values
  tensorgrader/trial
tensorgrader/repair: tensorgrader tensorgrader/card tensorgrader/edited tensorgrader/exercise
  tensorgrader/outcome
  tensorgrader/trial
tensorgrader/hunt: tensorgrader/course tensorgrader/exercise
tensorgrader/hunt/measure: tensorgrader tensorgrader/author tensorgrader/course
  tensorgrader/exercise tensorgrader/hunt tensorgrader/outcome tensorgrader/repair
  tensorgrader/trial
tensorgrader: tensorgrader/cache tensorgrader/card tensorgrader/course tensorgrader/exercise
  tensorgrader/explain_error tensorgrader/hunt tensorgrader/naming tensorgrader/outcome
  tensorgrader/repair tensorgrader/sandbox tensorgrader/sandbox/values tensorgrader/source
  tensorgrader/trial
tensorgrader/author: tensorgrader tensorgrader/course tensorgrader/exercise tensorgrader/naming
  tensorgrader/outcome tensorgrader/repair tensorgrader/sandbox/values tensorgrader/source
  tensorgrader/trial
tensorgrader/classes: tensorgrader tensorgrader/card tensorgrader/course tensorgrader/hunt
  tensorgrader/sandbox
  tensorgrader/sandbox/values
tensorgrader/certificate/page: tensorgrader/course
tensorgrader/certificate: tensorgrader tensorgrader/certificate/page tensorgrader/classes
  tensorgrader/course tensorgrader/sandbox tensorgrader/sandbox/values
tensorgrader/__main__: tensorgrader/command tensorgrader/course
tensorgrader/command: tensorgrader tensorgrader/author tensorgrader/certificate
  tensorgrader/certificate/page tensorgrader/classes tensorgrader/course tensorgrader/hunt
  tensorgrader/sandbox tensorgrader/source
tensorgrader/sphinx: tensorgrader/course tensorgrader/exercise tensorgrader/source
book/_ext: lab_notebooks tensorgrader/exercise tensorgrader/source tensorgrader/sphinx
  transformer_lab transformer_lab/_course transformer_lab/plots transformer_lab/pretrained
  transformer_lab/tasks
  transformer_lab/widgets
lab_notebooks: tensorgrader/card tensorgrader/exercise tensorgrader/source transformer_lab/_course
page/stand_ins:
page_torch:
page: tensorgrader tensorgrader/card tensorgrader/certificate/page tensorgrader/course
  tensorgrader/exercise tensorgrader/explain_error tensorgrader/naming tensorgrader/outcome
  tensorgrader/repair tensorgrader/sandbox tensorgrader/trial
page/book: page tensorgrader tensorgrader/course tensorgrader/exercise tensorgrader/hunt
  transformer_lab/_course transformer_lab/widgets
lab_notebooks/assemble: lab_notebooks tensorgrader tensorgrader/course tensorgrader/exercise
lab_notebooks/tutor: lab_notebooks tensorgrader tensorgrader/card tensorgrader/course
  tensorgrader/exercise tensorgrader/repair tensorgrader/sandbox
lab_notebooks/hunts: lab_notebooks tensorgrader tensorgrader/classes tensorgrader/exercise
  tensorgrader/hunt tensorgrader/source transformer_lab/_course
lab_notebooks/entry: lab_notebooks/cli
lab_notebooks/cli: lab_notebooks lab_notebooks/assemble lab_notebooks/hunts lab_notebooks/tutor
  tensorgrader tensorgrader/classes tensorgrader/command tensorgrader/course tensorgrader/hunt
  tensorgrader/sandbox tensorgrader/source transformer_lab/_course
"""
MAY_IMPORT = {
    room: {*others.split()}
    for room, others in re.findall(r"^(\S+):((?:.|\n +)*)", ROOMS, re.MULTILINE)
}
WORKERS_OWN = {  # loaded by path
    "worker", "values", "statements", "call", "gradient_cuts", "gradients", "proxy", "proxy_server",
    "audit", "describe", "ready_made", "confine", "zygote",
}  # fmt: skip
LAZILY = {("transformer_lab", "transformer_lab._course")}  # who asks for `check` gets it


def tracked(*patterns):
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def imports(path):
    return {name for module, taken in statements(path) for name in (module, *taken)}


def statements(path):
    for node in ast.walk(ast.parse(path.read_text("utf8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, set()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = from_where(path, node)
            yield module, {f"{module}.{alias.name}" for alias in node.names}


def from_where(path, node):
    """Return the whole name of a module; what is loaded under other names imports relatively."""
    if not node.level:
        return node.module
    allowed = {ROOT / "page_torch", ROOT / "exercises", ENGINE / "author/first_task"}
    assert allowed & {*path.parents}, f"{path} imports relatively"
    parts = path.relative_to(ROOT).with_suffix("").parts[: -node.level]
    return ".".join([*parts, *filter(None, [node.module])])


def room(module):
    """Return the room of a module of ours: the longest name in MAY_IMPORT that it lies in."""
    parts = module.split(".")
    places = ["/".join(parts[:n]) for n in range(len(parts), 0, -1)]
    whole = {"book", "exercises", "lab_notebooks", "page", "page_torch"}
    known = parts[0] in whole or len(parts) < 3 or "/".join(parts[:2]) in MAY_IMPORT
    assert known, f"{module}: of which room?"
    return next(place for place in places if place in MAY_IMPORT)


@cache
def modules():
    files = {}
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        files[".".join(parts).removesuffix(".__init__")] = path
    return {name: of_ours(path, files.keys()) - {name} for name, path in files.items()}


def of_ours(path, names):
    """Return which of these modules a file imports; a folder if it takes a name of the folder's."""
    found = set()
    for module, taken in statements(path):
        found |= taken if taken and taken <= names else taken | {module}
    return found & names


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


def test_rooms_import_only_what_lies_below_them():
    others = {}
    for name, imported in modules().items():
        for other in imported - {"transformer_lab"}:
            one, two = room(name), room(other)
            free = name == "transformer_lab" or (name, other) in LAZILY
            if not free and two not in MAY_IMPORT[one] | {one}:
                others[one, two] = f"{name} → {other}"
    assert not others


def test_no_import_runs_back_up():
    """Whoever is imported does not lead back: names are sorted into an order of reading."""
    above = {
        name: {other for other in imported if (name, other) not in LAZILY}
        for name, imported in modules().items()
        if name != "transformer_lab"
    }
    TopologicalSorter(above).prepare()  # raises CycleError


def test_what_runs_beside_a_learners_code_imports_torch_and_the_standard_library():
    libraries = {"torch", "numpy"} | sys.stdlib_module_names
    for path in (ENGINE / "sandbox").glob("*.py"):
        if path.stem in WORKERS_OWN:
            others = {m for m in imports(path) if m.partition(".")[0] not in libraries}
            assert others <= {
                "tensorgrader", "tensorgrader.outcome",
                "tensorgrader.sandbox", "tensorgrader.sandbox.values",
                "tensorgrader.sandbox.main_module",
                "tensorgrader.sandbox.call",
                "tensorgrader.sandbox.gradient_cuts",
                "tensorgrader.sandbox.no_compile",
                "tensorgrader.sandbox.gradients",
                "tensorgrader.sandbox.audit",
                "tensorgrader.sandbox.statements",
                "tensorgrader.sandbox.describe",
            }, path  # fmt: skip


def test_the_engine_knows_no_name_of_this_book():
    for path in ENGINE.rglob("*"):
        if path.suffix in {".py", ".html", ".css", ".md"}:
            found = re.search("(?i)transformer.?lab|lab_notebooks", path.read_text("utf8"))
            assert not found, f"{path}: {found[0]}"


def test_importing_the_package_is_light():
    code = "import sys, transformer_lab; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"anywidget", "ipywidgets", "matplotlib", "IPython", "jupytext", "nbformat"}
    assert "tensorgrader" not in loaded


def test_every_chapter_has_its_four_rooms():
    toc = (ROOT / "_toc.yml").read_text("utf8")
    stems = [p.stem for p in (ROOT / "exercises").glob("*.md")]
    assert "attention" in stems
    for stem in stems:
        module = {"full_model": "model"}.get(stem, stem)
        assert (ROOT / f"book/{stem}.md").is_file()
        if stem != "whole_model":  # which is made of book/gpt.py
            assert (PACKAGE / f"{module}.py").is_file()
            assert (ROOT / f"tests/test_{module}.py").is_file()
        assert f"book/{stem}" in toc
        assert f"exercises/{stem}" in toc


def test_every_widget_is_one_class_and_one_module_of_the_same_stem():
    python = {p.stem for p in (PACKAGE / "widgets").glob("*.py") if not p.stem.startswith("_")}
    shared = {"charts", "controls", "element", "host", "kit", "loss_curves", "pictures", "plane"}
    shared |= {"byte_pairs", "sampling", "silencing", "training_settings", "typing", "walk_map"}
    shared |= {"edits", "player", "writing"}
    assert python == {p.stem for p in (ROOT / "widgets").glob("*.js")} - shared


DEFINED = ast.FunctionDef | ast.ClassDef


@cache
def written():
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    package = [(path, path.read_text("utf8")) for path in files]
    cells = [
        (path, cell.source)
        for name, path in sources().items()
        for cell in jupytext.read(path).cells
        if name.startswith("book/") and cell.cell_type == "code"
    ]
    return [(path, ast.parse(text)) for path, text in package + cells]


def test_nothing_is_written_twice():
    seen = {}
    for path, tree in written():
        for node in ast.walk(tree):
            if isinstance(node, DEFINED) and node.end_lineno - node.lineno > 3:
                body = node.body[1:] if ast.get_docstring(node) else node.body
                text = "\n".join(map(ast.unparse, body))
                place = f"{path.relative_to(ROOT)}: {node.name}"
                if text.count("\n") >= 3:
                    assert text not in seen, f"{place} is {seen[text]} again"
                    seen[text] = place


#: What Jupyter Book 2 shares with Jupyter Book 1; CONTRIBUTING says what it does not share.
DIRECTIVES, ROLES = {"code-cell", "admonition", "bibliography"}, {"cite:t", "cite:p", "repository"}
OWN = {"architecture", "chapters", "widget"}  # of `book/_ext`


def test_pages_keep_to_the_constructs_that_are_listed():
    for path in tracked("book/*.md", "exercises/*.md"):
        text = path.read_text("utf8")
        assert set(re.findall(r"^[`:]{3,}\{([\w:-]+)\}", text, re.MULTILINE)) <= DIRECTIVES | OWN, (
            path
        )
        assert set(re.findall(r"\{([\w:-]+)\}`", text)) <= ROLES, path


@pytest.mark.parametrize("name", sources())
def test_who_opens_and_saves_a_source_with_jupytext_loses_nothing(name):
    notebook = jupytext.read(sources()[name])
    again = jupytext.reads(jupytext.writes(notebook, fmt="md:myst"), fmt="md:myst")
    kept = [[(c.cell_type, c.source, c.metadata) for c in n.cells] for n in (notebook, again)]
    assert kept[0] == kept[1]


def test_no_page_names_a_content_network():
    sources = tracked("book", "exercises", "widgets", *FOLDERS, "_config.yml")
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
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))
    project, groups = settings["project"], settings["dependency-groups"]
    wanted = [project["dependencies"], *project["optional-dependencies"].values(), *groups.values()]
    for requirement in itertools.chain(*wanted):
        if requirement in ({"include-group": name} for name in groups):
            continue
        name = re.match(r"[A-Za-z0-9._-]+", requirement)[0]
        assert re.sub(r"[-_.]+", "-", name).lower() in pinned, requirement
