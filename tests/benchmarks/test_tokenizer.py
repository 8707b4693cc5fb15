"""benchmarks.tokenizer times two ways to the same merges."""

import pytest

from benchmarks import tokenizer


def test_both_learn_the_same_or_are_not_timed(monkeypatch):
    assert len({len(way()) for way in tokenizer.ways("low lower lowest", 5).values()}) == 1
    monkeypatch.setattr(tokenizer, "count_anew", lambda text: iter([((b"l", b"o"), 1)] * 5))
    with pytest.raises(AssertionError, match="other merges"):
        tokenizer.ways("low lower lowest", 5)


def test_the_report_tells_both_times(monkeypatch):
    monkeypatch.setattr(tokenizer, "MERGES", 3)
    monkeypatch.setattr(tokenizer, "plays", lambda: {"A": "to be or not to be"})
    head, _, row, *_ = tokenizer.measure(runs=2).splitlines()
    assert row.startswith("| 3 merges | ")
    assert head.count("|") == row.count("|")
