"""One spelling, British, and one word for each thing: in prose, not in code."""

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
#: What has another name in this book. "Or MLP" and "also *MLP*" may be said, to tell a reader.
OTHERWISE = {
    r"attention scores?": "scores are what the softmax reads, weights are what it gives",
    r"attention map": "weights, or a picture of weights",
    r"MLPs?": "feed-forward network",
    r"skip connection": "residual connection",
    r"hidden (?:size|dimension)": "width",
    r"autoregressive mask|look-ahead mask|subsequent mask": "causal mask",
    r"layer normali[sz]ation layer": "LayerNorm",
}


def prose(text):
    """Leave out what is no prose, but keep what stands for pictures."""
    alts = re.findall(r'^    alt: "(.*)"$', text, re.MULTILINE)
    body = text.split("\n---\n", 1)[1] if text.startswith("---\n") else text
    return CODE.sub(" ", "\n".join([CELL.sub("", body), *alts]))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_the_prose_is_british(page):
    assert AMERICAN.findall(prose(page.read_text("utf8"))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_each_thing_has_one_name(page):
    text = prose(page.read_text("utf8"))
    for words, instead in OTHERWISE.items():
        found = re.search(rf"(?<!\bor )(?<!\*)\b(?:{words})\b", text, re.IGNORECASE)
        assert not found, f"{found[0]}: {instead}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It normalizes colors.", ["normalizes", "colors"]),
        ("A tokenizer, a prize, of all sizes; centred, behaviour, organisation.", []),
        ("`normalize(color)`, $\\text{color}$, [a](color.md), <b style='color'>, nothing", []),
        ("```python\ncolor = 1\n```\nand gray", ["gray"]),
        ('```{code-cell} ipython3\n---\nmystnb:\n  image:\n    alt: "gray"\n---\ncolor\n```\n',
         ["gray"]),
    ],
)  # fmt: skip
def test_what_is_looked_for_is_found_in_prose_and_nowhere_else(text, found):
    assert AMERICAN.findall(prose(text)) == found
