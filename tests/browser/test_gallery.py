"""The gallery in the built book: all widgets on one page, none loaded before it comes near."""

from urllib.parse import urlsplit

from tests.browser.test_pages import weight
from tests.chromium import SETTLED, SITE
from tests.widget_pages import KINDS

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
