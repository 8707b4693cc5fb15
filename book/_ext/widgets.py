"""Put the widgets on the page: the host, their scripts, baked frames and still pictures."""

import re
import shutil
from pathlib import Path
from typing import Any

from book._ext.jobs import EVENT, Job, elsewhere
from book._ext.own_words import offered
from book._ext.shortening import shortened

FOLDER = "_static/transformer_lab/"


def stems(page: str) -> list[str]:
    """Name the widgets that a page shows."""
    return sorted(set(re.findall(r'data-widget="(\w+)"', page)))


def bake(stem: str, baked: Path) -> None:
    """Compute a widget's frames and its still picture, unless they are there."""
    from book._ext.thumbnails import thumbnail
    from transformer_lab import plots, widgets
    from transformer_lab.widgets._page import data_script, place

    still = baked / f"{stem}.png"
    if not still.exists():
        kinds = (getattr(widgets, name) for name in widgets.__all__)
        widget = next(kind for kind in kinds if kind.stem == stem)()
        plots.use_book_style()
        (baked / f"{stem}.data.js").write_text(data_script(stem, widget), "utf8")
        (baked / f"{stem}.html").write_text(place(widget), "utf8")
        (baked / f"{stem}.webp").write_bytes(thumbnail(widget.drawn()))
        still.write_bytes(widget.still())


def styles() -> str:
    """Return the styles of all widgets as one sheet: they are alike, and heavier apart."""
    from transformer_lab.widgets._page import HERE

    sheets = [HERE / "widgets.css", *sorted(HERE.glob("*_*.css"))]
    return "".join(sheet.read_text("utf8") for sheet in sheets)


def write_assets(target: Path, wanted: list[str], baked: Path) -> None:
    """Write what pages load for these widgets; `baked` keeps what took long, for the next time."""
    from transformer_lab.widgets._page import HERE, kit, script

    for folder in (target, baked):
        folder.mkdir(parents=True, exist_ok=True)
    texts = {"host.js": (HERE / "host.js").read_text("utf8"), "kit.js": kit()}
    texts |= {f"{stem}.js": script(stem) for stem in wanted}
    texts["widgets.css"] = styles()
    for name, text in texts.items():
        (target / name).write_text(shortened(name, text), "utf8")
    for stem in wanted:
        bake(stem, baked)
        for end in ("data.js", "png", "webp"):
            shutil.copy(baked / f"{stem}.{end}", target)


def _jobs(app: Any, _names: list[str]) -> list[Job]:
    """Return what is not there yet of all widgets."""
    from transformer_lab import widgets

    baked = Path(app.config.transformer_lab_baked, "widgets")  # another one for each package
    baked.mkdir(parents=True, exist_ok=True)
    every = [getattr(widgets, name).stem for name in widgets.__all__]
    wanted = [stem for stem in every if not (baked / f"{stem}.png").exists()]
    wanted = wanted if app.builder.format == "html" else []
    return [Job(stem, 3, elsewhere(bake, stem, baked)) for stem in wanted]


def _point_to_assets(app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """On a page with widgets, say where their files are and load the host."""
    from transformer_lab.widgets._page import ASSETS

    body = context.get("body", "")
    if ASSETS not in body:
        return
    context["body"] = body.replace(ASSETS, context["pathto"](FOLDER, 1))
    app.add_css_file("transformer_lab/widgets.css")
    app.add_js_file("transformer_lab/host.js", loading_method="defer")
    if words := offered(app.config.transformer_lab_words, stems(body)):
        app.add_js_file("transformer_lab/own_words.js", loading_method="defer", **words)


def _write_assets(app: Any, error: Exception | None) -> None:
    """Write the files of the widgets that the built pages show."""
    if error or app.builder.format != "html":
        return
    pages = "".join(page.read_text("utf8") for page in Path(app.outdir).rglob("*.html"))
    baked = Path(app.config.transformer_lab_baked, "widgets")
    write_assets(Path(app.outdir, FOLDER), stems(pages), baked)


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect(EVENT, _jobs)
    app.connect("html-page-context", _point_to_assets)
    app.connect("build-finished", _write_assets)
