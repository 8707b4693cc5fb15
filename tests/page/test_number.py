"""Numbers as readers write them, asked of Node."""

import pytest

from tests.page.node import asked


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8", 8), (" 0.25 ", 0.25), ("0,25", 0.25), ("500,500", 500_500), ("1,234.5", 1234.5),
        ("1/4", 0.25), ("25%", 0.25), ("−2", -2), ("-.5", -0.5), ("10 000", 10_000),
        ("1e-3", 0.001), ("0,125", 0.125),
    ],
)  # fmt: skip
def test_a_number_is_read_as_it_is_meant(text, number):
    assert asked(["number.js"], "numberIn(text)", text=text) == number


@pytest.mark.parametrize("text", ["", "four", "1/", "1/2/3", "%", "1/0"])
def test_what_is_no_number_is_none(text):
    assert asked(["number.js"], "Number.isFinite(numberIn(text))", text=text) is False
