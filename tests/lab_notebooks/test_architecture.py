"""The drawing of the whole model: it leads somewhere, tells where one is, and fits."""

from xml.etree import ElementTree

from lab_notebooks.architecture import drawing
from lab_notebooks.sources import sources


def links(page):
    svg = ElementTree.fromstring(drawing(page, lambda target: target))
    return [(a.get("href"), "".join(a.itertext()), a.get("class")) for a in svg.iter("a")]


def test_every_part_leads_to_a_section_that_is_there():
    for to, name, _ in links("index"):
        stem, _, label = to.partition("#")
        text = sources()[f"book/{stem}"].read_text("utf8")
        assert name
        assert not label or f"\n({label})=\n" in text, to
