"""Open each notebook on Binder, on Colab, or downloaded from the site itself.

Plain links below the title: they need no script (but see assets/launch.js for folders), and nothing
is fetched before a reader follows one.
"""

import re
import shutil
from html import escape
from pathlib import Path
from typing import Any

from sphinx.util import logging

from tensorgrader.sphinx.notebook import as_script

FOLDER = "notebooks"


def bar(page: str, *, file: str, address: str) -> str:
    """Return the bar of links to a page's notebook; `file` is where the download lies."""
    from lab_notebooks import addresses

    links = [
        ("Binder", "Open in Binder", addresses.binder(page, address), ""),
        ("Colab", "Open in Colab", addresses.colab(page, address), ""),
        ("Download", "Download the notebook", file, " download"),
    ]
    anchors = "".join(
        f'<a href="{escape(to)}" aria-label="{name}"{download}>{text}</a>'
        for text, name, to, download in links
    )
    label = "<span>This page as a notebook:</span>"
    return f'<nav class="tl-launch" aria-label="Notebook">{label}{anchors}</nav>'


def _write_notebooks(app: Any) -> None:
    if app.builder.format == "html":
        from lab_notebooks.notebooks import write_notebooks

        target = Path(app.outdir, FOLDER)
        shutil.rmtree(target, ignore_errors=True)
        for path, _ in write_notebooks(target):
            script = as_script(path.read_text("utf8"))
            path.with_name(f"{path.name}.js").write_text(script, "utf8")


def place_bar(app: Any, page: str, _template: str, context: dict, doctree: Any) -> None:
    """Insert the bar below the title of a page that is a notebook."""
    file = f"{FOLDER}/{page}.ipynb"
    if doctree is None or app.builder.format != "html" or not Path(app.outdir, file).exists():
        return
    from lab_notebooks.addresses import repository

    links = bar(page, file=context["pathto"](file, 1), address=repository())
    title, end, rest = context["body"].partition("</h1>")
    context["body"] = title + end + links + rest


def _leave_out(app: Any) -> None:
    """Exclude our repository's address from the link check until the repository exists."""
    if app.builder.name == "linkcheck":
        from lab_notebooks.addresses import repository

        app.config.linkcheck_ignore.append(re.escape(repository()))
        logging.getLogger(__name__).info("not followed, a placeholder: %s", repository())


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("builder-inited", _leave_out)
    app.add_js_file("launch.js", loading_method="defer")
    app.connect("builder-inited", _write_notebooks)
