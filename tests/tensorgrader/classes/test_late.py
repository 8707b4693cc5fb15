"""Lateness is read from what the platform says, a column, or a time in a name."""

import re
from datetime import datetime, timedelta

import pytest

from tensorgrader.classes.late import Late, lateness, read_cells, read_deadline

DUE = datetime(2026, 11, 10, 23, 59)
IN_NAME = "lab_ana_attempt_2026-11-12-00-59-00_attention.ipynb"


@pytest.mark.parametrize(
    ("files", "row", "due", "told"),
    [
        (["doe_LATE_12_34567_a.ipynb"], {}, None, "late"),
        (["LATE_anon_x7Yz0_34567_a.ipynb"], {}, None, "late"),
        (["LATE_work.ipynb"], {}, None, None),
        (["doejane_1234_56789_my_LATE_homework.ipynb"], {}, None, None),
        (["doe_LATE_12_34567_2026-11-01-00-00.ipynb"], {"submitted": "2026-11-10"}, DUE, None),
        (["doe_LATE_12_34567_2026-11-12-00-59.ipynb"], {}, DUE, "1 day 1 hour late"),
        ([IN_NAME], {}, DUE, "1 day 1 hour late"),
        ([], {"Submitted": "2026-11-10T23:58"}, DUE, None),
        ([], {"submitted": "2026-11-13"}, DUE, "2 days 1 hour late"),
        ([IN_NAME], {"Submitted": "2026-11-10"}, DUE, None),
        ([], {"submitted": "2026-11-13", "due": "2026-11-20"}, DUE, None),
        ([], {"Last modified (submission)": "Wednesday, 11 November 2026, 12:10 AM"}, DUE,
         "1 hour late"),
        ([], {"Status": "Submitted for grading - 3 hours 5 mins late"}, None, "4 hours late"),
        (["doe_LATE_12_34567_a.ipynb"], {"late": "no"}, None, "late"),
        ([], {"late": "2 days"}, DUE, "2 days late"),
        ([], {"late": "No"}, None, None),
        ([], {"late": "1 day, 2 hrs and 30 minutes late"}, None, "1 day 3 hours late"),
        *(([], {"late": word}, None, None) for word in (
            "on time", "0 days", "n/a", "none", "Not late", "–")),
        ([], {"submitted": "2026-11-25 10:00", "due": "2026-11-25"}, DUE, None),
        ([], {"submitted": "2026-11-26 00:00", "due": "2026-11-25"}, DUE, "1 hour late"),
        ([], {"Last modified (submission)": "10.11.2026, 23:59"}, DUE, None),
    ],
)  # fmt: skip
def test_what_is_late_is_told(files, row, due, told):
    late = lateness(files, row, due)
    assert (late and str(late)) == told


@pytest.mark.parametrize(
    ("column", "text", "expected"),
    [
        ("late", "2", "`yes`, `no`, or how long, such as `1 day 2 hours`"),
        ("late", f"{9**30} days", "`yes`, `no`, or how long"),
        ("due", "25.11.2026 23:59", "a time such as `2026-11-20 23:59`"),
    ],
)
def test_a_cell_that_cannot_be_read_is_told(column, text, expected):
    told = re.escape(f"column {column!r}: {text!r} cannot be read. Expected: {expected}")
    with pytest.raises(ValueError, match=told):
        read_cells({"name": "Ana", column: text})


def test_a_deadline_without_a_time_of_day_is_the_end_of_that_day():
    assert read_deadline("2026-11-20") == datetime(2026, 11, 20, 23, 59, 59, 999_999)
    assert read_deadline("2026-11-20T00:00") == datetime(2026, 11, 20)
    with pytest.raises(ValueError, match=r"20\.11"):
        read_deadline("20.11.2026")


def test_each_day_begun_counts():
    hours = {None: 1, 1: 1, 24: 1, 25: 2, 100: 5}
    assert {h: Late(timedelta(hours=h) if h else None).days for h in hours} == hours
