"""The front page: what it says of its own head and of the book holds."""

import re

from tests.book.chapters import BOOK
from transformer_lab.widgets.one_head import HEAD, LAYER, MODEL
from transformer_lab.widgets.real_heads import weights_of

TEXT = (BOOK / "index.md").read_text("utf8")
FOOLED = r"Type \*(The .+?\.)\*, and \*it\* gives about half of its weight to \*mat\* and a fifth"


def test_the_sentence_that_fools_the_head_does_so():
    """The numbers are round, since the page reads what is typed with a copy of 8 bits a weight."""
    (sentence,) = re.search(FOOLED, TEXT).groups()
    assert "tired" in sentence  # which a mat is not
    pieces, _, weights = weights_of(MODEL, sentence)
    of_it = weights[LAYER, HEAD, pieces.index("it")]
    assert abs(of_it[pieces.index("mat")] - 1 / 2) < 0.03
    assert abs(of_it[pieces.index("cat")] - 1 / 5) < 0.03
