"""benchmarks.build builds a copy of the tree three times, and counts no build that failed."""

import subprocess

import pytest

from benchmarks import build


def test_the_copy_holds_what_git_knows_and_nothing_that_was_built(tmp_path):
    tree = build.copy(tmp_path)
    assert (tree / build.PAGE).read_bytes() == (build.ROOT / build.PAGE).read_bytes()
    assert (tree / "transformer_lab/widgets/host.js").is_file()
    assert not (tree / "_build").exists()
    assert not (tree / ".git").exists()


def test_the_third_build_finds_a_changed_chapter(monkeypatch):
    seen = []

    def built(tree):
        seen.append((tree / build.PAGE).read_text("utf8"))
        return ["1", "2"]

    monkeypatch.setattr(build, "build", built)
    lines = build.measure().splitlines()
    assert [line.split(" | ")[0][2:] for line in lines[2:5]] == [
        "from nothing",
        "again, nothing changed",
        "the text of one chapter changed",
    ]
    assert seen[0] == seen[1] == seen[2].removesuffix("\nOne more sentence.\n") != seen[2]


@pytest.mark.parametrize("code", [0, 1])
def test_a_build_that_fails_is_not_measured(monkeypatch, tmp_path, code):
    commands = []

    def run(command, **options):
        commands.append((command, options["cwd"], options["env"]["PYTHONPATH"]))
        return subprocess.CompletedProcess(command, code, stderr="broken reference")

    monkeypatch.setattr(build.subprocess, "run", run)
    if code:
        with pytest.raises(RuntimeError, match="broken reference"):
            build.build(tmp_path)
    else:
        assert [float(cell) >= 0 for cell in build.build(tmp_path)] == [True, True]
    makefile = (build.ROOT / "Makefile").read_text("utf8")
    ((command, *places),) = commands
    assert places == [tmp_path, str(tmp_path)]  # the copy's package, not ours
    assert " ".join(["jupyter-book", *command[1:]]) in makefile
