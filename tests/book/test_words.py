"""Prose is British, and each thing has one name: in prose, not in code."""

import re

import pytest

from tests.book.chapters import BOOK

PAGES = sorted([*BOOK.glob("*.md"), *(BOOK.parent / "exercises").glob("*.md")])
CELL = re.compile(r"^(`{3,})\{code-cell\}.*?^\1$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^(`{3,})[^{\n]*\n.*?^\1$|(`+).+?\2|\]\([^)]*\)|\$\$.*?\$\$|\$[^$\n]+\$|<[^>]*>",
                  re.MULTILINE | re.DOTALL)  # fmt: skip
AMERICAN = re.compile(
    r"\b\w*(?:(?:normal|optim|initial|general|summar|visual|recogn|real|emphas|minim|maxim|util"
    r"|organ|regular|vector|factor|character|memor)iz|analyz)(?:e|es|ed|er|ers|ing|ation|ations)\b"
    r"|\b(?:color|center|behavior|neighbor|favor|flavor|honor|labor)(?:s|ed|ing|hood|ite|able)?\b"
    r"|\b(?:gray|modeling|modeled|labeled|labeling|canceled|traveling|fulfill|skeptical|catalog"
    r"|artifacts?|meters?|fiber|defense|judgment|aging)\b",
    re.IGNORECASE,
)
#: What else a thing is called elsewhere, by its name in this book. "Or MLP" may be said.
ELSEWHERE = {
    "weights": r"(?<!\*)attention (?:scores?|map|matri|pattern)",
    "causal mask": r"(?:look-?ahead|subsequent|triangular|future|autoregressive) mask",
    "feed-forward network": r"(?<!or )(?<!\*)\bMLPs?\b|feedforward|position-?wise",
    "residual connection": r"(?<!\bor )(?<!\*)skip connection",
    "width": r"(?<!\bor )(?<!\*)hidden (?:size|dimension)",
    "encoder–decoder": r"encoder[-/]decoder|seq2seq",
    "pre-norm, post-norm": r"\b(?:pre|post)-?LN\b",
    "dot product": r"(?:inner|scalar) product",
    "positional encoding": r"positional embedding|position encoding",
    "start symbol": r"(?:start|end|BOS|EOS) token",
}


def prose(text):
    """Leave out what is no prose, but keep what stands for pictures."""
    alts = re.findall(r'^    alt: "(.*)"$', text, re.MULTILINE)
    body = text.split("\n---\n", 1)[1] if text.startswith("---\n") else text
    return CODE.sub(" ", "\n".join([CELL.sub("", body), *alts]))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_the_prose_is_british_and_each_thing_has_one_name(page):
    text = prose(page.read_text("utf8"))
    assert AMERICAN.findall(text) == []
    found = {name: re.search(other, text) for name, other in ELSEWHERE.items()}
    assert {name: match[0] for name, match in found.items() if match} == {}


def test_what_is_looked_for_is_found_in_prose_and_nowhere_else():
    text = "It normalizes colors. `normalize(color)`, $\\text{color}$, [a](color.md)\n"
    text += "```python\ncolor = 1\n```\nand gray; a tokenizer, a prize, centred, organisation"
    assert AMERICAN.findall(prose(text)) == ["normalizes", "colors", "gray"]
