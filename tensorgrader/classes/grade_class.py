"""Grade a class in parallel: one line for each student in results.jsonl.

A line is written when a student is done, and stays. A student with a line for the same notebooks,
grader and seed is not graded again: the same command resumes an interrupted run, and an appeal adds
a line.
"""

import json
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path

import torch

from tensorgrader.classes.records import Record, read_records
from tensorgrader.classes.submissions import Entry, HandedIn, read_student, students
from tensorgrader.course import Course
from tensorgrader.grade import grade_submission, right_answers
from tensorgrader.grade_report import works_json
from tensorgrader.hunt.draw import HUNT, HuntChapter
from tensorgrader.sandbox.connection import START_DEADLINE
from tensorgrader.sandbox.pool import LIMITS, Limits
from tensorgrader.sandbox.values import clean
from tensorgrader.submission import Submission, SubmissionError, parse_submission

MEMORY = 4 * 2**30
START = "forkserver" if sys.platform == "linux" else "spawn"
SILENCE = 2 * START_DEADLINE  # further seconds for a student: processes have to start


@dataclass(frozen=True)
class Settings:
    """What a record depends on besides the submission."""

    course: Course
    seed: int
    limits: Limits = LIMITS
    confined: bool = True

    def of(self, handed: HandedIn) -> Record:
        """Return the part of a record that says how it was made."""
        return {
            "student": handed.student,
            "source": handed.source,
            "seed": self.seed,
            "grader": grader_hash(self.course),
            "torch": torch.__version__,
            self.course.name: self.course.version,
            "sandbox": self.confined,
        }


@cache
def grader_hash(course: Course) -> str:
    """Return a hash of the sources that decide on points: the grader and the references."""
    files = sorted([*Path(__file__).parents[1].glob("**/*.py"), *course.files])
    return sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def grade_student(handed: HandedIn, settings: Settings) -> Record:
    """Grade all notebooks of one student; of several for a chapter, the best counts.

    Of equals that is the last by name; the record says which.
    """
    try:
        return _grade_student(handed, settings)
    except SystemError:  # of Python 3.11, where threads parse at the same time, as on a cluster
        return _grade_student(handed, settings)


def _grade_student(handed: HandedIn, settings: Settings) -> Record:
    torch.set_num_threads(1)  # the matrices are tiny: a second thread only waits
    began = time.monotonic()
    problems, grades = list(handed.problems), list[Record]()
    left = settings.limits.student
    submissions: list[tuple[str, Submission]] = []
    for name, raw in sorted(handed.notebooks.items()):
        try:
            submissions.append((name, parse_submission(settings.course, raw)))
        except SubmissionError as error:
            problems.append(f"{name} {error}")
    order = [HUNT, *settings.course.chapters]  # what a chapter imports is graded before it
    submissions.sort(key=lambda named: order.index(named[1].chapter.name))
    right: dict[str, dict[str, str]] = {}
    for name, submission in submissions:
        if left <= 0:
            problems.append(
                f"{name} was not graded: the notebooks before it took the "
                f"{settings.limits.student:.0f} s allowed for each student."
            )
            continue
        limits = replace(settings.limits, budget=min(settings.limits.budget, left))
        how = settings.seed, limits, settings.confined
        grade = grade_submission(name, submission, *how, lambda chapter: right.get(chapter, {}))
        left -= grade.seconds
        right.setdefault(submission.chapter.name, {}).update(right_answers(submission, grade))
        if grade.outdated:
            problems.append(f"{name}: {grade.outdated}")
        sheet: Record = {"chapter": submission.chapter.name, "notebook": name}
        sheet |= {"points": grade.points, "earned": grade.earned, "tried": list(grade.tried)}
        sheet |= {"works": works_json(grade, submission.answers)}
        if isinstance(submission.chapter, HuntChapter):
            hunt = submission.chapter
            sheet |= {"hunt": hunt.text, "difficulty": hunt.difficulty, "stubs": dict(hunt.faulty)}
        grades.append(sheet)
    chapters: dict[str, Record] = {}
    for kept in sorted(grades, key=lambda grade: grade["earned"]):
        chapters[kept["chapter"]] = {name: kept[name] for name in ("earned", "points", "notebook")}
    total = {name: sum(c[name] for c in chapters.values()) for name in ("earned", "points")}
    told: Record = {"chapters": chapters, "problems": problems, "notebooks": grades}
    told |= handed.about | {"seconds": round(time.monotonic() - began, 3)}
    return settings.of(handed) | total | told


@dataclass(frozen=True)
class Pool:
    """How to create an executor, and how many students to submit at a time.

    If an error is raised while it is in use, the executor does not wait for its students.
    """

    make: Callable[[], AbstractContextManager[Executor]]
    width: int


def local_pool(jobs: int) -> Pool:
    """Return a pool of so many processes on this machine, each with one more student waiting."""
    return Pool(lambda: _processes(jobs), 2 * jobs)


@contextmanager
def _processes(jobs: int) -> Iterator[Executor]:
    """Yield a pool of fresh processes, which are killed if something goes wrong."""
    others = set(active_children())
    with ProcessPoolExecutor(jobs, get_context(START), initializer=_enter) as executor:
        try:
            yield executor
        except BaseException:
            for process in set(active_children()) - others:
                process.kill()
            raise


def grade_class(place: Path, results: Path, settings: Settings, pool: Pool) -> Iterator[Record]:
    """Yield a record for every student of a folder or zip file: kept ones first, then new ones."""
    old = {record["student"]: record for record in read_records(results)}
    todo: deque[Entry] = deque()
    for entry in students(settings.course, place):
        handed = read_student(entry)
        record = old.get(handed.student, {"failed": True})
        if record.get("failed") or not settings.of(handed).items() <= record.items():
            todo.append(entry)
        else:
            yield record | handed.about  # with the time of submission and the names
    with results.open("ab") as file:
        for record in _graded(todo, settings, pool):
            file.write(json.dumps(record).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
            yield record


def _enter() -> None:
    """Limit a process of the pool, make it exit with its parent, and leave Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))

    def leave() -> None:
        if parent := parent_process():
            parent.join()
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


def _graded(todo: deque[Entry], settings: Settings, pool: Pool) -> Iterator[Record]:
    """Grade in parallel. If a process dies or hangs, grade its students one by one.

    An executor that accepts nobody at all fails the first student, so this terminates.
    """
    while todo:
        flying: dict[Future, tuple[Entry, HandedIn]] = {}
        waiting = len(todo)
        try:
            with pool.make() as executor:
                while todo or flying:
                    while todo and len(flying) < pool.width:
                        handed = read_student(todo[0])
                        future = executor.submit(grade_student, handed, settings)
                        flying[future] = todo.popleft(), handed
                    patience = settings.limits.student + SILENCE
                    done = wait(flying, timeout=patience, return_when=FIRST_COMPLETED).done
                    if not done:
                        raise BrokenProcessPool(f"did not answer for {patience:.0f} s")
                    for future in done:
                        yield _result(future, flying[future][1], settings)
                        del flying[future]
        except BrokenProcessPool as error:
            suspects = deque(entry for entry, _ in flying.values())
            if len(todo) == waiting:
                suspects.append(todo.popleft())
            if pool.width > 1:
                yield from _graded(suspects, settings, replace(pool, width=1))
            else:
                why = f"a grader process ended ({error})"
                yield from (_failed(read_student(entry), settings, why) for entry in suspects)


def _result(future: Future, handed: HandedIn, settings: Settings) -> Record:
    """Return a student's record, even if the grader itself failed."""
    try:
        record = future.result()
    except BrokenProcessPool:
        raise
    except Exception as error:
        return _failed(handed, settings, f"{type(error).__name__}: {error}")
    if settings.of(handed).items() <= record.items():
        return record
    why = "the machine it ran on has another version of the package or PyTorch"
    return _failed(handed, settings, why)


def _failed(handed: HandedIn, settings: Settings, why: str) -> Record:
    """Return the record of a student on whom the grader failed; the next run tries again."""
    problem = f"The grader failed: {clean(why)}. Run the same command again."
    nothing = {
        "chapters": {},
        "earned": 0,
        "points": 0,
        "notebooks": [],
        "seconds": 0.0,
    }
    return settings.of(handed) | nothing | handed.about | {"problems": [problem], "failed": True}
