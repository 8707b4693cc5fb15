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
    assert re.findall(r"^#+ (.+)", text, re.MULTILINE) == ["Measurements", "Promises", "Attention"]
    assert "| (1, 2, 3, 4) |" in text
    assert re.search(r"Measured on [\d-]{10} on \d+ cores .+ torch \d", text)
    assert text in capsys.readouterr().out


def test_a_topic_that_does_not_exist_is_refused_with_those_that_do(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--only", "speed"])
    with pytest.raises(SystemExit):
        command.main()
    assert "attention" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--appendix"]])
def test_the_appendix_shows_every_topic_and_is_left_alone_otherwise(
    monkeypatch, tmp_path, arguments
):
    page = tmp_path / "measurements.md"
    page.write_text(f"prose\n\n{command.appendix.MARK}\n\nold\n", "utf8")
    monkeypatch.setattr(command.appendix, "PAGE", page)
    monkeypatch.setattr(command, "measure", lambda topic, options: f"of {topic}")
    monkeypatch.setattr(command.promises, "held_against", lambda parts: "")
    output = tmp_path / "report.md"
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--output", str(output), *arguments])
    command.main()
    shown = re.findall(r"^## (.+)\n\nof (.+)$", output.read_text("utf8"), re.MULTILINE)
    wanted = command.TOPICS if arguments else command.USUAL
    assert [topic for _, topic in shown] == list(wanted)
    assert {"SmolLM2", "Exercises and own words", "Attention"} <= {title for title, _ in shown}
    assert ("## Build\n\nof build\n" in page.read_text("utf8")) is bool(arguments)
    assert ("old" in page.read_text("utf8")) is not bool(arguments)


def test_what_was_measured_before_a_failure_is_kept(monkeypatch, tmp_path):
    def fail(topic, options):
        if topic == "generation":
            raise RuntimeError("no")
        return "some numbers"

    monkeypatch.setattr(command, "measure", fail)
    monkeypatch.setattr(command.promises, "held_against", lambda parts: "")
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--output", str(tmp_path / "report.md")])
    with pytest.raises(RuntimeError):
        command.main()
    assert "some numbers" in (tmp_path / "report.md").read_text("utf8")
