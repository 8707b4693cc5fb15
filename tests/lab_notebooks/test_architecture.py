"""The drawing of the whole model: it leads somewhere, tells where one is, and fits."""

import re
from xml.etree import ElementTree

import pytest

from lab_notebooks.architecture import DECODER, ENCODER, HEIGHT, WIDTH, drawing, inside
from lab_notebooks.notebooks import read_notebook
from lab_notebooks.sources import sources
from tests.book.test_chapters import CHAPTERS


def links(page):
    """Give each link's target, its words, and its class."""
    svg = ElementTree.fromstring(drawing(page, lambda target: target))
    return [(a.get("href"), "".join(a.itertext()), a.get("class")) for a in svg.iter("a")]


def test_every_part_leads_to_a_section_that_is_there():
    for to, name, _ in links("index"):
        stem, _, label = to.partition("#")
        text = sources()[f"book/{stem}"].read_text("utf8")
        assert name
        assert not label or f"\n({label})=\n" in text, to


def test_it_leads_to_every_chapter():
    assert {to.partition("#")[0] for to, _, _ in links("index")} == {*CHAPTERS, "whole_model"}


@pytest.mark.parametrize(
    ("page", "filled"),
    [
        ("attention", {"attention", "cross-attention"}),
        ("masking", {"mask", "what was hidden"}),
        ("multi_head", {"heads"}),
        ("positional_encoding", {"positions"}),
        ("norm", {"add & norm", "feed-forward"}),
        ("full_model", {"embedding", "output", "a text", "the text so far", "the next token"}),
        ("whole_model", {"decoder: writes (GPT)"}),
        ("index", set()),
    ],
)
def test_what_a_page_is_about_is_filled(page, filled):
    assert {name for _, name, kind in links(page) if kind == "tl-here"} == filled


def test_boxes_stand_apart_and_inside_the_picture():
    boxes = [*ENCODER, *DECODER]
    for n, one in enumerate(boxes):
        assert 0 <= one.x <= WIDTH - one.width
        assert 0 <= one.y <= HEIGHT - one.height
        for other in boxes[n + 1 :]:
            apart = one.x + one.width < other.x or other.x + other.width < one.x
            assert apart or one.y + one.height < other.y or other.y + other.height < one.y
    for box in (ENCODER[2], DECODER[2]):
        assert all(part.x + part.width < box.x + box.width for part in inside(box))


@pytest.mark.parametrize("stem", CHAPTERS)
def test_every_chapter_says_where_it_is_before_it_begins(stem):
    """On the page it is a block; a notebook has it as a picture, folded but in the last chapter."""
    head = sources()[f"book/{stem}"].read_text("utf8").partition("**You need**")[0]
    assert head.count("```{architecture}\n") == 1
    cells = [cell.source for cell in read_notebook(f"book/{stem}").cells]
    (told,) = [text for text in cells if "](data:image/svg+xml;base64," in text]
    assert "{architecture}" not in "".join(cells)
    assert ("<details><summary>Where this chapter is" in told) == (stem != "full_model")
    assert re.search(r"!\[The Transformer, read from below\. Two towers\.[^\]]+\]\(data:", told)
