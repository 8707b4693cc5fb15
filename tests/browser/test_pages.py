"""Every page of the built book: quiet, light, still, readable on a phone and without scripts."""

import gzip
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser.axe import complaints_in_both_themes
from tests.chromium import BEYOND, SCREENS, SETTLED, SITE, WATCHED, opener
from tests.course import CHAPTERS
from tests.sweeps import few

PAGES = sorted(
    page.relative_to(SITE).as_posix()
    for page in SITE.rglob("*.html")
    if "_static" not in page.parts and page.parent != SITE
)
WIDGET_PAGE = "book/attention.html"
DESKTOP = SCREENS["desktop"]["viewport"]
#: One of each kind, where a page is like the others of its kind; those are for `make test-full`.
KINDS = {"book/index.html", WIDGET_PAGE, "exercises/attention.html"}
OF_EACH_KIND = few(PAGES, *KINDS)
#: The smallest that has all that a chapter has. axe looks at every word.
SMALL = "book/from_text_to_loss.html"
#: The pages with most on them: pictures, formulas, widgets.
LARGE = KINDS | {f"book/{stem}.html" for stem in ("gallery", "whole_model", *CHAPTERS)} | {SMALL}


def test_the_book_was_built():
    assert WIDGET_PAGE in PAGES, "no built book: run make html"


OPEN = "all => all.forEach(details => { details.open = true; })"
SHOWN = """all => all.filter(it => it.checkVisibility()).map(it => {
    const { width, height } = it.getBoundingClientRect();
    return [it.textContent, width, height];
})"""
SQUASHED = """all => all.filter(img => {
    const [width, height] = ["width", "height"].map(side => img.getAttribute(side));
    return Math.abs(img.offsetWidth / img.offsetHeight - width / height) > 0.05;
}).map(img => img.src)"""
TOO_WIDE = """all => all.filter(formula => !formula.closest("table")
    && formula.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map(formula => formula.textContent)"""
SIDEWAYS = "all => all.filter(pre => pre.scrollWidth > pre.clientWidth + 1).map(p => p.textContent)"


@dataclass
class Visit:
    """A page that was opened, what it asked the server for, and how far it moved by itself."""

    name: str
    page: Page
    asked: set[str]
    shift: float


def visited(open_, site, name):
    """Open a page and read it to its end."""
    page, asked = open_("about:blank"), set()
    page.on("request", lambda r: r.url.startswith(site) and asked.add(urlsplit(r.url).path))
    page.add_init_script(WATCHED)
    page.goto(f"{site}/{name}")
    page.evaluate(SETTLED)
    at_first = {*asked}
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate(SETTLED)
    return Visit(name, page, at_first, page.evaluate("shift()"))


@pytest.fixture(scope="module", params=few(PAGES, *LARGE))
def visit(request, chromium, served):
    """Each page, opened once for everything that is asked of it; whatever goes wrong is told."""
    troubles = []
    with opener(chromium, troubles) as open_:
        yield visited(open_, served, request.param)
    assert not troubles, f"{request.param}: {troubles}"


def opens_quietly(visit):
    assert visit.shift <= 0.02, f"{visit.name} moves by itself"
    assert visit.page.locator("article h1").first.is_visible()


def test_page_is_light_and_still(visit):
    opens_quietly(visit)
    sizes = {path: weight(SITE / path[1:]) for path in visit.asked if ".data.js" not in path}
    widgets = visit.page.locator("[data-widget]").count()
    assert sum(sizes.values()) <= (450_000 if widgets else 300_000), f"{visit.name}: {sizes}"


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_page_opens_from_its_folder(open_page, name):
    opens_quietly(visited(open_page, SITE.as_uri(), name))


def test_mathematics_and_code_have_room(visit):
    page, name = visit.page, visit.name
    page.set_viewport_size(DESKTOP)
    page.locator("details").evaluate_all(OPEN)
    formulas_have_room(page, name)
    wide = page.locator("pre").evaluate_all(SIDEWAYS)
    assert not wide, f"{name}: code scrolls sideways on a desktop"


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_mathematics_needs_no_scripts(open_page, served, name):
    formulas_have_room(open_page(f"{served}/{name}", java_script_enabled=False), name)


def formulas_have_room(page, name):
    source = re.sub(r"<pre>.*?</pre>", "", (SITE / name).read_text("utf8"), flags=re.DOTALL)
    assert not re.search(r"\\\(|\\\[|\$\$|merror|katex-error", source)
    formulas = page.locator("math").evaluate_all(SHOWN)
    squashed = [text for text, *size in formulas if min(size) <= 3]
    assert not squashed, f"{name}: no room for {squashed}"
    assert len(formulas) > 5 or name != WIDGET_PAGE


def test_page_fits_a_phone(visit):
    page, name = visit.page, visit.name
    for width in (640, 320, 360):  # 1280 at 200 % and at 400 %, and a phone
        page.set_viewport_size({"width": width, "height": 740})
        beyond = page.evaluate(BEYOND)
        assert beyond <= 0, f"{name} is wider than {width} pixels"
    page.locator("details").evaluate_all(OPEN)
    squashed = page.locator("article img[width]").evaluate_all(SQUASHED)
    assert not squashed, f"{name}: {squashed}"
    wide = page.locator("article math").evaluate_all(TOO_WIDE)
    assert not wide, f"{name}: wider than {width} pixels is {wide}"


@pytest.mark.smoke
def test_without_scripts_a_still_picture_stands_for_the_widget(open_page, site):
    page = open_page(f"{site}/{WIDGET_PAGE}", java_script_enabled=False)
    still = page.locator(".tl-widget img").first
    assert still.is_visible()
    assert still.bounding_box()["height"] > 200
    assert len(still.get_attribute("alt")) > 80


@pytest.mark.parametrize("visit", few(PAGES, SMALL), indirect=True)
def test_axe_finds_nothing(visit):
    visit.page.set_viewport_size(DESKTOP)
    if visit.name in {WIDGET_PAGE, SMALL}:
        draw_widgets(visit.page)
    found = complaints_in_both_themes(visit.page)
    assert not found, f"{visit.name}: {found}"


@pytest.mark.parametrize("name", ["search.html", "404.html"])
def test_axe_finds_nothing_besides(open_page, served, name):
    found = complaints_in_both_themes(open_page(f"{served}/{name}"))
    assert not found, f"{name}: {found}"


def draw_widgets(page):
    """Go to every widget of a page, so that it is drawn."""
    for widget in page.locator("[data-widget]").all():
        widget.scroll_into_view_if_needed()
        widget.locator(".tl-numbers").wait_for()


def weight(path):
    return len(gzip.compress(path.read_bytes(), mtime=0))


@pytest.mark.smoke
def test_widgets_are_light(open_page, served):
    page = open_page("about:blank")
    loaded = set()
    page.on("request", lambda r: r.url.startswith(served) and loaded.add(urlsplit(r.url).path))
    page.goto(f"{served}/{WIDGET_PAGE}")
    draw_widgets(page)
    files = {SITE / path.lstrip("/") for path in loaded}
    data = {path for path in files if path.name.endswith(".data.js")}
    ours = {path for path in files - data if path.parent == SITE / "_static/transformer_lab"}
    runtime = {path for path in ours if path.suffix == ".js"}
    runtime.add(SITE / "_static/transformer_lab/widgets.css")  # which together.css holds
    shown = {"attention_stepper", "soft_dictionary", "scaling_explorer"}
    assert {path.name for path in data} == {f"{stem}.data.js" for stem in shown}
    assert {path.name for path in runtime} > {"widgets.js", "widgets.css"}
    sizes = {path.name: weight(path) for path in files}
    assert sum(map(weight, data)) <= 300_000, sizes
    assert sum(map(weight, runtime)) <= 30_000, sizes


def focused(page):
    return page.evaluate("document.activeElement.textContent.trim()")


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["book/index.html", WIDGET_PAGE])
def test_the_keyboard_skips_to_the_text(open_page, served, name):
    page = open_page(f"{served}/{name}", reduced_motion="reduce")  # nothing slides into its place
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to main content"
    assert page.locator(":focus").bounding_box()["y"] >= 0, "it is seen when it has the focus"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.locator("main :focus").count() == 1
    page.locator("article a:visible").first.focus()
    above = 0
    for _ in range(8):
        box, down = page.locator(":focus").bounding_box(), page.evaluate("scrollY")
        assert box["y"] + box["height"] + down > above, "down the page, as it is read"
        above = box["y"] + down
        page.keyboard.press("Tab")


def test_nothing_moves_for_those_who_asked_for_it(open_page, served):
    page = open_page(f"{served}/book/index.html", reduced_motion="reduce")
    draw_widgets(page)
    page.locator(".tl-piece input").last.check()  # whose words would change their ground slowly
    assert page.evaluate("document.getAnimations().length") == 0
    style = page.evaluate("getComputedStyle(document.documentElement).scrollBehavior")
    assert style == "auto"


def test_on_paper_predictions_are_answered_in_the_light_theme(open_page, served):
    page = open_page(f"{served}/{WIDGET_PAGE}", color_scheme="dark")
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    questions, paper = page.locator(".tl-right"), page.locator("html[data-theme=light]")
    questions.first.evaluate("question => question.open = true")
    state = "all => all.map(question => question.open)"
    before = questions.evaluate_all(state)
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert all(questions.evaluate_all(state))
    assert paper.count() == 1
    for hidden in (".tl-launch", "#pst-primary-sidebar", ".prev-next-footer", ".tl-foot-of-page a"):
        assert not page.locator(hidden).first.is_visible(), hidden
    assert page.locator(".tl-foot-of-page > p").is_visible()
    still = page.locator(".tl-still").first
    assert still.evaluate("still => getComputedStyle(still).display") == "block"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert questions.evaluate_all(state) == before
    assert paper.count() == 0


def test_search_finds_words_without_a_network_too(open_page, site):
    page = open_page(f"{site}/{WIDGET_PAGE}")
    page.keyboard.press("Control+k")
    page.keyboard.type("causal mask")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=causal+mask")
    found = page.locator("#search-results li")
    first = found.nth(0).locator("a")
    assert first.text_content() == "Masking > The causal mask"
    if site.startswith("http"):  # from a folder no script may read it
        told = found.nth(0).locator("p.context")
        told.wait_for()
        assert not re.search(
            "This page as a notebook|Contents|The causal mask", told.text_content()
        )
        assert "mask" in told.text_content()
    page.evaluate(SETTLED)  # a fetch would have complained by now
    first.click()
    page.locator("article h1").first.wait_for()
    assert page.url.partition("#")[0].endswith("/book/masking.html")


def test_a_text_that_opens_a_page_is_in_it_as_its_widget_will_show_it(open_page, served):
    page = open_page(f"{served}/book/whole_model.html", viewport={"width": 360, "height": 740})
    page.locator(".tl-written").first.wait_for()
    page.get_by_role("button", name="Play").first.wait_for()
    shown, before = page.evaluate("""async () => {
        const home = document.querySelector(".tl-home");
        const seen = () => {
            const text = home.querySelector(".tl-written");
            const { width, height } = text.getBoundingClientRect();
            return [width, height, text.innerHTML];
        };
        const shown = seen();
        const page = await (await fetch(location.href)).text();
        const parsed = new DOMParser().parseFromString(page, "text/html");
        home.replaceChildren(...parsed.querySelector(".tl-home").childNodes);
        return [shown, seen()];
    }""")
    assert shown == before
