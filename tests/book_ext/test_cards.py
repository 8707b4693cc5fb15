"""The pictures for shared addresses."""

import io
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from book._ext.cards import HEIGHT, WIDTH, card, kept_card

ROOT = Path(__file__).parents[2]


def test_a_card_is_small_and_the_same_each_time_and_says_its_title():
    drawn = card("Masking", "Transformer Lab")
    assert drawn == card("Masking", "Transformer Lab") != card("Norms", "Transformer Lab")
    image = Image.open(io.BytesIO(drawn))
    assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))
    assert len(drawn) < 40_000


def test_a_card_is_kept_for_its_title_and_its_book(tmp_path):
    folder = tmp_path / "cards"
    for title, book in [("Norms", "Ours"), ("Norms", "Theirs"), ("Masking", "Ours")]:
        assert kept_card(folder, title, book) == card(title, book)
    kept = [*folder.iterdir()]
    assert len(kept) == 3
    for file in kept:
        file.write_bytes(b"from before")
    assert kept_card(folder, "Norms", "Ours") == b"from before"


TITLES = [
    re.search(r"^# (.+)$", page.read_text("utf8"), re.MULTILINE)[1]
    for room in ("book", "exercises")
    for page in (ROOT / room).glob("*.md")
]


@pytest.mark.parametrize("by", [lambda line: len(max(textwrap.wrap(line, 16), key=len)), len])
def test_the_longest_titles_have_room_beside_the_map(by):
    with_title, without = (
        np.asarray(Image.open(io.BytesIO(card(title, ""))).convert("L")).astype(int)
        for title in (max(TITLES, key=by), "")
    )
    rows, columns = np.nonzero(np.abs(with_title - without) > 60)
    assert 0 < columns.max() < 0.54 * WIDTH
    assert rows.max() < 0.95 * HEIGHT
