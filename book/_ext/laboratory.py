"""Let the answers of an exercise be written and run on its page, as page/lab.js does.

Every page shows how far its reader is, as page/progress.js does.
"""

import json
import shutil
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from docutils import nodes

from book._ext import launch, packing
from book._ext.jobs import EVENT, Job, elsewhere
from book._ext.shortening import shortened
from transformer_lab.widgets._learner import OF_EXERCISES

FOLDER = "_static/transformer_lab/page/"
#: The scripts of every page, and those that the page of an exercise has besides.
PROGRESS = ("kept.js", "progress.js")
LABORATORY = (
    "card.js", "load.js", "parts.js", "notebook.js", "python.js", "answer.js", "work.js", "own.js",
    "lab.js",
)  # fmt: skip
FROM_PROGRESS = "const { KEPT, isText, showProgress, together } = window.transformerLabProgress;"
WITHOUT = "The pages of the exercises go without Python"
STYLES = (packing.PAGE / "lab.css", packing.ROOT / "tensorgrader/card/html.css")


def script(given: str, *names: str) -> str:
    """Return what comes with a page, as one script that leaves no names behind."""
    parts = [(packing.PAGE / name).read_text("utf8") for name in names]
    return shortened("lab.js", "\n".join(["(() => {", given, *parts, "})();\n"]))


def chapters() -> str:
    """Name all exercises for a script, and what is checked of each."""
    from transformer_lab._course import COURSE

    told = {
        name: {e.id: [prop.id for prop in e.properties] for e in chapter.exercises}
        for name, chapter in COURSE.chapters.items()
    }
    return f"const CHAPTERS = {json.dumps(told, separators=(',', ':'))};"


def _mark_cells(app: Any, doctree: nodes.document) -> None:
    """Say which cells are answers, under the ids of their exercises, and which are checks.

    Where a widget can show an answer, its place ends the answer's section.
    """
    if not app.env.docname.startswith("exercises/"):
        return
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") == "cell_code":
            told = cell["cell_metadata"].get("nbgrader", {})
            kind = "answer" if told.get("solution") else "check" if told.get("grade") else "setup"
            cell["classes"].append(f"tl-{kind}")
            if kind == "answer":
                cell["ids"].append(told["grade_id"])
                if app.config.transformer_lab_page and told["grade_id"] in OF_EXERCISES:
                    cell.parent.append(nodes.raw("", _widget(told["grade_id"]), format="html"))


def _widget(exercise: str) -> str:
    """Return the place of the widget that shows an exercise's function, in a box to open."""
    from transformer_lab import widgets
    from transformer_lab._course import COURSE
    from transformer_lab.widgets._page import place

    widget = getattr(widgets, OF_EXERCISES[exercise][0])()
    what = f"See your <code>{COURSE.exercises[exercise].function}</code> in the"
    name = widget.stem.replace("_", " ")
    return (
        f'<details class="tl-yours" data-answer="{exercise}"><summary>{what} {name}</summary>'
        f"{place(widget)}</details>"
    )


def _configure(app: Any, config: Any) -> None:
    """Say where Python for the pages is, or will be; without Node, the book goes without."""
    folder = Path(app.outdir).parent / "cache/page"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        config.transformer_lab_page = str(packing.place(folder))
    except packing.NotPackedError as why:
        print(f"{WITHOUT}: {why}.", flush=True)


def _jobs(app: Any, _names: list[str]) -> list[Job]:
    """Pack Python, unless that is done; without npm's packages, the book goes without."""
    folder = app.config.transformer_lab_page

    async def do(pool: Executor) -> bool:
        try:
            return await elsewhere(packing.pack, Path(folder))(pool)
        except packing.NotPackedError as why:
            print(f"{WITHOUT}: {why}.", flush=True)
            app.config.transformer_lab_page = ""
            return False

    wanted = folder and not packing.is_packed(Path(folder))
    return [Job("the pages' Python", 30, do)] if wanted else []


def _load(app: Any, page: str, _template: str, context: dict, _doctree: Any) -> None:
    """On the page of an exercise, load the laboratory; or say how else to do the exercise."""
    body, folder = context.get("body", ""), app.config.transformer_lab_page
    if folder:
        app.add_js_file("transformer_lab/page/progress.js", loading_method="defer")
    if "tl-answer" not in body:
        return
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
            "data-chapter": page.rpartition("/")[2],
            "data-notebook": context["pathto"](f"{launch.FOLDER}/{page}.ipynb.js", 1),
        },
    )


ELSEWHERE = (
    "<p>To do the exercise, open this page as a notebook: it cannot be run here, since the site "
    "was built without Python for its pages.</p>"
)


#: Where work is, and what can be done with it, by page/work.js.
WORK = (
    '<div class="tl-work" role="group" aria-label="Your work"><p>Your answers stay in this browser '
    "until you clear them, and are sent nowhere. Save them as this page’s notebook, and your "
    "progress as progress.json. To load either again, choose it or drop it on the page. "
    "Points come from <code>transformer-lab grade</code> alone, which takes the notebook.</p>"
    '<button type="button" name="take">Save as notebook</button>'
    '<button type="button" name="progress">Save progress</button>'
    '<button type="button" name="bring">Load a file</button>'
    '<input type="file" multiple hidden>'
    '<button type="button" name="clear">Clear answers</button><p role="status"></p></div>'
)


def _introduction(manifest: str) -> str:
    """Say what comes, and how to get out of an editor again; not where no script will."""
    size = sum(size for scripts in json.loads(manifest).values() for _, size in scripts) / 1e6
    return (
        f'<div class="tl-lab-intro"><p id="tl-lab-help">Write your answers on this page, and run '
        f"them here. The first run downloads {size:.1f} MB from this site, once. Ctrl+Enter runs. "
        "Tab indents; to leave the editor, press Escape, then Tab.</p>"
        f'<button type="button" class="tl-run">Run all</button>{WORK}</div>'
        "<noscript><style>.tl-lab-intro, .tl-yours { display: none }</style><p>Without JavaScript "
        "this page cannot run your answers: open it as a notebook.</p></noscript>"
    )


def _write(app: Any, error: Exception | None) -> None:
    """Write what the pages load."""
    folder = app.config.transformer_lab_page
    target = Path(app.outdir, FOLDER)
    shutil.rmtree(target, ignore_errors=True)
    if error or app.builder.format != "html" or not folder:
        return
    target.mkdir(parents=True)
    (target / "progress.js").write_text(script(chapters(), *PROGRESS), "utf8")
    (target / "lab.js").write_text(script(FROM_PROGRESS, *LABORATORY), "utf8")
    for path in (*STYLES, *(p for p in Path(folder).iterdir() if p.name != "manifest.json")):
        shutil.copy(path, target)


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.add_config_value("transformer_lab_page", "", "env")  # another one: read every page again
    app.connect("config-inited", _configure, priority=200)
    app.connect(EVENT, _jobs)
    app.connect("doctree-read", _mark_cells)
    app.connect("html-page-context", _load, priority=600)  # when the bar is there
    app.connect("build-finished", _write)
