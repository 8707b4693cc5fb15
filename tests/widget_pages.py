"""Pages that hold widgets and nothing else, as the book's pages hold them, but built in seconds."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

from book._ext import fonts
from book._ext.execution import baked_hash
from book._ext.widgets import bake, stems, write_assets
from transformer_lab import widgets
from transformer_lab.widgets._page import ASSETS

ROOT = Path(__file__).parents[1]
KINDS = {kind.stem: kind for name in widgets.__all__ if (kind := getattr(widgets, name))}
PAGE = """<!doctype html>
<html lang="en" data-theme="{theme}"><head><meta charset="utf-8"><title>{name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">{styles}
<style>{faces}
html {{ --tl-serif: "Lab Serif"; --tl-sans: "Lab Sans"; font-size: 106.25%; }}
html[data-theme="dark"] {{ background: #14181e; color: #e8eaee; }}
body {{ max-width: 50rem; margin: 0 auto; padding: 0 16px; }}
body {{ font: 1.12rem/1.6 var(--tl-serif); }}</style>
<script src="assets/widgets.js" defer></script></head>
<body><main><h1>{name}</h1>{body}</main></body></html>
"""


@cache
def faces() -> str:
    """Return the rules by which a page has the book's fonts: with others, text breaks elsewhere."""
    letters = "".join(map(chr, fonts.LETTERS_AND_SIGNS)) + fonts.PLAIN
    return "".join(
        fonts.face(*name, fonts.cut(fonts.carried(package, f"files/{file}"), letters, axes))
        for name, (package, file, axes) in fonts.TEXT.items()
    )


@cache
def _elsewhere() -> ProcessPoolExecutor:
    """Give a process in which widgets are the page's kind; it lives as long as this one."""
    environment = {"TRANSFORMER_LAB_STATIC": "1", "OMP_NUM_THREADS": "1"}  # one thread, as tests
    process = ProcessPoolExecutor(1, get_context("spawn"))
    with patch.dict(os.environ, environment):
        process.submit(int).result()  # it has begun
    return process


def build(folder: Path, shown: dict[str, list[str]]) -> Path:
    """Write pages, light and dark, that show widgets: name of the page → expressions for them."""
    _elsewhere().submit(_write_pages, folder, shown).result()
    return folder


def data_script(stem: str) -> str:
    """Read a widget's frames as the book's build baked them, or bakes them now."""
    return _elsewhere().submit(_data_script, stem).result()


@contextmanager
def _baked() -> Iterator[Path]:
    """Give the folder in which the book's build keeps what it bakes, to one process at a time."""
    state = baked_hash()  # when it changes, so does the place
    baked = ROOT / "_build/cache" / state / "widgets"
    baked.mkdir(parents=True, exist_ok=True)
    with (baked / "lock").open("w") as lock:
        flock(lock, LOCK_EX)  # two workers need not bake the same
        yield baked


def _data_script(stem: str) -> str:
    """Read a widget's frames; to be called where widgets are the page's kind."""
    with _baked() as baked:
        bake(stem, baked)
        return (baked / f"{stem}.data.js").read_text("utf8")


def _write_pages(folder: Path, shown: dict[str, list[str]]) -> None:
    """Write the pages; to be called where widgets are the page's kind."""
    names = {kind.__name__: kind for kind in KINDS.values()}
    for name, expressions in shown.items():
        places = [eval(code, names)._repr_html_() for code in expressions]
        body = "<p>And the next:</p>".join(places)
        wanted = stems(body)
        with _baked() as baked:
            write_assets(folder / "assets", wanted, baked, ROOT / "_build/cache/page")
        files = [f"{f}.css" for f in ("widgets", *wanted) if (folder / f"assets/{f}.css").exists()]
        styles = "".join(f'<link rel="stylesheet" href="assets/{file}">' for file in files)
        for theme, end in (("light", ""), ("dark", "-dark")):
            page = PAGE.format(name=name, theme=theme, styles=styles, faces=faces(), body=body)
            (folder / f"{name}{end}.html").write_text(page.replace(ASSETS, "assets/"), "utf8")
