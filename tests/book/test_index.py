"""The front page: what it says of its own head and of the book holds."""

import re

from tests.book.chapters import BOOK, TAUGHT
from transformer_lab.widgets.one_head import HEAD, LAYER, MODEL
from transformer_lab.widgets.real_heads import weights_of

TEXT = (BOOK / "index.md").read_text("utf8")
FOOLED = r"Type \*(The .+?\.)\*, and \*it\* gives (0\.\d\d) .+? \*mat\* .+? (0\.\d\d) to \*cat\*"


def test_the_sentence_that_fools_the_head_does_so_by_the_numbers_that_are_told():
    sentence, to_mat, to_cat = re.search(FOOLED, TEXT).groups()
    assert "tired" in sentence  # which a mat is not
    pieces, _, weights = weights_of(MODEL, sentence)
    of_it = weights[LAYER, HEAD, pieces.index("it")]
    told = {"mat": float(to_mat), "cat": float(to_cat)}
    assert {name: round(of_it[pieces.index(name)].item(), 2) for name in told} == told


def test_it_promises_as_many_chapters_as_there_are():
    toc = (BOOK.parent / "_toc.yml").read_text("utf8")
    stems = re.findall(r"^      - file: book/(\w+)$", toc, re.MULTILINE)
    chapters = stems[: stems.index("shapes")]
    assert set(chapters) - set(TAUGHT) == {"whole_model", "real_models"}
    assert len(TAUGHT) == 6
    assert "Six chapters build" in TEXT
    assert "two look at whole models" in TEXT
