"""The front page: a widget without a cell, and the chapters with their questions.

A chapter's question is the quotation that it opens with. Links from page to page show it too, or
what another page begins with.
"""

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from book._ext.theme import description, words


class WidgetDirective(SphinxDirective):
    """A block `{widget} NAME`: the widget as it starts, of a class of `transformer_lab.widgets`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Insert the HTML that widgets.py has baked; other builders leave it out."""
        from transformer_lab import widgets

        stem = getattr(widgets, self.arguments[0]).stem
        place = Path(self.config.transformer_lab_baked, f"widgets/{stem}.html")
        if not place.exists():
            return []
        self.env.note_dependency(str(place))
        return [nodes.raw("", place.read_text("utf8"), format="html")]


class Chapters(nodes.General, nodes.Element):  # type: ignore[misc]
    """The list of the chapters, at its place in a page."""


class ChaptersDirective(SphinxDirective):
    """An empty block `{chapters}` that becomes the list."""

    def run(self) -> list[nodes.Node]:
        """Insert a node, which is filled when all pages have been read."""
        return [Chapters()]


def question(doctree: Any) -> str:
    """Return the quotation between a page's title and its text."""
    for one in doctree.next_node(nodes.title).findall(descend=False, siblings=True):
        if isinstance(one, nodes.block_quote):
            return " ".join(map(words, one.findall(nodes.paragraph)))
        if isinstance(one, nodes.paragraph):
            break
    return ""


def _keep(app: Any, doctree: Any) -> None:
    kept = app.env.metadata[app.env.docname]
    kept["question"] = question(doctree)
    kept["begins"] = kept["question"] or description(doctree)


def chapter(env: Any, page: str, link: Any) -> str:
    """Return a chapter with its question and its exercise, whose progress a script fills in."""
    exercises = env.toctree_includes.get(page, [])
    links = "".join(f'<a class="tl-exercise" href="{link(one)}">Exercise</a>' for one in exercises)
    stems = (one.rpartition("/")[2] for one in exercises)
    progress = "".join(f'<span class="tl-progress" data-chapter="{n}"></span>' for n in stems)
    return (
        f'<li><a href="{link(page)}">{escape(env.titles[page].astext())}</a>{links}'
        f"<p>{escape(env.metadata[page]['question'])}</p>{progress}</li>"
    )


def _visit(translator: Any, _node: Chapters) -> None:
    builder, env = translator.builder, translator.builder.env
    here = builder.current_docname
    [first, *_] = env.get_doctree(here).findall(addnodes.toctree)  # the other parts are appendices
    pages = [to for _, to in first["entries"]]
    listed = (chapter(env, one, lambda to: builder.get_relative_uri(here, to)) for one in pages)
    translator.body.append(f'<ol class="tl-chapters">{"".join(listed)}</ol>')
    raise nodes.SkipNode


def tell(app: Any, page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Pass the beginnings of the previous and the next page to the template."""
    _, *beside = app.builder.relations.get(page, (None, None, None))
    for way, other in zip(("prev", "next"), beside, strict=True):
        context[f"{way}_begins"] = app.env.metadata[other]["begins"] if other else ""


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.add_node(Chapters, html=(_visit, None))
    app.add_directive("widget", WidgetDirective)
    app.add_directive("chapters", ChaptersDirective)
    app.connect("doctree-read", _keep)
