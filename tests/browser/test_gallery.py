"""The gallery in the built book: all widgets on one page, none loaded before it comes near."""

from urllib.parse import urlsplit

from book._ext.widgets import SHEET, stems
from tests.browser.test_pages import weight
from tests.chromium import SETTLED, SITE
from tests.widget_pages import KINDS
from transformer_lab.widgets._page import DRAWN

FOLDER = "/_static/transformer_lab/"


def test_all_widgets_come_one_by_one(open_page, served):
    page = open_page("about:blank", viewport={"width": 1280, "height": 500})
    loaded = []
    page.on("request", lambda r: loaded.append(urlsplit(r.url).path))

    def runtime():  # every_page.js is every page's, and has a bound of its own
        return {path for path in loaded if FOLDER in path and path.endswith((".js", ".css"))}

    def fetched():
        return {path.split("/")[-1][: -len(".data.js")] for path in loaded if ".data.js" in path}

    page.goto(f"{served}/book/gallery.html")
    places = page.locator("[data-widget]")
    assert {place.get_attribute("data-widget") for place in places.all()} == {*KINDS}
    assert not fetched()  # the pictures are in sight, no widget is
    pictures = page.locator(".tl-thumbnails img").evaluate_all("all => all.map(i => i.src)")
    assert {src.split("/")[-1].removesuffix(".webp") for src in pictures} == {*KINDS}
    places.first.evaluate("it => scrollTo(0, it.getBoundingClientRect().top - innerHeight + 9)")
    places.first.locator(".tl-numbers").wait_for()
    page.evaluate(SETTLED)
    assert len(fetched()) <= 2
    scripts = {path for path in runtime() if not path.endswith((".data.js", "/every_page.js"))}
    assert sum(weight(SITE / path.lstrip("/")) for path in scripts) <= 30_000
    for place in places.all():
        place.scroll_into_view_if_needed()
        place.locator(".tl-numbers").wait_for()
    assert fetched() == {*KINDS}


def test_a_page_has_one_sheet_for_its_widgets_and_in_it_the_rules_of_each():
    drawn = {path.stem for path in DRAWN.glob("*.css")}
    found = 0
    for path in SITE.glob("[be]*/*.html"):
        page = path.read_text("utf8")
        for stem in drawn.intersection(stems(page)):
            [sheet] = SHEET.findall(page)
            rules = (SITE / FOLDER.lstrip("/") / sheet).read_text("utf8")
            assert f"(.tl-{stem.replace('_', '-')})" in rules, (path, stem)
            found += 1
    assert found > len(drawn) / 2
