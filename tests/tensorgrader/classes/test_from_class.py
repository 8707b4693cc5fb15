"""What leaves a report: proposals that run, and answers of those who agreed, without a name."""

import json
import re
import runpy
import subprocess
import sys
import tomllib

import pytest

from lab_notebooks import cli
from tests.tensorgrader.classes.recorded import record, sheet, work
from tests.written import stubs

GROUP = "attention-lookup-0a0b0c0d"
#: Nobody has named this: it asks with the reversed query.
REVERSED = """import math
def turned(query):  # by Jane
    return query.flip(0)

def soft_lookup(query, keys, values):
    \"\"\"Jane wrote this.\"\"\"
    weights = torch.softmax(keys @ turned(query), dim=0)
    return weights @ values
"""
OTHERWISE = """def soft_lookup(query, keys, values):
    return (keys.flip(1) @ query).softmax(0) @ values
"""
RIGHT = "def soft_lookup(query, keys, values):\n    return (keys @ query).softmax(0) @ values\n"


def lookup(name, code, earned=0, behaviour=GROUP, tried=(), **more):
    told = work("attention-lookup", earned, code=code, behaviour=behaviour, **more)
    return record(name, sheet("attention", told | {"function": "soft_lookup"}, tried=tried))


@pytest.fixture
def report(tmp_path, monkeypatch):
    """Write a report's records; go into its parent folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report").mkdir()

    def write(*records):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / "report/results.jsonl").write_text(lines, "utf8")

    write(lookup("Jane Doe", REVERSED), lookup("Bo", OTHERWISE), lookup("Cy", RIGHT, 4, ""))
    return write


def test_a_proposal_is_the_mistake_as_exercises_have_it_and_its_test_passes(report, tmp_path):
    (tmp_path / "report/comments.csv").write_text(f"group,comment\n{GROUP},It is turned.\n", "utf8")
    assert cli.main(["propose", "report", GROUP]) == 0
    (path,) = tmp_path.glob("test_*.py")
    text = path.read_text("utf8")
    assert "Jane" not in text
    assert "It is turned." in text
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path.name],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert cli.main(["propose", "report", GROUP]) == 2, "it is there already"
    assert path.read_text("utf8") == text


@pytest.mark.parametrize("why", [{"crash": "NameError: x"}, {"mistakes": ["it is shifted"]}])
def test_what_ends_in_an_error_or_has_a_name_is_not_proposed(report, tmp_path, capsys, why):
    report(lookup("Bo", OTHERWISE, **why))
    assert cli.main(["propose", "report", GROUP]) == 2
    assert re.search("NameError: x|it is shifted", capsys.readouterr().err)
    assert not [*tmp_path.glob("*.py")]


def test_what_no_answer_does_is_not_proposed(report, capsys):
    assert cli.main(["propose", "report", "attention-lookup-ffffffff"]) == 2
    assert cli.main(["propose", ".", GROUP]) == 2
    assert "no report" in capsys.readouterr().err


def agreed(tmp_path, *rows):
    (tmp_path / "agreed.csv").write_text("\n".join(["student,agreed", *rows]) + "\n", "utf8")
    return ["export", "report", "--agreed", "agreed.csv"]


def test_answers_are_shown_first_and_then_written_as_a_corpus_takes_them(report, tmp_path, capsys):
    export = agreed(tmp_path, "Jane Doe,yes", "Bo,no", "Cy,yes")
    assert cli.main(export) == 0
    shown = capsys.readouterr().out
    assert "soft_lookup__1" in shown
    assert "Nothing was written" in shown
    assert {path.name for path in tmp_path.iterdir()} == {"report", "agreed.csv"}
    assert cli.main([*export, "--to", "spring"]) == 0
    right, wrong = (
        (tmp_path / f"spring/{kind}/attention.py").read_text("utf8") for kind in ("right", "wrong")
    )
    assert "Jane" not in right + wrong
    assert "flip(1)" not in right + wrong, "Bo did not agree"
    assert callable(runpy.run_path(str(tmp_path / "spring/wrong/attention.py"))["soft_lookup__1"])
    told = tomllib.loads((tmp_path / "spring.toml").read_text("utf8"))
    assert told["attention"] == {"soft_lookup__1": [[]]}
    assert told["measured"]["caught"] == 1
    assert cli.main([*export, "--to", "spring"]) == 2, "it is there already"


def test_what_says_nothing_or_a_name_is_left_out(report, tmp_path, capsys):
    stub = stubs("attention")["attention-lookup"]
    report(
        lookup("Jane Doe", RIGHT.replace("query", "jane_query"), 4, ""),
        lookup("Bo", stub, written=False, behaviour=""),
        lookup("Cy", OTHERWISE, behaviour=""),
        lookup("Di", REVERSED),
        lookup("Eve", REVERSED),
        lookup("Fay", RIGHT, 4, "", tried=["run it"]),
    )
    assert (
        cli.main(
            agreed(
                tmp_path, *(f"{name},yes" for name in ("Jane Doe", "Bo", "Cy", "Di", "Eve", "Fay"))
            )
        )
        == 0
    )
    shown = capsys.readouterr().out
    assert "answers: 1" in shown.lower(), "each text once"
    assert "name: jane" in shown


@pytest.mark.parametrize("text", ["student,agreed\nNobody,yes\n", "who,what\nJane Doe,yes\n"])
def test_who_is_meant_has_to_be_known(report, tmp_path, capsys, text):
    (tmp_path / "agreed.csv").write_text(text, "utf8")
    assert cli.main(["export", "report", "--agreed", "agreed.csv"]) == 2
    assert "agreed.csv" in capsys.readouterr().err
