"""What a newcomer meets when something is missing: it is found, or the way on is named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def bare(tmp_path):
    """A PATH with the shell's own tools and whatever a test puts there."""
    for tool in ("sh", "dirname", "sed", "uname", "awk", "make", "cat"):
        found = next(p for d in os.environ["PATH"].split(":") if (p := Path(d, tool)).exists())
        (tmp_path / tool).symlink_to(found)
    program(tmp_path, "id", "echo 1000")
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


def test_an_old_python_is_named_with_a_way_out(bare, tmp_path):
    old = program(bare, "old-python", 'exec "$REAL" -c "import sys; sys.version_info = (3, 9); sys.version = \'3.9.1 x\'; exec(sys.argv[1])" "$2"')  # fmt: skip  # noqa: E501
    clone = tmp_path / "clone"
    (clone / ".ci").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "requirements-pretrained.txt"):
        (clone / name).write_bytes((ROOT / name).read_bytes())
    (clone / ".ci/install").write_text("")
    done = subprocess.run(
        ["make", "html", f"PYTHON={old}"],
        cwd=clone, capture_output=True, text=True,
        env={"PATH": str(bare), "REAL": sys.executable},
    )  # fmt: skip
    assert done.returncode != 0
    assert "3.9.1" in done.stderr
    assert "make PYTHON=python3.12 html" in done.stderr


def test_make_alone_lists_the_targets(bare):
    listed = [line.split()[0] for line in run(bare, "make").stdout.splitlines()]
    assert {"book", "check", "html", "lab", "test"} <= set(listed)


#: A Python without PyTorch, whose pip has all but what $REFUSED matches.
PIP = """[ "$1" != -c ] || exit 1
case "$*" in $REFUSED) echo "ERROR: No matching distribution" >&2; exit 1;; esac
echo "$*" >> $ASKED
"""


def install(bare, names, refused="nothing", **environment):
    """Install where pip does not have everything; give what happened, and what pip was asked."""
    asked = bare / "asked"
    python = program(bare, "python", PIP.replace("$REFUSED", refused))
    done = run(bare, ".ci/install", python, names, ASKED=str(asked), **environment)
    return done, asked.read_text().splitlines() if asked.exists() else []


@pytest.mark.parametrize("refused", ["*torch*", "*editable*", "*pretrained", "*pip[\\>]*"])
def test_a_failure_ends_in_a_sentence_that_says_what_to_do(bare, refused):
    done, _ = install(bare, "pretrained,test", refused)
    assert done.returncode == 1
    pips, ours = done.stderr.splitlines()[-2:]
    assert pips == "ERROR: No matching distribution"
    assert "same command again" in ours
