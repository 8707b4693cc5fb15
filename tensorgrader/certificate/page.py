"""A certificate as one HTML file that needs no script, and the data in it.

The page shows nothing but what its data says, and is written from them alone: so a page that was
changed is not the one that its data give.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorgrader.course import Course

Data = dict[str, Any]
#: The number of this form of the data, and of this page.
FORM = 1
SIZE_LIMIT = 4 * 2**20
NAME_LIMIT = 100
BLOCK = re.compile(r'<script type="application/json" id="certificate">(.*?)</script>', re.DOTALL)
WORK = {"id": str, "function": str, "requirements": [[str, int, bool]]}
CHAPTER = {"works": [WORK], "cells": [[str, str]], "version": str}
TEXTS = ("name", "day", "course", "title", "command", "version", "torch", "grader")
#: What the data are: types, lists of one form, rows of several.
WHOLE = dict.fromkeys(TEXTS, str) | {"form": int, "seed": int, "chapters": {str: CHAPTER}}
CLAIM = (
    "Anybody can judge these answers again: <code>{command} verify FILE</code> runs them in a "
    "sandbox, and says what agrees with this page. That shows that the answers are right. It does "
    "not show who wrote them."
)
STYLE = """\
:root { color-scheme: light dark; --soft: light-dark(#f3f4f6, #23272e);
  --line: light-dark(#c9ccd1, #4a4d52); --quiet: light-dark(#596270, #a9b1bd);
  --right: light-dark(#1a6b3c, #5fd18b); --wrong: light-dark(#b3261e, #ff9187); }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#1d1f23, #e6e7e9); background: light-dark(#fff, #16181b);
  overflow-wrap: anywhere; }
h1 { font-size: 2.2rem; margin: 0; } h2 { margin: 2.5rem 0 .5rem; } h3 { margin: 1.5rem 0 .3rem; }
h1, h2, h3 { line-height: 1.2; break-after: avoid; } ul { margin: .3rem 0; padding-left: 1.2rem; }
.sum { font-size: 1.25rem; } .quiet { color: var(--quiet); }
.right { color: var(--right); } .wrong { color: var(--wrong); }
.note { border-left: .35rem solid light-dark(#0072b2, #5db7ee); padding: .6rem 1rem; }
.note, pre { background: var(--soft); }
code, pre { font-family: ui-monospace, "Liberation Mono", monospace; font-size: .85em; }
pre { white-space: pre-wrap; border: 1px solid var(--line); border-radius: .5rem;
  padding: .7rem 1rem; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left;
  vertical-align: top; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
@media (max-width: 30rem) { table { font-size: .85rem; } th, td { padding: .3rem; } }
@media print { :root { color-scheme: light; } .answers { break-before: page; }
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; } pre { font-size: 8pt; }
  tr, li, .note { break-inside: avoid; } * { print-color-adjust: exact; } }
@page { margin: 16mm; }"""


class CertificateError(ValueError):
    """The file is no certificate that could be judged; the message says why."""


def read(text: str) -> Data:
    """Return the data of a certificate. Raises CertificateError unless they are valid."""
    blocks = BLOCK.findall(text)
    if len(blocks) != 1:
        raise CertificateError(
            "is not a certificate: the answers that one holds are not in it. Expected: the HTML "
            "file itself, as it was written, not a printed or copied page."
        )
    try:
        data = json.loads(blocks[0])
    except (ValueError, RecursionError):
        data = None
    data = data if isinstance(data, dict) else {}
    if data.get("form", FORM) != FORM:
        raise CertificateError(
            "is a certificate of another form: verify it with the version that it names."
        )
    form = WHOLE | ({"seed": type(None)} if data and data.get("seed") is None else {})
    if not _fits(data, form) or not 0 <= (data["seed"] or 0) < 2**31:
        raise CertificateError("holds invalid data: it was changed, or damaged on its way.")
    return data


def _fits(value: Any, form: Any) -> bool:
    """Return whether a value has a form: a type, a list or dict of one, or a row or record."""
    match form:
        case type():
            return type(value) is form
        case [one]:
            return isinstance(value, list) and all(_fits(each, one) for each in value)
        case [*row]:
            return (
                isinstance(value, list) and len(value) == len(row) and all(map(_fits, value, row))
            )
    if not isinstance(value, dict):
        return False
    if str in form:
        return all(_fits(each, form[str]) for each in value.values())
    return value.keys() == form.keys() and all(_fits(value[key], form[key]) for key in form)


def about(course: "Course", version: str = "") -> Data:
    """Return what a certificate says of its course."""
    names = {"course": course.name, "title": course.title, "command": course.command}
    return {"form": FORM, "version": version or course.version, **names}


def works_of(course: "Course", chapter: str, failed: Mapping[str, Collection[str]]) -> list[Data]:
    """Return a chapter's exercises with what holds of each: nothing of one that is not there."""
    return [
        {
            "id": exercise.id,
            "function": exercise.function,
            "requirements": [
                [
                    prop.says,
                    prop.points,
                    exercise.id in failed and prop.id not in failed[exercise.id],
                ]
                for prop in exercise.properties
            ],
        }
        for exercise in course.chapters[chapter].exercises
    ]


def sums(works: list[Data]) -> tuple[int, int]:
    """Return how many points of works are earned, and how many there are."""
    every = [requirement for work in works for requirement in work["requirements"]]
    return sum(points for _, points, holds in every if holds), sum(points for _, points, _ in every)


def write(data: Data) -> str:
    """Return the page of a certificate."""
    chapters = data["chapters"]
    earned, points = sums([work for told in chapters.values() for work in told["works"]])
    block = json.dumps(data).replace("<", "\\u003c")
    title = f"{data['title']}: {data['name']}"
    versions = [f"{data['command']} {data['version']}", data["torch"], data["grader"]]
    seed = (
        "checked on the book's pages, each time with new inputs"
        if data["seed"] is None
        else f"inputs drawn from seed {data['seed']}"
    )
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{_shown(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<main>",
        f'<p class="quiet">{_shown(data["title"])}: certificate</p>',
        f"<h1>{_shown(data['name'])}</h1>",
        f'<p class="sum"><strong>{earned} of {points} points</strong>, {_shown(data["day"])}</p>',
        f'<p class="note">{CLAIM.format(command=_shown(data["command"]))}</p>',
        *_summary(chapters),
        f'<p class="quiet">{_shown(", ".join(filter(None, versions)))}; {seed}.</p>',
        *_answers(chapters),
        f'</main>\n<script type="application/json" id="certificate">{block}</script>',
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _summary(chapters: dict[str, Data]) -> Iterator[str]:
    """Yield what was earned and what was not, by chapter."""
    yield '<table>\n<thead><tr><th scope="col">Chapter</th>'
    yield '<th scope="col">Points are missing in</th>'
    yield '<th scope="col" class="number">Points</th></tr></thead>\n<tbody>'
    for name, told in chapters.items():
        earned, points = sums(told["works"])
        wrong = [w for w in told["works"] if not all(holds for *_, holds in w["requirements"])]
        lacking = [work["function"] for work in wrong]
        words = "not handed in" if not told["cells"] else ", ".join(lacking) or "–"
        yield f'<tr><th scope="row">{_shown(name)}</th><td>{_shown(words)}</td>'
        yield f'<td class="number">{earned} of {points}</td></tr>'
    yield "</tbody>\n</table>"


def _answers(chapters: dict[str, Data]) -> Iterator[str]:
    """Yield each answer, and which of its requirements hold."""
    yield '<section class="answers">\n<h2>The answers</h2>'
    for name, told in chapters.items():
        if not told["cells"]:
            continue
        yield f"<h2>{_shown(name)}</h2>"
        answered = {work["id"] for work in told["works"]}
        for identity, code in told["cells"]:
            if identity not in answered:
                yield f"<pre><code>{_shown(code)}</code></pre>"
        for work in told["works"]:
            earned, points = sums([work])
            yield f"<h3><code>{_shown(work['function'])}</code>: {earned} of {points} points</h3>"
            codes = [code for identity, code in told["cells"] if identity == work["id"]]
            yield from (f"<pre><code>{_shown(code)}</code></pre>" for code in codes)
            yield "<ul>"
            for says, worth, holds in work["requirements"]:
                mark = '<span class="right">✓</span>' if holds else '<span class="wrong">✗</span>'
                yield f'<li>{mark} {_shown(says)} <span class="quiet">({worth})</span></li>'
            yield "</ul>"
    yield "</section>"


def _shown(text: str) -> str:
    """Return a foreign text as HTML, without characters that hide or turn others."""
    plain = text.expandtabs(4)
    return escape("".join(c if c.isprintable() or c == "\n" else " " for c in plain))
