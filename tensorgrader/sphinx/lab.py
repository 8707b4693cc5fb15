"""Editors and cards for the answers of a course, on its pages: what page/exercises.js needs there.

It knows its course and nothing else of a book. Every page shows the reader's progress; without
Node, pages say how else to do the exercises.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docutils import nodes

from tensorgrader.course import Course
from tensorgrader.exercise import Exercise
from tensorgrader.sphinx import node
from tensorgrader.sphinx.packing import Bundle

HERE = Path(__file__).parent
STYLES = (node.PAGE / "exercises.css", HERE.parent / "card/html.css")


def call(answer: nodes.container, name: str, course: Course) -> None:
    """Set the id of the cell of an answer, and its classes for the ids that it had before."""
    answer["ids"].append(name)
    answer["classes"] += [f"tl-was-{old}" for old, new in course.moved.items() if new == name]


@dataclass(frozen=True)
class Lab:
    """A course on pages, and what a book has besides."""

    bundle: Bundle
    #: The folder below _static from which pages load.
    static: str = "tensorgrader"
    #: The folder of the site that has a page's notebook as a script, `PAGE.ipynb.js`.
    notebooks: str = "notebooks"
    #: The tag below which a page of exercises says how they are done.
    below: str = "</h1>"
    #: Style sheets of a page of exercises.
    styles: tuple[Path, ...] = STYLES
    #: The scripts of pages without exercises, by what marks them, the most special first.
    others: Mapping[str, str] = field(default_factory=lambda: {"": "progress.js"})
    #: HTML that ends the section of an answer, "" for none.
    after: Callable[[Exercise], str] = lambda _: ""

    def chapter(self, page: str) -> str:
        """Return the chapter whose exercises are on a page, "" for none."""
        pages = self.bundle.pages
        return next((name for name, place in pages.items() if place == page), "")

    @property
    def folder(self) -> str:
        """The folder of the site that has what was packed."""
        return f"_static/{self.static}/"

    def mark_cells(self, app: Any, doctree: nodes.document) -> None:
        """Mark answers, with the ids of their exercises, checks, and examples that can be run."""
        is_asked = self.chapter(app.env.docname)
        for cell in list(doctree.findall(nodes.container)):
            if cell.get("nb_element") == "cell_code":
                if "runs-on-page" in cell["cell_metadata"].get("tags", ()):
                    cell["classes"].append("tl-example")
                if not is_asked:
                    continue
                told = cell["cell_metadata"].get("nbgrader", {})
                is_answer = told.get("solution")
                kind = "answer" if is_answer else "check" if told.get("grade") else "setup"
                cell["classes"].append(f"tl-{kind}")
                if is_answer:
                    course, name = self.bundle.course, told["grade_id"]
                    call(cell, name, course)
                    after = self.after(course.exercises[name])
                    if after and app.config.tensorgrader_page:
                        cell.parent.append(nodes.raw("", after, format="html"))

    def load(self, app: Any, page: str, _template: str, context: dict, _doctree: Any) -> None:
        """Load the laboratory on the page of an exercise, or say how else to do the exercise."""
        body, folder = context.get("body", ""), app.config.tensorgrader_page
        place = context["pathto"](self.folder, 1)
        told = {"data-root": place.removesuffix(self.folder), "data-folder": place}
        hunts, runs = 'class="tl-hunt"' in body, "tl-example" in body
        manifest = Path(folder, "manifest.json").read_text("utf8") if folder else ""
        if "tl-answer" not in body and not hunts:
            if folder:
                script = next(name for mark, name in self.others.items() if mark in body)
                told |= {"data-files": manifest} if runs else {}
                for sheet in self.styles if runs else ():
                    app.add_css_file(f"{self.static}/{sheet.name}")
                app.add_js_file(f"{self.static}/{script}", loading_method="defer", **told)
            return
        notebook = context["pathto"](f"{self.notebooks}/{page}.ipynb", 1)
        says = self.introduction(manifest, page) if folder else ELSEWHERE
        says = says.replace(AS_A_NOTEBOOK, f'<a href="{notebook}" download>{AS_A_NOTEBOOK}</a>')
        if not hunts:
            context["body"] = body.replace(self.below, f"{self.below}{says}", 1)
        if not folder:
            return
        for sheet in self.styles:
            app.add_css_file(f"{self.static}/{sheet.name}")
        told |= {
            "data-files": manifest,
            "data-chapter": self.chapter(page),
            "data-notebook": f"{notebook}.js",
        }
        script = "hunt.js" if hunts else "exercises.js"
        app.add_js_file(f"{self.static}/{script}", loading_method="defer", **told)

    def introduction(self, manifest: str, page: str) -> str:
        """Return what comes, and how to leave an editor; it shows only with scripts."""
        size = sum(size for scripts in json.loads(manifest).values() for _, size in scripts) / 1e6
        program = self.bundle.course.program
        file = FILE if program and self.chapter(page) == program.chapter else ""
        work = WORK.format(command=self.bundle.course.command, file=file)
        return INTRODUCTION.format(size=size, work=work)

    def write(self, app: Any) -> None:
        """Write what the pages load."""
        folder, target = app.config.tensorgrader_page, Path(app.outdir, self.folder)
        shutil.rmtree(target, ignore_errors=True)
        if folder:
            shutil.copytree(folder, target, ignore=shutil.ignore_patterns("manifest.json"))
            for sheet in self.styles:
                shutil.copy(sheet, target)


#: Becomes a link.
AS_A_NOTEBOOK = "as a notebook"
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
    '<button type="button" name="certificate">Certificate</button>'
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
