"""Put the widgets on the page: the host, their scripts, baked frames and still pictures."""

import re
import shutil
from pathlib import Path
from typing import Any

FOLDER = "_static/transformer_lab/"


def _explorers() -> dict[str, Any]:
    from transformer_lab import widgets

    return {getattr(widgets, name).stem: getattr(widgets, name) for name in widgets.__all__}


def classic_script(module: str, stem: str) -> str:
    """Turn a widget's ES module into a classic script, which a page may load from a folder."""
    target = f"transformerLab.widgets.{stem} = "
    body, exports = re.subn("^export default ", target, module, flags=re.MULTILINE)
    if exports != 1 or re.search(r"^(import|export)\b", body, flags=re.MULTILINE):
        raise ValueError(
            f"{stem}.js must have one `export default` and no other import or export: it is also "
            "loaded as a classic script."
        )
    return f"(() => {{\n{body}}})();\n"


def _point_to_assets(app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """On a page with widgets, say where their files are and load the host."""
    from transformer_lab.widgets._base import ASSETS

    body = context.get("body", "")
    if ASSETS not in body:
        return
    context["body"] = body.replace(ASSETS, context["pathto"](FOLDER, 1))
    app.add_css_file("transformer_lab/widgets.css")
    app.add_js_file("transformer_lab/host.js", loading_method="defer")


def _write_assets(app: Any, error: Exception | None) -> None:
    """Write the files of the widgets that the built pages show."""
    if error or app.builder.format != "html":
        return
    from transformer_lab.widgets import _base

    home = Path(_base.__file__).parent
    target = Path(app.outdir, FOLDER)
    target.mkdir(parents=True, exist_ok=True)
    for name in ("host.js", "widgets.css"):
        shutil.copy(home / name, target)
    for stem, explorer in _explorers().items():
        module = (home / f"{stem}.js").read_text("utf8")
        (target / f"{stem}.js").write_text(classic_script(module, stem), "utf8")
        (target / f"{stem}.data.js").write_text(explorer.bake(), "utf8")
        (target / f"{stem}.png").write_bytes(explorer().still())


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("html-page-context", _point_to_assets)
    app.connect("build-finished", _write_assets)
