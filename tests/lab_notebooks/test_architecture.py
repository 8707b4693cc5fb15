"""The drawing of the whole model: it leads somewhere, tells where one is, and fits."""

from xml.etree import ElementTree

import pytest

from lab_notebooks.architecture import drawing
from lab_notebooks.sources import sources


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
