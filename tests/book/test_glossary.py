"""The glossary: in order, short, and each entry leads to a section that uses its word."""

import re

import pytest

from tests.book.chapters import BOOK

TEXT = (BOOK / "glossary.md").read_text("utf8")
ENTRIES = re.findall(r"^\*\*(.+?)\*\*: (.+) \*→\*&nbsp;\[[^\]]+\]\(([\w-]+)\)$", TEXT, re.MULTILINE)
SECTIONS = {
    label: (path, start)
    for path in BOOK.glob("*.md")
    for start, label in enumerate(re.findall(r"^\(([\w-]+)\)=\n#", path.read_text("utf8"), re.M))
}


def plain(word):
    return re.sub(r"[^a-z0-9 ]", "", re.sub("[–-]", " ", word.lower()))


def spoken_of(term, text):
    """Tell whether the words of a term, or those of its other form, are there by their stems."""
    forms = [part.strip(" $") for part in re.split(r"[(),]", term) if part.strip(" $")]
    words = [plain(form.removeprefix("or ")).split() for form in forms]
    return any(all(word[:5] in plain(text) for word in form) for form in words)


def test_every_entry_is_well_formed_and_in_its_place():
    assert len(ENTRIES) == TEXT.count("\n**") >= 100
    terms = [plain(term) for term, *_ in ENTRIES]
    assert terms == sorted(set(terms))
    under = re.split(r"^## (.)$", TEXT, flags=re.MULTILINE)[1:]
    for letter, entries in zip(under[::2], under[1::2], strict=True):
        terms = re.findall(r"^\*\*(.+?)\*\*", entries, re.MULTILINE)
        assert all(plain(term).startswith(letter.lower()) for term in terms)


@pytest.mark.parametrize(("term", "said", "section"), ENTRIES, ids=[term for term, *_ in ENTRIES])
def test_the_entry_is_short_and_its_section_uses_the_word(term, said, section):
    assert len(re.findall(r"[.!?](?= |$)", said)) <= 3
    page, number = SECTIONS[section]
    sections = re.split(r"^\([\w-]+\)=\n#", page.read_text("utf8"), flags=re.MULTILINE)
    assert spoken_of(term, sections[number + 1]), f"{section} says nothing of it"
