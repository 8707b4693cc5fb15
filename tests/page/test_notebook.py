"""What a page asks of Python, asked of this one: the same cards, prints, lines, errors."""

import json
from pathlib import Path

import pytest

from page.book import begin
from page.notebook import SAID
from tensorgrader import judge
from tensorgrader.certificate.verify import verify
from tensorgrader.sandbox.processes import lacking
from tests.course import COURSE, EXERCISES

IMPORTS = "import math\nimport torch\n"
WHOSE = "def whose():\n    return open('turns').read()[-1]\n"
SCORES = "def scores(q, k):\n    return q @ k.transpose(-2, -1)\n"


@pytest.fixture
def ask(monkeypatch, tmp_path):
    """Begin a notebook; give a function that asks it and gives what is told."""
    monkeypatch.chdir(tmp_path)
    turns = tmp_path / "turns"
    turns.touch()
    notebook = begin(str(turns))
    return lambda asked: json.loads(notebook.answer(json.dumps(asked)))


@pytest.fixture
def notebook(ask):
    def run(code, cell="attention-scores", check=True, held=None):
        asked = {"cell": cell, "code": code, "check": check, "held": held or {}, "seconds": 9}
        return ask(asked)

    run(IMPORTS, "a cell", check=False)
    return run


def test_a_right_answer_holds_and_counts(notebook):
    told = notebook(SCORES)
    assert told["holds"]
    assert "is right" in told["card"]
    assert "tl-card-progress" in told["card"]
    assert {name for name, holds in told["held"].items() if holds} == {
        prop.id for prop in EXERCISES["attention-scores"].properties
    }


def test_a_known_mistake_is_named_and_leads_to_its_section(notebook):
    told = notebook(
        "def softmax(x):\n    return x.exp() / x.exp().sum(-1, True)\n", "attention-softmax"
    )
    assert "The exponential overflows." in told["card"]
    assert 'href="book/attention.html#weights-are-a-softmax-of-scores"' in told["card"]
    assert told["mistakes"] == ["attention-softmax: the exponential overflows"]


def test_the_place_of_a_mistake_is_looked_for_by_and_by(notebook, ask):
    told = notebook(
        "def softmax(x):\n    e = torch.exp(x - x.amax(dim=-1, keepdim=True).clamp(min=0))\n"
        "    return e / e.sum(dim=-1, keepdim=True)\n",
        "attention-softmax",
    )
    assert told["looking"]
    while told["looking"]:
        told = ask({"cell": "attention-softmax", "look": True})
    assert "Look at line 2" in told["hint"]
    assert not ask({"cell": "attention-softmax", "look": True})["looking"]
    assert not notebook(SCORES)["looking"]


@pytest.mark.parametrize("contradicts", [False, True])
def test_a_name_comes_with_a_place_or_alone_if_they_contradict(
    notebook, ask, monkeypatch, contradicts
):
    monkeypatch.setattr("tensorgrader.repair.hint.contradicts", lambda *_: contradicts)
    told = notebook(
        "def softmax(x):\n    e = torch.exp(x - x.mean(dim=-1, keepdim=True))\n"
        "    return e / e.sum(dim=-1, keepdim=True)\n",
        "attention-softmax",
    )
    assert "The mean is subtracted" in told["card"]
    while told["looking"]:
        told = ask({"cell": "attention-softmax", "look": True})
    assert ("Look at line 2" in told.get("hint", "")) is not contradicts


def test_prints_of_a_cell_and_of_its_function_are_told(notebook):
    told = notebook("print('once')\ndef scores(q, k):\n    print('within')\n    return q\n")
    assert told["said"] == "once\n"
    assert "Your function printed" in told["card"]
    assert "within" in told["card"]


def test_prints_without_end_are_cut(notebook):
    told = notebook("for n in range(10 ** 5):\n    print(n)\n", check=False)
    assert len(told["said"]) == SAID


def test_a_line_that_fails_in_a_check_is_this_cells(notebook):
    assert notebook("def scores(q, k):\n    return q + missing\n")["line"] == 2
    notebook("def helper(q):\n\n\n    return q.missing\n", "a cell", check=False)
    assert notebook("def scores(q, k):\n    return helper(q)\n")["line"] == 2


def test_points_are_counted_on_where_python_was_ended(notebook):
    before = {prop.id: True for prop in EXERCISES["attention-lookup"].properties}
    told = notebook(SCORES, held=before)
    points = sum(
        p.points for name in ("lookup", "scores") for p in EXERCISES[f"attention-{name}"].properties
    )
    assert f"attention: {points} of " in told["card"]
    # What the page has cleared since does not come back.
    mine = sum(prop.points for prop in EXERCISES["attention-scores"].properties)
    told = notebook(SCORES)
    assert f"attention: {mine} of " in told["card"]
    assert told["held"].keys() == {prop.id for prop in EXERCISES["attention-scores"].properties}


def test_what_the_page_has_not_is_no_mistake(notebook):
    code = "class NotOnThisPage(BaseException): pass\n"
    told = notebook(f"{code}def scores(q, k):\n    raise NotOnThisPage('this page has no svd')\n")
    assert told["note"] == "This page has no svd."
    assert not told["card"]
    # Nor does the verdict on what stood there before count for it.
    assert told["held"] == {prop.id: False for prop in EXERCISES["attention-scores"].properties}


@pytest.mark.parametrize("name", ["ValueError", "KeyboardInterrupt", "GeneratorExit", "SystemExit"])
def test_an_exception_is_told_with_its_line_even_if_it_would_end_python(notebook, name):
    told = notebook(f"x = 1\nraise {name}('why')\n", check=False)
    assert told["said"] == f"{name} in line 2: why\n"
    assert told["line"] == 2


def test_what_a_check_does_not_take_is_said_in_plain_words(notebook):
    told = notebook("def scores(q, k):\n    raise KeyboardInterrupt\n")
    said = "KeyboardInterrupt was raised, which ends Python: raise another exception."
    assert told["note"] == said
    assert told["held"]
    assert not any(told["held"].values())


def test_an_overdue_answer_has_its_cards_before_it_is_run():
    cell, call = json.loads(begin().overdue(json.dumps({"cell": "attention-lookup", "seconds": 7})))
    assert "7 seconds" in cell
    assert "no answer" in call
    assert begin().overdue(json.dumps({"cell": "a cell", "seconds": 7})) == "[]"


def test_the_pages_clock_runs_only_while_the_learners_own_code_does(notebook, monkeypatch):
    """What we compute, to judge and to name, is no loop of theirs."""
    heard = []
    monkeypatch.setattr(judge, "name_mistakes", lambda *_: heard.append(turns()) or ())
    notebook(f"{WHOSE}seen = [whose()]\ndef scores(q, k):\n    seen.append(whose())\n    return q")
    assert notebook("set(seen)", "another", check=False)["said"] == "{'1'}\n"
    assert {said[-1] for said in heard} == {"0"}
    assert set(turns().split("10")) == {""}


def turns():
    """Read whose turn it was, as the page hears it: 1 begins the learner's, 0 ends it."""
    return Path("turns").read_text("ascii")


MINE = "    e = torch.exp(x - x.amax(-1, True))\n    return e / e.sum(-1, True)\n"
RIGHT = f"def softmax(x):\n{MINE}"
GONE = {
    "empty": "",
    "renamed": RIGHT.replace("softmax", "sofmax"),
    "commented out": "# " + RIGHT.replace("\n", "\n# "),
    "deleted": f"{RIGHT}del softmax\n",
    "no function": "softmax = 3\n",
    "in a text": f"words = '''\n{RIGHT}'''\n",
}


@pytest.mark.parametrize("code", GONE.values(), ids=GONE)
def test_what_stood_in_an_editor_before_is_not_judged(notebook, code):
    assert notebook(RIGHT, "attention-softmax")["holds"]
    told = notebook(code, "attention-softmax")
    assert not told["holds"]
    assert not any(told["held"].values())
    assert "There is no function <code>softmax</code> in this cell" in told["card"]


def test_a_helper_is_there_as_long_as_it_stands_in_a_cell_above(notebook):
    calls = "def softmax(x):\n    return helper(x)\n"
    helper = RIGHT.replace("softmax", "helper")
    assert notebook(helper + calls, "attention-softmax")["holds"]
    assert not notebook(calls, "attention-softmax")["holds"]
    notebook(helper, "attention-lookup", check=False)
    assert notebook(calls, "attention-softmax")["holds"]
    notebook("", "attention-lookup", check=False)
    told = notebook(calls, "attention-softmax")
    assert "<code>helper</code>" in told["card"]


def test_what_a_cell_below_has_changed_is_as_it_was(notebook):
    notebook(RIGHT, "attention-softmax")
    notebook("softmax = None\nmath = None", "attention-head", check=False)
    assert notebook(RIGHT + "math.pi\n", "attention-softmax")["holds"]


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ("def softmax(x):\n    e = x.exp()\nreturn e\n", 3, "&#x27;return&#x27; outside function"),
        ("def softmax(x):\n    await x\n", 2, "outside async function"),
        ("softmax = lambda x: (x.exp(", 1, "was never closed"),
        (f"\u200b{RIGHT}", 1, "U+200B"),
    ],
)
@pytest.mark.parametrize("before", ["", RIGHT], ids=["at first", "after a right one"])
def test_what_is_no_python_is_told_with_its_line(notebook, before, code, line, words):
    notebook(before, "attention-softmax")
    told = notebook(code, "attention-softmax")
    assert (told["holds"], told["line"]) == (False, line)
    assert f"syntax error in line {line}: " in told["card"]
    assert words in told["card"]


@pytest.mark.parametrize(
    "code",
    [
        f"{RIGHT}break\n",
        f"{RIGHT}from __future__ import annotations\n",
        f"1 / 0\n{RIGHT}",
        f"%time 1\n{RIGHT}softmax?\n",
        f"%%time\n{RIGHT}",
        "    " + RIGHT.replace("\n", "\n    "),
        f"{RIGHT}display(softmax(torch.ones(2)))\n",
        f"{RIGHT}import asyncio\nawait asyncio.sleep(0)\nprint('done')\n",
    ],
)
def test_what_stands_beside_a_right_function_is_left_aside_as_grade_does(notebook, code):
    assert notebook(code, "attention-softmax")["holds"]


def test_what_the_page_has_not_takes_nothing_from_a_right_answer(notebook):
    lacks = (
        "class NotOnThisPage(BaseException): pass\ndef svd():\n    raise NotOnThisPage('no svd')\n"
    )
    told = notebook(f"{lacks}svd()\n{SCORES}")
    assert told["holds"]
    assert told["note"] == "No svd."


@pytest.mark.parametrize("holds", [True, False])
def test_what_is_kept_of_earlier_chapters_is_imported_if_it_holds(ask, holds):
    held = {prop.id: holds for prop in EXERCISES["attention-softmax"].properties}
    mine = "def softmax(x):\n    print('mine')\n    return x.exp() / x.exp().sum(-1, True)\n"
    code = "from my_gpt import softmax\n\nsoftmax(torch.zeros(2))"
    asked = {"cell": "multi_head-split", "code": f"import torch\n{code}", "check": False}
    told = ask(asked | {"held": held, "earlier": {"attention-softmax": mine}, "seconds": 9})
    assert ("mine" in told["said"]) is holds
    assert "0.5" in told["said"]
    assert ("attention-softmax" in told["said"]) is not holds


def test_a_certificate_holds_all_answers_and_what_held_and_is_judged_again(ask):
    every = EXERCISES["attention-scores"], EXERCISES["attention-softmax"]
    held = {prop.id: True for exercise in every for prop in exercise.properties}
    answers = {"attention-scores": SCORES, "attention-softmax": "def softmax(x):\n    return x\n"}
    told = ask({"certificate": "Jane <Doe>", "held": held, "earlier": answers})["frame"]
    assert told["name"] == "certificate.html"
    assert "Jane &lt;Doe&gt;" in told["text"]
    found = verify(COURSE, told["text"], 3, not lacking())
    (line,) = (line for line in found.lines if "attention-s" in line)
    assert "attention-softmax: it says" in line, "it was changed after it was checked"
    told = ask({"certificate": "Jane", "held": held, "earlier": {"attention-scores": SCORES}})
    assert verify(COURSE, told["frame"]["text"], 3, not lacking()).agrees


@pytest.mark.parametrize("asked", [{"file": True}, {"certificate": "Jane"}])
def test_what_asks_about_no_cell_has_no_card_for_being_late(asked):
    assert begin().overdue(json.dumps(asked | {"seconds": 9})) == "[]"


def test_there_is_no_certificate_of_nothing(ask):
    assert "no answer" in ask({"certificate": "Jane", "earlier": {}})["frame"]["trouble"]
