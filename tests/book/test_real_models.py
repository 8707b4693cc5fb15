"""The chapter on real models: what its own cells cannot check."""

import re
from pathlib import Path

from tests.book.chapters import Chapter

CHAPTER = Chapter("real_models")
CODE = "\n".join(cell.source for cell in CHAPTER.code)


def test_only_one_real_model_is_in_memory_at_a_time():
    lines = [
        "= load_translator(",
        "del translator",
        "= load_minilm(",
        "del minilm",
        "= NextToken(",
        '= next_token.lend("SmolLM2")',
    ]
    places = [CODE.index(line) for line in lines]
    assert places == sorted(places)
    assert "load_smollm2(" not in CODE  # the widget has it


def test_the_table_of_changes_has_the_changes_that_are_made():
    made = re.findall(r'^    "(.+?)": dict\(', CODE, re.MULTILINE)
    table = CHAPTER.prose.split("| change | instead of | why | see |\n")[1].split("\n\n")[0]
    names = re.findall(r"^\| (.+?) \|", table.replace(r"$\sqrt{d}$", "√d"), re.MULTILINE)
    assert names == made
    assert len(made) == 7
    assert "## From 2017 to SmolLM2 in seven changes" in CHAPTER.prose


def test_the_download_is_as_large_as_the_packages_that_are_pinned():
    pinned = Path(__file__).parents[2].joinpath("requirements-pretrained.txt").read_text("utf8")
    sizes = [int(size) for size in re.findall(r"^# .*, (\d+) MB: weights", pinned, re.M)]
    (promised,) = re.findall(r"a download of (\d+) MB", CHAPTER.prose)
    assert len(sizes) == 3
    assert round(sum(sizes), -1) == int(promised)
