"""`python -m benchmarks` measures what it is asked for and writes one report."""

import re
import sys

import pytest

from benchmarks import __main__ as command
from benchmarks import attention


def test_the_report_holds_the_topics_that_were_asked_for(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(attention, "SIZES", [(1, 2, 3, 4)])
    output = tmp_path / "made/benchmarks.md"
    arguments = ["benchmarks", "--only", "attention", "--output", str(output)]
    monkeypatch.setattr(sys, "argv", arguments)
    command.main()
    text = output.read_text("utf8")
    assert re.findall(r"^#+ (.+)", text, re.MULTILINE) == ["Measurements", "Attention"]
    assert "| (1, 2, 3, 4) |" in text
    assert re.search(r"\d+ cores .+ torch \d", text)
    assert text in capsys.readouterr().out


def test_a_topic_that_does_not_exist_is_refused_with_those_that_do(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--only", "speed"])
    with pytest.raises(SystemExit):
        command.main()
    assert "attention" in capsys.readouterr().err
