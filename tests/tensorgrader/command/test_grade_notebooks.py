"""The command that grades a learner's notebooks shows every name so that it can be shown."""

import json

import pytest

from lab_notebooks import cli

NAMES = ["M\udcfcller.ipynb", "\x1b[2J.ipynb", "Zoe\u0308.ipynb"]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_names_that_cannot_be_shown_stay_different_and_do_no_harm(tmp_path, capsys, options):
    for name in NAMES:
        (tmp_path / name).write_text("{}")
    assert cli.main(["grade", *options, *(str(tmp_path / name) for name in NAMES)]) == 1
    out, err = capsys.readouterr()
    told = [row["notebook"] for row in json.loads(out)] if options else err.splitlines()[-3:]
    assert all(text.isprintable() and text.encode() for text in told)
    assert "M?ller.ipynb (" in told[0]
    assert f"{tmp_path}/{NAMES[2]}" in told[2], "as it is on disk"


def test_a_class_whose_name_cannot_be_shown_is_told(tmp_path, capsys):
    (tmp_path / "M\udcfcller.zip").write_bytes(b"")
    assert cli.main(["grade", str(tmp_path / "M\udcfcller.zip")]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.isprintable()
    assert f"grade {tmp_path} --out REPORT" in told
    assert "plain name" in told
