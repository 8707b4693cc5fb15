"""Everybody of a class has one line: who is in a group, too, and nobody gets another's points."""

import pytest

from tensorgrader.classes.roster import read_roster
from tensorgrader.classes.students import Desk, gather
from tests.tensorgrader.classes.recorded import record, sheet, work

SHEET = sheet("attention", work("attention-scores", 4))
OWN = "name,id,email\nAda Byron,77,ada@x.org\nBo Li,78,bo@x.org\nBo Li,79,li@x.org\n"


@pytest.fixture
def put_together(tmp_path):
    """Give a function that puts together who handed in under these keys, as a platform tells."""

    def put_together(people, roster=OWN, **wishes):
        (tmp_path / "list.csv").write_text(roster, "utf8")
        desk = Desk(read_roster(tmp_path / "list.csv"), **wishes)
        records = [record(key, SHEET) | {"people": told} for key, told in people.items()]
        return gather(records, desk)

    return put_together


def lines(told):
    students, absent = told
    there = {student.name: student.earned for student in students}
    assert len(there) == len(students)
    return there | {one.name: None for one in absent}


def test_all_of_a_group_get_the_points(put_together):
    people = [{"name": "A. Byron", "id": "77"}, {"name": "Bo Li", "email": "LI@x.org"}]
    told = put_together({"submission_1": people})
    assert lines(told) == {"Ada Byron": 4, "Bo Li (79)": 4, "Bo Li (78)": None}
    assert len({student.key for student in told[0]}) == 2
    assert not any(student.notes or student.also for student in told[0])
    hidden = put_together({"submission_1": people}, anonymous=True)
    assert len(lines(hidden)) == 3


def test_who_is_not_on_the_list_has_the_name_that_the_platform_tells(put_together):
    told = put_together({"submission_1": [{"name": "Eve Oz"}, {"name": "Di"}], "submission_2": []})
    assert {"Eve Oz", "Di", "submission_2"} < lines(told).keys()
    alike = put_together({f"submission_{n}": [{"name": "Eve", "id": str(n)}] for n in (1, 2)})
    assert {"Eve (submission_1)", "Eve (submission_2)"} < lines(alike).keys()


def test_nobody_is_guessed_between_namesakes_and_it_is_said(put_together):
    told = put_together({"Bo Li_4711": [], "Ada Byron_4712": []})
    assert lines(told) == {
        "Ada Byron": 4, "Bo Li_4711": 4, "Bo Li (78)": None, "Bo Li (79)": None
    }  # fmt: skip
    (note,) = next(student for student in told[0] if student.name == "Bo Li_4711").notes
    assert "Bo Li (78) or Bo Li (79)" in note


def test_of_two_of_one_name_the_one_on_the_list_is_not_guessed_either(put_together):
    told = put_together({"Ada Byron_1": [], "Ada Byron_2": []})
    assert lines(told)["Ada Byron"] is None
    assert all("Ada Byron" in student.notes[0] for student in told[0])
    sure = put_together({"Ada Byron_1": [], "Ada Byron_77": []})
    assert {"Ada Byron": 4, "Ada Byron_1": 4}.items() <= lines(sure).items()
    ids = [{"name": "Ada Byron", "id": "5"}], [{"name": "Ada Byron", "id": "77"}]
    told = put_together({"submission_1": ids[0], "submission_2": ids[1]})
    (mine,) = [student for student in told[0] if student.person]
    assert mine.record["student"] == "submission_2"
