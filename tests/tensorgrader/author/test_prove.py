"""A course for an author: it begins sound, and each mistake of the author's is told."""

import inspect
import marshal
import shutil
import zipfile
from importlib.util import MAGIC_NUMBER

import pytest

from tensorgrader.__main__ import main
from tensorgrader.author.new import new
from tensorgrader.author.prove import problems, prove
from tensorgrader.course import Course, CourseError
from tests.tensorgrader.test_course import OTHER

PYTHON, PAGE = "basics/variance.py", "basics.md"
SOLUTION = "(x - x.mean()).square().mean()"
IS_RIGHT = f"### END SOLUTION\n    ### BEGIN STUB\n    return {SOLUTION}\n    ### END STUB"


@pytest.fixture
def begun(tmp_path):
    """Return the folder of a course of one task."""
    folder = tmp_path / "mine"
    assert [*new(folder)]
    return folder


@pytest.fixture
def told(begun):
    """Return a function that changes a file of the course, and returns what is wrong then."""

    def change(file, *edits):
        text = (begun / file).read_text("utf8")
        for old, then in zip(edits[::2], edits[1::2], strict=True):
            assert old in text
            text = text.replace(old, then)
        (begun / file).write_text(text, "utf8")
        return "\n".join(problems(Course.load(begun)))

    return change


def test_a_new_course_passes_its_own_tests_and_says_what_is_open(begun, capsys):
    assert main(["test", str(begun)]) == 0
    out = capsys.readouterr().out
    assert out.count("✓") == 6
    assert "✗" not in out
    assert "known mistakes: 3" in out
    assert "lose points" in out
    assert "`x - x.mean()` → `x.mean() - x`" in out  # squared, it is the same


def test_a_course_of_ones_own_is_never_overwritten(begun, capsys):
    (begun / PAGE).write_text("mine", "utf8")
    assert main(["new", str(begun)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert (begun / PAGE).read_text("utf8") == "mine"


def test_the_example_is_sound():
    assert problems(OTHER) == []


@pytest.mark.parametrize(
    ("file", "edits", "words"),
    [
        (PAGE, (SOLUTION, "x.square().mean()"), "solution in"),
        (PAGE, ("return (x", "return x.var() * 0 + (x"), "`x.var`"),
        (
            PAGE,
            ("### END SOLUTION", IS_RIGHT),
            "stub in basics.md already passes `values`",
        ),
        (PAGE, ("def variance", "def spread"), "defines `variance`"),
        (PAGE, ('check("basics-variance")', "check()"), 'check("basics-variance")'),
        (PYTHON, ("draw.normal(n)", "draw.normal(n // 0)"), "`values` raise ZeroDivisionError"),
        (PYTHON, ("Inputs((draw.normal(n),))", "Inputs((draw.normal(n)))"), "Inputs((x,))"),
        (PYTHON, ("Inputs((draw.normal(n),))", "Inputs((draw.normal(n), n))"), "takes (x)"),
        (PYTHON, ("for n in (2, 3, 5, 40)]", "for n in ()]"), "an empty list"),
        (PYTHON, ("return [Inputs((draw.normal(n),)) for n in (2, 3, 5, 40)]", "pass"), "NoneType"),
        (PYTHON, ('"distances**2"', '"distances ** 2"'), "never in `variance`"),
        (PYTHON, ('"x - x.mean()": "x"', '"x": "y"'), "times in `variance`"),
        (PYTHON, ('"distances.abs()"', '"distances.abs("'), "not Python"),
        (PYTHON, ('"distances.abs()"', '"distances * distances"'), "loses no points"),
        (PYTHON, ('"distances.abs()"', '"distance.abs()"'), "NameError"),
        (
            PYTHON,
            ("((x - x.mean()) ** 2).sum() / (x.numel() - 1)", "(x - x.mean()).abs().mean()"),
            "has the same results",
        ),
        (PYTHON, ("draw.normal(n)", "draw.normal(n) * 0"), "earns points: 0 everywhere"),
        (PYTHON, ("basics#Variance", "basics#Varianz"), "variance.py, line 17: the section"),
        (PYTHON, ("basics#Variance", "basic#Variance"), "no page basic"),
        ("course.py", ("(variance.EXERCISE,)", "()"), "variance.py, line 13"),
        (PAGE, ("{{ points }}", "{{ point }}"), "basics.md, line 24"),
        (PAGE, ("END SOLUTION", "END SOLUTON"), "basics.md, line 37"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_task_is_told(told, file, edits, words):
    assert words in told(file, *edits)


@pytest.mark.parametrize(
    ("file", "edits", "words"),
    [
        (PYTHON, ('"the mean is not subtracted"', '"it divides by n - 1"'), "twice"),
        (PYTHON, ("def tables", "def values"), "two requirements called `values`"),
        (PYTHON, ("draw.normal(n)", "draw.normal(n"), r"SyntaxError.*variance\.py, line"),
        (PYTHON, ("forbidden=", "forbids="), r"forbids.*variance\.py, line"),
        ("course.py", ("CHAPTERS = ", "CHAPTER = "), "CHAPTERS"),
        ("course.py", ('Chapter("basics"', 'Chapter("basic"'), "names of their folders"),
        (
            "course.py",
            ("import variance", "import varianz"),
            r"course\.py, line.*no basics/varianz",
        ),
    ],
)
def test_a_course_that_cannot_be_loaded_says_where_and_why(told, capsys, begun, file, edits, words):
    with pytest.raises(CourseError, match=words):
        told(file, *edits)
    assert main(["test", str(begun)]) == 2
    assert str(begun) in capsys.readouterr().err


def test_a_course_can_be_loaded_once_its_mistake_is_gone(told, begun):
    with pytest.raises(CourseError):
        told(PYTHON, "forbidden=", "forbids=")
    assert told(PYTHON, "forbids=", "forbidden=") == ""


def test_a_page_that_is_missing_is_asked_for(begun):
    (begun / PAGE).unlink()
    course = Course.load(begun)
    (exercise,) = course.exercises.values()
    assert "no page" in [*prove(course, exercise)][-1].problems[0]


def test_another_way_to_make_a_mistake_may_follow_an_edit(begun):
    text = (begun / PYTHON).read_text("utf8")
    text += "\n\n@EXERCISE.mistakes[0].also\ndef of_each(x):\n"
    text += "    return (x - x.mean()).abs().sum() / x.numel()\n"
    (begun / PYTHON).write_text(text, "utf8")
    course = Course.load(begun)
    (exercise,) = course.exercises.values()
    assert problems(course) == []
    shutil.rmtree(begun)
    *_, (_, edited) = exercise.mistakes[0].made(exercise.reference)
    assert "distances.abs()" in inspect.getsource(edited)


def test_edits_are_made_in_an_archive_of_compiled_python_as_a_page_has_it(begun, tmp_path):
    """There the text of a file ends before its exercise."""
    archive = tmp_path / "lab.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in begun.rglob("*.py"):
            name = f"mine/{path.relative_to(begun).as_posix()}"
            source = path.read_text("utf8")
            code = marshal.dumps(compile(source, name, "exec", dont_inherit=True, optimize=2))
            packed.writestr(f"{name}c", MAGIC_NUMBER + b"\x01" + bytes(11) + code)
            packed.writestr(name, source.partition("\nEXERCISE = ")[0])
    shutil.rmtree(begun)
    (exercise,) = Course.load(archive / "mine").exercises.values()
    assert [len(m.made(exercise.reference)) for m in exercise.mistakes] == [1, 1, 1]
