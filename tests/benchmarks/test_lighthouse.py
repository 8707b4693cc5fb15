"""Lighthouse is asked about every page, and judged by the median."""

import gzip
import urllib.request

import pytest

from benchmarks import lighthouse
from tests.chromium import SITE

PERFECT = (100, 100, 100, 100)


def report(*scores):
    parts = zip(lighthouse.CATEGORIES, scores, strict=True)
    audits = {name: {"score": score / 100} for name, score in zip("abcd", scores, strict=True)}
    categories = {
        name: {"score": score / 100, "auditRefs": [{"id": id_, "weight": 1}]}
        for id_, (name, score) in zip("abcd", parts, strict=True)
    }
    return {"categories": categories, "audits": audits}


def test_every_page_is_measured_and_the_search():
    built = {
        page.relative_to(SITE).with_suffix("").as_posix()
        for room in ("book", "exercises")
        for page in (SITE / room).glob("*.html")
    }
    assert set(lighthouse.pages()) == built | {"search"}


def test_texts_are_sent_compressed_and_pictures_as_they_are(tmp_path):
    (tmp_path / "a.html").write_text("<p>text</p>")
    (tmp_path / "a.png").write_bytes(b"picture")
    with lighthouse.served(tmp_path) as address:
        with urllib.request.urlopen(f"{address}/a.html") as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(answer.read()) == b"<p>text</p>"
        with urllib.request.urlopen(f"{address}/a.png") as answer:
            assert answer.read() == b"picture"


@pytest.mark.parametrize(
    ("runs", "expected", "times"),
    [([99], 99, 1), ([80, 95, 91], 91, 3), ([89, 70, 85], 85, 3)],
)
def test_a_page_below_the_bar_is_measured_thrice(monkeypatch, runs, expected, times):
    left = [report(performance, 100, 100, 100) for performance in runs]
    monkeypatch.setattr(lighthouse, "run", lambda *_: left.pop(0))
    assert lighthouse.scores(lighthouse.judged([], "", "mobile"))[0] == expected
    assert len(runs) - len(left) == times


def test_what_lowers_a_score_is_named():
    low = report(100, 96, 100, 50)
    assert lighthouse.failed(low, PERFECT) == ["d"]  # b is a lowered score that still passes
    assert not lighthouse.passes(low, "mobile")
    assert lighthouse.passes(report(97, 100, 100, 100), "mobile")
    assert not lighthouse.passes(report(96, 100, 100, 100), "mobile")
    assert not lighthouse.passes(report(97, 100, 100, 100), "desktop")
