"""A zygote that starts while PyTorch is loaded is the one that is used, and never left behind."""

import os
import subprocess
import sys

import pytest

from tests.test_structure import imports
from transformer_lab.grading.sandbox import processes, started
from transformer_lab.grading.sandbox.client import Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked here")
COMMAND = """
import sys, transformer_lab_command
assert "torch" not in sys.modules
start = transformer_lab_command._start_zygote
def spy():
    start()
    assert "transformer_lab" not in sys.modules and "torch" not in sys.modules
    (zygote,) = sys.modules[transformer_lab_command.STARTED]._ahead.values()
    print(zygote.process.pid)
transformer_lab_command._start_zygote = spy
sys.argv[1:] = {words}
sys.exit(transformer_lab_command.main())
"""


def ran(*words):
    """Run the command; give its exit code and lines."""
    code = COMMAND.format(words=[*map(str, words)])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def test_the_command_imports_the_standard_library_before_it_starts_a_zygote():
    for name in ("started", "zygote"):
        assert (started.FOLDER / f"{name}.py").exists()
    tops = {module.split(".")[0] for module in imports(started.FOLDER / "started.py")}
    assert tops <= sys.stdlib_module_names


def test_a_notebook_is_graded_by_the_zygote_that_was_started_ahead(submit):
    path = submit()
    code, lines = ran("grade", path)
    assert code == 0, lines
    assert not_there(int(lines[0]))
    assert lines[1].startswith(str(path))


def test_a_zygote_that_nobody_takes_is_ended(tmp_path):
    code, (pid,) = ran("grade", tmp_path / "no.ipynb")
    assert code == 2
    assert not_there(int(pid))


def test_a_class_and_other_commands_start_none(tmp_path):
    code, (told,) = ran("--version")
    assert (code, told.isdigit()) == (0, False)
    assert ran("grade", tmp_path, f"--out={tmp_path}/in") == (2, [])


def test_a_zygote_is_taken_once(monkeypatch):
    monkeypatch.setattr(processes, "_zygotes", {})
    confined = not processes.lacking()
    started.begin(confined)
    (ahead,) = started._ahead.values()
    with Sandbox(confined=confined):
        (zygote,) = processes._zygotes.values()
    assert zygote._process is ahead.process
    assert not started._ahead
    processes.close_zygotes()


def not_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
