"""The gallery's small pictures."""

import io

from matplotlib.figure import Figure
from PIL import Image

from book._ext.thumbnails import HIGH, WIDE, thumbnail
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
