"""The command forks its zygote while it knows nothing, uses it, and never leaves it behind."""

import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tensorgrader.classes.submissions import printable
from tensorgrader.sandbox import processes, zygote_process
from tensorgrader.sandbox.client import Sandbox
from tests.test_structure import imports

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked here")
COMMAND = "import sys; from lab_notebooks import entry; sys.exit(entry.main())"


@contextmanager
def grading(path, **variables):
    """Have the command grade what is written to a pipe; give its process while it waits for it."""
    os.mkfifo(path)
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, "grade", str(path)],
        env=os.environ | variables, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        yield process


def children(process):
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text("ascii").split()]


def memory(pid):
    """Give what a process has in memory that it may write to."""
    areas = [line.split() for line in Path(f"/proc/{pid}/maps").read_text("utf8").splitlines()]
    with open(f"/proc/{pid}/mem", "rb") as file:
        for place, rights, *_ in areas:
            if rights.startswith("rw"):
                start, stop = (int(address, 16) for address in place.split("-"))
                file.seek(start)
                yield file.read(stop - start)


def test_a_notebook_is_graded_by_a_zygote_that_was_forked_before_anything_was_known(
    submit, tmp_path
):
    notebook, pipe = submit(), tmp_path / "handed-in-by-somebody"
    with grading(pipe, PASSWORD="open-sesame") as process:
        with pipe.open("wb") as file:  # once both ends are open, the grader has loaded all it needs
            (zygote,) = children(process)
            told = (b"handed-in-by-somebody", b"open-sesame", b"exercises/attention")
            assert not [word for part in memory(zygote) for word in told if word in part]
            assert Path(f"/proc/{zygote}/cwd").readlink() == Path("/")
            assert os.getsid(zygote) == zygote
            file.write(notebook.read_bytes())
        (said, _) = process.communicate()
    assert process.returncode == 0, said
    assert said.startswith(f"{pipe}: 35 of 35 points")
    assert not_there(zygote)


def test_a_zygote_that_nobody_takes_is_ended(tmp_path):
    with grading(tmp_path / "pipe") as process:
        with (tmp_path / "pipe").open("wb"):  # holds nothing
            (zygote,) = children(process)
        process.communicate()
    assert process.returncode == 1
    assert not_there(zygote)


def test_what_the_command_was_given_it_has_again(tmp_path):
    name = "né\udcff.ipynb"
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "grade", name],
        env=os.environ | {"PYTHONIOENCODING": "latin-1"}, cwd=tmp_path, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 2
    shown = printable(name)
    assert shown.startswith("né?.ipynb (")  # and a mark, by which it differs from others
    assert done.stderr.startswith(f"{shown}: ".encode("latin-1"))


def test_a_zygote_is_taken_once(monkeypatch):
    monkeypatch.setattr(processes, "_zygotes", {})
    confined = not processes.lacking()
    ahead = zygote_process._ahead[confined] = zygote_process.take(confined)
    with Sandbox(confined=confined):
        (zygote,) = processes._zygotes.values()
    assert zygote._process is ahead.process
    assert not zygote_process._ahead
    processes.close_zygotes()


def test_a_zygote_that_fails_says_why(monkeypatch):
    def fail(control: socket.socket, confined: bool) -> None:
        raise RuntimeError("no room")

    zygote_process.fork(fail)
    with pytest.raises(ChildProcessError, match="RuntimeError: no room"):
        processes.Zygote(confined=True)


def test_what_begins_before_pytorch_imports_the_standard_library():
    tops = {module.split(".")[0] for module in imports(zygote_process.FOLDER / "zygote_process.py")}
    assert tops <= sys.stdlib_module_names


def not_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
