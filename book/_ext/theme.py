"""Complete the theme: templates, the book's style, a description for each page, calm scripts."""

import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes

from lab_notebooks.architecture import SHEET

HERE = Path(__file__).parent
COMMENT = re.compile(r'(?<=<span class="c1">)[^<]+(?=</span>)')
FIRST_SCREEN = 6_000  # characters of markup
ROLE = re.compile(r"\b(query|queries|keys?|values?)\b")


def _configure(_app: Any, config: Any) -> None:
    config.templates_path.append(str(HERE / "templates"))


def words(node: Any) -> str:
    """Return a node's text in one line, without raw HTML, <noscript> and citations."""
    shown, is_fallback = "", False
    for text in node.findall(nodes.Text):
        if not isinstance(text.parent, nodes.raw):
            is_citation = (text.parent.parent or text.parent).get("refdomain") == "cite"
            shown += "" if is_fallback or is_citation else text
        elif "noscript" in text:
            is_fallback = not text.rstrip().endswith("</noscript>")
    return re.sub(r" (?=[.,:;])", "", " ".join(shown.split()))


def description(doctree: Any) -> str:
    """Return the page's first paragraph, cut after the sentence that passes 80 characters."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = words(paragraph)
        if len(text) >= 40:
            end = re.search(r"(?<=^.{80}).*?[.!?](?= |$)", text)
            return text[: end.end()] if end else text
    return ""


def contents(toc: str) -> str:
    """Return the list of a page's sections, starting with the page itself."""
    found = re.search(r"</a>(<ul>.*</ul>)\s*</li>\s*</ul>\s*$", toc, re.DOTALL)
    return found[1].replace("<ul>", '<ul class="tl-contents">', 1) if found else ""


def coloured(comment: str) -> str:
    """Colour query, key and value in a comment of code."""

    def mark(word: re.Match) -> str:
        role = {"q": "query", "k": "key", "v": "value"}[word[0][0]]
        return f'<span class="tl-{role}">{word[0]}</span>'

    return ROLE.sub(mark, comment)


def below_tables(body: str) -> str:
    """Return the id of what follows the tables of a page's first screen, or "".

    Nothing is drawn before it is loaded: a table whose rows still arrive moves its columns.
    """
    last = body.rfind("<table", 0, FIRST_SCREEN)
    end = body.find("</table>", last)
    after = re.compile(r'\bid="([^"]+)"').search(body, end) if last >= 0 else None
    return after[1] if after else ""


def complete(_app: Any, _page: str, _template: str, context: dict, doctree: Any) -> None:
    """Add description, sections and coloured comments; replace a role that ARIA has removed."""
    if doctree is not None:
        context["description"] = description(doctree)
        context["contents"] = contents(context["toc"])
        body = context["body"].replace('"doc-biblioentry"', '"listitem"')
        context["body"] = COMMENT.sub(lambda comment: coloured(comment[0]), body)
        context["below_tables"] = below_tables(body)


def defer(_app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Defer all scripts; drop the inline ones, which switch versions."""
    scripts = context["script_files"]
    scripts[:] = [script for script in scripts if script.filename]
    for script in scripts:
        script.attributes.setdefault("defer", "defer")


def write(site: Path) -> None:
    """Copy our files, if pages were written."""
    static = site / "_static"
    if (static / "pygments.css").exists():
        shutil.copytree(HERE / "assets", static, dirs_exist_ok=True)
        shutil.copy(SHEET, static)


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("config-inited", _configure)
    for sheet in ("type.css", "cells.css", "architecture.css", "book.css"):
        app.add_css_file(sheet)
    for script in ("print.js", "scrolling.js"):
        app.add_js_file(script)
