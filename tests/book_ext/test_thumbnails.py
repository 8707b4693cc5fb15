"""The gallery's small pictures."""

import io

from bs4 import BeautifulSoup
from matplotlib.figure import Figure
from PIL import Image

from book._ext.thumbnails import (
    EMPTY,
    FOLDED,
    HIGH,
    WIDE,
    pictured,
    thumbnail,
)
from tests.chromium import SITE
from tests.parsed import parsed
from transformer_lab import widgets


def test_a_thumbnail_is_the_first_picture_alone_and_small():
    figure = Figure(figsize=(4, 2))
    first, second = figure.subplots(1, 2)
    first.set(facecolor="blue", title="words")
    second.set_facecolor("red")
    packed = thumbnail(figure)
    assert len(packed) < 10_000
    drawn = Image.open(io.BytesIO(packed)).convert("RGB")
    assert drawn.size == (WIDE, HIGH)
    red, _, blue = drawn.resize((1, 1)).getpixel((0, 0))
    assert blue > red + 40


def test_a_figure_of_words_has_one_too():
    figure = Figure(figsize=(4, 2))
    figure.text(0.1, 0.5, "Not installed.")
    assert Image.open(io.BytesIO(thumbnail(figure))).size == (WIDE, HIGH)


SECTION = (
    '<section id="b"><h2>One <b>x</b><a class="headerlink" href="#b"></a></h2>'
    '<div data-widget="one_head"></div></section>'
)


def test_a_card_leads_to_the_section_of_its_widget():
    body = f'<section id="a"><h1>All<a class="headerlink"></a></h1>{EMPTY}{SECTION}</section>'
    (card,) = BeautifulSoup(pictured(body), "html.parser").select("nav.tl-thumbnails a")
    assert card["href"] == "#b"
    assert card.text == "One x"
    assert card.img["src"].endswith("one_head.webp")


def test_a_chapter_shows_its_first_widget_beside_its_opening_question():
    second = SECTION.replace('"b"', '"c"')
    opening = f"<h1>A</h1>\n<blockquote>\n<p>How?</p></blockquote>\n{FOLDED}</details>"
    body = f"{opening}{SECTION}{second}"
    page = BeautifulSoup(pictured(body), "html.parser")
    assert [link["href"] for link in page.select("blockquote + nav.tl-ahead a")] == ["#b"]
    for missing in ("data-widget", "blockquote", FOLDED):
        other = body.replace(missing, "<p>")
        assert pictured(other) == other, missing


def test_the_gallery_begins_with_every_widget():
    gallery = parsed("book/gallery.html")
    images = gallery.select(".tl-thumbnails img")
    assert [image.get("fetchpriority") for image in images][5:7] == ["high", None]
    assert [image.get("loading") for image in images][5:7] == [None, "lazy"]
    pictures = [SITE / "book" / image["src"] for image in images]
    stems = {getattr(widgets, name).stem for name in widgets.__all__}
    assert {picture.stem for picture in pictures} == stems
    assert sum(picture.stat().st_size for picture in pictures) < 100_000
    assert all(gallery.find(id=card["href"][1:]) for card in gallery.select(".tl-thumbnails a"))


def test_a_chapter_that_opens_with_a_widget_shows_no_other():
    opening = f"<h1>A</h1>\n<blockquote>\n<p>How?</p></blockquote>\n{FOLDED}</details>"
    body = f'{opening}<div data-widget="one_head"></div>{SECTION}'
    assert pictured(body) == body
