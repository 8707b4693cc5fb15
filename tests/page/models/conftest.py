"""The models of the page, packed once, and run by Node: no browser is needed."""

from functools import partial
from pathlib import Path

import pytest

from book._ext import packed_models as packed
from book._ext.models import kernel
from tests.page.node import answered

HERE = Path(__file__).parent
MODULES = Path(packed.__file__).parents[2] / "page/models"


@pytest.fixture(scope="session")
def ask(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packed")
    files = packed.packed_gpt() | packed.packed_minilm() | packed.packed_translator()
    files |= packed.pieces_of_minilm() | packed.pieces_of_translator() | packed.pieces_of_smollm2()
    files |= {"linear.wasm": kernel()}
    for name, content in files.items():
        (folder / name).write_bytes(content)

    return partial(answered, HERE / "answer.js", folder, MODULES)
