"""Pages that hold widgets and nothing else, as the book's pages hold them, but built in seconds."""

import os
import subprocess
import sys
from pathlib import Path

from transformer_lab import widgets

ROOT = Path(__file__).parents[1]
KINDS = {kind.stem: kind for name in widgets.__all__ if (kind := getattr(widgets, name))}
PAGE = """<!doctype html>
<html lang="en" data-theme="{theme}"><head><meta charset="utf-8"><title>{name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">{styles}
<style>html[data-theme="dark"] {{ background: #14181e; color: #e8eaee; }}
body {{ max-width: 50rem; margin: 0 auto; padding: 0 1rem; }}</style>
<script src="assets/host.js" defer></script></head>
<body><main><h1>{name}</h1>{body}</main></body></html>
"""


def build(folder: Path, shown: dict[str, list[str]]) -> Path:
    """Write pages, light and dark, that show widgets: name of the page → expressions for them.

    It is done in a process of its own, where widgets are the page's kind.
    """
    arguments = f"Path({str(folder)!r}), {shown!r}"
    code = f"from tests.widget_pages import Path, write_pages; write_pages({arguments})"
    environment = os.environ | {"TRANSFORMER_LAB_STATIC": "1", "OMP_NUM_THREADS": "1"}  # as tests
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def write_pages(folder: Path, shown: dict[str, list[str]]) -> None:
    """Write the pages; to be called where widgets are the page's kind."""
    from transformer_lab.publish.sphinxext.widgets import stems, write_assets
    from transformer_lab.widgets._page import ASSETS

    for name, expressions in shown.items():
        places = [eval(code, vars(widgets))._repr_html_() for code in expressions]
        body = "<p>And the next:</p>".join(places)
        wanted = stems(body)
        write_assets(folder / "assets", wanted, folder / "baked")
        files = [f"{f}.css" for f in ("widgets", *wanted) if (folder / f"assets/{f}.css").exists()]
        styles = "".join(f'<link rel="stylesheet" href="assets/{file}">' for file in files)
        for theme, end in (("light", ""), ("dark", "-dark")):
            page = PAGE.format(name=name, theme=theme, styles=styles, body=body)
            (folder / f"{name}{end}.html").write_text(page.replace(ASSETS, "assets/"), "utf8")
