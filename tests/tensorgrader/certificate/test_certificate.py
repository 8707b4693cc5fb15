"""A certificate is judged again from its own file, and what was changed in it is told."""

import html
import re

import pytest

from lab_notebooks import cli
from tensorgrader.certificate import verify as verifying
from tensorgrader.certificate.judged import Judgement
from tensorgrader.certificate.page import (
    SIZE_LIMIT,
    CertificateError,
    about,
    read,
    sums,
    works_of,
    write,
)
from tensorgrader.sandbox.processes import lacking
from tests.course import COURSE

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e"
judges = pytest.mark.skipif(bool(lacking()), reason=f"no sandbox: {lacking()}")
OVERFLOWS = "def softmax(x):\n    return x.exp() / x.exp().sum(dim=-1, keepdim=True)"


def data(held=(), seed=1, cells=(("attention-softmax", OVERFLOWS),), name="Jane"):
    """Return the data of a certificate on attention in which these exercises are right."""
    every = {
        exercise.id: [p.id for p in exercise.properties]
        for exercise in COURSE.chapters["attention"].exercises
    }
    works = works_of(
        COURSE, "attention", {i: [] if i in held else props for i, props in every.items()}
    )
    chapter = {"works": works, "cells": [list(cell) for cell in cells], "version": ""}
    told = {"name": name, "day": "2026-01-02", "torch": "2", "grader": "ab", "seed": seed}
    return about(COURSE) | told | {"chapters": {"attention": chapter}}


def verified(told, text="", real=None):
    """Verify data where judging finds what `real` gives for a seed."""
    judged = lambda course, chapters, seed, confined: Judgement(  # noqa: E731
        {"attention": (real or (lambda seed: told))(seed)["chapters"]["attention"]["works"]}, (), ()
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verifying, "judged", judged)
        return verifying.verify(COURSE, text or write(told), 2, True)


def test_what_a_learner_wrote_is_shown_and_never_run_and_nothing_is_asked_for():
    page = write(data(name=EVIL, cells=[["", EVIL], ["attention-softmax", EVIL]]))
    assert page.count("<script") == page.count('<script type="application/json"') == 1
    assert "<img" not in page
    assert not re.search(r"https?:|url\(|@import", page)
    assert "\u202e" not in page
    assert page.count(html.escape(EVIL[:-1])) == 4, "title, name and two cells"
    assert read(page)["name"] == EVIL


def test_all_is_as_it_says_with_its_own_inputs_and_with_fresh_ones():
    told = data(held=["attention-lookup"])
    assert verified(told).agrees
    assert verified(told, write(told).replace("\n", "\r\n")).agrees, "as some mail programs send it"
    assert verified(data(seed=None)).agrees


@pytest.mark.parametrize("seed", [1, 2])
def test_an_answer_that_is_worth_less_is_told_for_either_seed(seed):
    told = data(held=["attention-softmax"])
    found = verified(told, real=lambda drawn: data() if drawn == seed else told)
    assert not found.agrees
    (line,) = (line for line in found.lines if "attention-softmax" in line)
    assert f" 0 with seed {seed}" in line


def test_a_page_that_shows_what_its_data_do_not_say_is_told():
    told = data()
    points = sums(told["chapters"]["attention"]["works"])[1]
    page = write(told).replace(f"0 of {points} points", f"{points} of {points} points")
    found = verified(told, page)
    assert not found.agrees
    assert verifying.CHANGED in found.lines


BROKEN = {
    "nothing": "",
    "another page": "<p>Hello</p>",
    "two blocks": 2 * write(data()),
    "no JSON": write(data()).replace('id="certificate">{', 'id="certificate">{{'),
    "deep": re.sub(r'(id="certificate">).*(</script>)', rf"\1{'[' * 100_000}\2", write(data())),
    "a seed": write(data() | {"seed": -1}),
    "another form": write(data() | {"form": 99}),
    "something more": write(data() | {"more": 1}),
    "points": write(data()).replace(", 2, false]", ", true, false]"),
    "a hidden cell": write(data()).replace('"cells": [[', '"cells": [{"source": ["x"]}, ['),
    "another course": write(data() | {"course": "other"}),
    "another chapter": write(data() | {"chapters": {"else": data()["chapters"]["attention"]}}),
}  # fmt: skip


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_what_is_no_certificate_is_not_judged(text):
    with pytest.raises(CertificateError):
        verifying.verify(COURSE, text, 2, True)


@judges
def test_a_learners_answers_are_written_down_and_judged_again(
    tmp_path, submit, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    marker = tmp_path / "marker"
    run = f"import os\nos.system('touch {marker}')\nopen({str(marker)!r}, 'w')"
    submit({"attention-softmax": OVERFLOWS}, name="attention.ipynb")
    submit(stub=True, chapter="norm", name="norm.ipynb")
    assert cli.main(["certificate", "--name", "Jane", "--seed", "5"]) == 0
    assert "norm: 0 of 44 points (no answers)" in capsys.readouterr().out
    page = (tmp_path / "certificate.html").read_text("utf8")
    assert cli.main(["verify", "certificate.html"]) == 0
    out = capsys.readouterr().out
    assert "✓ attention" in out
    assert "who wrote" in out
    told = read(page)
    told["chapters"]["attention"]["cells"][-1][1] += f"\n{run}"
    for work in told["chapters"]["attention"]["works"]:
        work["requirements"] = [[says, points, True] for says, points, _ in work["requirements"]]
    (tmp_path / "tampered.html").write_text(write(told), "utf8")
    assert cli.main(["verify", "tampered.html"]) == 1
    out = capsys.readouterr().out
    assert "attention-softmax: it says" in out
    assert "! attention: " in out, "what its code tried"
    assert not marker.exists()


def test_what_is_no_certificate_is_not_overwritten_and_what_is_large_is_not_read(
    tmp_path, submit, capsys
):
    mine = tmp_path / "mine.html"
    mine.write_text("<p>my own</p>")
    given = ["certificate", str(tmp_path), "--name", "Jane", "--to", str(mine)]
    assert cli.main(given) == 2
    assert mine.read_text() == "<p>my own</p>"
    large = tmp_path / "large.html"
    large.write_bytes(b" " * (SIZE_LIMIT + 1))
    assert cli.main(["verify", "--without-sandbox", str(large), str(tmp_path / "none")]) == 2
    err = capsys.readouterr().err
    assert "larger" in err
    assert "No such file" in err
