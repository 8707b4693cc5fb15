"""One name for one thing, one letter for one size, and no quaint words, on all pages."""

import re

import jupytext
import pytest

from tests.book.chapters import BOOK, CHAPTERS
from tests.book.test_glossary import ENTRIES

PAGES = [*BOOK.glob("*.md"), *BOOK.parent.glob("exercises/*.md")]
LETTERS = {"B", "T", "S", "D", "H", "V", "n", "d_k", "d_v", "H·d_k", "H·d_v", "D/2", "d_k/2", "B·H"}
#: What else a thing is called elsewhere, or how else it is written, by its term in the glossary.
ELSEWHERE = {
    "weights (attention weights)": r"attention (score|map|matri|pattern)",
    "causal mask": r"look-?ahead mask|subsequent mask|triangular mask|future mask",
    "padding mask": r"pad mask|padding-mask",
    "cross-attention": r"cross attention",
    "self-attention": r"self attention",
    "encoder–decoder": r"encoder-decoder|encoder/decoder|seq2seq",
    "feed-forward network (or MLP)": r"feedforward|position-?wise",
    "LayerNorm": r"[Ll]ayer ?norm\b",
    "BatchNorm": r"[Bb]atch ?norm\b",
    "pre-norm": r"[Pp]re-?LN\b|[Pp]re ?norm\b",
    "post-norm": r"[Pp]ost-?LN\b|[Pp]ost ?norm\b",
    "warm-up": r"[Ww]arm ?up\b",
    "multi-head attention": r"[Mm]ulti ?head(?!Att)",
    "cache (KV cache)": r"kv-cache|key-value cache",
    "dot product": r"inner product|scalar product",
    "grouped-query attention": r"[Gg]rouped? query|[Gg]roup-query",
    "positional encoding": r"positional embedding|position encoding",
    "start symbol": r"start token|end token|BOS token|EOS token",
    "tokenizer": r"[Tt]okeniser",
    "optimiser": r"[Oo]ptimizer",
    "softmax": r"soft-max|SoftMax",
    "top k, top p": r"[Tt]op-[kp]\b",
}
READ = [*CHAPTERS, "whole_model", "glossary", "shapes", "pytorch_map", "mistakes", "numpy_encoder",
        "for_teachers", "how_tested", "where_it_runs"]  # fmt: skip
QUAINT = r"mend(s|ed|ing)?|hears?|heard|whoever|whosoever|shall|hence|thereof|whereof|loud(er)?"


def prose(page):
    cells = jupytext.read(page).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def spoken(page):
    """Leave code, addresses and citations out of a page's prose."""
    return re.sub(r"```.*?```|`[^`\n]+`|\]\([^)]*\)", "", prose(page), flags=re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_thing_has_the_glossary_s_name_on_every_page(page):
    text = spoken(page)
    found = {term: re.search(other, text) for term, other in ELSEWHERE.items()}
    assert {term: match[0] for term, match in found.items() if match} == {}


def test_what_is_called_otherwise_elsewhere_stands_in_the_glossary():
    assert set(ELSEWHERE) <= {term for term, *_ in ENTRIES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_shape_is_written_in_the_letters_of_the_book(page):
    shapes = re.findall(r"`\(([A-Z][^()`]*,[^()`]*)\)`", prose(page))
    sizes = {size.strip() for shape in shapes for size in shape.split(",")} - {"", "...", "…"}
    assert {size for size in sizes if not size.isdigit()} <= LETTERS


@pytest.mark.parametrize("stem", READ)
def test_no_word_stops_a_learner_of_english(stem):
    said = re.finditer(rf"\b({QUAINT})\b", spoken(BOOK / f"{stem}.md"), re.IGNORECASE)
    assert [match[0] for match in said] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_whether_attention_explains_is_told_from_both_sides(page):
    text = page.read_text("utf8").lower()
    assert ("jain" in text) == ("wiegreffe" in text)
