"""Print the built book into one PDF: `python -m book._ext.pdf FOLDER INTO`.

Chromium prints all pages as one, so that links inside the book stay inside. It prints twice: the
first print gives the page numbers of the table of contents.
"""

import argparse
import io
import json
import os
import re
import shutil
import sys
import tempfile
from html import unescape
from importlib.metadata import metadata, version
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from lab_notebooks import addresses

FIRST = "book/index"
SHOWN_ELSEWHERE = "book/gallery"  # its widgets, which don't move in print, are in their chapters
SHEET = Path(__file__).with_name("pdf.css")
ARTICLE = re.compile(r'<article class="bd-article">(.*)</article>', re.DOTALL)
NEXT = re.compile(r'<a rel="next" href="([^"]+)\.html"')
STYLES = re.compile(r'<link [^>]*?href="([^"?]+\.css)[^"]*"[^>]*>')
HEADING = re.compile(r'<h([12])>(.*?)<a class="headerlink" href="#([^"]+)"', re.DOTALL)
TITLED = re.compile(r'<h([12]) id="([^"]+)">(.*?)<a class="headerlink"', re.DOTALL)
MARKUP = re.compile(r"<(?!/?m)[^>]*>")  # but formulas stay
DROPPED = re.compile(r"<script.*?</script>|<noscript>.*?</noscript>|<style>.*?</style>", re.DOTALL)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu"]


class Section(NamedTuple):
    """An entry of the contents: its depth, its title, and its id in the combined page."""

    level: int
    title: str
    id: str


def pages(site: Path) -> dict[str, str]:
    """Return each page to print by its name, in the order of the book.

    Raises FileNotFoundError if the folder holds no built book.
    """
    if not (site / f"{FIRST}.html").is_file():
        raise FileNotFoundError(f"{site} holds no {FIRST}.html. Build the book first: make html")
    found, name = {}, FIRST
    while name:
        found[name] = (site / f"{name}.html").read_text("utf8")
        after = NEXT.search(found[name])
        name = normpath(PurePosixPath(name).parent / after[1]) if after else ""
    found.pop(SHOWN_ELSEWHERE, None)
    return found


def place(page: str, fragment: str = "") -> str:
    """Return the id of a page, or of something on it, in the combined page."""
    return f"{page}--{fragment}" if fragment else page


def moved(link: str, page: str, known: Any, site: str) -> str:
    """Return the target of a page's link in the combined page, or outside it."""
    scheme, _, path, _, fragment = urlsplit(link)
    if scheme:
        return link
    target = normpath(PurePosixPath(page).parent / path) if path else f"{page}.html"
    name = target.removesuffix(".html")
    return f"#{place(name, fragment)}" if name in known else f"{site}{target}"


def article(page: str, text: str, known: Any, site: str) -> str:
    """Return a page's content, with questions answered, and with ids and links of the whole."""
    (body,) = ARTICLE.findall(text)
    body = re.sub(
        r'(<details class="(?:predict|deep|tl-option tl-right)")', r"\1 open", DROPPED.sub("", body)
    )
    body = body.replace(' loading="lazy"', "")
    body = re.sub(r'(?<= )id="([^"]+)"', lambda m: f'id="{place(page, m[1])}"', body)
    to = re.compile(r'(?<= )href="([^"]+)"')
    body = to.sub(lambda m: f'href="{moved(unescape(m[1]), page, known, site)}"', body)
    # A section may begin on the page before its title.
    titled = r'<h\1 id="\3--title">\2<a class="headerlink" href="#\3"'
    return f'<article class="bd-article" id="{page}">{HEADING.sub(titled, body)}</article>'


def contents(body: str) -> list[Section]:
    """Return the titles of pages and the sections of chapters, without a glossary's letters."""
    found = (Section(int(n), MARKUP.sub("", title), to) for n, to, title in TITLED.findall(body))
    chapters = (one for one in found if one.level == 1 or one.id.startswith("book/"))
    return [one for one in chapters if len(one.title) > 1]


def running_heads(sections: list[Section]) -> str:
    """Return styles that print a page's title at the head of all its sheets."""
    pages = [(one.id.partition("--")[0], one.title) for one in sections if one.level == 1]
    return "".join(
        f'[id="{page}"]{{page:p{n}}}@page p{n}{{@top-left{{font:9pt "Lab Sans",sans-serif;'
        f"color:#555;content:{json.dumps(unescape(title), ensure_ascii=False)}}}}}"
        for n, (page, title) in enumerate(pages)
    )


def listed(sections: list[Section], numbers: dict[str, int]) -> str:
    """Return the table of contents; an unknown number gets a placeholder."""
    lines = (
        f'<li class="level-{one.level}"><a href="#{one.id}"><span>{one.title}</span>'
        f"<b>{numbers.get(one.id, 888)}</b></a></li>"
        for one in sections
    )
    return f'<nav class="tl-toc"><h1>Contents</h1><ol>{"".join(lines)}</ol></nav>'


def whole(site: Path, numbers: dict[str, int]) -> str:
    """Return the combined page: a title, the contents with these numbers, and the pages."""
    found, address = pages(site), addresses.site(addresses.repository())
    body = "".join(article(name, text, found, address) for name, text in found.items())
    sections = contents(body)
    styles = f"<style>{SHEET.read_text('utf8')}{running_heads(sections)}</style>"
    sheets = dict.fromkeys(sheet for text in found.values() for sheet in STYLES.findall(text))
    about = metadata("transformer-lab-book")
    links = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
    return (
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>Transformer Lab</title>{links}{styles}</head>"
        '<body><header><p class="title">Transformer Lab</p>'
        f"<p>{about['Summary']}</p><p>Version {about['Version']}</p>"
        f'<p>Here the widgets stand still. At <a href="{address}">{address}</a> they move, the '
        "exercises run on their pages, and their hints and solutions open.</p>"
        "<p>Text and figures: CC BY 4.0. Code: BSD 3-Clause licence.</p></header>"
        f"{listed(sections, numbers)}"
        f'<main class="bd-article-container">{body}</main></body></html>'
    )


def numbers_in(pdf: bytes) -> dict[str, int]:
    """Return the page number of each link target."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(pdf))
    places = reader.named_destinations.items()
    numbers = {name: reader.get_destination_page_number(to) for name, to in places}
    return {name.removeprefix("/"): n + 1 for name, n in numbers.items() if n is not None}


def printed(site: Path) -> bytes:
    """Print the book twice, and return the second print.

    Raises FileNotFoundError if the folder holds no built book.
    """
    from playwright.sync_api import sync_playwright

    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        room = Path(home, "book")  # as deep as the pages, so that paths of pictures stay valid
        room.mkdir()
        for beside in ("_static", "_images"):
            Path(home, beside).symlink_to((site / beside).resolve())
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        numbers: dict[str, int] = {}
        for _ in range(2):
            (room / "all.html").write_text(whole(site, numbers), "utf8")
            page = browser.new_page(java_script_enabled=False)
            page.goto((room / "all.html").as_uri(), timeout=0)
            pdf = page.pdf(
                prefer_css_page_size=True, print_background=True, outline=True, tagged=True
            )
            page.close()
            numbers = numbers_in(pdf)
        browser.close()
    return pdf


def main() -> None:
    """Print a site, and its size."""
    parser = argparse.ArgumentParser(prog="book._ext.pdf", description=__doc__)
    parser.add_argument("site", type=Path, metavar="FOLDER")
    parser.add_argument("into", type=Path, metavar="INTO")
    arguments = parser.parse_args()
    target = arguments.into / f"transformer-lab-{version('transformer-lab-book')}.pdf"
    try:
        pdf = printed(arguments.site)
    except FileNotFoundError as error:
        sys.exit(str(error))
    arguments.into.mkdir(parents=True, exist_ok=True)
    target.write_bytes(pdf)
    print(f"{target}: {len(pdf) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
