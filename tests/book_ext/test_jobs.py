"""What takes long is done a few at a time, the longest first, and told."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from book._ext.jobs import Job, do_all, elsewhere


def done(jobs):
    """Do jobs in a thread: the browser's loop may run in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, do_all(jobs)).result()


def test_the_longest_is_first_and_one_that_fails_is_told(capsys, monkeypatch):
    monkeypatch.setattr("book._ext.jobs.AT_ONCE", 1)
    begun = []

    def job(name, seconds, works=True):
        async def do(_pool):
            begun.append(name)
            return works

        return Job(name, seconds, do)

    done([job("small", 1), job("broken", 2, works=False), job("large", 3)])
    assert begun == ["large", "broken", "small"]
    told = capsys.readouterr().out.splitlines()
    assert "broken failed" in told[1]
    assert "3 of 3] small" in told[2]


def note_the_process(file):
    file.write_text(str(os.getpid()))


def test_a_function_is_called_in_another_process(tmp_path):
    file = tmp_path / "process"
    done([Job("note", 1, elsewhere(note_the_process, file))])
    assert int(file.read_text()) != os.getpid()


def test_an_error_is_told_as_it_is_with_the_name_of_its_job():
    async def do(_pool):
        raise ValueError("the file is damaged")

    with pytest.raises(RuntimeError, match=r"some model: .*damaged"):
        done([Job("some model", 1, do)])
