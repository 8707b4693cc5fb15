"""Judgements as records hold them, without judging, and what reports make of them."""

import csv
from concurrent.futures import ThreadPoolExecutor

from tensorgrader.classes import grade_class as grading
from tensorgrader.classes.grade_class import Pool
from tensorgrader.command import grade_class as a_class

ABOUT = {"seed": 7, "torch": "2", "transformer_lab": "1", "grader": "ab" * 9, "sandbox": True}


def work(
    identity,
    earned,
    *,
    points=4,
    mistakes=(),
    written=True,
    code="",
    slow="",
    card="",
    behaviour="",
    crash="",
):
    """Record an exercise of a student."""
    function = identity.partition("-")[2].replace("-", "_")
    told = {"mistakes": list(mistakes), "written": written, "stopped": "", "slow": slow}
    told |= {"behaviour": behaviour, "crash": crash}
    shown = {"code": code, "card": card or f'<div class="tl-card">{function}</div>', "text": "card"}
    scores = {"points": points, "earned": earned}
    return {"id": identity, "function": function, **scores, **told, **shown}


def sheet(chapter, *works, notebook="", tried=()):
    """Record a notebook of a student."""
    scores = {name: sum(work[name] for work in works) for name in ("points", "earned")}
    about = {"chapter": chapter, "notebook": notebook or f"{chapter}.ipynb", "tried": list(tried)}
    return about | scores | {"works": list(works)}


def record(student, *sheets, problems=(), files=()):
    """Record a student."""
    best = {told["chapter"]: told for told in sorted(sheets, key=lambda told: told["earned"])}
    told = {"notebooks": list(sheets), "problems": list(problems), "files": list(files)}
    scores = {n: sum(sheet[n] for sheet in best.values()) for n in ("earned", "points")}
    about = {"student": student, "source": "cd" * 9, "seconds": 0.5, "chapters": best, **ABOUT}
    return about | told | scores


def judged(handed, settings):
    """Return a recorded judgement; other tests are about judging."""
    sheets = [sheet("attention", work("attention-lookup", 3), notebook=n) for n in handed.notebooks]
    told = {"notebooks": sheets, "problems": [], "seconds": 0.1, "files": list(handed.files)}
    return settings.of(handed) | told


def judge_by(monkeypatch, judge=judged):
    """Judge students by a function, in a pool of one thread; return the pool."""
    pool = Pool(lambda: ThreadPoolExecutor(1), width=1)
    monkeypatch.setattr(grading, "grade_student", judge)
    monkeypatch.setattr(a_class, "local_pool", lambda jobs: pool)
    return pool


def table(path, key="student"):
    """Read a table's rows by one of its columns."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {row[key]: row for row in csv.DictReader(file)}


def page_of(folder, beginning):
    """Read a student's page."""
    (path,) = (folder / "feedback").glob(f"{beginning}-*.html")
    return path.read_text("utf8")
