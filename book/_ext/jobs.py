"""Long jobs before the pages are read: a few at a time, with their progress."""

import asyncio
import os
import time
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

AT_ONCE = min(2, os.cpu_count() or 1)  # more would need more memory than a small machine has
#: The event in which the parts of this extension return their jobs, as lists, for pages to read.
EVENT = "transformer-lab-jobs"
#: A job's function: it may use the given processes, and returns whether it worked.
Do = Callable[[Executor], Coroutine[Any, Any, bool]]


@dataclass(frozen=True)
class Job:
    """A long job: its name, its estimated seconds, and its function."""

    name: str
    seconds: float
    do: Do


def cache(app: Any) -> Path:
    """Return the folder of npm's packages, and of what was packed for exercises."""
    return Path(app.outdir).parent / "cache/page"


def elsewhere(function: Callable, *arguments: Any) -> Do:
    """Return a job's function that runs in another process."""

    async def do(pool: Executor) -> bool:
        await asyncio.get_running_loop().run_in_executor(pool, function, *arguments)
        return True

    return do


def progress(number: int, of: int, what: str, elapsed: float, share: float) -> str:
    """Return a message on one of many jobs, the progress, and the time left."""
    left = elapsed * (1 - share) / share / 60
    rest = f"about {left:.1f} minutes left" if left else "all done"
    return f"[{number:2} of {of}] {what}, {rest}"


async def do_all(jobs: Collection[Job]) -> None:
    """Run the jobs, a few at a time, the longest first, and print the progress.

    Raises RuntimeError that names the job, if one raises an error.
    """
    places, begun, ended = asyncio.Semaphore(AT_ONCE), time.monotonic(), count(1)
    left = {job: job.seconds for job in jobs}
    everything = sum(left.values())

    async def do_one(job: Job, pool: Executor) -> None:
        async with places:
            start = time.monotonic()
            left[job] /= 2  # a running job counts as half done
            try:
                word = "took" if await job.do(pool) else "failed after"
            except Exception as error:
                raise RuntimeError(f"{job.name}: {error}") from error
            now, left[job] = time.monotonic(), 0
            share = 1 - sum(left.values()) / everything
            what = f"{job.name} {word} {now - start:.0f} s"
            print(progress(next(ended), len(jobs), what, now - begun, share), flush=True)

    with ProcessPoolExecutor(AT_ONCE, get_context("spawn")) as pool:
        longest_first = sorted(jobs, key=lambda job: job.seconds, reverse=True)
        await asyncio.gather(*(do_one(job, pool) for job in longest_first))


def _do(app: Any, _env: Any, names: list[str]) -> None:
    """Run the jobs needed before these pages are read."""
    if jobs := [job for given in app.emit(EVENT, names) for job in given]:
        print(f"{len(jobs)} jobs, {AT_ONCE} at a time: some minutes.", flush=True)
        asyncio.run(do_all(jobs))


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.add_event(EVENT)
    app.connect("env-before-read-docs", _do)
