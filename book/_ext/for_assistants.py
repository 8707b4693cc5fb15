"""The site for assistants: `llms.txt`, each page as plain Markdown, each exercise as data.

A page's Markdown lies beside it, with what its cells print, and without solutions. Links in it lead
to the Markdown of other pages.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sphinx import addnodes

from book._ext.execution import SOURCE

Link = Callable[[str], str]

REPOSITORY = re.compile(r"\{repository\}`([^`<]+) <([^>`]+)>`")
PAPERS = "```{bibliography}\n```"
BLOCK = re.compile(r"^```\{(?:widget|architecture|chapters)\}.*?^```\n", re.MULTILINE | re.DOTALL)
HTML = re.compile(r"^</?div\b.*>\n|^<noscript>.*?</noscript>\n", re.MULTILINE | re.DOTALL)
CLASS = re.compile(r"(?<=\))\{\.[\w-]+\}")
ATTRIBUTES = re.compile(r'(?<=<)(\w+)(?: [\w-]+=(?:"[^"]*"|\w+))+')
LONGEST = 4000  # characters of what a cell prints
ABOUT = """\
Every page is here as plain Markdown, with what its cells print. Beside a page of exercises, each
of its tasks is a JSON file: text, hints in order, known mistakes, and what must not be told.
"""


def offer(app: Any, page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Pass the address of a page's Markdown to the template."""
    if page in app.env.found_docs:
        context["markdown_url"] = context["pathto"](f"{page}.md", 1)


def markdown(page: str, text: str, link: Link, outputs: list[list[dict]]) -> str:
    """Return a source as plain Markdown, with the outputs of its cells.

    `link` converts a link's target. Raises ValueError for MyST that has no plain form.
    """
    import jupytext

    from lab_notebooks.addresses import repository
    from lab_notebooks.notebooks import papers
    from lab_notebooks.plain_markdown import citation, plain
    from tensorgrader.source.forms import release_text
    from tensorgrader.source.graded import graded_text
    from transformer_lab._course import COURSE

    room, _, stem = page.partition("/")
    if room == "exercises":
        text = release_text(graded_text(COURSE.chapters[stem], text))
    shown, parts = iter(outputs), list[str]()
    for cell in jupytext.reads(text, fmt="md:myst").cells:
        if cell.cell_type == "code":
            told = "".join(map(printed, next(shown, [])))
            if "proof" not in cell.metadata.get("tags", []):
                parts.append(f"```python\n{cell.source}\n```{told}")
            continue
        words = CLASS.sub("", HTML.sub("", BLOCK.sub("", f"{cell.source}\n")))
        if PAPERS in words:
            listed = (f"- [{by} ({year})]({address})" for by, year, address in papers().values())
            words = words.replace(PAPERS, "\n".join(sorted(listed)))
        words = REPOSITORY.sub(rf"[\1]({repository()}/\2)", words)
        parts.append(plain(words, lambda style, keys: citation(style, keys, papers()), link))
    return "\n\n".join(filter(None, parts)) + "\n"


def printed(output: dict) -> str:
    """Return what a cell printed, or "" for a picture."""
    data = output.get("data", {})
    if "text/markdown" in data:
        return f"\n\n{data['text/markdown']}"
    if "<table" in data.get("text/html", ""):
        return "\n\n" + ATTRIBUTES.sub(r"\1", data["text/html"])
    if (text := output.get("text") or data.get("text/plain", "")) and len(data) < 2:
        return f"\n\n```\n{text.rstrip()[:LONGEST]}\n```"
    return ""


def _outputs(app: Any, path: str) -> list[list[dict]]:
    """Return the outputs of a page's cells, if it was executed."""
    from jupyter_cache import get_cache

    cache = get_cache(app.config.nb_execution_cache_path)
    kept = cache.get_cached_project_nb(cache.add_nb_to_project(path, read_data=SOURCE).uri)
    cells = cache.get_cache_bundle(kept.pk).nb.cells if kept else []
    return [cell.outputs for cell in cells if cell.cell_type == "code"]


def _link(app: Any, page: str) -> Link:
    """Return a function that converts the target of a link on a page."""
    labels = app.env.get_domain("std").anonlabels

    def link(target: str) -> str:
        label = target.removeprefix("#")
        if label not in labels:
            return target
        other, part, *_ = labels[label]
        up = "../" * page.count("/")
        return f"#{part}" if other == page else f"{up}{other}.md#{part}"

    return link


def write(app: Any) -> None:
    """Write all of it."""
    from lab_notebooks.tasks import tasks

    out, env = Path(app.outdir), app.env
    for page in env.found_docs:
        path = env.doc2path(page)
        outputs = _outputs(app, path) if page.startswith("book/") else []
        text = markdown(page, Path(path).read_text("utf8"), _link(app, page), outputs)
        (out / f"{page}.md").write_text(text, "utf8")
    every = tasks()
    for name, task in every.items():
        data = json.dumps(task.plain, ensure_ascii=False, indent=1)
        (out / f"exercises/{name}.json").write_text(f"{data}\n", "utf8")
    chapters = {name: task.exercise.chapter for name, task in every.items()}
    (out / "llms.txt").write_text("\n".join(_contents(app, chapters)) + "\n", "utf8")


def _contents(app: Any, chapters: dict[str, str]) -> Iterator[str]:
    """Yield the contents of the book line by line; `chapters` are those of the tasks."""
    env, root = app.env, app.config.root_doc

    def line(page: str) -> str:
        begins = env.metadata[page]["begins"]
        return f"- [{env.titles[page].astext()}]({page}.md){begins and f': {begins}'}"

    yield from (f"# {app.config.html_title}", "", f"> {env.metadata[root]['begins']}", "", ABOUT)
    for part in env.get_doctree(root).findall(addnodes.toctree):
        yield from (f"## {part['caption']}", "")
        for _, page in part["entries"]:
            yield line(page)
            for below in env.toctree_includes.get(page, []):
                yield f"  {line(below)}"
                stem = below.rpartition("/")[2] if below.startswith("exercises/") else ""
                named = (
                    f"[{name}](exercises/{name}.json)"
                    for name in chapters
                    if chapters[name] == stem
                )
                if listed := ", ".join(named):
                    yield f"    - Tasks: {listed}"
        yield ""
