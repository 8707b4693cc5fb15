"""The example of examples/, a plain Sphinx site: built, and its tasks solved, in Chromium."""

import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tensorgrader.__main__ import main
from tests.browser.test_laboratory import Laboratory
from tests.conftest import ROOT

EXAMPLE = ROOT / "examples"
ERROR = "    error = slope * x + intercept - y\n"
LOSS = "def loss(x, y, slope, intercept):\n    return ((slope * x + intercept - y) ** 2).{}()\n"
GRADIENT = f"""def gradient(x, y, slope, intercept):
{ERROR}    return (2 * error{{}}).mean(), (2 * error).mean()
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """Build the example, with npm's packages of the book; give its folder."""
    out = tmp_path_factory.mktemp("example")
    cache = f"tensorgrader_cache={ROOT / '_build/cache/page'}"
    build = [sys.executable, "-m", "sphinx", "-W", "-q", "-D", cache, EXAMPLE, out]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.slow  # packs Python for a site of its own; pages of the book judge alike
def test_the_example_judges_right_and_wrong_answers(open_page, example, tmp_path, monkeypatch):
    page = open_page(f"{example.as_uri()}/line.html")
    lab = Laboratory(page, "line")
    lab.write("loss", LOSS.format("sum"))
    expect(lab.run("loss")).to_contain_text("The errors are added up, not averaged")
    lab.write("loss", LOSS.format("mean"))
    expect(lab.run("loss")).to_contain_text("loss is right")
    lab.write("gradient", GRADIENT.format(""))
    link = lab.run("gradient").locator(".tl-card a")
    expect(link).to_have_attribute("href", "downhill.html?from=line-gradient#a-step")

    with page.expect_download() as download:
        page.get_by_role("button", name="Save as notebook").click()
    path = tmp_path / "line.ipynb"
    download.value.save_as(path)
    monkeypatch.chdir(EXAMPLE / "course")
    assert main(["grade", "--json", str(path)]) == 1
    link.click()
    page.get_by_role("link", name="Back to your answer").click()
    expect(page).to_have_url(re.compile(r"line\.html#line-gradient$"))
    lab.write("gradient", GRADIENT.format(" * x"))
    expect(lab.run("gradient")).to_contain_text("gradient is right")
