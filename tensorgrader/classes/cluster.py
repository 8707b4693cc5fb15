"""Grade a class on the machines of a dask cluster: needs the extra `cluster`.

A dask worker grades its students as a process of the local pool does: it starts a zygote of its own
as a new program, which its threads can't harm, and runs no learner's code.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from tensorgrader.classes.grade_class import Pool
from tensorgrader.course import Course


class ClusterError(RuntimeError):
    """There is no cluster to grade on; the message says why and how to fix it."""


@contextmanager
def cluster_pool(course: Course, address: str) -> Iterator[Pool]:
    """Return the pool of a cluster's workers. Raises ClusterError if there are none."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise ClusterError(
            "a cluster needs dask, which comes with the wheel's extra: pip install "
            f"'{course.wheel}[cluster]'"
        ) from None
    try:
        client = Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no scheduler answers at {address} ({error}). `dask scheduler` starts one and prints "
            "its address."
        ) from None
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ClusterError(
                f"the scheduler at {address} has no workers: `dask worker {address}` starts some."
            )
        yield Pool(lambda: _executor(client), 2 * threads)


@contextmanager
def _executor(client: Any) -> Iterator[Executor]:
    """Return an executor that cancels its students if something goes wrong."""
    executor = client.get_executor(pure=False)
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False)
        raise
    executor.shutdown()
