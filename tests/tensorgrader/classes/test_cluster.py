"""A dask cluster gives the same report as this machine, and locks learners in as well."""

import json
import subprocess
import sys
import time

import pytest
from distributed import Client

from lab_notebooks import cli
from tensorgrader.classes.records import read_records
from tensorgrader.sandbox.processes import lacking
from tests.tensorgrader.classes.test_grade_class import ALL, PART, timeless

WRONG = "def soft_lookup(query, keys, values):\n    return (keys @ query) @ values"
HOSTILE = """
import os, signal
def soft_lookup(query, keys, values):
    try:
        open("CANARY", "w")
    finally:
        os.kill(os.getppid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Start a scheduler and two workers of it; give the scheduler's address."""
    home = tmp_path_factory.mktemp("cluster")
    common = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", "note.json"]
    commands = (["scheduler", "--port", "0"], ["worker", "--nworkers", "2", "--nthreads", "1"])
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [
        subprocess.Popen([sys.executable, "-m", "dask", *command, *common], cwd=home, **quiet)
        for command in commands
    ]
    try:
        while not (home / "note.json").exists():
            assert processes[0].poll() is None
            time.sleep(0.1)
        address = json.loads((home / "note.json").read_text("utf8"))["address"]
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


@pytest.mark.skipif(bool(lacking()), reason=f"no sandbox: {lacking()}")
@pytest.mark.slow  # two schedulers and their workers are started
def test_a_cluster_gives_the_same_report_as_this_machine(cluster, submit, tmp_path, capsys):
    folder, canary = tmp_path / "submissions", tmp_path / "canary"
    folder.mkdir()
    hostile = HOSTILE.replace("CANARY", str(canary))
    for name, answers in (("ana", {}), ("bo", WRONG), ("eve", hostile), ("fi", {}), ("gus", WRONG)):
        path = submit(answers and {"attention-lookup": answers})
        path.rename(folder / f"{name}.ipynb")
    records = {}
    for where, options in (("here", ["--jobs", "1"]), ("there", ["--scheduler", cluster])):
        out = tmp_path / where
        assert cli.main(["grade", str(folder), "--seed", "4", "--out", str(out), *options]) == 0
        assert "5 students, seed 4" in capsys.readouterr().out
        records[where] = timeless(read_records(out / "results.jsonl"))
    assert records["there"] == records["here"]
    assert [record["earned"] for record in records["there"]] == [ALL, PART, PART, ALL, PART]
    assert not canary.exists()
