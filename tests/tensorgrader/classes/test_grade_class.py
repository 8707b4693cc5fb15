"""A class is graded once, whatever interrupts it, and the same again from the same seed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tensorgrader.classes import grade_class as grading
from tensorgrader.classes.grade_class import Pool, grade_class, local_pool
from tensorgrader.classes.records import BROKEN, kept_seed, set_aside
from tensorgrader.sandbox.pool import Limits
from tensorgrader.sandbox.processes import lacking
from tests.course import Settings, write_reports
from tests.gone import wait_for_the_end_of
from tests.tensorgrader.asking import worth

SETTINGS = Settings(seed=4, confined=not lacking())
HERE = Pool(lambda: ThreadPoolExecutor(1), width=4)  # quicker to start than processes

ALL = sum(worth("attention").values())
PART = ALL - 3  # without soft_lookup


@pytest.fixture
def folder(tmp_path, submit):
    """Five students: two right, two with one mistake, one who handed in nothing."""
    folder = tmp_path / "submissions"
    wrong = {
        "attention-lookup": "def soft_lookup(q, keys, values):\n    return (keys @ q) @ values"
    }
    for name, answers in (("ana", {}), ("bo", wrong), ("cy", wrong), ("di", {})):
        (folder / name).mkdir(parents=True)
        submit(answers).rename(folder / name / "attention.ipynb")
    (folder / "eve").mkdir()
    return folder


def timeless(records):
    """Leave out what differs from run to run, and the order."""
    kept = [{key: r[key] for key in r if key != "seconds"} for r in records]
    return sorted(kept, key=lambda record: record["student"])


def graded(folder, results, settings=SETTINGS):
    return timeless(grade_class(folder, results, settings, HERE))


def test_every_student_has_a_record_of_score_reasons_and_origin(folder, tmp_path):
    ana, bo, *_, eve = graded(folder, tmp_path / "results")
    assert (ana["earned"], ana["points"], ana["seed"]) == (ALL, ALL, 4)
    told = {"earned": PART, "points": ALL, "notebook": "attention.ipynb"}
    assert bo["chapters"] == {"attention": told}
    works = {work["id"]: work for work in bo["notebooks"][0]["works"]}
    assert ["without softmax" in name for name in works["attention-lookup"]["mistakes"]] == [True]
    assert "return (keys @ q) @ values" in works["attention-lookup"]["code"]
    assert '<div class="tl-card' in works["attention-lookup"]["card"]
    assert works["attention-softmax"]["mistakes"] == []
    assert "no notebook" in eve["problems"][0]
    assert {"source", "grader", "torch", "transformer_lab", "sandbox"} <= ana.keys()


def test_a_second_run_grades_only_what_has_changed(folder, tmp_path, monkeypatch, submit):
    results = tmp_path / "results"
    first = graded(folder, results)
    shutil.copy(folder / "ana/attention.ipynb", folder / "bo/attention.ipynb")
    (folder / "cy/attention.ipynb").rename(folder / "cy/renamed.ipynb")
    done = []
    real = grading.grade_student
    spy = lambda handed, settings: done.append(handed.student) or real(handed, settings)  # noqa: E731
    monkeypatch.setattr(grading, "grade_student", spy)
    second = graded(folder, results)
    assert sorted(done) == ["bo", "cy"]
    assert [r["earned"] for r in second] == [ALL, ALL, PART, ALL, 0]
    assert second[3] == first[3]
    assert len(results.read_text().splitlines()) == 7
    assert graded(folder, results) == second


def test_the_same_seed_gives_the_same_and_another_is_graded_anew(folder, tmp_path):
    first = graded(folder, tmp_path / "one")
    assert graded(folder, tmp_path / "two") == first
    again = graded(folder, tmp_path / "one", replace(SETTINGS, seed=5))
    assert {record["seed"] for record in again} == {5}
    assert [record["earned"] for record in again] == [record["earned"] for record in first]
    assert kept_seed(tmp_path / "one") == 5


def test_a_broken_line_in_the_middle_costs_only_itself(folder, tmp_path):
    results = tmp_path / "results"
    first = graded(folder, results)
    one, *others = results.read_bytes().splitlines(keepends=True)
    strange = [b"{", b"[1]\n", b'{"student": 1, "seed": 2}\n', b"[" * 70_000 + b"\n"]
    results.write_bytes(b"".join([one[:50], b"\n", *strange[1:], *others, strange[0]]))
    assert kept_seed(results) == 4
    kept = (tmp_path / BROKEN).read_bytes()
    assert kept == b"".join([one[:50], b"\n", *strange[1:], strange[0], b"\n"])
    assert graded(folder, results) == first
    assert set_aside(results) == 0


def test_of_several_notebooks_for_a_chapter_the_best_counts(folder, tmp_path):
    shutil.copy(folder / "bo/attention.ipynb", folder / "ana/second try.ipynb")  # the last by name
    ana, *_ = graded(folder, tmp_path / "results")
    told = {"earned": ALL, "points": ALL, "notebook": "attention.ipynb"}
    assert ana["chapters"] == {"attention": told}
    write_reports(tmp_path, [ana | {"seconds": 0.0}])
    (page,) = (tmp_path / "feedback").glob("ana*")
    says = "Of 2 notebooks for attention, <strong>attention.ipynb</strong> counts"
    assert says in page.read_text("utf8")
    assert (ana["earned"], ana["points"], len(ana["notebooks"])) == (ALL, ALL, 2)


def test_a_fault_of_the_grader_fails_one_student_until_the_next_run(folder, tmp_path, monkeypatch):
    real = grading.grade_student

    def faulty(handed, settings):
        if handed.student == "bo":
            raise MemoryError("a fault")
        return real(handed, settings)

    with monkeypatch.context() as patch:
        patch.setattr(grading, "grade_student", faulty)
        _, bo, cy, *_ = graded(folder, tmp_path / "results")
    assert bo["failed"]
    assert "MemoryError: a fault" in bo["problems"][0]
    assert cy["earned"] == PART
    assert graded(folder, tmp_path / "results")[1]["earned"] == PART


def test_who_ends_a_process_of_the_grader_is_found_and_the_others_are_graded(
    folder, tmp_path, monkeypatch
):
    real = grading.grade_student

    def deadly(handed, settings):
        if handed.student == "bo":
            raise BrokenProcessPool
        return real(handed, settings)

    monkeypatch.setattr(grading, "grade_student", deadly)
    records = graded(folder, tmp_path / "results")
    assert [record["earned"] for record in records] == [ALL, 0, PART, ALL, 0]
    assert "process ended" in records[1]["problems"][0]


class Refusing:
    """Executors that take so many students each, and then nobody, as after a process has died."""

    def __init__(self, takes):
        """Say how many each takes."""
        self.takes, self.left, self.made = takes, 0, 0

    def submit(self, function, handed, settings):
        """Grade at once, or refuse."""
        if not self.left:
            raise BrokenProcessPool("a child process terminated abruptly")
        self.left -= 1
        future = Future()
        future.set_result(function(handed, settings))
        return future

    @contextmanager
    def make(self):
        """Give a fresh one."""
        self.left, self.made = self.takes, self.made + 1
        yield self


@pytest.mark.parametrize("width", [1, 2, 4])
def test_who_is_refused_by_a_broken_pool_goes_to_a_fresh_one(folder, tmp_path, width):
    refusing = Refusing(1)
    pool = Pool(refusing.make, width)
    records = timeless(grade_class(folder, tmp_path / "results", SETTINGS, pool))
    assert [record["earned"] for record in records] == [ALL, PART, PART, ALL, 0]
    assert not any(record.get("failed") for record in records)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP")
def test_a_pool_ends_processes_that_are_silent():
    using = local_pool(1).make()
    pid = using.__enter__().submit(os.getpid).result()
    os.kill(pid, signal.SIGSTOP)
    assert not using.__exit__(RuntimeError, RuntimeError("it goes wrong"), None)
    wait_for_the_end_of(pid)


def test_a_student_has_a_time_for_all_notebooks(folder, tmp_path, submit):
    hanging = {"attention-lookup": "def soft_lookup(query, keys, values):\n    while True: pass"}
    submit(hanging).rename(folder / "ana/a try.ipynb")
    settings = replace(SETTINGS, limits=Limits(deadline=1.0, student=1.0))
    ana, bo, *_ = graded(folder, tmp_path / "results", settings)
    (problem,) = ana["problems"]
    assert "attention.ipynb" in problem
    assert [notebook["notebook"] for notebook in ana["notebooks"]] == ["a try.ipynb"]
    assert bo["earned"] == PART


def test_a_slip_of_pythons_parser_costs_nobody_a_point(folder, tmp_path, monkeypatch):
    real, slips = grading.parse_submission, ["AST constructor recursion depth mismatch"]

    def parse(*given):
        if slips:
            raise SystemError(slips.pop())
        return real(*given)

    monkeypatch.setattr(grading, "parse_submission", parse)
    records = graded(folder, tmp_path / "results")
    assert [record["earned"] for record in records] == [ALL, PART, PART, ALL, 0]
    assert not slips


def test_what_another_version_graded_is_not_taken(folder, tmp_path, monkeypatch):
    real = grading.grade_student
    older = lambda handed, settings: real(handed, settings) | {"grader": "older"}  # noqa: E731
    monkeypatch.setattr(grading, "grade_student", older)
    records = graded(folder, tmp_path / "results")
    assert all(record["failed"] and record["earned"] == 0 for record in records)
    assert "another version" in records[0]["problems"][0]


def descendants(pid):
    """List the processes below one."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()[1:]]
    found = {pid}
    for _ in pairs:
        found |= {child for child, parent in pairs if parent in found}
    return found - {pid}


@pytest.mark.slow  # a class is graded three times; a line cut off is begun anew below
@pytest.mark.skipif(bool(lacking()), reason=f"no sandbox: {lacking()}")
def test_killed_in_the_middle_and_started_again_the_report_is_the_same(folder, tmp_path):
    for number in range(5):
        shutil.copytree(folder / "bo", folder / f"copy-{number}")
    out, results = tmp_path / "killed", tmp_path / "killed/results.jsonl"
    command = ["grade", str(folder), "--seed", "4", "--jobs", "2", "--out", str(out)]
    running = subprocess.Popen(
        [sys.executable, "-m", "lab_notebooks.cli", *command],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not results.exists() or results.read_text().count("\n") < 5:
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGSTOP)  # it hands nobody on any more
    below = descendants(running.pid)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert len(results.read_text().splitlines()) < 10
    assert len(below) >= 4  # two graders and their zygotes
    for pid in below:
        wait_for_the_end_of(pid)
    records = graded(folder, results)
    assert records == graded(folder, tmp_path / "at once")
    assert len(results.read_text().splitlines()) == len(records) == 10
