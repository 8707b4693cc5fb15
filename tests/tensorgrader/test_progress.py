"""The note of what holds: kept where there is one, moved by copying, never in a check's way."""

import json
import shutil
from pathlib import Path

import pytest

from tensorgrader import progress
from tensorgrader.check import CheckFailed
from tests.course import CHAPTERS, COURSE
from transformer_lab import check


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "exercises").mkdir()
    monkeypatch.chdir(tmp_path / "exercises")
    progress.begin(tmp_path)
    return tmp_path


def right(q, k):
    return q @ k.mT


def wrong(q, k):
    return k @ q.mT


def test_a_check_that_holds_is_noted_and_one_that_fails_again_no_longer(folder):
    path = folder / progress.FILE
    check("attention-scores", right)
    assert progress.read(path) == {
        "attention-scores-values": True,
        "attention-scores-general": True,
        "attention-scores-untouched": True,
    }
    with pytest.raises(CheckFailed):
        check("attention-scores", wrong)
    assert not any(progress.read(path).values())
    assert [p.name for p in folder.iterdir() if p.is_file()] == [progress.FILE]


def test_a_card_counts_what_holds_and_nothing_that_failed(folder, capsys):
    every = sum(prop.points for e in CHAPTERS["attention"].exercises for prop in e.properties)
    check("attention-scores", right)
    assert f"(attention: 4 of {every})" in capsys.readouterr().out
    with pytest.raises(CheckFailed):
        check("attention-scores", wrong)
    check("attention-lookup", lambda query, keys, values: (keys @ query).softmax(0) @ values)
    assert f"(attention: 3 of {every})" in capsys.readouterr().out


def test_what_is_noted_is_told_by_chapter_and_moves_with_its_file(folder, tmp_path_factory):
    check("attention-scores", right)
    elsewhere = tmp_path_factory.mktemp("laptop")
    shutil.copy(folder / progress.FILE, elsewhere)
    progress.begin(elsewhere)
    told = progress.summary(COURSE, progress.read(elsewhere / progress.FILE))
    assert "attention: 4 of " in told
    assert "  ✓ scores: 4 of 4" in told
    assert "  · soft_lookup: 0 of 3" in told


def test_the_note_of_the_first_folder_that_holds_one_is_found(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    progress.begin(other)
    assert progress.find(tmp_path / "exercises", folder, other) == folder / progress.FILE
    assert progress.find(tmp_path / "exercises", Path("x" * 300)) is None


def test_without_a_file_nothing_is_noted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check("attention-scores", right)
    assert list(tmp_path.iterdir()) == []


def test_only_true_holds_and_no_more_is_read_than_a_note_can_have(folder):
    path = folder / progress.FILE
    path.write_text('{"a": true, "b": 1, "c": "yes", "d": null}')
    assert progress.read(path) == {"a": True, "b": False, "c": False, "d": False}
    path.write_text('{"a": true' + " " * progress.SIZE_LIMIT + "}")
    with pytest.raises(ValueError, match="valid"):
        progress.read(path)


@pytest.mark.parametrize("text", ["", "[]", "{", "9" * 5000, "[" * 70_000, '{"a": 1}', "\udcff"])
def test_a_broken_file_disturbs_no_check_and_is_begun_again(folder, text, capsys):
    raw = text.encode("utf-8", "surrogateescape")
    for _ in range(2):
        (folder / progress.FILE).write_bytes(raw)
        check("attention-scores", right)
    noted = json.loads((folder / progress.FILE).read_text("utf8"))
    assert noted["attention-scores-values"] is True
    kept = sorted(folder.glob("progress.broken-*.json"))
    broken = text not in ("", '{"a": 1}')
    assert [path.read_bytes() for path in kept] == [raw, raw] * broken
    told = f"{progress.FILE} is not a valid record of progress. It is kept as {{}}, and"
    printed = capsys.readouterr().out
    assert all(told.format(path.name) in printed for path in kept)


def test_a_folder_that_cannot_be_written_disturbs_no_check(folder, monkeypatch, capsys):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(progress.os, "replace", refuse)
    check("attention-scores", right)
    assert "4 of 4 points" in capsys.readouterr().out
