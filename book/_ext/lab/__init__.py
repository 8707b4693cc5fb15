"""Editors and cards for the answers of a course, on its pages: what page/exercises.js needs there.

It knows its course and nothing else of a book. Every page shows the reader's progress and notes what
they choose, as page/every_page.js does; without Node, pages say how else to do the exercises.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes

from book._ext.lab import node, packing
from tensorgrader.course import Course
from tensorgrader.exercise import Exercise

FOLDER = "_static/transformer_lab/page/"
#: Where a page asks questions again, by page/again.js.
AGAIN = 'class="tl-again"'
STYLES = (node.PAGE / "exercises.css", packing.ROOT / "tensorgrader/card/html.css")


@dataclass(frozen=True)
class Lab:
    """A course on pages, and what a book has besides."""

    course: Course
    #: The folder of the pages with exercises, each named after its chapter.
    room: str = "exercises"
    #: The folder of the site that has a page's notebook as a script, `ROOM/CHAPTER.ipynb.js`.
    notebooks: str = "notebooks"
    #: HTML that ends the section of an answer, "" for none.
    after: Callable[[Exercise], str] = lambda _: ""

    @property
    def checks(self) -> packing.Chapters:
        """Return all exercises with their properties, for a script."""
        return {
            name: {e.id: [prop.id for prop in e.properties] for e in chapter.exercises}
            for name, chapter in self.course.chapters.items()
        }

    def mark_cells(self, app: Any, doctree: nodes.document) -> None:
        """Mark the cells that are answers, with the ids of their exercises, and the checks."""
        if app.env.docname.rpartition("/")[0] != self.room:
            return
        for cell in list(doctree.findall(nodes.container)):
            if cell.get("nb_element") == "cell_code":
                told = cell["cell_metadata"].get("nbgrader", {})
                is_answer = told.get("solution")
                kind = "answer" if is_answer else "check" if told.get("grade") else "setup"
                cell["classes"].append(f"tl-{kind}")
                if is_answer:
                    cell["ids"].append(told["grade_id"])
                    was = [old for old, new in self.course.moved.items() if new == told["grade_id"]]
                    cell["classes"] += [f"tl-was-{old}" for old in was]
                    after = self.after(self.course.exercises[told["grade_id"]])
                    if after and app.config.transformer_lab_page:
                        cell.parent.append(nodes.raw("", after, format="html"))

    def configure(self, app: Any, config: Any) -> None:
        """Set the folder of Python for the pages; without Node, the book has none."""
        folder = packing.place(cache(app), self.checks)
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            if not packing.is_packed(folder):
                node.installed(cache(app))
            config.transformer_lab_page = str(folder)
        except node.NoNodeError as why:
            print(f"The pages of the exercises go without Python: {why}.", flush=True)

    def pack(self, app: Any, *_: Any) -> None:
        """Pack Python, unless that is done."""
        if self.is_to_pack(app):
            packing.pack(Path(app.config.transformer_lab_page), self.checks)

    def is_to_pack(self, app: Any) -> bool:
        """Return whether Python for the pages is wanted and not packed yet."""
        folder = app.config.transformer_lab_page
        return bool(folder) and not packing.is_packed(Path(folder))

    def load(self, app: Any, page: str, _template: str, context: dict, _doctree: Any) -> None:
        """Load the laboratory on the page of an exercise, or say how else to do the exercise."""
        body, folder = context.get("body", ""), app.config.transformer_lab_page
        if "tl-answer" not in body:
            if folder:
                is_again = AGAIN in body
                app.add_js_file(
                    f"transformer_lab/page/{'again' if is_again else 'every_page'}.js",
                    loading_method="defer",
                    **({"data-folder": context["pathto"](FOLDER, 1)} if is_again else {}),
                )
            return
        manifest = Path(folder, "manifest.json").read_text("utf8") if folder else ""
        title, end, rest = body.partition("</nav>")  # the bar of links to the notebook
        context["body"] = title + end + (self.introduction(manifest, page) if folder else ELSEWHERE) + rest
        if not folder:
            return
        for sheet in STYLES:
            app.add_css_file(f"transformer_lab/page/{sheet.name}")
        app.add_js_file(
            "transformer_lab/page/exercises.js",
            loading_method="defer",
            **{
                "data-files": manifest,
                "data-folder": context["pathto"](FOLDER, 1),
                "data-chapter": page.rpartition("/")[2],
                "data-notebook": context["pathto"](f"{self.notebooks}/{page}.ipynb.js", 1),
            },
        )

    def introduction(self, manifest: str, page: str) -> str:
        """Return what comes, and how to leave an editor; it shows only with scripts."""
        size = sum(size for scripts in json.loads(manifest).values() for _, size in scripts) / 1e6
        program = self.course.program
        file = FILE if program and page == f"{self.room}/{program.chapter}" else ""
        work = WORK.format(command=self.course.command, file=file)
        return INTRODUCTION.format(size=size, work=work)


def cache(app: Any) -> Path:
    """Return the folder of npm's packages, and of what was packed."""
    return Path(app.outdir).parent / "cache/page"


ELSEWHERE = (
    "<p>To do the exercise, open this page as a notebook: it cannot be run here, since the site "
    "was built without Python for its pages.</p>"
)


#: Where answers are stored, and what page/work.js can do with them.
WORK = (
    '<div class="tl-work" role="group" aria-label="Your work"><p>Your answers stay in this browser '
    "until you clear them, and are sent nowhere. Save them as this page’s notebook, and your "
    "progress as progress.json. To load either again, choose it or drop it on the page. "
    "Points come from <code>{command} grade</code> alone, which takes the notebook.</p>"
    '<button type="button" name="take">Save as notebook</button>'
    '<button type="button" name="progress">Save progress</button>{file}'
    '<button type="button" name="bring">Load a file</button>'
    '<input type="file" multiple hidden>'
    '<button type="button" name="clear">Clear answers</button><p role="status"></p></div>'
)


#: Saves the reader's answers as one file.
FILE = '<button type="button" name="file">Your GPT as a file</button>'
INTRODUCTION = (
    '<div class="tl-lab-intro"><p id="tl-lab-help">Write your answers on this page, and run '
    "them here. The first run downloads {size:.1f} MB from this site, once. Ctrl+Enter runs. "
    "Tab indents; to leave the editor, press Escape, then Tab.</p>"
    '<button type="button" class="tl-run">Run all</button>{work}</div>'
    "<noscript><style>.tl-lab-intro, .tl-yours {{ display: none }}</style><p>Without JavaScript "
    "this page cannot run your answers: open it as a notebook.</p></noscript>"
)


def write(app: Any) -> None:
    """Write what the pages load."""
    folder, target = app.config.transformer_lab_page, Path(app.outdir, FOLDER)
    shutil.rmtree(target, ignore_errors=True)
    if folder:
        shutil.copytree(folder, target, ignore=shutil.ignore_patterns("manifest.json"))
        for sheet in STYLES:
            shutil.copy(sheet, target)


def setup(app: Any, lab: Lab) -> None:
    """Register a course with Sphinx; the caller also calls `load` for a page, and `write`."""
    app.add_config_value("transformer_lab_page", "", "env")  # if new, read every page again
    app.connect("config-inited", lab.configure, priority=200)
    app.connect("env-before-read-docs", lab.pack)
    app.connect("doctree-read", lab.mark_cells)
