"""The package as it is handed out: what wheel and source hold, and that a learner needs no more."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest

from lab_notebooks.sources import sources
from tests.stated import as_stated
from tests.test_structure import tracked

ROOT = Path(__file__).parents[1]
#: Where the wheel has what runs on the pages of any course, and what runs on this book's alone.
ON_PAGES = "tensorgrader/sphinx/_sources"
OF_THIS_BOOK = (
    "page/book.py",
    "page/own_parts.py",
    "page/widgets.js",
    "page/models/",
    "page/train/",
)
FILES = {path.relative_to(ROOT).as_posix(): path for path in tracked()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build both as `make dist` does, the wheel from the source; give the folder."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("*.whl")
    assert as_stated("The wheel", path)
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_holds_the_package_and_the_sources_of_its_notebooks(wheel):
    expected = {}
    for name, path in FILES.items():
        if name.startswith("book/_ext/"):
            continue
        if name.startswith(("book/", "exercises/", "widgets/", "requirements-pretrained")):
            expected[f"transformer_lab/_sources/{name}"] = path.read_bytes()
        elif name.startswith(("lab_notebooks/", "tensorgrader/", "transformer_lab/")):
            expected[name] = path.read_bytes()
        if name.startswith(("page/", "page_torch/")) and not name.startswith(OF_THIS_BOOK):
            expected[f"{ON_PAGES}/{name}"] = path.read_bytes()
    assert all(f"transformer_lab/_sources/{name}.md" in expected for name in sources())
    assert {"py.typed", "_sources/widgets/kit.js", "_sources/widgets/widgets.css"} <= {
        name.removeprefix("transformer_lab/") for name in wheel
    }
    package = {name: held for name, held in wheel.items() if ".dist-info/" not in name}
    assert sorted(package) == sorted(expected)
    assert [name for name in package if package[name] != expected[name]] == []


@pytest.mark.slow
def test_a_learner_needs_the_wheel_and_nothing_else(built, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    bin = tmp_path / "env/bin"
    learner = tmp_path / "learner"
    learner.mkdir()
    passed_on = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    environment = {"PATH": f"{bin}:/usr/bin:/bin", "HOME": str(learner), **passed_on}

    def run(*command):
        return subprocess.run(command, cwd=learner, env=environment, capture_output=True, text=True)

    (path,) = built.glob("*.whl")
    installed = run(ROOT / ".ci/install", bin / "python", "", path)
    assert installed.returncode == 0, installed.stderr
    started = run("transformer-lab", "start")
    assert started.returncode == 0, started.stderr
    folder = learner / "transformer-lab"
    assert len(list(folder.rglob("*.ipynb"))) == len(sources())
    assert "transformer-lab pretrained\n" in started.stdout
    models = run("transformer-lab", "pretrained")
    assert models.returncode == 0, models.stderr

    execute = ["jupyter", "nbconvert", "--to", "notebook", "--execute", "--inplace"]
    done = run(*execute, folder / "book/attention.ipynb")
    assert done.returncode == 0, done.stderr
    chapter = nbformat.read(folder / "book/attention.ipynb", as_version=4)
    shown = [
        data for c in chapter.cells for o in c.get("outputs", []) for data in o.get("data", {})
    ]
    assert "application/vnd.jupyter.widget-view+json" in shown

    exercise = folder / "exercises/attention.ipynb"
    assert run("transformer-lab", "grade", exercise).returncode == 1
    assert run("transformer-lab", "notebooks", "solved", "--solved").returncode == 0
    shutil.copy(learner / "solved/exercises/attention.ipynb", exercise)
    done = run(*execute, exercise)  # each check holds
    assert done.returncode == 0, done.stderr
    graded = run("transformer-lab", "grade", exercise)
    assert graded.returncode == 0, graded.stdout

    installed = run("transformer-lab", "pretrained")
    assert installed.returncode == 0, installed.stderr
    code = "from transformer_lab.pretrained import load_minilm; print(load_minilm().model)"
    assert run("python", "-c", code).stdout.startswith("EncoderModel(")
