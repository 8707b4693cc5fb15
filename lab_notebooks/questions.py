"""Which questions of the book mislead its readers: counted from what they hand in, if they do.

A learner's `answers.json`, or `progress.json`, says what they chose first, and which mistakes
exercises have named. Nothing is collected anywhere.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from lab_notebooks.sources import sources

QUESTION = re.compile(
    r'<details class="predict" id="(q-[\w-]+)"><summary>(.+?)</summary>\n\n(.+?)\n\n</details>',
    re.S,
)
CHOICE = re.compile(r"^- ([✓✗]) \*\*(?:= )?(.+?)\*\*", re.M)
LARGEST = 2**16  # bytes
FEWEST = 5  # answers, before a share says something
MISTAKES = 10  # that are listed, of those made in exercises


def asked() -> dict[str, tuple[str, str, str]]:
    """Map each question of the book to its page, its words and its right choice."""
    found = {}
    for page, path in sources().items():
        for name, words, items in QUESTION.findall(path.read_text("utf-8")):
            (right,) = (choice for sign, choice in CHOICE.findall(items) if sign == "✓")
            found[name] = page, words, right
    return found


def chosen(path: Path) -> dict[str, tuple[str, bool]]:
    """Return what a learner chose of each question ("" for "I don't know"), and if it was right.

    Raises OSError as open does, ValueError for what is no note of progress.
    """
    with path.open("rb") as file:
        raw = file.read(LARGEST)
    try:
        noted = json.loads(raw)["questions"]
        return {
            str(name): (str(one["chosen"]), one["right"] is True) for name, one in noted.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError(
            f"{path} holds no answers to questions. Learners save theirs on the page *Again*."
        ) from None


def table(hands: Iterable[dict[str, tuple[str, bool]]]) -> Iterator[str]:
    """Yield lines: how many answered each question rightly, and which wrong choices most took.

    The question that misleads most comes first; one with few answers comes last. Then come the
    mistakes that most learners made in exercises.
    """
    counts: dict[str, Counter] = defaultdict(Counter)
    right: Counter = Counter()
    mistakes: Counter = Counter()
    for hand in hands:
        mistakes.update(name for name in hand if ": " in name)
        for name, (words, is_right) in hand.items():
            counts[name][words] += not is_right
            right[name] += is_right
    total = {name: right[name] + sum(wrong.values()) for name, wrong in counts.items()}
    known = [(name, about) for name, about in asked().items() if total.get(name)]
    known.sort(key=lambda one: (total[one[0]] < FEWEST, right[one[0]] / total[one[0]]))
    for name, (page, words, answer) in known:
        yield f"{page}  {words.partition(': ')[2]}"
        yield f"  right ({answer}): {right[name]} of {total[name]}"
        for choice, count in counts[name].most_common(2):
            if count:
                yield f"  {_shown(choice) or 'I don’t know'}: {count}"
    missing = [name for name, about in asked().items() if not total.get(name)]
    if missing:
        yield f"answered by nobody: {len(missing)} questions"
    for name, count in mistakes.most_common(MISTAKES):
        yield f"made by {count}: {_shown(name)}"


def _shown(text: str) -> str:
    """Return a text from a file in one line that a terminal can show."""
    return "".join(letter if letter.isprintable() else "�" for letter in text[:150])
