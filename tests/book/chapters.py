"""The book's notebooks, read for the tests."""

import re
from functools import cache, cached_property
from pathlib import Path

import jupytext

from lab_notebooks.sources import sources

BOOK = Path(__file__).parents[2] / "book"
#: The pages that are notebooks; those with an exercise; and those that are read one by one.
STEMS = [name.removeprefix("book/") for name in sources() if name.startswith("book/")]
TAUGHT = [stem for stem in STEMS if (BOOK.parent / f"exercises/{stem}.md").is_file()]
CHAPTERS = [*TAUGHT, "real_models", "after_pretraining"]


@cache
class Chapter:
    """A page of the book that is a notebook: its cells, its prose, its figures; read once."""

    def __init__(self, stem):
        self.cells = jupytext.read(BOOK / f"{stem}.md").cells

    @cached_property
    def code(self):
        return [cell for cell in self.cells if cell.cell_type == "code"]

    @cached_property
    def prose(self):
        return "\n\n".join(cell.source for cell in self.cells if cell.cell_type == "markdown")

    @cached_property
    def alts(self):
        found = ((n, c.metadata.get("mystnb", {})) for n, c in enumerate(self.cells))
        return {n: mystnb["image"]["alt"] for n, mystnb in found if "image" in mystnb}

    @cached_property
    def predictions(self):
        return re.findall(
            r'<details class="predict"(?: id="[\w-]+")?><summary>(.+?)</summary>\n\n', self.prose
        )

    @cached_property
    def deep_dives(self):
        return re.findall(r'<details class="deep"><summary>(.+?)</summary>\n\n', self.prose)

    @cached_property
    def unfolded(self):
        words, depth = [], 0
        for part in re.split(r"(<details\b[^>]*>|</details>)", self.prose):
            depth += part.startswith("<details") - (part == "</details>")
            words += [] if depth or part == "</details>" else re.findall(r"\S*\w\S*", part)
        return words
