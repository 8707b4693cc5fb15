"""The reports of a class: scores, mistakes by name, feedback; readable, safe, without a network."""

import csv
import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from transformer_lab.grading.classes.report import common, feedback_path, write_reports

MISTAKE = "it divides by d_k, not by its square root"
OTHER = "it changes the caller's tensor"


def row(earned, *mistakes, reason=None, exercise="scale"):
    told = {"mistakes": mistakes, "reason": reason, "says": "Scores are scaled."}
    return {"exercise": exercise, "id": f"{exercise}-values", "points": 2, "earned": earned, **told}


def record(student, *rows, problems=()):
    score = {"earned": sum(r["earned"] for r in rows), "points": 2 * len(rows)}
    notebook = {"notebook": "attention.ipynb", "chapter": "attention", "results": rows, **score}
    about = {"seed": 7, "torch": "2", "transformer_lab": "1", "grader": "ab" * 9, "sandbox": True}
    told = {
        "chapters": {"attention": score} if rows else {},
        "notebooks": [notebook] if rows else [],
    }
    return {
        "student": student, "source": "cd" * 9, "seconds": 0.5, "problems": list(problems),
        **about, **told, **score,
    }  # fmt: skip


RECORDS = [
    record("zoë", row(2), row(0, reason="<b>wrong</b> & so on")),
    record("ana", row(0, MISTAKE, reason="first"), row(0, MISTAKE, OTHER, reason="second")),
    record("=1+1", row(0, MISTAKE, reason="why"), problems=["a.ipynb is broken."]),
    record("none", problems=["There is no notebook."]),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_reports(folder, RECORDS)
    return folder


def test_mistakes_are_counted_by_student_most_common_first():
    mistakes = common(RECORDS, lambda row: row["mistakes"])
    assert mistakes == [("scale", MISTAKE, 2), ("scale", OTHER, 1)]
    assert common(RECORDS, lambda row: [row["id"]]) == [("scale", "scale-values", 3)]


def test_the_table_has_a_line_for_each_student_and_no_formula(report):
    with (report / "scores.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert [line["student"] for line in table] == ["'=1+1", "ana", "none", "zoë"]
    assert table[3]["attention"] == table[3]["earned"] == "2"
    assert table[2]["attention"] == ""
    assert table[2]["problems"] == "There is no notebook."


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_no_name_is_a_formula(tmp_path, sign):
    write_reports(tmp_path, [record(f"{sign}1+1", row(2))])
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as file:
        (line,) = csv.DictReader(file)
    assert line["student"] == f"'{sign}1+1"


def test_who_hands_in_less_is_measured_by_the_same_points(tmp_path):
    more = record("ben", row(2), row(1))
    other = {"earned": 5, "points": 8}
    more |= {"chapters": more["chapters"] | {"norm": other}, "earned": 8, "points": 12}
    write_reports(tmp_path, [*RECORDS, more])
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert {line["points"] for line in table} == {"12"}
    page = (tmp_path / "index.html").read_text("utf8")
    assert page.count(" of 12</td>") == len(table) == 5


def test_the_overview_names_mistakes_and_links_to_all_feedback(report):
    page = (report / "index.html").read_text("utf8")
    assert MISTAKE in page
    assert "2 of 4" in page
    links = re.findall(r'href="(feedback/[^"]+)"', page)
    assert len(set(links)) == 4
    assert all((report / link).is_file() for link in links)


def test_what_a_student_wrote_is_shown_as_text(report):
    page = (report / feedback_path("zoë")).read_text("utf8")
    assert "&lt;b&gt;wrong&lt;/b&gt; &amp; so on" in page
    assert "seed 7" in page
    assert "href" not in page, "it is handed on alone"


def test_addresses_of_feedback_are_safe_and_different():
    names = ["a/b", "a b", "../../etc", "", "ü", "x" * 500]
    paths = {feedback_path(name) for name in names}
    assert len(paths) == len(names)
    assert all(re.fullmatch(r"feedback/[A-Za-z0-9-]+\.html", path) for path in paths)
    assert max(map(len, paths)) < 100


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_are_accessible_and_ask_for_nothing(report, chromium, scheme):
    page = chromium.new_page(color_scheme=scheme, viewport={"width": 360, "height": 640})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for name in ("index.html", feedback_path("ana")):
        page.goto((report / name).as_uri())
        found = Axe().run(page)
        assert not found.response["violations"], found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    assert len(asked) == 2
    page.close()
