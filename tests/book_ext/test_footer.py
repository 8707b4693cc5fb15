"""At the foot of each page: the edition, and links that arrive."""

import os
import subprocess
import time

import pytest

from book._ext.footer import citation, day_of


@pytest.fixture
def far_east(monkeypatch):
    monkeypatch.setenv("TZ", "FAR-14")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_east")
def test_the_day_is_that_of_the_source(tmp_path, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert day_of(tmp_path) == "", "there is no commit"
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    dated = os.environ | {"GIT_COMMITTER_DATE": "2026-03-01T12:00:00Z"}
    for command in (["init", "-q"], [*author, "commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", *command], cwd=tmp_path, env=dated, check=True)
    assert day_of(tmp_path) == "1 March 2026"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(24 * 60 * 60))
    assert day_of(tmp_path) == "2 January 1970"


def test_a_page_is_cited_with_all_authors_its_edition_and_its_address():
    authors = [{"name": "The Lab"}, {"given-names": "Ada", "family-names": "Byron"}]
    about = {"authors": authors, "title": "T", "version": "1.2", "date-released": "2026-11-20"}
    told = citation(about, "Attention", "https://x.org/a.html")
    for part in ("The Lab", "Ada Byron", "2026", "1.2", "Attention", "https://x.org/a.html"):
        assert all(part in text for text in told.values())
    assert "{The Lab} and {Ada Byron}" in told["bibtex"]
