"""The fonts hold what the pages need, and little else."""

import io
import re

import matplotlib.pyplot as plt
import pytest
from fontTools.ttLib import TTFont
from matplotlib.font_manager import fontManager

from book._ext import theme
from book._ext.fonts import (
    TEXT,
    carried,
    cut,
    face,
    in_formulas,
    in_icons,
    mathematics,
    write_faces_of_figures,
)
from transformer_lab import plots


def test_formulas_need_their_letters_also_in_italics():
    page = "<p>none of these</p><math><mi>Q</mi><mo>&lt;</mo><mi>h</mi><mn>7</mn></math>"
    assert in_formulas(page) == set("Q<h7") | {"𝑄", "ℎ"}


@pytest.mark.parametrize("name", ["moon", "night"])
def test_icons_are_found_by_any_of_their_classes(name):
    styles = r'.fa-bars:before{content:"\f0c9"}.fa-moon:before,.fa-night:before{content:"\f186"}'
    assert in_icons(f'<i class="fa-solid fa-{name}"></i>', styles) == {"\uf186"}


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


@pytest.mark.parametrize("built", [True, False])
def test_figures_are_drawn_in_the_page_s_sans_where_it_is(built, tmp_path, monkeypatch, caplog):
    monkeypatch.delenv("TRANSFORMER_LAB_FACES", raising=False)
    if built:
        write_faces_of_figures(tmp_path)
        monkeypatch.setenv("TRANSFORMER_LAB_FACES", str(tmp_path))
    monkeypatch.setattr(fontManager, "ttflist", [*fontManager.ttflist])
    drawn = io.StringIO()
    with plt.rc_context():
        plots.use_book_style()
        figure = plt.figure()
        figure.text(0, 0, "The cat sat → −0.5 ✓")
        figure.text(0, 0.5, r"$d_k$ and $QK^\top/\sqrt{d_k} \approx 10^{-3}$, $\mathbf{x}$")
        figure.text(0, 0.9, "bold", weight="bold")
        figure.savefig(drawn, format="svg")
        plt.close(figure)
    faces = set(re.findall(r'<path id="([\w-]+)-', drawn.getvalue()))
    assert not caplog.records, "no face is looked for in vain"
    ours = {f"SourceSans3-{style}" for style in ("regular", "bold", "italic")}
    assert (faces >= ours, "DejaVuSans" in faces) == (built, not built)
