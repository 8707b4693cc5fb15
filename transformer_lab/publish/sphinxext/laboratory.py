"""Let the answers of an exercise be written and run on its page, as page/lab.js does."""

import json
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes

from transformer_lab.publish.sphinxext import packing

FOLDER = "_static/transformer_lab/page/"
SCRIPTS = ("card.js", "load.js", "parts.js", "python.js", "answer.js", "lab.js")
STYLES = (packing.PAGE / "lab.css", packing.PACKAGE / "grading/card/html.css")


def script() -> str:
    """Return what comes with the page of an exercise, as one script that leaves no names behind."""
    parts = "\n".join((packing.PAGE / name).read_text("utf8") for name in SCRIPTS)
    return f"(() => {{\n{parts}}})();\n"


def _mark_cells(app: Any, doctree: nodes.document) -> None:
    """Say which cells are answers, under the ids of their exercises, and which are checks."""
    if not app.env.docname.startswith("exercises/"):
        return
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code":
            told = cell["cell_metadata"].get("nbgrader", {})
            kind = "answer" if told.get("solution") else "check" if told.get("grade") else "setup"
            cell["classes"].append(f"tl-{kind}")
            if kind == "answer":
                cell["ids"].append(told["grade_id"])


def _configure(app: Any, config: Any) -> None:
    """Pack Python, unless that is done; where it cannot be had, the book goes without."""
    folder = Path(app.outdir).parent / "cache/page"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        config.transformer_lab_page = str(packing.packed(folder))
    except packing.NotPackedError as why:
        print(f"The pages of the exercises go without Python: {why}.", flush=True)


def _load(app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """On the page of an exercise, load the laboratory; or say how else to do the exercise."""
    body = context.get("body", "")
    if "tl-answer" not in body:
        return
    folder = app.config.transformer_lab_page
    manifest = Path(folder, "manifest.json").read_text("utf8") if folder else ""
    title, end, rest = body.partition("</nav>")  # the bar of links to the notebook
    context["body"] = title + end + (_introduction(manifest) if folder else ELSEWHERE) + rest
    if not folder:
        return
    for sheet in STYLES:
        app.add_css_file(f"transformer_lab/page/{sheet.name}")
    app.add_js_file(
        "transformer_lab/page/lab.js",
        loading_method="defer",
        **{
            "data-files": manifest,
            "data-folder": context["pathto"](FOLDER, 1),
        },
    )


ELSEWHERE = (
    "<p>To do the exercise, open this page as a notebook: it cannot be run here, since the site "
    "was built without Python for its pages.</p>"
)


def _introduction(manifest: str) -> str:
    """Say what comes, and how to get out of an editor again; not where no script will."""
    size = sum(size for scripts in json.loads(manifest).values() for _, size in scripts) / 1e6
    return (
        f'<div class="tl-lab-intro"><p id="tl-lab-help">Write your answers on this page, and run '
        f"them here: at the first one {size:.1f} MB come from this site, once. Ctrl+Enter runs. "
        "Tab indents; to move on with it, press Escape first.</p>"
        '<button type="button">Run all</button></div>'
        "<noscript><style>.tl-lab-intro { display: none }</style></noscript>"
    )


def _write(app: Any, error: Exception | None) -> None:
    """Write what the pages load."""
    folder = app.config.transformer_lab_page
    target = Path(app.outdir, FOLDER)
    shutil.rmtree(target, ignore_errors=True)
    if error or app.builder.format != "html" or not folder:
        return
    target.mkdir(parents=True)
    (target / "lab.js").write_text(script(), "utf8")
    for path in (*STYLES, *(p for p in Path(folder).iterdir() if p.name != "manifest.json")):
        shutil.copy(path, target)


def setup(app: Any) -> None:
    """Register with Sphinx: before the pages are written that name what is packed."""
    app.add_config_value("transformer_lab_page", "", "html")  # another one: write every page again
    app.connect("config-inited", _configure, priority=200)
    app.connect("doctree-read", _mark_cells)
    app.connect("html-page-context", _load, priority=600)  # when the bar is there
    app.connect("build-finished", _write)
