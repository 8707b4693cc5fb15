"""Let each page be opened as a notebook: on Binder, on Colab, or downloaded from the site itself.

Plain links below the title: no script, and nothing is fetched before a reader follows one.
"""

import shutil
from html import escape
from pathlib import Path
from typing import Any

FOLDER = "notebooks"


def bar(page: str, title: str, *, own: bool, file: str, address: str) -> str:
    """Return the bar of links to a page's notebook; `file` is where the download lies.

    `own` says whether the bar stands on that page; elsewhere it names the page.
    """
    from transformer_lab import launch

    what = "This page" if own else escape(title)
    return (
        f'<nav class="tl-launch" aria-label="Notebook"><span>{what} as a notebook:</span>'
        f'<a href="{escape(launch.binder(page, address))}">Open in Binder</a>'
        f'<a href="{escape(launch.colab(page, address))}">Open in Colab</a>'
        f'<a href="{escape(file)}" download>Download</a></nav>'
    )


def _write_notebooks(app: Any) -> None:
    if app.builder.format == "html":
        from transformer_lab.notebooks import write_notebooks

        target = Path(app.outdir, FOLDER)
        shutil.rmtree(target, ignore_errors=True)
        list(write_notebooks(target))


def _place_bar(app: Any, page: str, _template: str, context: dict, doctree: Any) -> None:
    """Put the bar below the title. A page that is no notebook offers the book's first one."""
    if doctree is None or app.builder.format != "html":
        return
    from transformer_lab.launch import repository

    chapters = [page, *app.env.toctree_includes.get(app.config.root_doc, [])]
    of = next(c for c in chapters if Path(app.outdir, FOLDER, f"{c}.ipynb").exists())
    links = bar(
        of,
        app.env.titles[of].astext(),
        own=of == page,
        file=context["pathto"](f"{FOLDER}/{of}.ipynb", 1),
        address=repository(),
    )
    title, end, rest = context["body"].partition("</h1>")
    context["body"] = title + end + links + rest


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("builder-inited", _write_notebooks)
    app.connect("html-page-context", _place_bar)
