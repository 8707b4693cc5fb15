"""A roster names who handed in, whatever table it is, and never guesses."""

import pytest

from tensorgrader.classes.roster import read_roster

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Quiz (3)
    Points Possible,,,,,10
,,,,,Manual Posting
"Doe, Jane",12345,S1,jdoe,A,5
"Żak, Ana",12346,S2,azak,A,
"Nobody, Yet",,,,A,
"Student, Test",99,,,A,
"""
MOODLE = """Identifier;Full name;Email address;Grade;Last modified (grade)
Participant 501;Jane Doe;jane@x.org;;-
Participant 502;Ana Żak;ana@x.org;;-
"""
HIDDEN = "Identifier,Status,Grade,Last modified (grade)\nParticipant 501,Submitted,,-\n"
PLAIN = """\ufeffName\tID\tGithub_Username
Jane Doe\tm7\tjdoe
Jane Roe\tm8\tzak
Two\tm9\tsame
Too\tm9\tsame
Anne Doe\tm10\tanne-jdoe
"""


@pytest.mark.parametrize(
    ("text", "platform", "found"),
    [
        (CANVAS, "canvas", {"doejane_12345": "Doe, Jane", "jane doe.ipynb": "Doe, Jane",
                            "azak.zip": "Żak, Ana", "anon_x7Yz0": None, "test_99": None,
                            "bo": None}),
        (MOODLE, "moodle", {"Jane Doe_501": "Jane Doe", "ana": "Ana Żak", "Bo": None,
                            "Ana Z\u0307ak": "Ana Żak", "Bo_503": None}),
        (HIDDEN, "moodle", {"Participant_501": "Participant 501"}),
        (PLAIN, "", {"jane doe": "Jane Doe", "M8.ipynb": "Jane Roe", "lab-jdoe": "Jane Doe",
                     "lab-anne-jdoe": "Anne Doe",
                     "m9": None, "somebody_501": None, "lab-m7": None, "lab-jane roe": None}),
        ("name,id\nAda,1\nBo,2\n", "", {"attention-1.ipynb": None, "1.ipynb": "Ada"}),
        ("name,email\nAda,ada@x.org\nBo,2@x.org\n", "", {"lab-ada": "Ada", "lab-2": None}),
    ],
)  # fmt: skip
def test_who_handed_in_is_found(tmp_path, text, platform, found):
    (tmp_path / "roster.csv").write_text(text, "utf8")
    roster = read_roster(tmp_path / "roster.csv")
    assert roster.platform == platform
    for student, name in found.items():
        person = roster.find(student)
        assert (person and person.name) == name, student


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("\ufeff\r\n;;\r\nid;name;login\r\n7;Jane Doe\r\n\r\n;;\r\n8\r\n;;ed\r\n",
         ["Jane Doe", "8", "ed"]),
        ("Identifier,Full name\nParticipant 501\n,Jo\n", ["Participant 501", "Jo"]),
    ],
)  # fmt: skip
def test_nobody_is_lost_in_a_table_with_gaps(tmp_path, text, names):
    (tmp_path / "roster.csv").write_text(text, "utf8", newline="")
    assert [person.name for person in read_roster(tmp_path / "roster.csv").people] == names


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"id,name\n\n7,Doe, Jane\n", "line 3: there are 3 cells, and only 2 columns. Put a text"),
        (b"Jane Doe,7\nJo,8\n", "names of the columns; here it is .'Jane Doe', '7'"),
        ("name\nZoë".encode("latin-1"), "is not in UTF-8: save it again"),
        (b"name,due\nAna,\nBo,25.11.2026 23:59\n",
         "roster.csv, Bo, column 'due': '25.11.2026 23:59' cannot be read. Expected: a time"),
        (b'name\n"' + b"x" * 200_000, "is not a table"),
    ],
)  # fmt: skip
def test_what_is_no_roster_is_told(tmp_path, raw, why):
    (tmp_path / "roster.csv").write_bytes(raw)
    with pytest.raises(ValueError, match=why):
        read_roster(tmp_path / "roster.csv")


OWN = """name,id,login,email
Ada Byron,77,ada_b,ada@x.org
"García López, María José",78,mjg,mj@x.org
Anne-Marie O'Neil,4711,amo,amo@x.org
Bo Li,471,bli,bo@x.org
Cy Day,9,cy,cy@x.org
Cy  DAY,10,day,cy@y.org
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "roster.csv").write_text(OWN, "utf8")
    return read_roster(tmp_path / "roster.csv")


@pytest.mark.parametrize(
    ("student", "ids"),
    [
        ("Ada Byron_4711", ["77"]),  # the number is another's id: the name counts
        ("byronada_12", ["77"]),
        ("Byron, Ada", ["77"]),
        ("ada_b", ["77"]),
        ("Mari\u0301a José García López_13", ["78"]),
        ("oneilannemarie_14", ["4711"]),
        ("Anne-Marie Sue O'Neil_4711", ["4711"]),  # one person has the number, and nothing against
        ("Anne_4711", []),
        ("Ada King_4711", []),
        ("attention_471", []),
        ("José García López_13", []),
        ("Cy Day_3", ["9", "10"]),
        ("Cy Day_10", ["10"]),
        ("submission_471", []),
    ],
)
def test_a_list_of_ones_own_knows_who_a_platform_names(own, student, ids):
    assert [person.id for person in own.fitting(student)] == ids
    assert (own.find(student) is not None) == (len(ids) == 1)


@pytest.mark.parametrize(
    ("told", "ids"),
    [
        ({"id": "77"}, ["77"]),
        ({"id": "77", "name": "Ada King"}, ["77"]),
        ({"id": "1", "name": "Ada Byron"}, ["77"]),
        ({"id": "471", "name": "Ada Byron"}, ["77", "471"]),  # one says this, one that
        ({"email": "CY@y.org", "name": "Cy Day"}, ["10"]),
        ({"email": "cy@z.org"}, ["9"]),
        ({"login": "bli", "name": "Bob"}, ["471"]),
        ({"name": "Cy Day"}, ["9", "10"]),
    ],
)
def test_what_a_platform_tells_of_somebody_finds_them(own, told, ids):
    assert [person.id for person in own.fitting("submission_1", told)] == ids
