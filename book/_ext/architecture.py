"""The block `{architecture}`: the drawing of the whole model, with the page's own parts filled.

It is folded below one line, unless the block has the option `:open:`.
"""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from lab_notebooks.architecture import CAPTION, FOLD, drawing


class Architecture(nodes.General, nodes.Element):  # type: ignore[misc]
    """The drawing, at its place in a page."""


class ArchitectureDirective(SphinxDirective):
    """An empty block that becomes the drawing."""

    option_spec = {"open": directives.flag}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Insert a node, which is drawn when addresses are known."""
        return [Architecture(open="open" in self.options)]


def _visit(translator: Any, node: Architecture) -> None:
    page = translator.builder.current_docname

    def link(target: str) -> str:
        stem, mark, part = target.partition("#")
        address = translator.builder.get_relative_uri(page, f"book/{stem}")
        return address + mark + nodes.make_id(part) or "#"  # the page's own link

    svg = drawing(page.removeprefix("book/"), link)
    caption = f"<figcaption>{CAPTION}</figcaption>"
    drawn = f'<figure class="tl-architecture">{svg}{caption}</figure>'
    if not node["open"]:
        drawn = f'<details class="tl-where"><summary>{FOLD}</summary>{drawn}</details>'
    translator.body.append(drawn)
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.add_node(Architecture, html=(_visit, None))
    app.add_directive("architecture", ArchitectureDirective)
