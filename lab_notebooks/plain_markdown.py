"""Convert the chapters' MyST into Markdown that any notebook shows well.

JupyterLab, Colab, VS Code and GitHub don't read MyST. Unknown constructs raise ValueError, so that
no MyST ever reaches a notebook.
"""

import re
from collections.abc import Callable, Mapping

ADMONITIONS = ("note", "tip", "warning", "important")
FENCE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[\w-]+)\}[ \t]*(?P<title>.*)\n"
    r"(?P<body>(?:.*\n)*?)(?P=fence)[ \t]*$",
    re.MULTILINE,
)
CODE = re.compile(r"^(`{3,})[^{\n]*\n(?:.*\n)*?\1[ \t]*$|(`+)(?!`).+?(?<!`)\2(?!`)", re.MULTILINE)
CITE = re.compile(r"\{cite:([tp])\}`([^`]+)`")
LABEL = re.compile(r"^\([\w-]+\)=[ \t]*\n", re.MULTILINE)
DEEP = re.compile(r'^<details class="deep"><summary>(.+)</summary>$', re.MULTILINE)
ENDS = re.compile(r"^<details\b|^</details>[ \t]*\n?", re.MULTILINE)
LINK = re.compile(r"(?<!!)(\[[^\]\n]*\])\(([^():\s]+)\)")
ROLE = re.compile(r"([A-Za-z]?)\\(?:query|key|value)\{((?:[^{}]|\{[^{}]*\})*)\}")  # in a formula
MARKED = re.compile(r"\[([^\[\]\n]+)\]\{\.(?:query|key|value)\}")
UNKNOWN = re.compile(
    r"^(?:`{3,}|:{3,})\{.*|\{[a-z][\w:.+-]*\}`|^\([\w-]+\)=|^%[ \t].*|\{\{.*?\}\}|\[\^[\w-]+\]"
    r"|\]\{\.|\$\$[ \t]*\([\w-]+\)|^:{3,}|!\[[^\]\n]*\]\((?!https:|data:)",
    re.MULTILINE,
)


def plain(text: str, cite: Callable[[str, str], str], link: Callable[[str], str]) -> str:
    """Convert a Markdown cell.

    `cite` converts "t" (textual) or "p" (in parentheses) and comma-separated keys into Markdown;
    `link` converts a link's target into the notebook's, except full addresses. Raises ValueError
    for any other construct.
    """
    text = FENCE.sub(_block, text + "\n")
    text = _unfold(LABEL.sub("", text))
    text, kept = _set_code_aside(text, cite)
    text = MARKED.sub(r"\1", ROLE.sub(_uncoloured, text))  # no notebook knows their colours
    if unknown := UNKNOWN.search(text):
        raise ValueError(f"{unknown[0]!r} has no form in a plain notebook: add one, or rewrite it")
    text = LINK.sub(lambda match: f"{match[1]}({link(match[2])})", text)
    return re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], text).strip("\n")


def citation(style: str, keys: str, papers: Mapping[str, tuple[str, str, str]]) -> str:
    """Return keys as linked authors and years; `papers` maps a key to authors, year, address.

    Raises ValueError for an unknown key.
    """
    named = []
    for key in (key.strip() for key in keys.split(",")):
        if key not in papers:
            raise ValueError(f"no paper {key!r} in references.bib")
        authors, year, address = papers[key]
        text = f"{authors} ({year})" if style == "t" else f"{authors}, {year}"
        named.append(f"[{text}]({address})")
    return ", ".join(named) if style == "t" else f"({'; '.join(named)})"


def _uncoloured(match: re.Match) -> str:
    """Remove a role from a formula, without joining its content to the name before it."""
    return f"{match[1]} {match[2]}" if match[1] else match[2]


def _block(match: re.Match) -> str:
    """Convert an admonition into a quotation with a bold title."""
    name, title = match["name"], match["title"].strip()
    if name not in (*ADMONITIONS, "admonition"):
        return match[0]
    body = re.sub(r"\A(?::[\w-]+:.*\n)+", "", match["body"]).strip("\n")
    heading = title or name.capitalize()
    lines = [f"**{heading}**", "", *body.split("\n")]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _unfold(text: str) -> str:
    """Convert a deep dive into a bold title: it spans cells, and notebooks can't fold several."""
    text, depth = DEEP.sub(r"**\1**", text), 0

    def keep(match: re.Match) -> str:
        nonlocal depth
        depth += 1 if match[0].startswith("<details") else -1
        if depth >= 0:
            return match[0]
        depth = 0
        return ""

    return ENDS.sub(keep, text)


def _set_code_aside(text: str, cite: Callable[[str, str], str]) -> tuple[str, list[str]]:
    """Replace citations, then replace code by placeholders, so that it stays as it is."""
    text = CITE.sub(lambda match: cite(match[1], match[2]), text)
    kept: list[str] = []

    def keep(match: re.Match) -> str:
        before = text[: match.start()]
        if re.search(r"\{[a-z][\w:.+-]*\}$", before):  # a role, not code
            return match[0]
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    return CODE.sub(keep, text), kept
