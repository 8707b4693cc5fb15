"""Answers written alike are found under other names; short, usual and given code is not."""

import pytest

from tensorgrader.classes.similar import fingerprint, is_untouched, similar

STUB = '''def softmax(x):
    """Give weights."""
    table = torch.zeros(4, 4, dtype=torch.float32)
    for row in range(4):
        table[row] = row * torch.arange(4) + torch.ones(4) * (row + 1)
    raise NotImplementedError("write softmax")
'''
WRITTEN = '''
import torch
def softmax(x):
    """Give weights."""
    largest = x.max(dim=-1, keepdim=True).values  # so that nothing overflows
    raised = torch.exp(x - largest)
    total = raised.sum(dim=-1, keepdim=True)
    return raised / total
'''
RENAMED = """
def softmax(x: torch.Tensor) -> torch.Tensor:
    m = x.max(dim=-1, keepdim=True).values
    e = torch.exp(x - m)
    s = e.sum(dim=-1,
              keepdim=True)
    return e / s
"""
OTHER = WRITTEN.replace("raised / total", "raised * (1 / total)")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [(WRITTEN, RENAMED, True), (WRITTEN, OTHER, False), (OTHER, OTHER.replace("1", "2"), False)],
)
def test_names_and_comments_make_no_difference(one, other, alike):
    assert fingerprint(one)
    assert (fingerprint(one) == fingerprint(other)) == alike


@pytest.mark.parametrize(
    "code", ["def f(x):\n    return x / 2", "", "def f(:", "x" * 200_000, STUB]
)
def test_of_little_of_what_is_broken_and_of_what_was_given_there_is_nothing(code):
    assert fingerprint(code, STUB) == ""


def test_given_lines_are_left_out():
    assert fingerprint(STUB)
    lines = [line for line in STUB.splitlines() if "zeros" in line]
    more = WRITTEN.replace("    largest", f"{lines[0]}\n    largest")
    assert fingerprint(more, STUB) == fingerprint(WRITTEN, STUB) != fingerprint(more)


def test_pairs_are_told_by_how_much_they_share_and_what_many_wrote_is_not():
    codes = {
        "ana": {"a": WRITTEN, "b": OTHER},
        "bo": {"a": RENAMED, "b": OTHER},
        "cy": {"b": OTHER},
    }
    assert similar({name: codes[name] for name in ("ana", "bo")}, {}) == [
        (("ana", "bo"), ["a", "b"])
    ]
    assert similar(codes, {}) == [(("ana", "bo"), ["a"])], "three of three wrote b so"


@pytest.mark.parametrize(
    ("code", "untouched"),
    [(STUB, True), (STUB.replace("Give", "Its"), True), (f"# mine\n{STUB}", True),
     (STUB.replace("4, 4", "4, 5"), False), (WRITTEN, False), ("def (", False)],
)  # fmt: skip
def test_what_nobody_touched_is_known(code, untouched):
    assert is_untouched(code, STUB) == untouched
    assert not is_untouched(code, "")
