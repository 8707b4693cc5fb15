"""Questions with choices: on a page each choice opens its own reason, with one press and no script.

In a chapter a question is a box with a list, an item for each choice, as it stays in notebooks:

    <details class="predict" id="q-name"><summary>Predict: …?</summary>

    - ✓ **The right choice.** Its reason.
    - ✗ **Another one.** What speaks against it.

    </details>

page/questions.js notes what a reader chose; the page *Again* asks once more what is due.
"""

import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

BOX = re.compile(
    r'<details class="predict" id="(q-[\w-]+)"><summary>(.+?)</summary>\s*'
    r"<ul[^>]*>\s*(<li>.+?)\s*</ul>\s*</details>",
    re.S,
)
ITEM = re.compile(r"<li>\s*<p>([✓✗]) <strong>(.+?)</strong>\s*(.+?)</p>\s*</li>", re.S)
ASKED = re.compile(r'<div class="predict" id="(q-[\w-]+)".+?</div><!--predict-->', re.S)
UNKNOWN = "I don’t know"
FILE = "_static/transformer_lab/page/asked.js"


class Choice(NamedTuple):
    """A choice: whether it is right, and the HTML of its words and of its reason."""

    is_right: bool
    words: str
    reason: str


def choices(items: str) -> list[Choice]:
    """Return the choices of a list. Raises ValueError unless several, and one of them right."""
    found = [Choice(sign == "✓", words, reason) for sign, words, reason in ITEM.findall(items)]
    if len(found) < 2 or len(found) != items.count("<li>"):
        raise ValueError(f"A choice is '- ✓ **words** reason', or with ✗; one is not: {items}")
    if sum(choice.is_right for choice in found) != 1:
        raise ValueError(f"One choice has to be right (✓), and no other: {items}")
    return found


def _opened(choice: Choice, verdict: str) -> str:
    mark = " tl-right" if choice.is_right else ""
    return (
        f'<details class="tl-choice{mark}"><summary>{choice.words}</summary>'
        f"<p>{verdict} {choice.reason}</p></details>"
    )


def _asked(box: re.Match) -> str:
    name, question, items = box.groups()
    found = choices(items)
    (right,) = (choice for choice in found if choice.is_right)
    told = "".join(_opened(c, "<b>Yes.</b>" if c.is_right else "<b>No.</b>") for c in found)
    unknown = Choice(False, UNKNOWN, f"{right.words} {right.reason}")
    return (
        f'<div class="predict" id="{name}" role="group" aria-labelledby="{name}-asked">'
        f'<p id="{name}-asked">{question}</p>{told}{_opened(unknown, "")}</div><!--predict-->'
    )


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
