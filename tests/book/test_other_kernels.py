"""The pages' claims on other machines: their cells, with sums that are rounded otherwise.

Which kernels PyTorch and MKL take depends on the processor: a model trained elsewhere differs.
"""

import nbformat
import pytest

from tests.book.chapters import STEMS
from tests.test_exercises import run
from transformer_lab.publish.notebooks import read_notebook

pytestmark = [pytest.mark.notebook, pytest.mark.slow]
#: The kernels of processors that know neither AVX nor AVX-512.
OLD = {
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OMP_NUM_THREADS": "1",
}


@pytest.mark.parametrize("stem", STEMS)
def test_every_claim_holds_with_the_kernels_of_an_old_processor(tmp_path, monkeypatch, stem):
    for name, value in OLD.items():
        monkeypatch.setenv(name, value)
    nbformat.write(read_notebook(f"book/{stem}"), tmp_path / "page.ipynb")
    done = run("nbconvert", "--execute", "--to", "notebook", "page.ipynb", folder=tmp_path)
    assert done.returncode == 0, done.stderr
