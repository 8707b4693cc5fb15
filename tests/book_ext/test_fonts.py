"""The fonts hold what the pages need, and little else."""

import io

import pytest
from fontTools.ttLib import TTFont

from book._ext import theme
from book._ext.fonts import TEXT, carried, cut, face, in_formulas, mathematics


def test_the_cut_font_keeps_characters_and_the_means_to_stretch_them():
    data = cut(mathematics(), "(√𝑄")
    font = TTFont(io.BytesIO(data))
    assert set("(√𝑄") <= set(map(chr, font.getBestCmap())) <= set("()√𝑄")
    assert "MATH" in font
    assert font["MATH"].table.MathVariants.VertGlyphCount >= 2
    assert len(data) < 30_000
    assert "base64," in face("F", "400", "normal", data)


@pytest.mark.parametrize("name", TEXT)
def test_a_face_of_the_text_is_small_and_bold_without_another_file(name):
    package, file, axes = TEXT[name]
    data = cut(carried(package, f"files/{file}"), map(chr, range(32, 127)), axes)
    font = TTFont(io.BytesIO(data))
    assert set("Qf&7") <= set(map(chr, font.getBestCmap()))
    known = font["fvar"].axes if "fvar" in font else []
    kept = {axis.axisTag: (axis.minValue, axis.maxValue) for axis in known}
    assert kept == {axis: ends for axis, ends in axes.items() if isinstance(ends, tuple)}
    assert len(data) < 32_000
    assert f'"{name[0]}"' in (theme.HERE / "assets/type.css").read_text("utf8")


def test_a_formula_needs_a_letter_as_it_is_drawn():
    formula = '<math><mi>Q</mi><mo>⋅</mo><mi>tanh</mi><mi mathvariant="normal">d</mi></math>'
    assert in_formulas(f"<p>K</p>{formula}<p>V</p>") == set("𝑄⋅tanhd")
