"""A card as self-contained HTML: no script, the learner's text escaped, its own style."""

import math
import re
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import TypeGuard

from tensorgrader.card.card import (
    Card,
    Hint,
    Line,
    Number,
    Section,
    Standing,
    Table,
    Trouble,
    cell,
    score,
)

#: The colour of a table by its name.
ROLES = {
    "q": "query",
    "query": "query",
    "k": "key",
    "keys": "key",
    "v": "value",
    "values": "value",
    "expected": "expected",
}
MARKS = {Standing.HOLDS: "holds", Standing.FAILS: "does not hold", Standing.WAITS: "not judged yet"}


@cache
def style() -> str:
    """Return the style that each card contains, since it can load nothing else."""
    return Path(__file__).with_suffix(".css").read_text("utf-8")


def card_html(card: Card) -> str:
    """Write a card, with its style."""
    return f"<style>{style()}</style>{bare_html(card)}"


def bare_html(card: Card) -> str:
    """Write a card for a page that has the style."""
    state = "holds" if card.holds else "fails"
    name = escape(card.function)
    head = f"<b><code>{name}</code> {'is right' if card.holds else 'is not right yet'}</b>"
    parts = [
        f'<p class="tl-card-head">{head}<span>{score(card)}</span></p>',
        _joy(card),
        _trouble(card.trouble),
        f'<ul class="tl-card-lines">{"".join(map(_line, card.lines))}</ul>',
        f"<p>{_prose(card.beside)}</p>" if card.beside else "",
        _said(card),
        _again(card.again),
        hint_html(card.hint) if card.hint else "",
    ]
    return (
        f'<div class="tl-card tl-card-{state}" role="group" aria-label="{name}: {score(card)}">'
        f"{''.join(parts)}</div>"
    )


def hint_html(hint: Hint) -> str:
    """Write the steps of a hint, each folded away within the one before it."""
    changed = "\n".join(f"{_marked('-', old)}\n{_marked('+', new)}" for old, new in hint.changes)
    change = f"<details><summary>One way to make it right</summary><pre>{changed}</pre></details>"
    return (
        f'<div class="tl-card-hint"><p>{_prose(hint.where)}</p><details><summary>What would help?'
        f"</summary><p>{_prose(hint.what)}</p>{change if changed else ''}</details></div>"
    )


def _folded(summary: str, text: str) -> str:
    return f"<details><summary>{summary}</summary><p>{_prose(text)}</p></details>"


def _marked(mark: str, code: str) -> str:
    return "\n".join(f"{mark} {escape(line)}" for line in code.splitlines())


def _joy(card: Card) -> str:
    """Return the progress bar of the chapter, with praise when the chapter is complete."""
    progress = card.progress
    if not progress:
        return ""
    done = progress.held == progress.points
    told = f"{escape(progress.chapter)}: {progress.held} of {progress.points} points"
    glad = "<b>That was the last one: everything here is right.</b> " if done else ""
    share = round(100 * progress.held / progress.points)
    return (
        f'<p class="tl-card-progress{" tl-card-done" * done}">{glad}<span>{told}</span>'
        f'<i aria-hidden="true" style="--tl-share:{share}%"></i></p>'
    )


def _line(line: Line) -> str:
    said = MARKS[line.standing]
    seen = f" <em>({said})</em>" if line.standing is Standing.WAITS else _unseen(f"{said}: ")
    mark = f'<span aria-hidden="true">{line.standing.value}</span>'
    front, behind = ("", seen) if line.standing is Standing.WAITS else (seen, "")
    return (
        f'<li class="tl-card-{line.standing.name.lower()}">{mark}<div>'
        f"<p>{front}{_prose(line.says)}{behind}</p>{_trouble(line.trouble)}</div></li>"
    )


def _trouble(trouble: Trouble | None) -> str:
    if not trouble:
        return ""
    parts = []
    for mistake in trouble.mistakes:
        first, rest = mistake.name[:1], mistake.name[1:]
        name = (first.upper() if first.isascii() else first) + rest  # no Γ for a γ
        parts += [f'<p class="tl-card-name">{_unseen("Known mistake: ")}{_prose(name)}.</p>']
        parts += [f"<p>{_prose(mistake.why)} Read again: {_link(mistake.read)}.</p>"]
        parts += [_folded("What would be right?", mistake.remedy)] if mistake.remedy else []
    parts += [f"<p>{_prose(sentence)}</p>" for sentence in trouble.sentences]
    if trouble.code:
        parts.append(f"<pre>{escape(trouble.code)}</pre>")
    if trouble.had:
        parts.append(f"<p>There you had {_listed(trouble.had)}.</p>")
    if trouble.call or trouble.given:
        call = f" <code>{escape(trouble.call)}</code>" if trouble.call else ""
        parts.append(f"<p>A small input that shows it:{call}</p>")
    parts += [_tables(tables) for tables in (trouble.given, trouble.results) if tables]
    return f'<div class="tl-card-trouble">{"".join(parts)}</div>'


def _link(section: Section) -> str:
    page = section.page.rpartition("/")[2] if section.address else section.page
    words = f"{escape(page)}, “{escape(section.heading)}”"
    return f'<a href="{escape(section.address)}">{words}</a>' if section.address else words


def _tables(tables: Iterable[Table]) -> str:
    tables = list(tables)
    numbers = [v for t in tables for row in t.rows for v in row if _is_finite(v)]
    most = max((abs(v) for v in numbers), default=0.0) or 1.0
    return f'<div class="tl-card-tables">{"".join(_table(table, most) for table in tables)}</div>'


def _table(table: Table, most: float) -> str:
    """Write a table under its name and shape, rows and columns counted from 0."""
    row, column = table.start
    width = max(map(len, table.rows), default=0)
    flat = len(table.shape) < 2
    corner = "" if flat else "<td></td>"
    heads = "".join(f'<th scope="col">{column + j}</th>' for j in range(width))
    body = []
    for i, values in enumerate(table.rows):
        head = "" if flat else f'<th scope="row">{row + i}</th>'
        cells = (
            _cell(value, table.digits, most, (i, j) == table.framed)
            for j, value in enumerate(values)
        )
        body.append(f"<tr>{head}{''.join(cells)}</tr>")
    role = ROLES.get(table.name.lower(), "")
    return (
        f'<div class="tl-card-table{role and f" tl-card-{role}"}"><table>'
        f"<caption><b>{escape(table.name)}</b> {escape(table.about)}</caption>"
        f"<thead><tr>{corner}{heads}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(value: Number, digits: int, most: float, framed: bool) -> str:
    """Return one number on a background tinted by its size; nan and infinity have none."""
    shown = escape(cell(value, digits))
    shown = f"{_unseen('first difference: ')}{shown}" if framed else shown
    kinds = ["tl-card-framed"] if framed else []
    style = ""
    if _is_finite(value):
        kinds.append("tl-card-minus" if value < 0 else "tl-card-plus")
        style = f' style="--tl-part:{round(0.36 * abs(value) / most, 3):g}"'
    elif isinstance(value, float):
        kinds.append("tl-card-odd")
    return f'<td class="{" ".join(kinds)}"{style}>{shown}</td>'


def _said(card: Card) -> str:
    if not card.said:
        return ""
    text = escape("\n".join(card.said))
    return f"<details open><summary>Your function printed</summary><pre>{text}</pre></details>"


def _again(again: str) -> str:
    if not again:
        return ""
    how = "Inputs are drawn anew each time. This line draws the same ones:"
    return (
        f"<details><summary>The same input again</summary>"
        f"<p>{how}</p><pre>{escape(again)}</pre></details>"
    )


def _listed(values: Iterable[str]) -> str:
    """Return values of the learner as code."""
    return ", ".join(f"<code>{escape(value)}</code>" for value in values)


def _prose(text: str) -> str:
    """Escape a sentence; `backticks` become code, *stars* emphasis."""
    text = re.sub(r"(?<![\w*])\*(\w[^*`\n]*\w)\*(?![\w*])", r"<em>\1</em>", escape(text))
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", text).replace("\n", "<br>")


def _unseen(text: str) -> str:
    """Return text for screen readers, since sighted readers see it anyway."""
    return f'<span class="tl-card-unseen">{escape(text)}</span>'


def _is_finite(value: Number) -> TypeGuard[float]:
    return isinstance(value, float | int) and math.isfinite(value)
