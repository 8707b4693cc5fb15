"""The chapter on real models: what its own cells cannot check."""

import re

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
    assert "Seven lines." in CHAPTER.prose
