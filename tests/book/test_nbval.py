"""The pages as notebooks: run by nbconvert, then by nbval, which wants the same outputs again."""

import nbformat
import pytest

from lab_notebooks.notebooks import read_notebook
from lab_notebooks.sources import sources
from tests.exercises.test_notebooks import cells_by_verdict, run

pytestmark = [pytest.mark.notebook, pytest.mark.slow]
PAGES = [name for name in sources() if name.startswith("book/")]
#: A training's progress bar tells seconds, the one thing that may differ.
BARS = "[bars]\nregex: \\d+%\\|.*\nreplace: a progress bar\n"


@pytest.mark.parametrize("page", PAGES)
def test_every_cell_passes_and_prints_what_it_printed_before(tmp_path, page):
    path, bars = tmp_path / "page.ipynb", tmp_path / "bars.cfg"
    nbformat.write(read_notebook(page), path)
    bars.write_text(BARS, "utf8")
    done = run(
        "nbconvert", "--execute", "--inplace", "--to", "notebook", path.name, folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    _, failed = cells_by_verdict(path, f"--nbval-sanitize-with={bars}")
    assert not failed
