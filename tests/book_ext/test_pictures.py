"""Figures have their room on the page before they are there."""

import pytest

from book._ext.pictures import roomy, size

SIZES = {"a.svg": (576, 288), "b.svg": (100, 50)}


@pytest.mark.parametrize(
    ("svg", "expected"),
    [
        ('<?xml?><svg width="432pt" height="216.1pt" viewBox="0 0 1 1">', (576, 288)),
        ('<svg viewBox="0 0 9 9" height="50" width="100px">', (100, 50)),
        ('<svg viewBox="0 0 9 9" stroke-width="2"><rect width="3" height="4"/>', None),
        ('<svg width="100%" height="50">', None),
    ],
)
def test_a_size_is_read_in_the_pixels_of_the_page(svg, expected):
    assert size(svg) == expected


def test_each_figure_gets_its_room_a_large_one_is_marked_and_all_but_the_first_wait():
    image = '<img alt="{0}" src="../_images/{0}.svg" />'
    body = roomy("<p>" + "".join(map(image.format, "acb")) + '<img src="x.png"/>', SIZES)
    assert body == (
        '<p><img width="576" height="288" class="tl-large" alt="a" src="../_images/a.svg" />'
        '<img alt="c" src="../_images/c.svg" />'
        '<img width="100" height="50" loading="lazy" alt="b" src="../_images/b.svg" />'
        '<img src="x.png"/>'
    )
