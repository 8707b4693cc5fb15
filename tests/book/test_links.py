"""Every link inside the book leads somewhere. Those to the outside need a network: `make links`."""

from functools import cache
from urllib.parse import unquote, urlsplit

import pytest

from tests.chromium import SITE
from tests.parsed import parsed

PAGES = sorted(path for path in SITE.rglob("*.html") if "_static" not in path.parts)


@cache
def aims(path):
    return {tag["id"] for tag in parsed(path).find_all(id=True)}


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.relative_to(SITE).as_posix())
def test_links_inside_the_book_lead_somewhere(path):
    page = parsed(path)
    assert page.find("title") or page.find("meta", {"http-equiv": "Refresh"})
    for tag, attribute in [("a", "href"), ("img", "src"), ("script", "src"), ("link", "href")]:
        for element in page.find_all(tag, {attribute: True}):
            link = urlsplit(element[attribute])
            if link.scheme or link.netloc:
                assert link.scheme in {"https", "data"}, element
                continue
            target = path if not link.path else (path.parent / unquote(link.path)).resolve()
            assert target.is_file(), f"{path.relative_to(SITE)} links to {element[attribute]}"
            if link.fragment and target.suffix == ".html":
                assert unquote(link.fragment) in aims(target), element[attribute]
