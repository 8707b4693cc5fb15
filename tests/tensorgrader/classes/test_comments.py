"""A comment that is written once reaches all whose answers do the same, and is never lost."""

import csv

import pytest

from tests.course import write_reports
from tests.tensorgrader.classes.recorded import page_of, record, sheet, table, work

ONE, OTHER = "attention-softmax-0a0b0c0d", "attention-softmax-1a1b1c1d"
EVIL = "<script>alert(1)</script>"


def student(name, behaviour, code="x", mistakes=()):
    told = {"behaviour": behaviour, "code": code, "mistakes": mistakes}
    return record(name, sheet("attention", work("attention-softmax", 0, **told)))


CLASS = [
    student("ana", ONE, "return x.exp() / 2", ["the exponential overflows"]),
    student("bo", ONE, EVIL, ["the exponential overflows"]),
    student("cy", OTHER),
    record("di", sheet("attention", work("attention-softmax", 4))),
]


def rows(folder):
    return table(folder / "comments.csv", "group")


def say(folder, group, comment):
    """Write a comment as a spreadsheet does, between semicolons and without a mark at the start."""
    told = rows(folder)
    told[group]["comment"] = comment
    with (folder / "comments.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, next(iter(told.values())), delimiter=";")
        table.writeheader()
        table.writerows(told.values())


def test_a_group_is_a_row_with_its_size_one_answer_and_a_field(tmp_path):
    write_reports(tmp_path, CLASS)
    told = rows(tmp_path)
    assert [*told] == [ONE, OTHER], "the largest first"
    assert told[ONE]["mistakes"] == "the exponential overflows"
    page = (tmp_path / "index.html").read_text("utf8")
    groups = page[page.index('id="groups"') : page.index("<h2>Students and exercises")]
    assert "<summary>2</summary>" in groups
    assert "return x.exp() / 2" in groups, "the shortest"
    assert groups.count("propose REPORT") == 1, "only where no mistake is known"
    assert EVIL not in page


def test_a_comment_reaches_the_whole_group_and_who_hands_in_later(tmp_path):
    write_reports(tmp_path, CLASS)
    say(tmp_path, ONE, "Shift it; then\nnothing overflows.")
    write_reports(
        tmp_path, [*CLASS, student("eve", ONE), student("fay", "attention-softmax-ffffffff")]
    )
    for name in ("ana", "bo", "eve"):
        assert "nothing overflows" in page_of(tmp_path, name)
    for name in ("cy", "di", "fay"):
        assert "nothing overflows" not in page_of(tmp_path, name)
    assert "nothing overflows" in (tmp_path / "index.html").read_text("utf8")


def test_it_stands_beside_what_the_teacher_says_to_one(tmp_path):
    write_reports(tmp_path, CLASS)
    say(tmp_path, ONE, "To all.")
    with (tmp_path / "teacher.csv").open("a", encoding="utf-8") as file:
        file.write("ana,attention-softmax,3,To Ana.\n")
    write_reports(tmp_path, CLASS)
    assert all(words in page_of(tmp_path, "ana") for words in ("gives 3 of 4", "To Ana.\nTo all."))
    assert "To all." in page_of(tmp_path, "bo")


def test_what_is_written_there_stays_byte_by_byte_and_lines_are_only_added(tmp_path):
    write_reports(tmp_path, CLASS)
    say(tmp_path, OTHER, 'Say "why"; and how.')
    path = tmp_path / "comments.csv"
    before = path.read_bytes().rstrip()
    path.write_bytes(before)  # some editors end no line there
    write_reports(tmp_path, CLASS)
    assert path.read_bytes() == before
    write_reports(
        tmp_path,
        [student("eve", "attention-softmax-ffffffff")],
    )
    assert path.read_bytes().startswith(before + b"\r\nattention-softmax-ffffffff;")
    assert "Say &#34;why&#34;; and how." in (tmp_path / "index.html").read_text("utf8")
    write_reports(tmp_path, CLASS)
    assert "and how" in page_of(tmp_path, "cy"), "whoever comes back has it again"


def test_two_comments_on_a_group_are_both_kept(tmp_path):
    write_reports(tmp_path, CLASS)
    with (tmp_path / "comments.csv").open("a", encoding="utf-8") as file:
        file.write(f"{ONE},,,First.\n{ONE},,,Second.\n")
    write_reports(tmp_path, CLASS)
    assert "First.\nSecond." in page_of(tmp_path, "ana")


@pytest.mark.parametrize(
    "line",
    [",,,To nobody.", f'{ONE},,,"It never ends\n{OTHER},,,Lost"', f'{ONE},,,"It never ends\n'],
)
def test_a_comment_that_would_be_lost_is_told_with_its_line(tmp_path, line):
    write_reports(tmp_path, CLASS)
    with (tmp_path / "comments.csv").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    before = (tmp_path / "comments.csv").read_bytes()
    with pytest.raises(ValueError, match="line 4"):
        write_reports(tmp_path, CLASS)
    assert (tmp_path / "comments.csv").read_bytes() == before


def test_a_class_without_a_wrong_answer_has_no_table(tmp_path):
    write_reports(tmp_path, CLASS[-1:])
    assert not (tmp_path / "comments.csv").exists()
    assert "No answer" in (tmp_path / "index.html").read_text("utf8")
