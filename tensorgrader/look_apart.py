"""The search for the place of a mistake in a process of its own, which can only compute.

There the answer runs beside the reference, as in a notebook, so nothing is believed of what comes
back but two sentences for the learner. Linux only, but for the import.
"""

import json
import os
import sys
import sysconfig
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import torch

from tensorgrader.course import Course
from tensorgrader.exercise import Exercise, Mistake
from tensorgrader.repair.hint import Looking
from tensorgrader.sandbox.main_module import first_names
from tensorgrader.sandbox.values import clean
from tensorgrader.sandbox.worker import run
from tensorgrader.trial import Questions

SECONDS = 8.0  # of the search
PATIENCE = 20.0  # for all of the process, which has to load PyTorch when it is the first
LIMIT = 10_000  # bytes of what comes back


class Place(NamedTuple):
    """Where to look, and what would help."""

    where: str = ""
    what: str = ""


def begin(module: str) -> None:
    """Start the process that searches are forked from, with a course's module loaded."""
    from multiprocessing import forkserver  # not everywhere

    forkserver.set_forkserver_preload([__name__, module])
    forkserver.ensure_running()


def look(
    course: Course, exercise: Exercise, cells: Sequence[str], seed: int, named: Collection[str]
) -> Place:
    """Search an answer, the last of some cells, for the place of its mistake, for a while.

    The seed is that of the inputs that it failed; `named` are mistakes by name.
    """
    context = get_context("forkserver")
    ours, theirs = context.Pipe(duplex=False)
    given = theirs, course, exercise.id, tuple(cells), seed, frozenset(named)
    process = context.Process(target=_look, args=given, daemon=True)
    late = threading.Timer(PATIENCE, process.kill)
    try:
        process.start()
        theirs.close()
        late.start()
        where, what = json.loads(ours.recv_bytes(LIMIT))
        return Place(clean(str(where)), clean(str(what)))
    except (EOFError, OSError, ValueError):  # it was ended, or said something else
        return Place()
    finally:
        late.cancel()
        ours.close()
        with suppress(OSError, AttributeError):
            process.kill()
            process.join()


def _look(
    line: Connection,
    course: Course,
    name: str,
    cells: Sequence[str],
    seed: int,
    named: Collection[str],
) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    torch.set_num_threads(1)
    exercise = course.exercises[name]
    questions = Questions(exercise, seed)
    for prop in exercise.properties:  # what is right is computed before anything else runs
        questions.drawn(prop.id, prop.inputs)
    _confine(course)
    names = first_names()
    for number, cell in enumerate(cells):
        run(cell, f"cell-{number}", names)
    every = {mistake.name: mistake for e in course.exercises.values() for mistake in e.mistakes}
    known = [every.get(one) or Mistake(one, "", "") for one in named]  # or one of any function
    looking = Looking(names.get(exercise.function), questions, SECONDS, known)
    looking.go_on(SECONDS)
    hint = looking.hint
    line.send_bytes(json.dumps((hint.where, hint.what) if hint else ("", "")).encode())


def _confine(course: Course) -> None:
    """Keep only what computing needs, and our own sources to read."""
    from tensorgrader.sandbox import confine, file_status, system_calls, zygote

    memory = confine.address_space() + zygote.MEMORY
    known = {path: os.stat(path) for path in sys.path if os.path.isdir(path)}
    sources = {path.parent for path in course.files}
    confine.drop_privileges()
    readable = [*zygote.libraries(), Path(__file__).parent, *sources]
    confine.restrict_files(readable, listable=[Path(sysconfig.get_path("stdlib"))])
    confine.limit_resources(memory, zygote.CPU_SECONDS)
    confine.isolate()
    file_status.by_opening(known)
    system_calls.restrict()
