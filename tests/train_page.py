"""A page of its own on which a GPT is trained, as the site has it, in light and dark.

usage: python -m tests.train_page FOLDER   (to look at it: then python -m book._ext.serve FOLDER)
"""

import shutil
import sys
from pathlib import Path

from book._ext import training
from book._ext.policy import with_policy
from tensorgrader.sphinx import node
from tests.conftest import ROOT
from transformer_lab.widgets._page import DRAWN
from transformer_lab.widgets.train_here import PLACE

CACHE = ROOT / "_build/cache"
HTML = """<!doctype html>
<html lang="en" data-theme="{theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Train a GPT</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="train.css">
<script src="train.js" defer></script>
</head>
<body>
<main>
<h1>Train it here</h1>
{place}
</main>
</body>
</html>
"""
STYLE = """
html { color-scheme: light; } html[data-theme="dark"] { color-scheme: dark; }
body { max-width: 60rem; margin: 1rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
html[data-theme="dark"] body { background: #14181e; color: #e8eaee; }
"""


def build(folder):
    """Build the page, with what was packed for the book, or is now."""
    packed = training.place(CACHE / "train")
    if not training.is_packed(packed):
        training.pack(packed, node.installed(CACHE / "page"))
    shutil.copytree(packed, folder, dirs_exist_ok=True)
    sheets = [DRAWN / "widgets.css", packed / "train.css"]
    style = "".join(sheet.read_text("utf8") for sheet in sheets)
    (folder / "train.css").write_text(style + STYLE, "utf8")
    for name, theme in (("index", "light"), ("dark", "dark")):
        page = HTML.format(theme=theme, place=PLACE)
        (folder / f"{name}.html").write_text(with_policy(page), "utf8")


if __name__ == "__main__":
    build(Path(sys.argv[1]))
