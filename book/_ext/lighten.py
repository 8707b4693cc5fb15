"""Make the theme light: one style sheet with the rules that pages use, and no unused file.

Each style sheet is loaded before a page is drawn, and most of the theme's rules, fonts, maps and
languages serve pages of other kinds.
"""

import re
import shutil
from collections.abc import Collection, Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import tinycss2
from tinycss2 import ast

from book._ext.fonts import ICONS

#: The sheets of every page, in order; the templates link to the one made from them.
SHEETS = (
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "copybutton.css",
    "type.css",
    "cells.css",
    "architecture.css",
    "book.css",
    ICONS,
)
#: Ours that are also used as files: all of their rules stay, since scripts compose names.
WHOLE = ("transformer_lab/widgets.css", "transformer_lab/page/*.css")
#: The files of the theme that ours replace.
REPLACED = ("basic.css", "mystnb.*.css")
TOGETHER = "together.css"
#: Names and punctuation in code, which the theme colours as the rest: a third of a chapter.
UNCOLOURED = re.compile(r'<span class="(?:n|nn|nx|p|pm|w)">([^<]*)</span>')
#: Bootstrap's script knows many components; of them the pages have tooltips, which it makes.
BOOTSTRAP = "bootstrap.js"
TOOLTIP = {"tooltip", "tooltip-arrow", "tooltip-inner", "fade", "show"}
#: What the theme's script does to each box, and scrolling.js does without asking for sizes.
SIZES = re.compile(
    r"document\.querySelectorAll\(\[[^]]*\]\.join\([^)]*\)\)\.forEach\(e=>\{e\.tabIndex=[^{}]*\}\)"
)
NEVER_LOADED = (
    "**/*.map",
    "**/fontawesome.js*",
    "**/*webpack-macros.html",
    "images",
    "locales",
    "styles",
    "vendor",
    "minus.png",
    "plus.png",
)


def named(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """Return the classes and ids of the pages, and every word of the scripts that may set one."""
    attributes = (re.findall(r'\b(?:class|id)="([^"]*)"', page) for page in pages)
    on_pages = {word for values in attributes for value in values for word in value.split()}
    return on_pages.union(*(re.findall(r"[\w-]+", script) for script in scripts))


def purge(style: str, used: set[str]) -> str:
    """Return the style sheet without the rules that need an unused class or id.

    Licences stay. Fonts in files are removed: fonts.py puts the needed parts of them into a sheet.
    """
    rules = tinycss2.parse_stylesheet(style, skip_whitespace=True)
    return "".join(kept for rule in rules if (kept := _kept(rule, used)))


def _kept(rule: ast.Node, used: set[str]) -> str:
    if isinstance(rule, ast.Comment):
        return rule.serialize() if rule.value.startswith("!") else ""
    if isinstance(rule, ast.QualifiedRule):
        selectors = ",".join(s for s in _selectors(rule.prelude, used) if s)
        return f"{selectors}{{{tinycss2.serialize(rule.content)}}}" if selectors else ""
    if not isinstance(rule, ast.AtRule) or rule.at_keyword == "charset":
        return ""
    if rule.at_keyword == "font-face" and "webfonts/" in rule.serialize():
        return ""
    if rule.at_keyword in ("container", "media", "supports"):
        inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        content = "".join(_kept(one, used) for one in inner)
        head = f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}"
        return f"{head}{{{content}}}" if content else ""
    return rule.serialize()


def calmed(script: str) -> str:
    """Return a script of the theme without its queries for sizes and missing maps."""
    return SIZES.sub("0", re.sub(r"\n//# sourceMappingURL=.*", "", script))


def light_unless_dark(style: str) -> str:
    """Make light the default where no script has chosen a theme."""
    return re.sub(r'html\[data-theme="?light"?\]', 'html:not([data-theme="dark"])', style)


def _selectors(prelude: list[ast.Node], used: set[str]) -> Iterable[str]:
    """Yield the selectors between the commas, "" for one that can never apply."""
    selector: list[ast.Node] = []
    for token in [*prelude, ast.LiteralToken(0, 0, ",")]:
        if token != ",":
            selector.append(token)
            continue
        follows = zip([None, *selector], selector, strict=False)
        needs = {t.value for before, t in follows if before == "." or t.type == "hash"}
        yield tinycss2.serialize(selector).strip() if needs <= used else ""
        selector = []


def _remove(paths: Iterable[Path]) -> None:
    for path in list(paths):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def link_once(_app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Remove the links to sheets that are part of the one sheet."""
    links = context["css_files"]
    names = [str(link.filename).removeprefix("_static/") for link in links]
    links[:] = [
        link
        for link, name in zip(links, names, strict=True)
        if not any(fnmatch(name, sheet) for sheet in (*SHEETS, *WHOLE, *REPLACED))
    ]


def unwrap(_app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Remove the elements around what is not coloured in code."""
    context["body"] = UNCOLOURED.sub(r"\1", context.get("body", ""))


def lighten(site: Path, pages: Collection[str]) -> Path | None:
    """Write one sheet of all, if pages were written; remove unused files."""
    static = site / "_static"
    sheets = [path for sheet in SHEETS for path in static.glob(sheet)]
    style = "\n".join(sheet.read_text("utf8") for sheet in sheets)
    all_are_there = (static / "styles").exists()  # not if Sphinx found no page to write
    never = (path for pattern in (*REPLACED, *NEVER_LOADED) for path in static.glob(pattern))
    _remove([*sheets, *never])
    if not all_are_there:
        return None
    scripts = {path: path.read_text("utf8") for path in static.rglob("*.js")}
    others = (script for path, script in scripts.items() if path.name != BOOTSTRAP)
    kept = purge(light_unless_dark(style), named(pages, others) | TOOLTIP)
    whole = (sheet.read_text("utf8") for part in WHOLE for sheet in sorted(static.glob(part)))
    for path, script in scripts.items():
        if (calm := calmed(script)) != script:
            path.write_text(calm, "utf8")
    together = static / TOGETHER
    together.write_text("\n".join([kept, *whole]), "utf8")
    return together
