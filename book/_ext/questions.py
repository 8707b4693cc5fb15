"""Questions with choices: on a page each choice opens its own reason, with one press and no script.

In a chapter a question is a box with a list, an item for each choice, as it stays in notebooks:

    <details class="predict" id="q-name"><summary>Predict: …?</summary>

    - ✓ **The right choice.** Its reason.
    - ✗ **Another one.** What speaks against it.

    </details>

If the choices are numbers, as in `✓ **= 8** reason`, page/questions.js asks for a number before it
shows them. It notes what a reader chose; the page *Again* asks once more what is due.
"""

import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

BOX = re.compile(
    r'<details class="predict" id="(q-[\w-]+)"><summary>(.+?)</summary>\s*'
    r"<ul[^>]*>\s*(<li>.+?)\s*</ul>\s*</details>",
    re.S,
)
ITEM = re.compile(r"<li>\s*<p>([✓✗]) <strong>(.+?)</strong>\s*(.+?)</p>\s*</li>", re.S)
ASKED = re.compile(r'<div class="predict" id="(q-[\w-]+)".+?</div><!--predict-->', re.S)
NUMBER = re.compile(r"= (−?[\d,]+(?:\.(\d+))?)")
UNKNOWN = "I don’t know"
FILE = "_static/transformer_lab/page/asked.js"


class Choice(NamedTuple):
    """A choice: if it is right, the HTML of its words and reason, its number and tolerance."""

    is_right: bool
    words: str
    reason: str
    number: float | None = None
    within: float = 0.0


def _choice(sign: str, words: str, reason: str) -> Choice:
    """Return a choice; a number may be rounded or differ by 2%, unless it counts something."""
    if not (number := NUMBER.fullmatch(words)):
        return Choice(sign == "✓", words, reason)
    value = float(number[1].replace(",", "").replace("−", "-"))
    counts = not number[2] and abs(value) < 1000
    within = max(0.5 * 10.0 ** -len(number[2] or ""), 0 if counts else abs(value) / 50)
    return Choice(sign == "✓", number[1], reason, value, within)


def choices(items: str) -> list[Choice]:
    """Return the choices of a list. Raises ValueError unless several, and one of them right."""
    found = [_choice(*item) for item in ITEM.findall(items)]
    if len(found) < 2 or len(found) != items.count("<li>"):
        raise ValueError(f"A choice is '- ✓ **words** reason', or with ✗; one is not: {items}")
    if sum(choice.is_right for choice in found) != 1:
        raise ValueError(f"One choice has to be right (✓), and no other: {items}")
    numbers = sorted((one.number, one.within) for one in found if one.number is not None)
    if numbers and len(numbers) != len(found):
        raise ValueError(f"Either every choice is a number, as in '**= 8**', or none is: {items}")
    for (low, a), (high, b) in pairwise(numbers):
        if low + a > high - b:
            raise ValueError(
                f"The choices {low} and {high} are too close to tell them apart: {items}"
            )
    return found


def _opened(choice: Choice, verdict: str) -> str:
    mark = " tl-right" if choice.is_right else ""
    asked = (
        ""
        if choice.number is None
        else f' data-number="{choice.number}" data-within="{choice.within:.4g}"'
    )
    return (
        f'<details class="tl-option{mark}"{asked}><summary><span>{choice.words}</span></summary>'
        f"<p>{verdict} {choice.reason}</p></details>"
    )


def asked_box(name: str, question: str, found: list[Choice]) -> str:
    """Return a question's box as a page has it: its id, the HTML of its question, its choices."""
    (right,) = (choice for choice in found if choice.is_right)
    yes = "Right." if right.number is None else "The answer:"  # which opens besides a wrong number
    told = "".join(_opened(c, f"<b>{yes}</b>" if c.is_right else "<b>No.</b>") for c in found)
    unknown = Choice(False, UNKNOWN, f"{right.words} {right.reason}")
    return (
        f'<div class="predict" id="{name}" role="group" aria-labelledby="{name}-asked">'
        f'<p id="{name}-asked">{question}</p>{told}{_opened(unknown, "")}</div>'
    )


def _asked(box: re.Match) -> str:
    name, question, items = box.groups()
    return f"{asked_box(name, question, choices(items))}<!--predict-->"


def offer(_app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Make choices that can be pressed of each question's list."""
    if "body" in context:
        context["body"] = BOX.sub(_asked, context["body"])


def asked(pages: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """Yield all questions of finished pages, which are given as pairs of name and HTML."""
    for name, page in pages:
        title = re.search(r"<title>(.+?)( —[^<]*)?</title>", page)
        for box in ASKED.finditer(page):
            html = box[0].removesuffix("<!--predict-->").replace(' loading="lazy"', "")
            yield {
                "id": box[1],
                "page": name,
                "title": unescape(title[1]) if title else name,
                "html": html,
            }


def write(folder: Path, pages: dict[Path, str]) -> None:
    """Write all questions into a script, for the page that asks them again."""
    named = ((path.relative_to(folder).as_posix(), page) for path, page in pages.items())
    everything = json.dumps(list(asked(sorted(named))), ensure_ascii=False, separators=(",", ":"))
    target = folder / FILE
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"window.transformerLabAsked={everything}\n", "utf8")
