"""What every notebook of the book keeps to."""

import ast
import re

import pytest

from tests.book.chapters import BOOK, CHAPTERS, STEMS, Chapter
from tests.chromium import SITE


@pytest.fixture(params=STEMS)
def chapter(request):
    return Chapter(request.param)


@pytest.mark.parametrize("stem", STEMS)
def test_every_picture_of_the_page_is_told_in_words(stem):
    page = (SITE / f"book/{stem}.html").read_text("utf8")
    shown = re.findall(r'<img (?![^>]*\.webp")[^>]*>', page)  # thumbnails have their names
    alts = [re.search(r'alt="([^"]*)"', tag) for tag in shown]
    assert all(alt and len(alt[1]) > 60 for alt in alts)
    assert len({alt[1] for alt in alts}) == len(alts)


@pytest.mark.parametrize("stem", STEMS)
def test_a_figure_shows_its_picture_and_not_what_its_last_line_returned(stem):
    page = (SITE / f"book/{stem}.html").read_text("utf8")
    drawn = re.findall(r'<div class="cell tag_hide-input.*?</figure>', page, re.DOTALL)
    assert [figure for figure in drawn if 'class="output text_plain' in figure] == []


def test_every_figure_has_a_caption(chapter):
    for number, alt in chapter.alts.items():
        assert len(alt) > 60
        assert chapter.cells[number + 1].source.startswith("*Figure: ")


def test_every_answer_can_be_opened(chapter):
    folds = len(chapter.predictions) + len(chapter.deep_dives)
    assert chapter.prose.count("<details") == chapter.prose.count("\n\n</details>") == folds
    begins = re.compile("(Predict|Recall): ")
    assert all(begins.match(text) and "?" in text for text in chapter.predictions)
    assert all(text.startswith("Deep dive: ") for text in chapter.deep_dives)


def test_no_heading_stands_in_a_fold_which_would_cut_it_open(chapter):
    depth = 0
    for part in re.split(r"(<details\b|</details>|^#+ )", chapter.prose, flags=re.MULTILINE):
        depth += (part == "<details") - (part == "</details>")
        assert depth == 0 or not part.startswith("#")
    assert depth == 0


@pytest.mark.parametrize("stem", CHAPTERS)
def test_what_is_asserted_stands_in_proofs_and_proofs_assert(stem):
    for cell in Chapter(stem).code:
        proof = cell.metadata.get("tags") == ["proof"]
        asserts = any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(cell.source)))
        assert proof == asserts, cell.source


def test_what_is_cited_has_an_address_and_what_has_an_address_is_cited():
    entries = re.findall(r"@\w+\{(\w+),(.*?)\n\}", (BOOK / "references.bib").read_text(), re.S)
    cited = {
        key
        for page in BOOK.glob("*.md")
        for keys in re.findall(r"\{cite:[tp]\}`([^`]+)`", page.read_text("utf8"))
        for key in keys.split(",")
    }
    assert cited == {key for key, _ in entries}
    assert all(re.search(r"\b(doi|url) = \{.+\}", fields) for _, fields in entries)
    assert len({key for key, _ in entries}) == len(entries)
