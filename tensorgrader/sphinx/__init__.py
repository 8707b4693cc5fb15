"""Tasks of a course on the pages of a Sphinx site: editors, Run and cards, without a server.

`tensorgrader_course` in conf.py names the folder of the course. The directive `{task} ID` puts a
task on a page; its content, or else the head of the right answer, is the stub. When all pages have
been read, Python is packed into the site, with the course and a small PyTorch.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util import logging

from tensorgrader.course import Course, CourseError
from tensorgrader.sphinx import node, packing
from tensorgrader.sphinx.lab import HERE, STYLES, Lab
from tensorgrader.sphinx.notebook import write_notebook
from tensorgrader.sphinx.task import TASKS, Task

logger = logging.getLogger(__name__)
STATIC = "tensorgrader"


def _begin(app: Any, config: Any) -> None:
    """Load the course. Raises ExtensionError if it is not named, or none is there."""
    if not config.tensorgrader_course:
        raise ExtensionError("tensorgrader_course has to name the folder with course.py.")
    try:
        Task.course = Course.load(Path(app.confdir, config.tensorgrader_course))
    except (CourseError, FileNotFoundError) as why:
        raise ExtensionError(f"tensorgrader_course: {why}") from None


def pages(tasks: dict[str, list[str]], course: Course) -> dict[str, str]:
    """Return the page of each chapter, given the tasks of each page.

    Raises ExtensionError unless a page has tasks of one chapter, each once, and no other page has
    any of it: what a reader saves or clears on a page is a chapter.
    """
    found: dict[str, str] = {}
    for page, ids in tasks.items():
        chapters = dict.fromkeys(course.exercises[task].chapter for task in ids)
        if len(chapters) > 1:
            names = " and ".join(chapters)
            raise ExtensionError(f"{page} has tasks of {names}: give each chapter a page.")
        (chapter,) = chapters
        if chapter in found:
            two = f"{found[chapter]} and {page}"
            raise ExtensionError(f"{two} have tasks of {chapter}: put them on one page.")
        if twice := [task for task in ids if ids.count(task) > 1]:
            raise ExtensionError(f"{page} has the task {twice[0]} twice.")
        found[chapter] = page
        every = [exercise.id for exercise in course.chapters[chapter].exercises]
        if missing := [task for task in every if task not in ids]:
            logger.warning("%s lacks tasks of its chapter: %s.", page, ", ".join(missing))
    return found


def sections(app: Any, course: Course, pages: dict[str, str]) -> dict[str, str]:
    """Return the address of each section that a card may name, from the root of the site.

    One that names no page of the site is on the page that has the tasks of its chapter.
    """
    found = {}
    for exercise in course.exercises.values():
        told = [exercise.place(exercise.section), *(m.section for m in exercise.mistakes)]
        for section in dict.fromkeys(told):
            page, _, heading = section.partition("#")
            if page not in app.env.found_docs:
                page = pages.get(page.removeprefix("book/"), "")
            if anchor := next(_anchors(app.env, page, heading), ""):
                found[section] = f"{app.builder.get_target_uri(page)}{anchor}"
            elif exercise.chapter in pages:
                logger.warning(
                    "the cards of %s name a section that is on no page: %s.", exercise.id, section
                )
    return found


def _anchors(env: Any, page: str, heading: str) -> Iterator[str]:
    """Yield the address on a page of each section with a heading."""
    for link in env.tocs[page].findall(nodes.reference) if page in env.tocs else ():
        if link.astext() == heading:
            yield link["anchorname"] or "#"


def _pack(app: Any, env: Any) -> list[str]:
    """Pack Python into the site, unless that is done; return the pages to write again."""
    course = Task.course
    told = {page: env.metadata[page] for page in sorted(env.found_docs)}
    tasks = {page: about[TASKS] for page, about in told.items() if TASKS in about}
    if app.builder.format != "html" or not tasks:
        return []
    where = pages(tasks, course)
    bundle = packing.Bundle(course, pages=where, sections=sections(app, course, where))
    folder = packing.place(Path(app.outdir, "_static", STATIC), bundle)
    try:
        if not packing.is_packed(folder):
            caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
            cache = app.config.tensorgrader_cache or Path(caches, "tensorgrader")
            npm = node.installed(Path(app.confdir, cache))
            logger.info("packing Python for the pages of tasks: about half a minute …")
            packing.pack(folder, bundle, npm)
        app.config.tensorgrader_page = str(folder)
    except node.NoNodeError as why:
        logger.warning("the pages of tasks go without Python: %s.", why)
    except RuntimeError as why:
        said = str(why).rpartition("ValueError: ")[2]
        blamed = [page for page, ids in tasks.items() if any(task in said for task in ids)]
        place = ", ".join(blamed or tasks)
        raise ExtensionError(f"{place}: a task cannot run on the page: {said}") from None
    styles = (*STYLES, HERE / "any_theme.css")
    if app.config.tensorgrader_page:
        for sheet in styles:
            shutil.copy(sheet, folder)
    lab = Lab(bundle, static=f"{STATIC}/{folder.name}", notebooks=NOTEBOOKS, styles=styles)
    app.connect("html-page-context", lab.load)
    for page in tasks:
        write_notebook(course, env.get_doctree(page), Path(app.outdir, NOTEBOOKS, page))
    before = getattr(env, "tensorgrader_packed", "")
    env.tensorgrader_packed = app.config.tensorgrader_page
    return [] if before == env.tensorgrader_packed else [*env.found_docs]


#: The folder of the site that has the notebook of each page with tasks.
NOTEBOOKS = "_static/tensorgrader-notebooks"


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_config_value("tensorgrader_course", "", "env")
    app.add_config_value("tensorgrader_cache", "", "")
    app.add_config_value("tensorgrader_page", "", "")
    app.add_directive("task", Task)
    app.connect("config-inited", _begin)
    app.connect("env-updated", _pack)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
