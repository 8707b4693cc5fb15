"""Put the widgets on the page: the host, their scripts, baked frames and still pictures."""

import re
import shutil
from pathlib import Path
from typing import Any

FOLDER = "_static/transformer_lab/"


def stems(page: str) -> list[str]:
    """Name the widgets that a page shows."""
    return sorted(set(re.findall(r'data-widget="(\w+)"', page)))


def write_assets(target: Path, wanted: list[str], baked: Path) -> None:
    """Write what pages load for these widgets; `baked` keeps what took long, for the next time."""
    from transformer_lab import widgets
    from transformer_lab.widgets._page import HERE, data_script, kit, script

    kinds = {kind.stem: kind for name in widgets.__all__ if (kind := getattr(widgets, name))}
    for folder in (target, baked):
        folder.mkdir(parents=True, exist_ok=True)
    for name in ("host.js", "widgets.css"):
        shutil.copy(HERE / name, target)
    (target / "kit.js").write_text(kit(), "utf8")
    for stem in wanted:
        if (style := HERE / f"{stem}.css").exists():
            shutil.copy(style, target)
        (target / f"{stem}.js").write_text(script(stem), "utf8")
        data, still = baked / f"{stem}.data.js", baked / f"{stem}.png"
        if not still.exists():
            widget = kinds[stem]()
            data.write_text(data_script(stem, widget), "utf8")
            still.write_bytes(widget.still())
        for file in (data, still):
            shutil.copy(file, target)


def _point_to_assets(app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """On a page with widgets, say where their files are and load the host."""
    from transformer_lab.widgets._page import ASSETS, HERE

    body = context.get("body", "")
    if ASSETS not in body:
        return
    context["body"] = body.replace(ASSETS, context["pathto"](FOLDER, 1))
    for name in ("widgets", *stems(body)):
        if (HERE / f"{name}.css").exists():
            app.add_css_file(f"transformer_lab/{name}.css")
    app.add_js_file("transformer_lab/host.js", loading_method="defer")


def _write_assets(app: Any, error: Exception | None) -> None:
    """Write the files of the widgets that the built pages show."""
    if error or app.builder.format != "html":
        return
    pages = "".join(page.read_text("utf8") for page in Path(app.outdir).rglob("*.html"))
    baked = Path(app.config.transformer_lab_baked, "widgets")  # another one for each package
    write_assets(Path(app.outdir, FOLDER), stems(pages), baked)


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("html-page-context", _point_to_assets)
    app.connect("build-finished", _write_assets)
