"""The page of licences names what is shipped, and the notices are where it says."""

import re

import pytest

from tests.chromium import SITE
from tests.conftest import ROOT

PAGE = (ROOT / "book/licences.md").read_text("utf8")
MODEL = r"^# (\S+?),? .*, (\d+ MB): weights (\S+), package (\S+?)\.?$(?:\n#.*)*\n(\S+)=="
MODELS = re.findall(MODEL, (ROOT / "requirements-pretrained.txt").read_text("utf8"), re.MULTILINE)


def test_every_model_that_is_installed_stands_there_with_its_size_and_its_licences():
    assert len(MODELS) == 3
    for name, size, weights, package, distribution in MODELS:
        (row,) = re.findall(rf"^\| `{distribution}`, {size} \| (.+) \|$", PAGE, re.MULTILINE)
        carried, *licences = row.split(" | ")
        assert name in carried
        assert licences == [weights.replace("-", " "), package.replace("-", " ")]


@pytest.mark.parametrize(
    ("file", "whose"),
    [
        ("fonts-notices.txt", ["Source Serif", "Source Sans", "STIX", "Font Awesome", "OPEN FONT"]),
        ("page-notices.txt", ["Sphinx", "PyData", "book-theme", "copybutton", "BSD", "MIT"]),
        (
            "transformer_lab/page/notices.txt",
            ["pyodide", "@codemirror/", "@lezer/", "MIT", "2001 Python"],
        ),
        (
            "transformer_lab/words/notices.txt",
            ["MiniLM", "Bergamot", "Mozilla Public", "Grant of Patent License"],
        ),
    ],
)
def test_notices_lie_where_the_page_says(file, whose):
    assert f"`_static/{file}`" in PAGE
    notice = " ".join((SITE / "_static" / file).read_text("utf8").lower().split())
    assert all(one.lower() in notice for one in whose)
