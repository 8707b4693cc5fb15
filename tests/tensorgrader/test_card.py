"""A card as text and as HTML: complete, escaped, by itself, and readable without seeing it."""

import ast
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tensorgrader.card import html
from tensorgrader.card.card import Card, Line, Named, Progress, Section, Standing, Table, Trouble
from tensorgrader.card.html import card_html
from tensorgrader.card.text import card_text

YOURS = Table("yours", (2, 3), ((0.5, 0.5, -1.0), (0.25, float("nan"), 0.0)), 2, framed=(1, 0))
TROUBLE = Trouble(
    mistakes=(
        Named(
            "softmax runs over the queries",
            "Each row of `weights` has to sum to one.",
            Section("book/attention", "What goes wrong", "../book/attention.ipynb#What-goes-wrong"),
        ),
    ),
    sentences=("The first difference is at [1, 0].",),
    code="return x.softmax(dim=0)",
    had=("x (2, 3)", "d_k = 4"),
    call="x (2, 3)",
    given=(Table("q", (2,), ((1.0, 2.0),)),),
    results=(YOURS, replace(YOURS, name="expected")),
)
CARD = Card(
    "softmax",
    (
        Line("Each row sums to one.", 2, Standing.FAILS, TROUBLE),
        Line("Large numbers do no harm.", 1, Standing.WAITS),
        Line("It keeps the dtype.", 1, Standing.HOLDS),
    ),
    said=("hello",),
    again='check("attention-softmax", seed=5)',
)
RIGHT = Card(
    "softmax",
    (Line("Each row sums to one.", 2, Standing.HOLDS),),
    progress=Progress("attention", 13, 35),
)


class Reader(HTMLParser):
    """Collects tags, their attributes, and what stands outside of the style."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


def test_the_text_tells_everything_in_order():
    assert card_text(CARD) == "\n".join(
        [
            "✗ softmax: 1 of 4 points",
            "  ✗ Each row sums to one.",
            "    Known mistake: softmax runs over the queries.",
            "    Each row of `weights` has to sum to one.",
            "    Read again: book/attention, section “What goes wrong”.",
            "    The first difference is at [1, 0].",
            "        return x.softmax(dim=0)",
            "    There you had: x (2, 3), d_k = 4",
            "    A small input that shows it: x (2, 3)",
            "    q (2,)",
            "     1.00  2.00",
            "    yours (2, 3)             expected (2, 3)",
            "      0.50   0.50  -1.00       0.50   0.50  -1.00",
            "    [ 0.25]   nan   0.00     [ 0.25]   nan   0.00",
            "  · Large numbers do no harm. (not judged yet)",
            "  ✓ It keeps the dtype.",
            "  Your function printed:",
            "  | hello",
            '  The same input again: check("attention-softmax", seed=5)',
        ]
    )


def test_html_tells_the_same_words_as_the_text():
    words = " ".join(" ".join(Reader(card_html(CARD)).words).split())
    for said in (
        "softmax is not right yet", "1 of 4 points", "Softmax runs over the queries .",
        "Each row of weights has to sum to one.", "return x.softmax(dim=0)", "x (2, 3) , d_k = 4",
        "attention, “What goes wrong”", "(not judged yet)", "hello", "seed=5",
    ):  # fmt: skip
        assert said in words or said.replace(" .", ".") in words, said


def test_html_stands_by_itself():
    card = card_html(CARD)
    reader = Reader(card)
    assert not reader.open, "every tag is closed"
    assert {tag for tag, _ in reader.tags}.isdisjoint(
        {"script", "link", "img", "iframe", "h1", "h2"}
    )
    assert "url(" not in card
    assert "@import" not in card
    selectors = re.sub(r"/\*.*?\*/", "", Path(html.__file__).with_suffix(".css").read_text("utf8"))
    for selector in re.findall(r"([^{}]+)\{", selectors):
        assert "tl-card" in selector or selector.strip().startswith(("@", "from")), selector


def test_tables_are_tables_for_whoever_hears_them():
    reader = Reader(card_html(CARD))
    assert len(reader.all("table")) == len(reader.all("caption")) == 3
    scopes = [th["scope"] for th in reader.all("th")]
    assert scopes.count("row") == 4
    assert scopes.count("col") == 2 + 3 + 3
    assert "first difference: " in reader.words
    assert {"role": "group", "aria-label": "softmax: 1 of 4 points"}.items() <= (
        reader.all("div")[0].items()
    )


EVIL = '<script>alert("x")</script>&\'</style><img src=x onerror="y">'


@pytest.mark.parametrize(
    "card",
    [
        replace(CARD, function=EVIL),
        replace(CARD, said=(EVIL,)),
        replace(CARD, again=EVIL),
        replace(CARD, lines=(Line(EVIL, 1, Standing.FAILS),)),
        replace(RIGHT, progress=Progress(EVIL, 1, 2)),
        *(
            replace(CARD, trouble=replace(TROUBLE, **{field: value}))
            for field, value in {
                "mistakes": (Named(EVIL, EVIL, Section(EVIL, EVIL, EVIL)),),
                "sentences": (EVIL, f"`{EVIL}`"), "code": EVIL, "had": (EVIL,), "call": EVIL,
                "given": (Table(EVIL, (1,), ((EVIL,),), part=EVIL),),
            }.items()
        ),
    ],
)  # fmt: skip
def test_all_that_comes_from_the_learner_is_escaped(card):
    written = card_html(card)
    assert "<script" not in written
    assert "<img" not in written
    assert written.count("</style>") == 1
    assert 'onerror="' not in written
    assert not Reader(written).open


def test_the_page_without_torch_can_show_a_card():
    for path in Path(html.__file__).parent.glob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf8"))))
        modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        modules |= {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
        apart = {m for m in modules if m.partition(".")[0] not in sys.stdlib_module_names}
        assert all(m.startswith("tensorgrader.card") for m in apart), path


@pytest.mark.parametrize(("name", "shown"), [("ε is lost", "ε is lost"), ("it is", "It is")])
def test_a_name_begins_with_a_capital_but_a_symbol_stays(name, shown):
    trouble = Trouble((Named(name, "", Section("", "")),))
    assert f"</span>{shown}." in card_html(Card("f", (Line("", 1, Standing.FAILS, trouble),)))


def test_what_would_be_right_is_folded_away():
    one = Named("it is cut", "A cut loses it.", Section("", ""), "Leave `detach` out.")
    card = Card("f", (Line("", 1, Standing.FAILS, Trouble((one,))),))
    before, fold, behind = card_html(card).partition("<details>")
    assert "A cut loses it." in before
    assert "Leave" not in before
    assert fold
    assert "Leave <code>detach</code> out." in behind.partition("</details>")[0]
    assert "Leave" not in card_text(card)
