"""Every page of the built book: quiet, self-contained, readable on a phone and without scripts."""

import gzip
import re
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.chromium import SCREENS, SITE

PAGES = sorted(
    page.relative_to(SITE).as_posix()
    for page in SITE.rglob("*.html")
    if "_static" not in page.parts and page.parent != SITE
)
WIDGET_PAGE = "book/attention.html"


def test_the_book_was_built():
    assert WIDGET_PAGE in PAGES, "no built book: run make html"


@pytest.mark.parametrize("name", PAGES)
def test_page_opens_without_a_complaint(open_page, site, name):
    page = open_page(f"{site}/{name}")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(300)
    assert page.locator("article h1").first.is_visible()
    assert page.locator("meta[name=description]").get_attribute("content")


@pytest.mark.parametrize("name", PAGES)
def test_page_fits_a_phone(open_page, served, name):
    page = open_page(f"{served}/{name}", **SCREENS["phone"])
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("name", PAGES)
def test_code_does_not_scroll_sideways_at_desktop_width(open_page, served, name):
    page = open_page(f"{served}/{name}")
    page.locator("details").evaluate_all("all => all.forEach(d => d.open = true)")
    wide = page.locator("pre").evaluate_all(
        """all => all.filter(pre => pre.scrollWidth > pre.clientWidth + 1)
                     .map(pre => pre.textContent)"""
    )
    assert not wide


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("name", PAGES)
def test_mathematics_is_drawn(open_page, served, name, scripts):
    page = open_page(f"{served}/{name}", java_script_enabled=scripts)
    formulas = page.locator("math:visible").all()
    source = (SITE / name).read_text("utf8")
    assert not re.search(r"\\\(|\\\[|\$\$|merror|katex-error", source)
    for formula in formulas:
        box = formula.bounding_box()
        assert box["width"] > 3
        assert box["height"] > 3
    if name == WIDGET_PAGE:
        assert len(formulas) > 5


def test_mathematics_is_drawn_in_its_font(open_page, site):
    page = open_page(f"{site}/{WIDGET_PAGE}")
    page.evaluate("document.fonts.ready.then(() => true)")
    loaded = page.evaluate("""[...document.fonts]
        .filter(font => font.status === "loaded").map(font => font.family)""")
    assert any("STIX Two Math" in family for family in loaded)


def test_without_scripts_a_still_picture_stands_for_the_widget(open_page, site):
    page = open_page(f"{site}/{WIDGET_PAGE}", java_script_enabled=False)
    still = page.locator(".tl-widget img").first
    assert still.is_visible()
    assert still.bounding_box()["height"] > 200
    assert len(still.get_attribute("alt")) > 80


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(open_page, served, name, scheme):
    page = open_page(f"{served}/{name}", color_scheme=scheme)
    page.add_style_tag(content="* { animation: none !important; transition: none !important; }")
    if name == WIDGET_PAGE:
        draw_widgets(page)
        page.locator("details").evaluate_all("all => all.forEach(d => d.open = true)")
    results = Axe().run(page, options={"preload": False})
    assert results.violations_count == 0, results.generate_report()


def draw_widgets(page):
    """Go to every widget of a page, so that it is drawn."""
    for widget in page.locator("[data-widget]").all():
        widget.scroll_into_view_if_needed()
        widget.locator(".tl-numbers").wait_for()


def weight(path):
    return len(gzip.compress(path.read_bytes(), mtime=0))


def test_the_page_is_light(open_page, served):
    page = open_page("about:blank")
    loaded = set()
    page.on("request", lambda r: r.url.startswith(served) and loaded.add(urlsplit(r.url).path))
    page.goto(f"{served}/{WIDGET_PAGE}")
    draw_widgets(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(500)
    files = {SITE / path.lstrip("/") for path in loaded}
    data = {path for path in files if path.name.endswith(".data.js")}
    ours = {path for path in files - data if path.parent == SITE / "_static/transformer_lab"}
    runtime = {path for path in ours if path.suffix in (".js", ".css")}
    shown = {"attention_explorer", "soft_dictionary", "scaling_explorer"}
    assert {path.name for path in data} == {f"{stem}.data.js" for stem in shown}
    assert {path.name for path in runtime} >= {"host.js", "widgets.css"}
    sizes = {path.name: weight(path) for path in files}
    assert sum(weight(path) for path in files - data) <= 600_000, sizes
    assert sum(map(weight, data)) <= 300_000, sizes
    assert sum(map(weight, runtime)) <= 20_000, sizes


def test_widget_data_is_not_loaded_before_the_widget_is_near(open_page, served):
    page = open_page("about:blank", viewport={"width": 1280, "height": 300})
    loaded = []
    page.on("request", lambda r: loaded.append(r.url))
    page.goto(f"{served}/{WIDGET_PAGE}")
    page.wait_for_timeout(300)
    assert not any(".data.js" in url for url in loaded)
    page.locator(".tl-widget").first.scroll_into_view_if_needed()
    page.locator(".tl-numbers").first.wait_for()
    assert any(".data.js" in url for url in loaded)
