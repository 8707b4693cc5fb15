"""What the built book says to search engines and to those who share a page of it."""

import re
from urllib.parse import urlsplit

import pytest
from PIL import Image

from book._ext.cards import HEIGHT, WIDTH
from book._ext.site import check_moved, sitemap
from lab_notebooks.addresses import repository, site
from tests.chromium import SITE
from tests.parsed import PAGES, parsed

BASE = site(repository())
NAMES = [f"{page}.html" for page in PAGES]


def head(name):
    soup = parsed(name)
    metas = {
        tag.get("name") or tag.get("property"): tag.get("content")
        for tag in soup.head.find_all("meta")
    }
    return soup, metas


@pytest.fixture(scope="module", params=NAMES)
def page(request):
    return request.param, *head(request.param)


def test_a_page_names_itself_for_all_who_ask(page):
    name, soup, metas = page
    address = f"{BASE}{name}"
    assert soup.find("link", rel="canonical")["href"] == address == metas["og:url"]
    assert metas["description"] == metas["og:description"]
    assert len(metas["description"]) >= 40
    assert metas["og:title"] == soup.h1.find(string=True)
    with Image.open(SITE / metas["og:image"].removeprefix(BASE)) as card:
        assert card.size == (WIDTH, HEIGHT)
    icon = soup.find("link", rel="icon")["href"]
    assert "<svg" in (SITE / name).parent.joinpath(icon).read_text("utf8")
    for script in soup.find_all("script", src=True):
        assert script.has_attr("defer"), f"{script} holds up the drawing"


def test_no_two_pages_have_the_same_title_or_description():
    heads = [head(name) for name in NAMES]
    for kind in ([soup.title.string for soup, _ in heads], [m["description"] for _, m in heads]):
        assert len(set(kind)) == len(PAGES) >= 5


def test_the_map_lists_every_page_and_no_other():
    listed = re.findall("<loc>(.*)</loc>", (SITE / "sitemap.xml").read_text("utf8"))
    assert listed == [f"{BASE}{name}" for name in NAMES]
    assert "<loc>https://there/?a&amp;b</loc>" in sitemap(["https://there/?a&b"])


def test_only_what_is_gone_can_have_moved_and_only_to_a_page():
    pages = {"book/masking", "book/norm"}
    check_moved({"index": "book/norm", "book/masks": "book/masking"}, pages)
    with pytest.raises(ValueError, match=r"book/mask\b"):
        check_moved({"book/masks": "book/mask"}, pages)
    with pytest.raises(ValueError, match="book/norm"):
        check_moved({"book/norm": "book/masking"}, pages)


def test_from_an_address_that_leads_nowhere_links_lead_back_at_any_depth():
    soup, metas = head("404.html")
    assert metas["robots"] == "noindex"
    targets = [a["href"] for a in soup.find_all("a")] + [soup.form["action"]]
    assert {f"{BASE}book/{name}.html" for name in ("index", "attention", "about")} < {*targets}
    for target in targets:
        assert target.startswith(BASE), "one that is relative would lead nowhere too"
        assert (SITE / urlsplit(target).geturl().removeprefix(BASE)).is_file()
    assert soup.form.input["name"] == "q"
