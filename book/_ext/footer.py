"""The foot of each page: edit it, report an error, cite it; and its edition."""

import os
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml


def day_of(source: Path) -> str:
    """Return the date of the source, so that the same source makes the same book.

    That is SOURCE_DATE_EPOCH or else the time of the last commit; "" if git knows none.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        ask = ["git", "-C", str(source), "log", "-1", "--format=%ct"]
        try:
            epoch = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return ""
    day = datetime.fromtimestamp(int(epoch), UTC)
    return f"{day.day} {day:%B %Y}"


def citation(about: dict, page: str, address: str) -> dict[str, str]:
    """Return how to cite a page, in words and as BibTeX; `about` are the data of CITATION.cff."""
    authors = [one.get("name") or f"{one['given-names']} {one['family-names']}"
               for one in about["authors"]]  # fmt: skip
    title, number, year = about["title"], about["version"], str(about["date-released"])[:4]
    fields = {
        "author": " and ".join(f"{{{name}}}" for name in authors),
        "title": f"{{{title}}}",
        "year": year,
        "note": f"Version {number}, page ``{page}''",
        "url": address,
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    words = f"{', '.join(authors)} ({year}). “{page}.” {title}, version {number}. {address}"
    return {"words": words, "bibtex": f"@misc{{transformer_lab,\n{lines}}}"}


def _configure(app: Any, config: Any) -> None:
    number, day = version("transformer-lab-book"), day_of(Path(app.srcdir))
    config.transformer_lab_edition = f"{number} ({day})" if day else number


def fill(app: Any, page: str, _template: str, context: dict, doctree: Any) -> None:
    """Pass the footer's data, and the book's full title, to the templates."""
    if app.builder.format != "html":
        return
    from lab_notebooks import addresses

    about = yaml.safe_load(Path(app.srcdir, "CITATION.cff").read_text("utf8"))
    context["whole_title"] = about["title"]
    context["edition"] = edition = app.config.transformer_lab_edition
    if doctree is not None:
        source, repository = app.env.doc2path(page, base=False), addresses.repository()
        context["edit"] = addresses.edit(source, repository)
        context["report"] = addresses.report(page, edition, repository)
        context["cite"] = citation(about, app.env.titles[page].astext(), context["pageurl"])


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.add_config_value("transformer_lab_edition", "", "html")  # if new, write every page
    app.connect("config-inited", _configure)
