"""What a page keeps of a reader's work, takes along and brings back, asked of Node."""

import json

import nbformat
import pytest

from lab_notebooks.notebooks import read_notebook
from tensorgrader import progress
from tests.course import EXERCISES, parse_submission
from tests.page.node import asked, taken_along

SCORES = "def scores(q, k):\n    return q @ k.mT"
GIVEN = "def scores(q, k):\n    raise NotImplementedError"
#: A browser's storage, of which more than `room` characters do not fit.
STORAGE = """
class Storage {
  kept = {};
  room = Infinity;
  get length() { return Object.keys(this.kept).length; }
  key(n) { return Object.keys(this.kept)[n]; }
  getItem(name) { return this.kept[name] ?? null; }
  removeItem(name) { delete this.kept[name]; }
  setItem(name, text) {
    if (text.length > this.room) throw new Error("full");
    this.kept[name] = text;
  }
}
const storage = new Storage();
const CHAPTERS = {
  attention: { "attention-scores": ["values", "shapes"], "attention-scale": ["s"] },
  norm: {},
};
const kept = new Kept(() => storage, CHAPTERS, "transformer-lab");
const again = () => new Kept(() => storage, CHAPTERS, "transformer-lab");
"""


def node(steps, expression, **given):
    return asked(("kept.js", "ipynb.js"), expression, STORAGE + steps, **given)


def test_an_answer_comes_back_with_the_stub_that_it_was_written_for():
    steps = 'kept.keep("attention-scores", code, given);'
    found = node(steps, 'again().answer("attention-scores")', code=SCORES, given=GIVEN)
    assert found == {"code": SCORES, "given": GIVEN, "before": []}


def test_what_is_replaced_is_kept_beside_and_can_change_places():
    steps = """
    kept.keep("attention-scores", "mine", given);
    kept.replace("attention-scores", "theirs", given);
    kept.replace("attention-scores", given, given);
    kept.replace("attention-scores", "mine", given);"""
    found = node(steps, 'again().answer("attention-scores")', given=GIVEN)
    assert found == {"code": "mine", "given": GIVEN, "before": ["theirs"]}


def test_what_another_page_kept_unseen_is_not_written_over():
    steps = """
    again().keep("attention-scores", "theirs", given);
    kept.keep("attention-scores", "m", given, given);
    kept.keep("attention-scores", "mine", given, "m");"""
    found = node(steps, 'again().answer("attention-scores")', given=GIVEN)
    assert found == {"code": "mine", "given": GIVEN, "before": ["theirs"]}


@pytest.mark.parametrize("text", ["", "{", "7", "null", '{"code": 1}', '{"code": "x"}', "[[]]"])
def test_whatever_stands_in_the_storage_does_no_harm(text):
    steps = """
    for (const name of ["attention-scores", "progress"])
      storage.setItem(`transformer-lab/1/${name}`, text);
    const answer = again().answer("attention-scores") ?? null;"""
    asked = '[answer, again().held(), again().states("attention")]'
    states = {"attention-scores": "new", "attention-scale": "new"}
    assert node(steps, asked, text=text) == [None, {}, states]


def test_states_follow_answers_and_checks_of_this_edition():
    steps = """
    const states = [];
    const note = () => states.push(kept.states("attention")["attention-scores"]);
    note();
    kept.hold({ values: false, shapes: false });
    note();
    kept.keep("attention-scores", code, given);
    note();
    kept.hold({ values: true, __proto__: null, another: true });
    note();
    kept.hold({ shapes: true });
    note();"""
    states = ["new", "new", "begun", "begun", "done"]
    found = node(steps, "[states, again().held()]", code=SCORES, given=GIVEN)
    assert found == [states, {"values": True, "shapes": True}]


def test_a_full_storage_is_said_and_nothing_is_lost_while_the_page_is_open():
    steps = """
    kept.keep("attention-scale", "old", given);
    storage.room = 10;
    kept.keep("attention-scale", code, given);
    const full = [kept.trouble, kept.answer("attention-scale").code, kept.answered("attention")];
    storage.room = Infinity;
    kept.keep("attention-scale", "short", given);"""
    full, later, trouble = node(
        steps,
        '[full, again().answer("attention-scale").code, kept.trouble]',
        code=SCORES,
        given=GIVEN,
    )
    assert "no more room" in full[0]
    assert full[1:] == [SCORES, ["attention-scale"]]
    assert (later, trouble) == ("short", "")


@pytest.mark.parametrize("opens", ["() => { throw new Error('SecurityError'); }", "() => null"])
def test_a_forbidden_storage_is_said(opens):
    steps = f'const none = new Kept({opens}, CHAPTERS, ""); none.keep("attention-scale", "x", "y");'
    trouble, code = node(steps, '[none.trouble, none.answer("attention-scale").code]')
    assert "does not let" in trouble
    assert code == "x"


def test_clearing_forgets_one_chapter_and_nothing_of_others():
    steps = """
    storage.setItem("another book", "x");
    for (const id of ["attention-scores", "attention-gone", "norm-rms"]) kept.keep(id, code, given);
    kept.hold({ values: true });
    const before = kept.answered("attention");
    kept.clear("attention");"""
    before, left = node(steps, "[before, Object.keys(storage.kept)]", code=SCORES, given=GIVEN)
    assert before == ["attention-gone", "attention-scores"]
    assert left == ["another book", "transformer-lab/1/norm-rms"]


def test_progress_is_what_the_terminal_reads(tmp_path):
    """And what a terminal's note says comes in the same way."""
    note = tmp_path / progress.FILE
    note.write_text(json.dumps(node("kept.hold({ values: true, shapes: false });", "kept.held()")))
    assert progress.read(note) == {"values": True, "shapes": False}
    assert node("", "broughtIn(text).held", text=note.read_text()) == progress.read(note)
    assert node("", "broughtIn(text).held", text="{}") == {}  # as it begins


@pytest.fixture(scope="module")
def given():
    return nbformat.writes(read_notebook("exercises/attention")) + "\n"


def test_a_notebook_without_answers_is_the_builds_own_to_the_byte(given):
    assert taken_along(given, {}) == given


def test_a_notebook_with_answers_is_as_jupyter_writes_it_and_the_grader_takes_it(given):
    answers = {"attention-scores": f"{SCORES}  # “é”\n", "attention-scale": "", "": "no"}
    text = taken_along(given, answers)
    notebook = nbformat.reads(given, as_version=4)
    for cell in notebook.cells:
        told = cell.metadata.get("nbgrader", {})
        if told.get("solution") and told["grade_id"] in answers:
            cell.source = answers[told["grade_id"]]
    assert text == nbformat.writes(notebook) + "\n"
    assert parse_submission(text.encode()).answers["attention-scores"] == f"{SCORES}  # “é”\n"
    back = node("", "[...broughtIn(text).answers]", text=text)
    assert dict(back)["attention-scores"] == f"{SCORES}  # “é”"
    assert dict(back).keys() == {e for e in EXERCISES if e.startswith("attention-")}


def a_notebook(*sources, exercise="attention-scores", count=1):
    """Give a notebook of answers to an exercise; to some, numbered, if there are to be more."""
    names = [exercise, *(f"{exercise}-{n}" for n in range(1, count))]
    told = [{"nbgrader": {"grade_id": name, "solution": True}} for name in names]
    made = [{"cell_type": "code", "metadata": m, "source": s} for m in told for s in sources]
    return json.dumps({"cells": [None, {}, {"cell_type": "code"}, *made]})


def test_an_answer_in_several_cells_is_put_together_as_the_grader_does():
    text = a_notebook(["a = 1\r\n", "b = 2"], "c = 3\n")
    assert node("", "[...broughtIn(text).answers]", text=text) == [
        ["attention-scores", "a = 1\nb = 2\n\nc = 3"]
    ]
    parsed = parse_submission(json.dumps(json.loads(text) | {"metadata": {}}).encode())
    assert parsed.answers == {"attention-scores": "a = 1\r\nb = 2\n\nc = 3\n"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a notebook, or a broken one"),
        ('{"a": 1}', "of format 4"),
        ("[1]", "of format 4"),
        ("[]", "of format 4"),
        ("null", "of format 4"),
        ("[" * 10**6, "not a notebook, or a broken one"),
        ("[" * 2**21, "It has over 1048576 parts"),
        (a_notebook(), "no answers"),
        (a_notebook(7, None), "no answers"),
        (a_notebook("x", exercise="<b>attention</b>"), "no answers"),
        (a_notebook("x", count=101), "over 100 exercises"),
        (a_notebook("x" * 10**6), "Its answers have over 100000 characters"),
        (a_notebook(*["" for _ in range(10**4)]), "Its answers have over 100000 characters"),
    ],
)
def test_what_is_no_notebook_of_ours_is_said(text, why):
    steps = "let said; try { broughtIn(text); } catch (error) { said = error.message; }"
    assert why in node(steps, "said", text=text)


def test_of_an_answer_that_never_came_nothing_holds_any_more():
    steps = """
    kept.hold({ values: true, shapes: true, s: true });
    kept.fails("attention-scores");"""
    assert node(steps, "again().held()") == {"values": False, "shapes": False, "s": True}


def test_what_is_known_comes_back_later_each_time_and_what_is_not_tomorrow():
    steps = """
    const days = () => Math.round(kept.answers()["q-a"].due / 86_400_000);
    const seen = [];
    for (const right of [true, true, true, true, true, false, true]) {
      kept.choose("q-a", "x", right, 0);
      seen.push(days());
    }"""
    assert node(steps, "seen") == [3, 7, 21, 60, 60, 1, 3]


def test_answers_to_questions_are_taken_along_and_brought_back():
    steps = """
    kept.choose("q-a", "x", false, 1000);
    kept.hold({ values: true });
    const brought = broughtIn(kept.taken());
    const other = new Kept(() => new Storage(), CHAPTERS, "transformer-lab");
    other.choose("q-a", "newer", true, 2000);
    other.choose("q-b", "", false, 1000);
    other.bring(brought.questions);"""
    found = node(steps, "[brought.held, other.answers()]")
    assert found[0] == {"values": True}
    assert found[1]["q-a"]["chosen"] == "newer"
    assert found[1]["q-b"]["chosen"] == ""


@pytest.mark.parametrize("text", ['{"q-a": 1}', '{"q-a": {"chosen": 1}}', '{"q": null}', "[]", "7"])
def test_answers_that_are_none_do_no_harm(text):
    steps = 'storage.setItem("transformer-lab/1/questions", text); kept.bring(JSON.parse(text));'
    assert node(steps, "kept.answers()", text=text) == {}


def test_what_was_found_right_stays_beside_what_is_written_later():
    steps = """
    kept.keep("attention-scores", code, given);
    kept.keep("attention-scores", code, given, code, code);
    kept.keep("attention-scores", "# later", given);
    kept.replace("attention-scores", "# another", given);"""
    found = node(steps, 'kept.answer("attention-scores")', code="# right", given=GIVEN)
    assert (found["code"], found["right"]) == ("# another", "# right")
