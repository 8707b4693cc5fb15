"""The pictures for shared addresses."""

import io

from PIL import Image

from book._ext.cards import HEIGHT, WIDTH, card


def test_a_card_is_small_and_the_same_each_time_and_says_its_title():
    drawn = card("Masking", "Transformer Lab")
    assert drawn == card("Masking", "Transformer Lab") != card("Norms", "Transformer Lab")
    image = Image.open(io.BytesIO(drawn))
    assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))
    assert len(drawn) < 40_000
