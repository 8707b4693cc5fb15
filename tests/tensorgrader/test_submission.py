"""Reading what was handed in: ours is read, a stub is known, anything else is refused in words."""

import ast
import gzip

import pytest

from tensorgrader import submission
from tensorgrader.cells import is_unwritten, parse
from tensorgrader.submission import SubmissionError
from tests.course import CHAPTERS, COURSE, read_submission
from tests.tensorgrader.asking import editing
from tests.tensorgrader.classes.zips import zipped


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("{", "ends in the middle"),
        ('{"cells": ["a\\n', "ends in the middle"),
        ('{"cells": [}', "broken"),
        ('{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> theirs\n]}', "conflict.* line 2"),
        ('{"worksheets": [], "metadata": {}, "nbformat": 3}', "nbformat 3.*save it"),
        ("<!DOCTYPE html>\n<form>Password <input type='password'>", "web page.*login"),
        ("[InternetShortcut]\nURL=https://x.org/a.ipynb", "link"),
        ('<?xml version="1.0"?><plist><dict><key>URL</key><string>x', "link"),
        ("def f(x):\n  return (", "broken"),
        ("<!---->" * 10_000, "broken"),
        ("[" * 100_000, "broken"),
        ('{"cells": 3, "metadata": {}}', "no list of cells"),
        ('{"cells": [], "metadata": {}}', "not an exercise of this book"),
        ('{"cells": [1, {"cell_type": "code", "metadata": 5}], "metadata": {}}', "not an exercise"),
        ('{"cells": [], "metadata": {"transformer_lab": {"source": "book/attention"}}}', "to read"),
        ('{"cells": [], "metadata": {"kernelspec": {"language": "julia"}}}', "written for julia"),
        (
            '{"cells": [], "metadata": {"transformer_lab": {"source": "exercises/attention"}}}',
            "no answer cells",
        ),
    ],
)
def test_what_is_not_ours_is_refused(tmp_path, text, words):
    path = tmp_path / "file.ipynb"
    path.write_text(text, "utf8")
    with pytest.raises(SubmissionError, match=words):
        read_submission(path)


def test_binary_and_huge_files_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "file.ipynb"
    path.write_bytes(b"\xff\xfe\x00\x01" * 10)
    with pytest.raises(SubmissionError, match="broken"):
        read_submission(path)
    monkeypatch.setattr(submission, "SIZE_LIMIT", 8)
    with pytest.raises(SubmissionError, match="larger than"):
        read_submission(path)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (zipped({"attention.ipynb": "{}"}), "is a zip file"),
        (gzip.compress(b"{}", mtime=0), "is a gzip file"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "is a 7z archive"),
        (b"\x89PNG\r\n\x1a\n", "is a picture"),
        ('{"cells": [], "metadata": {}, "by": "Zoë"}'.encode("latin-1"), "not in UTF-8.*0xeb"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_file_of_another_kind_is_told_as_what_it_is(tmp_path, raw, words):
    (tmp_path / "file.ipynb").write_bytes(raw)
    with pytest.raises(SubmissionError, match=words):
        read_submission(tmp_path / "file.ipynb")


def test_a_notebook_in_another_unicode_encoding_is_read(submit):
    path = submit()
    text = path.read_text("utf8")
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-32"):
        path.write_text(text, encoding)
        assert read_submission(path).answers


def test_many_small_parts_and_endless_code_are_refused(tmp_path, submit, monkeypatch):
    path = submit()
    monkeypatch.setattr(submission, "SOURCE_LIMIT", 100)
    with pytest.raises(SubmissionError, match="100 characters"):
        read_submission(path)
    monkeypatch.setattr(submission, "PARTS_LIMIT", 10)
    for many in (path.read_bytes(), b"[" * 11, b"{" * 11):
        with pytest.raises(SubmissionError, match="over 10 parts"):
            submission.parse_submission(COURSE, many)


def test_more_cells_than_anybody_writes_are_refused(submit, monkeypatch):
    path = submit(more=[""] * 10)
    assert read_submission(path).answers
    monkeypatch.setattr(submission, "CELLS_LIMIT", 10)
    with pytest.raises(SubmissionError, match="10 cells"):
        read_submission(path)


STRANGE = ["attention-shapes-0", "attention-shapes-\x1b[2J", "attention-shapes-\ud800", "\x1b[8m"]


def test_an_answer_is_known_by_an_id_that_an_exercise_has(submit):
    with editing(path := submit()) as (notebook, _):
        for identity in STRANGE:
            about = {"nbgrader": {"grade_id": identity, "solution": True}}
            notebook["cells"].append({"cell_type": "code", "metadata": about, "source": "x = 1"})
    assert read_submission(path).answers.keys() == {
        exercise.id for exercise in CHAPTERS["attention"].exercises
    }


def test_answers_imports_and_other_names_are_told_apart(submit):
    path = submit(more=["import numpy as np\nimport numpy as np\nhelper = 3", "def other(): pass"])
    read = read_submission(path)
    assert set(read.answers) == {e.id for e in read.chapter.exercises}
    assert "import numpy as np" in read.imports
    assert read.imports.count("import numpy as np") == 1
    assert {"helper", "other"} <= read.elsewhere
    assert "scores" not in read.elsewhere


def test_imports_are_found_in_blocks_but_not_in_functions(submit):
    block = "try:\n    import numpy as np\nexcept ImportError:\n    import array as np\n"
    inside = "if True:\n    def other():\n        from torch import softmax\n"
    imports = read_submission(submit(more=[block + inside])).imports
    assert "import numpy as np" in imports
    assert not {"import array as np", "from torch import softmax"} & set(imports)
    deep = "if x: import a\n" + "elif x: import b\n" * 900
    assert "import b" in read_submission(submit(more=[deep])).imports


def test_the_chapter_is_known_by_its_cells_when_metadata_is_lost(submit):
    with editing(path := submit()) as (notebook, _):
        notebook["metadata"] = {}
    assert read_submission(path).chapter.name == "attention"


def test_an_answer_split_over_two_cells_is_put_together(submit):
    with editing(path := submit()) as (notebook, cells):
        answer = cells["attention-scores"]
        half = answer | {"source": "def scores(q, k):\n    return dot(q, k)"}
        answer["source"] = ["def dot(q, k):\n", "    return q @ k.mT"]
        notebook["cells"].insert(notebook["cells"].index(answer) + 1, half)
    answer = read_submission(path).answers["attention-scores"]
    assert answer.index("def dot") < answer.index("def scores")
    assert read_submission(path).split == {"attention-scores"}


def test_an_unfinished_copy_of_an_answer_is_left_out(submit):
    with editing(path := submit()) as (notebook, cells):
        answer = cells["attention-scores"]
        notebook["cells"].insert(0, answer | {"source": "def scores(q, k):\n    return q @ ("})
    read = read_submission(path)
    assert read.answers["attention-scores"] == "".join(answer["source"])
    assert read.split == {"attention-scores"}


def test_magic_lines_are_left_out_and_errors_are_told():
    text, tree, problem = parse("%time\ndef f(x):\n    !ls\n    return x\nf?")
    assert tree is not None
    assert problem == ""
    assert "ls" not in text
    assert parse("t = %timeit -o f()\nfiles= !ls\n")[0] == "t = None\nfiles= None\n"
    assert "line 2" in parse("def f():\nreturn")[2]
    assert parse("x = 7 % 3")[0] == "x = 7 % 3"
    assert "null" in parse("a\0b")[2]
    assert "longer" in parse("a" * 200_000)[2]
    assert parse("(" * 5000)[1] is None


READ = {
    "    # of mine\n    def f(x):\n        return x\n\n    y = 1": (
        "# of mine\ndef f(x):\n    return x\n\ny = 1"
    ),
    "\n\tx = 1\n\t%a": "\nx = 1\nNone",
    "  # mine\ndef f(x):\n  return x": "  # mine\ndef f(x):\n  return x",
    "%%time\nx = 1": "None\nx = 1",
    "!pip install 'a\n!echo \"it's (\nx = 1\n%time": "None\nNone\nx = 1\nNone",
    "def f(x):\n    %time\n    if x:\n        !ls\n    return x": (
        "def f(x):\n    None\n    if x:\n        None\n    return x"
    ),
    "%a\nx = (7\n    % 3)\n%b": "None\nx = (7\n    % 3)\nNone",
    "%a\nx = 7 \\\n    % 3\n%b": "None\nx = 7 \\\n    % 3\nNone",
    "%a\n'''(\n%b\n\\'''\n%b\n'''\n%c": "None\n'''(\n%b\n\\'''\n%b\n'''\nNone",
    '%a\nx = r"""\n!b\n"""; y = "(#"\n%c': 'None\nx = r"""\n!b\n"""; y = "(#"\nNone',
    "%a\nx = '\\'(\\\n%b'\n!c": "None\nx = '\\'(\\\n%b'\nNone",
    "x = '''\n%a\n'''": "x = '''\n%a\n'''",
}


@pytest.mark.parametrize("source", READ)
def test_a_cell_is_read_as_ipython_reads_it(source):
    text, tree, problem = parse(source)
    assert (text, problem) == (READ[source], "")
    assert tree is not None


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_the_stubs_that_are_given_are_unwritten_and_solutions_are_not(chapter, submit):
    stub = read_submission(submit(chapter=chapter.name, stub=True)).answers
    solved = read_submission(submit(chapter=chapter.name)).answers
    for exercise in chapter.exercises:
        left = "NotImplementedError" in stub[exercise.id]  # else there is a bug to find
        assert is_unwritten(ast.parse(stub[exercise.id]), exercise.function) == left
        assert not is_unwritten(ast.parse(solved[exercise.id]), exercise.function)


@pytest.mark.parametrize("error", ["NotImplementedError", "NotImplementedError()"])
def test_a_stub_may_have_no_words(error):
    assert is_unwritten(ast.parse(f"def f(x):\n    # here\n    raise {error}"), "f")


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    raise NotImplementedError\ndef f(x):\n    return x",
        "def f(x):\n    raise NotImplementedError\nglobals()['f'] = abs",
        "def f(x):\n    raise NotImplementedError(print(x))",
        "def f(x):\n    raise ValueError",
        "def g(x):\n    raise NotImplementedError",
        "def f(x):\n    'Only words.'",
        "",
    ],
)
def test_what_may_do_more_is_run(source):
    assert not is_unwritten(ast.parse(source), "f")
