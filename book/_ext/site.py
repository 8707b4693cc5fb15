"""The site for other sites: each page's address and card, the site map, and the page for errors.

Addresses begin with `html.baseurl` of _config.yml or, by default, with GitHub's pages. Only search
engines and the like need them; every link inside the book is relative.
"""

from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from book._ext.cards import kept_card

CARDS = "_static/cards"


def _configure(_app: Any, config: Any) -> None:
    from lab_notebooks.addresses import repository, site

    base = config.html_baseurl or site(repository())
    config.html_baseurl = base.removesuffix("/") + "/"
    config.extlinks = {"repository": (f"{repository()}/%s", None)}


def describe(app: Any, page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Pass the favicon to the template, and the card if it is a page of the book."""
    context["favicon_url"] = context["pathto"]("_static/favicon.svg", 1)
    if page in app.env.titles:
        context["card_url"] = f"{app.config.html_baseurl}{CARDS}/{page}.png"


def check_moved(moved: Mapping[str, str], pages: Container[str]) -> None:
    """Raise ValueError if a moved page still exists, or its new page (or a section's) doesn't."""
    for old, new in moved.items():
        page = new.partition("#")[0]
        if old in pages or page not in pages:
            problem = f"{old} is a page" if old in pages else f"there is no page {page}"
            raise ValueError(f"`moved` of _config.yml says that {old} is now {new}, but {problem}.")


def forward(app: Any, page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Leave, at the end of a page, a link for each of its sections that has moved to another page.

    It has the id of the section, so that page/moved.js finds it when a reader asks for that.
    """
    sections = [old for old in app.config.moved if old.startswith(f"{page}#")]
    if "body" in context and sections:
        links = []
        for old in sections:
            to, _, part = app.config.moved[old].partition("#")
            address = f"{app.builder.get_relative_uri(page, to)}#{part}"
            links.append(f'<a id="{old.partition("#")[2]}" href="{address}" data-moved></a>')
        context["body"] += f"<div hidden>{''.join(links)}</div>"


def _more_pages(app: Any) -> Iterator[tuple[str, dict, str]]:
    """Yield a page for each former address, the root, and for missing addresses."""
    if app.builder.format == "html":
        base, title = app.config.html_baseurl, app.config.html_title
        moved = {"index": app.config.root_doc, **app.config.moved}
        check_moved(moved, app.env.found_docs)
        for old, new in moved.items():
            if "#" in old:
                continue  # see `forward`
            yield old, {"base": base, "book": title, "to": new}, "moved.html"
        chapters = app.env.toctree_includes.get(app.config.root_doc, [])
        titles = {page: app.env.titles[page].astext() for page in chapters}
        yield "404", {"base": base, "book": title, "chapters": titles}, "404.html"


def sitemap(addresses: list[str]) -> str:
    """Return the map of the site."""
    places = "".join(f"<url><loc>{escape(address)}</loc></url>\n" for address in addresses)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'
    )


def write(app: Any) -> None:
    """Write the site map and the cards, which are drawn once for each state of the package."""
    out, baked = Path(app.outdir), Path(app.config.transformer_lab_baked, "cards")
    pages = sorted(app.env.found_docs)
    addresses = [f"{app.config.html_baseurl}{app.builder.get_target_uri(page)}" for page in pages]
    (out / "sitemap.xml").write_text(sitemap(addresses), "utf8")
    for page in pages:
        target = out / CARDS / f"{page}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(kept_card(baked, app.env.titles[page].astext(), app.config.html_title))


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.add_config_value("moved", {}, "html", [dict])
    app.connect("config-inited", _configure)
    app.connect("html-collect-pages", _more_pages)
