"""What the page "How this book is tested" says of the tests is so."""

import re

from tests.book.chapters import BOOK, Chapter

ROOT = BOOK.parent
TEXT = (BOOK / "how_tested.md").read_text("utf8")


def test_what_it_names_is_there():
    for path in re.findall(r"`(tests/[\w/.]+)`", TEXT):
        assert (ROOT / path).exists(), path
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf8"), re.MULTILINE)
    named = {*re.findall(r"^make ([a-z-]+)", TEXT, re.MULTILINE)}
    assert {"test", "test-full"} <= named <= {*targets}
    for model in ("gpt2", "bert", "llama", "marian", "numpy", "pytorch"):
        assert (ROOT / f"tests/parity/test_{model}.py").exists()


def test_every_chapter_asserts_and_asks_as_much_as_it_says():
    taught = re.findall(r"^      - file: book/(\w+)$", (ROOT / "_toc.yml").read_text("utf8"), re.M)
    for stem in {*taught[: taught.index("shapes")]} - {"whole_model"}:  # it is one model, and short
        chapter = Chapter(stem)
        lines = [line for cell in chapter.code for line in cell.source.splitlines()]
        assert sum(line.lstrip().startswith("assert ") for line in lines) >= 40, stem
        assert len(chapter.predictions) >= 3, stem
