"""Judgements as records hold them, without judging: what reports are made from."""

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
