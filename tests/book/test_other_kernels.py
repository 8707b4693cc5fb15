"""The pages' claims on other machines: their cells, with sums that are rounded otherwise.

Which kernels PyTorch and MKL take depends on the processor: a model trained elsewhere differs. So
it does if its training begins a rounding away, which shows more than the kernels of one machine.
"""

import nbformat
import pytest

from lab_notebooks.notebooks import read_notebook
from tests.book.chapters import STEMS
from tests.exercises.test_notebooks import run

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
    executed(read_notebook(f"book/{stem}"), tmp_path)


def executed(page, folder):
    """Run a page's cells, of which none may fail."""
    nbformat.write(page, folder / "page.ipynb")
    done = run("nbconvert", "--execute", "--to", "notebook", "page.ipynb", folder=folder)
    assert done.returncode == 0, done.stderr
