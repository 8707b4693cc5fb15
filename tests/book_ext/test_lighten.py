"""The theme's style sheet loses the rules that no page needs, and no others."""

import re

import pytest

from book._ext import fonts, lighten, theme
from book._ext.lighten import NEVER_LOADED, SHEETS, TOGETHER, UNCOLOURED, WHOLE, purge
from tests.chromium import SITE

USED = {"here", "also", "this"}


@pytest.mark.parametrize(
    "style",
    [
        ".here{color:red}", "#this{color:red}", "p>a:hover{color:red}",
        ".here.also:not(.gone){color:red}", '[class*="gone"]{color:red}', ":root{--x:.gone}",
        "@media print{.here{color:red}}", "@container (width>1px){.here{color:red}}",
        "@keyframes gone{to{color:red}}",
        '@font-face{src:url("data:font")}', "/*! Licence: .gone */",
    ],
)  # fmt: skip
def test_a_rule_that_may_apply_stays_as_it_is(style):
    assert purge(style, USED) == style


@pytest.mark.parametrize(
    "style",
    [
        ".gone{color:red}", "#here #gone{color:red}", ".here>.gone:hover{color:red}",
        "@media print{.gone{color:red}}", "/* .here */", '@charset "UTF-8";',
        '@font-face{src:url("../vendor/webfonts/a.ttf")}',
    ],
)  # fmt: skip
def test_a_rule_that_never_applies_goes(style):
    assert purge(style, USED) == ""


def test_the_built_book_holds_one_sheet_and_nothing_that_no_page_loads():
    static = SITE / "_static"
    assert (static / TOGETHER).is_file(), "no built book: run make html"
    together = (static / TOGETHER).read_text("utf8")
    assert len(together) < 180_000
    whole = [sheet for part in WHOLE for sheet in static.glob(part)]
    assert {sheet.name for sheet in whole} == {"widgets.css", "exercises.css", "html.css"}
    named = {
        name for sheet in whole for name in re.findall(r"\.(tl-[\w-]+)", sheet.read_text("utf8"))
    }
    assert all(f".{name}" in together for name in named)
    assert not [path for pattern in (*NEVER_LOADED, *SHEETS) for path in static.glob(pattern)]
    scripts = "".join(path.read_text("utf8") for path in static.rglob("*.js"))
    assert "sourceMappingURL" not in scripts


def test_a_build_that_had_nothing_to_write_leaves_all_as_it_is(tmp_path):
    """Sphinx then copies nothing anew; the theme still writes its colours of code."""
    static = tmp_path / "_static"
    static.mkdir()
    (static / TOGETHER).write_text(".here{color:red}")
    (static / "pygments.css").write_text(".code{color:red}")
    theme.write(tmp_path)
    fonts.write(tmp_path, [])
    lighten.lighten(tmp_path, [])
    assert (static / TOGETHER).read_text() == ".here{color:red}"
    assert [path.name for path in static.glob("*.css")] == [TOGETHER]


@pytest.mark.parametrize("theme_", ["html:not([data-theme=dark])", "html[data-theme=dark]"])
def test_what_loses_its_element_in_code_had_the_colour_of_the_rest(theme_):
    code = f"{theme_} .highlight"
    together = (SITE / "_static" / TOGETHER).read_text("utf8")
    (rest,) = re.findall(rf"{re.escape(code)}\{{[^}}]*\bcolor:([^;}}]+)", together)
    names = re.findall(r"\w+", UNCOLOURED.pattern.split(":")[1].split(")")[0])
    assert "n" in names
    for name in names:
        assert {*re.findall(rf"{re.escape(code)} \.{name}\{{color:([^;}}]+)", together)} <= {rest}
    assert UNCOLOURED.sub(r"\1", '<span class="n">x</span><span class="o">=</span>') == (
        'x<span class="o">=</span>'
    )
