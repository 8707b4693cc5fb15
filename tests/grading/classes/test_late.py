"""Lateness is read from what the platform says, a column, or a time in a name."""

from datetime import datetime, timedelta

import pytest

from transformer_lab.grading.classes.late import Late, lateness

DUE = datetime(2026, 11, 10, 23, 59)
IN_NAME = "lab_ana_attempt_2026-11-12-00-59-00_attention.ipynb"


@pytest.mark.parametrize(
    ("files", "row", "due", "told"),
    [
        (["doe_LATE_12_34567_a.ipynb"], {}, None, "late"),
        (["LATE_anon_x7Yz0_34567_a.ipynb"], {}, None, "late"),
        (["LATE_work.ipynb"], {}, None, None),
        (["doe_LATE_12_34567_2026-11-01-00-00.ipynb"], {}, DUE, "late"),
        (["doe_LATE_12_34567_2026-11-01-00-00.ipynb"], {"submitted": "2026-11-10"}, DUE, None),
        (["doe_LATE_12_34567_2026-11-12-00-59.ipynb"], {}, DUE, "1 day 1 hour late"),
        ([IN_NAME], {}, DUE, "1 day 1 hour late"),
        (["lab_ana_attempt_2026-11-09-12-00-00_masking.ipynb", IN_NAME], {}, DUE,
         "1 day 1 hour late"),
        ([IN_NAME], {}, None, None),
        ([], {"Submitted": "2026-11-10T23:58"}, DUE, None),
        ([], {"submitted": "2026-11-13"}, DUE, "2 days 1 hour late"),
        ([IN_NAME], {"Submitted": "2026-11-10"}, DUE, None),
        ([], {"submitted": "2026-11-13", "due": "2026-11-20"}, DUE, None),
        ([], {"Last modified (submission)": "Wednesday, 11 November 2026, 12:10 AM"}, DUE,
         "1 hour late"),
        ([], {"Status": "Submitted for grading - 3 hours 5 mins late"}, None, "4 hours late"),
        (["doe_LATE_12_34567_a.ipynb"], {"late": "no"}, None, "late"),
        ([], {"late": "2 days"}, DUE, "2 days late"),
        ([], {"late": "yes"}, None, "late"),
        ([], {"late": "No"}, None, None),
    ],
)  # fmt: skip
def test_what_is_late_is_told(files, row, due, told):
    late = lateness(files, row, due)
    assert (late and str(late)) == told


def test_each_day_begun_counts():
    hours = {None: 1, 1: 1, 24: 1, 25: 2, 100: 5}
    assert {h: Late(timedelta(hours=h) if h else None).days for h in hours} == hours
