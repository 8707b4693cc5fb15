"""The reports of a class: what a teacher reads on Monday; safe, and without a network."""

import csv
import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from tensorgrader.classes.roster import read_roster
from tensorgrader.classes.student_names import pseudonym
from tensorgrader.classes.students import Desk
from tests.course import write_reports
from tests.tensorgrader.classes import recorded
from tests.tensorgrader.classes.recorded import page_of, record, sheet, work

MISTAKE = "it divides by d_k, not by its square root"
EVIL = '<script>alert(1)</script><img src=x onerror="y">\u202e'
STUB = (
    'def soft_lookup(s, d):\n    """Scale."""\n    raise NotImplementedError("write soft_lookup")'
)
STUBS = {"attention-lookup": STUB, "attention-mend-width": "def head_weights(q):\n    return q.T"}
COPIED = """def head(x, n):
    a = [x[i] * n + i for i in range(n)]
    return sum(a[1:], a[0]) / (n + 1)"""


def attention(*scores, mistakes=(), tried=(), codes=("", "", "")):
    ids = ("attention-lookup", "attention-softmax", "attention-head")
    works = [
        work(i, earned, mistakes=mistakes if earned < 4 else (), code=code)
        for i, earned, code in zip(ids, scores, codes, strict=True)
    ]
    return sheet("attention", *works, tried=tried)


RECORDS = [
    record("zoë", attention(4, 4, 0, codes=("", "", COPIED))),
    record("ana", attention(0, 2, 4, mistakes=[MISTAKE]),
           sheet("norm", work("norm-rms", 4, slow="Its cell took long."))),
    record("=1+1", attention(0, 4, 4, mistakes=[MISTAKE], tried=["run a command (rm -rf ~) in x"]),
           problems=["a.ipynb is broken."]),
    record(EVIL, attention(0, 0, 0, mistakes=["the mistake is still in it"], tried=[EVIL],
                           codes=(STUB.replace("Scale", "Other words"), EVIL, COPIED)),
           problems=[EVIL], files=[EVIL]),
    record("none", problems=["There is no notebook."]),
]  # fmt: skip
DESK = Desk(stubs=STUBS)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_reports(folder, RECORDS, DESK)
    return folder


def table(folder, name="scores.csv"):
    return recorded.table(folder / name)


def words(page):
    """Give what is read of a page, on one line."""
    text = re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))
    return " ".join(text.split())


def test_the_table_has_a_line_for_each_student_and_a_column_for_each_exercise(report):
    lines = table(report)
    assert len(lines) == len(RECORDS)
    assert lines["zoë"]["attention"] == lines["zoë"]["earned"] == "8"
    assert lines["ana"]["attention-softmax"] == "2"
    assert lines["none"]["attention"] == lines["none"]["attention-softmax"] == ""
    assert {line["points"] for line in lines.values()} == {"16"}, "for all the same"
    assert lines["ana"]["per cent"] == "62.5"
    assert "no notebook" in lines["none"]["problems"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ('jane;=HYPERLINK("http://x")', 'jane;\'=HYPERLINK("http://x")'),
        ('jane; "=1', "jane;' \"=1"),
        ("jane\t@x\n+1;;-2;\t=3", "jane\t'@x\n'+1;;'-2;'\t'=3"),
        ("jane-li;x = 1, y; z", "jane-li;x = 1, y; z"),
    ],
)
def test_no_cell_is_a_formula_whatever_a_spreadsheet_takes_for_a_separator(tmp_path, name, shown):
    records = [record(name, attention(4, 4, 4))]
    write_reports(tmp_path, records)
    for table_ in ("scores.csv", "teacher.csv"):
        assert list(table(tmp_path, table_)) == [shown]
    with (tmp_path / "teacher.csv").open("a", encoding="utf8", newline="") as file:
        csv.writer(file).writerow([shown, "", "", "good"])
    assert [student.comment for student in write_reports(tmp_path, records)] == ["good"]


def test_the_overview_has_mean_median_and_histogram_of_each_chapter(report):
    told = words((report / "index.html").read_text("utf8"))
    assert "attention Mean 46 %, median 58 %. 4 handed in." in told  # 8, 6, 8 and 0 of 12
    page = (report / "index.html").read_text("utf8")
    assert "from the lowest: 1, 0, 0, 0, 0, 1, 2, 0, 0, 0" in page


def test_mistakes_are_counted_by_name_and_stubs_apart(report):
    told = words((report / "index.html").read_text("utf8"))
    assert re.search(rf"{MISTAKE} attention-lookup 2 of 5 =1\+1 , ana", told)
    assert "the mistake is still in it ( attention-lookup )" not in told, "it was not written"
    assert "attention: lookup 1. " in told


def test_what_to_look_at_is_told(report, tmp_path):
    told = words((report / "index.html").read_text("utf8"))
    assert "=1+1 : in attention.ipynb it tried to run a command (rm -rf ~) in x" in told
    assert "none : " in told
    assert "ana : norm.ipynb, norm-rms." in told.partition("Slow")[2]
    assert "and zoë : attention-head" in told, "written alike"
    (tmp_path / "r.csv").write_text("name,submitted\nana,2026-11-20T10:00\nAbsent,\n")
    roster = read_roster(tmp_path / "r.csv")
    write_reports(tmp_path, RECORDS, Desk(roster))
    told = words((tmp_path / "index.html").read_text("utf8"))
    assert "Handed nothing in Absent" in told
    assert re.search(r"Not on the roster .*none zoë", told)


def test_a_students_page_shows_the_code_beside_the_card(report):
    page = page_of(report, "zo")
    assert "def head(x, n):" in page
    assert page.index("def head") < page.index('<div class="tl-card">head')
    assert "seed 7" in page
    assert "href" not in page, "it is handed on alone"


def test_what_a_student_wrote_is_shown_as_text(report):
    pages = [path.read_text("utf8") for path in report.rglob("*.html")]
    assert len(pages) == len(RECORDS) + 1
    assert sum(page.count("&lt;script&gt;alert(1)") for page in pages) > 6
    assert not any(tag in page for page in pages for tag in ("<script", "<img", 'onerror="'))


def test_the_teachers_own_points_and_comments_survive(tmp_path):
    write_reports(tmp_path, RECORDS, DESK)
    assert table(tmp_path, "teacher.csv").keys() == {"'=1+1", "ana", "none", "zoë", EVIL}
    own = "student,exercise,points,comment\n'=1+1,attention-lookup,3.5,-nearly\nzoë,,,see me\n"
    (tmp_path / "teacher.csv").write_text(own, "utf8")
    for _ in range(2):
        write_reports(tmp_path, RECORDS, DESK)
        lines = table(tmp_path)
        assert lines["'=1+1"]["attention-lookup"] == "3.5"
        assert lines["'=1+1"]["earned"] == "11.5"
        assert lines["zoë"]["comment"] == "see me"
    assert (tmp_path / "teacher.csv").read_text("utf8") == own
    assert "Your teacher gives 3.5 of 4 points: -nearly" in words(page_of(tmp_path, "1-1"))
    assert "Your teacher: see me" in words(page_of(tmp_path, "zo"))


def test_who_handed_nothing_in_has_a_line_and_may_have_a_comment(tmp_path):
    roster = "name,id\nana,1\nAbsent,2\n=Too,3\nToo,4\nToo,5\n"
    (tmp_path / "r.csv").write_text(roster, "utf8")
    desk = Desk(read_roster(tmp_path / "r.csv"))
    write_reports(tmp_path, RECORDS, desk)
    absent = {"Absent", "'=Too", "Too (4)", "Too (5)"}
    assert absent < table(tmp_path, "teacher.csv").keys()
    own = "student,exercise,points,comment\nAbsent,,,was ill\n'=Too,,,\nana,,,good\n"
    (tmp_path / "teacher.csv").write_text(own, "utf8")
    write_reports(tmp_path, RECORDS, desk)
    lines = table(tmp_path)
    assert {lines[name]["problems"] for name in absent} == {"Handed nothing in."}
    assert (lines["Absent"]["id"], lines["Absent"]["earned"]) == ("2", "")
    assert (lines["Absent"]["comment"], lines["ana"]["comment"]) == ("was ill", "good")
    write_reports(tmp_path, RECORDS, Desk(desk.roster, anonymous=True))
    assert "Absent" not in "".join(
        (tmp_path / f).read_text("utf8") for f in ("scores.csv", "index.html")
    )
    (tmp_path / "teacher.csv").write_text(own + "Absent,attention-lookup,1,\n", "utf8")
    with pytest.raises(ValueError, match=r"line 5: .*'Absent'"):
        write_reports(tmp_path, RECORDS, desk)


def say(folder, *lines):
    """Write the teacher's own table."""
    with (folder / "teacher.csv").open("w", encoding="utf8", newline="") as file:
        csv.writer(file).writerows([["student", "exercise", "points", "comment"], *lines])


def test_namesakes_are_told_apart_the_same_way_whoever_has_handed_in(tmp_path):
    (tmp_path / "r.csv").write_text("name,id,login\nKim Lee,1,klee\nKim Lee,2,kim2\n", "utf8")
    desk = Desk(read_roster(tmp_path / "r.csv"))
    one, other = record("klee.ipynb", attention(4, 4, 4)), record("kim2.ipynb", attention(4, 0, 0))
    names = {"Kim Lee (1)", "Kim Lee (2)"}
    write_reports(tmp_path, [one], desk)
    assert table(tmp_path, "teacher.csv").keys() == table(tmp_path).keys() == names
    say(tmp_path, ["Kim Lee (1)", "", "", "good"], ["Kim Lee (2)", "", "", "was ill"])
    for records in ([one], [other], [one, other], []):
        write_reports(tmp_path, records, desk)
        lines = table(tmp_path)
        told = {name: (line["id"], line["comment"]) for name, line in lines.items()}
        assert told == {"Kim Lee (1)": ("1", "good"), "Kim Lee (2)": ("2", "was ill")}
    say(tmp_path, ["Kim  Lee", "", "", "good"])
    for records in ([one], [one, other], []):
        with pytest.raises(
            ValueError,
            match=re.escape("'Kim Lee (1)', 'Kim Lee (2)'"),
        ):
            write_reports(tmp_path, records, desk)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("zoe,,,hello", "line 2: nobody called 'zoe' has handed in anything"),
        ("ana,attention-looku,1,", "no exercise 'attention-looku'. Nearest: attention-lookup"),
        ("ana,attention-lookup,much,", "'much' are not points"),
        ("ana,,3,", "in the column `exercise`"),
        ("zoë,norm-rms,3,", "zoë has not handed in norm-rms"),
        ('\nana,,,"two\nlines"\n,,,\nzoe,,,hello', "line 6: nobody called 'zoe'"),
        ("ana,,,good, but short", "line 2: there are 5 cells, and only 4 columns"),
        ('ana,,,"good\nzoë,,,see me"', "line 2: the comment contains another line of the table"),
    ],
)
def test_what_does_not_fit_in_the_teachers_table_is_told(tmp_path, line, why):
    (tmp_path / "teacher.csv").write_text(f"student,exercise,points,comment\n{line}\n", "utf8")
    with pytest.raises(ValueError, match=re.escape(why)):
        write_reports(tmp_path, RECORDS)


def test_anonymous_pages_hold_no_name_and_the_table_may_use_either(tmp_path):
    names = [f"{name}_77" for name in ("annelise", "borislav")]
    records = [
        record(n, sheet("attention", work("attention-lookup", 4), notebook=f"{n}_123456_a.ipynb"),
               problems=[f"{n}_123457_b.ipynb is broken."])
        for n in names
    ]  # fmt: skip
    write_reports(tmp_path, records)
    (tmp_path / "teacher.csv").unlink()
    write_reports(tmp_path, records, Desk(anonymous=True))
    written = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert len(written) == 5
    told = "".join(f"{path.name}\n{path.read_text('utf8')}" for path in written)
    assert not any(name.partition("_")[0] in told for name in names)
    own = f"student,exercise,points,comment\n{pseudonym(names[0])},,,hello\n{names[1]},,,you\n"
    (tmp_path / "teacher.csv").write_text(own, "utf8")
    for anonymous in (True, False):
        students = write_reports(tmp_path, records, Desk(anonymous=anonymous))
        assert {student.key: student.comment for student in students} == dict(
            zip(names, ("hello", "you"), strict=True)
        )


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_are_accessible_and_ask_for_nothing(tmp_path, chromium, scheme):
    many = (work(f"full_model-{n}-exercise", 4, code="x = 1  # long\n" * 9) for n in range(18))
    write_reports(tmp_path, [*RECORDS, record("wide", sheet("full_model", *many))], DESK)
    page = chromium.new_page(color_scheme=scheme, viewport={"width": 360, "height": 640})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    (own,) = (tmp_path / "feedback").glob("zo-*.html")
    for path in (tmp_path / "index.html", own):
        page.goto(path.as_uri())
        found = Axe().run(page)
        assert not found.response["violations"], found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    assert len(asked) == 2
    page.close()
