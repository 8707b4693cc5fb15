"""The page's GPT, run by Node: no browser is needed."""

from functools import partial
from pathlib import Path

import pytest

from book._ext.training import SOURCES, kernels
from tests.page.node import answered

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("train")
    (folder / "kernels.wasm").write_bytes(kernels())
    return folder


@pytest.fixture(scope="session")
def ask(folder):
    return partial(answered, HERE / "answer.js", folder, SOURCES)
