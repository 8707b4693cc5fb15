"""What is counted of learners' answers to the book's questions."""

import json

import pytest

from lab_notebooks import cli
from lab_notebooks.questions import asked


@pytest.fixture
def hand_in(tmp_path):
    def write(name, **questions):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"questions": questions}), "utf8")
        return str(path)

    return write


def chose(words, right=False):
    return {"chosen": words, "right": right, "box": 0, "due": 1}


def test_what_misleads_most_comes_first_with_what_was_chosen(hand_in, capsys):
    first, second = "q-only-differences", "q-within-range"
    files = [
        hand_in(f"{n}", **{
            second: chose("Yes", True),
            first: chose("a trap" if n < 3 else "", n == 4),
            "attention-scale: it divides by d_k": chose(""),
        })
        for n in range(5)
    ]  # fmt: skip
    assert cli.main(["questions", *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert asked()[first][1].partition(": ")[2] in lines[0]
    assert "1 of 5" in lines[1]
    assert lines[2:4] == ["  a trap: 3", "  I don’t know: 1"]
    assert "5 of 5" in lines[5]
    assert f"{len(asked()) - 2} questions" in lines[-2]
    assert lines[-1] == "made by 5: attention-scale: it divides by d_k"


def test_a_question_with_few_answers_comes_last(hand_in, capsys):
    files = [hand_in(f"{n}", **{"q-within-range": chose("", True)}) for n in range(5)]
    files.append(hand_in("few", **{"q-only-differences": chose("wrong")}))
    assert cli.main(["questions", *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "5 of 5" in lines[1]
    assert "0 of 1" in lines[3]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"questions": {"q": 1}}', "nan"])
def test_what_holds_no_answers_is_named_and_the_rest_counted(hand_in, tmp_path, capsys, text):
    (tmp_path / "broken.json").write_text(text, "utf8")
    good = hand_in("good", **{"q-within-range": chose("7")})
    assert cli.main(["questions", str(tmp_path / "broken.json"), good]) == 2
    told = capsys.readouterr()
    assert "broken.json" in told.err
    assert "0 of 1" in told.out


def test_what_a_terminal_would_obey_is_not_printed(hand_in, capsys):
    cli.main(["questions", hand_in("h", **{"q-within-range": chose("\x1b[2Jx\n" * 99)})])
    assert "\x1b" not in capsys.readouterr().out
