"""A learner's GPT as one file: their answers where they are right, ours where they are not.

The notebook is graded for it, in the sandbox: none of its code is run here.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from tensorgrader.cells import parse
from tensorgrader.course import Course
from tensorgrader.earlier import Solved, wanted
from tensorgrader.grade import beside, grade_submission
from tensorgrader.ready_made import used_names
from tensorgrader.submission import Submission, read_submission

CHAPTER = "whole_model"
MARK = "# SHA-256 of all below, by which it is seen whether you have changed it: "
MINE = "# This is the book's: yours is not right yet ({})."
HEAD = '''"""A GPT of my own: `python my_gpt.py --text FILE` learns a text, then writes.

Written by `transformer-lab assemble`.{taken}
"""
'''
NOT_THERE = {"transformer_lab", "tensorgrader", "my_gpt"}
IMPORTS_OF_MAIN = (
    "import argparse",
    "import math",
    "from pathlib import Path",
    "import torch",
    "import torch.nn.functional as F",
    "from torch import nn",
)
MAIN = """
def main():
    parser = argparse.ArgumentParser(description="Learn a text, then write.")
    parser.add_argument("--text", type=Path, default=Path(__file__), help="this file, unless given")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--merges", type=int, default=64)
    parser.add_argument("--count", type=int, default=200, help="tokens to write")
    options = parser.parse_args()

    text = options.text.read_text(encoding="utf-8")[:200_000]
    torch.manual_seed(0)
    merges = learn_merges(text[:20_000], options.merges)
    ids = torch.tensor(encode(text, merges))
    held_out, data = ids[: len(ids) // 10], ids[len(ids) // 10 :]
    length = min(64, len(held_out) - 1)
    if length < 2:
        parser.error(f"{options.text} has {len(ids)} tokens: give a longer text")
    model = GPT(256 + len(merges), 96, 3, 3)
    initialise(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    texts = held_out[: len(held_out) // length * length].view(-1, length)
    for step in range(0, options.steps, 100):
        print(f"step {step}: perplexity {perplexity(model, [texts]):.1f} on held-out text")
        places = torch.randint(len(data) - length, (min(100, options.steps - step), 16, 1))
        train(model, list(data[places + torch.arange(length + 1)]), optimizer)
    print(f"step {options.steps}: perplexity {perplexity(model, [texts]):.1f} on held-out text")
    model.eval()
    print(decode(generate(model, ids[None, :1], options.count, 0.8, 0.95)[0].tolist(), merges))


if __name__ == "__main__":
    main()
"""


@dataclass(frozen=True)
class Assembled:
    """The text of the file, and the functions in it that are ours."""

    text: str
    ours: tuple[str, ...]


def assemble(course: Course, notebook: Path, seed: int = 0) -> Assembled:
    """Return a learner's GPT. Raises SubmissionError for a notebook that cannot be graded."""
    submission = read_submission(course, notebook)
    chapter = course.chapters[CHAPTER]
    if submission.chapter is not chapter:
        raise ValueError(f"it is the exercise on {submission.chapter.name}, not {CHAPTER}.ipynb")
    solved = beside(course, notebook, seed)
    ours: dict[str, str] = {}
    while wrong := _wrong(submission, seed, solved) - ours.keys():
        ours |= {name: course.solutions(CHAPTER)[name] for name in wrong}
        submission = replace(submission, answers=submission.answers | ours)
    answers = [submission.answers[exercise.id] for exercise in chapter.exercises]
    earlier = _earlier(course, [*submission.imports, *answers], solved)
    written = earlier | {
        e.id: (a, e.id in ours) for e, a in zip(chapter.exercises, answers, strict=True)
    }
    parts = [
        (MINE.format(name) + "\n" if is_ours else "") + _without_import(course, code)
        for name, (code, is_ours) in written.items()
    ]
    names = tuple(
        course.exercises[name].function for name, (_, is_ours) in written.items() if is_ours
    )
    taken = f"\nThese parts are the book's: {', '.join(names)}." if names else ""
    imports = dict.fromkeys([*IMPORTS_OF_MAIN, *filter(_is_there, submission.imports)])
    header = HEAD.format(taken=taken) + "\n" + "\n".join(imports)
    code = [header, chapter.given_source, *parts, MAIN]
    body = "\n\n\n".join(part.strip() for part in code) + "\n"
    return Assembled(_marked(body), names)


def _wrong(submission: Submission, seed: int, solved: Solved) -> set[str]:
    """Return the exercises whose answers are wrong, but for those that call others that are."""
    results = grade_submission("", submission, seed, solved=solved).results
    return {r.exercise.id for r in results if r.finding and not r.wrong_steps}


def _earlier(course: Course, sources: Iterable[str], solved: Solved) -> dict[str, tuple[str, bool]]:
    """Return what is imported of earlier chapters, and what that calls: code, and if it is ours."""
    found: dict[str, tuple[str, bool]] = {}
    waiting = wanted(course, CHAPTER, sources)
    while waiting:
        exercise = waiting.pop()
        if exercise.id in found:
            continue
        theirs = solved(exercise.chapter)
        code = theirs.get(exercise.id) or course.solutions(exercise.chapter)[exercise.id]
        read = used_names(parse(code)[1] or ast.Module([], []))
        chapter = course.chapters[exercise.chapter]
        given = chapter.given_source if read & {g.__name__ for g in chapter.given} else ""
        found[exercise.id] = f"{given}\n\n\n{code}".strip(), exercise.id not in theirs
        waiting += [other for other in chapter.exercises if other.function in read]
        waiting += wanted(course, exercise.chapter, [code])
    return {name: found[name] for name in course.exercises if name in found}


def _without_import(course: Course, code: str) -> str:
    """Return code whose imports of earlier answers are gone: these stand in the same file."""
    tree, lines = parse(code)[1], code.strip().splitlines()
    nodes = ast.walk(tree) if tree else ()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == course.own:
            renamed = [f"{a.asname} = {a.name}" for a in node.names if a.asname]
            indent = " " * node.col_offset
            words = "; ".join(renamed) or ("pass" if indent else "")
            lines[node.lineno - 1 : node.end_lineno] = [f"{indent}{words}", *_blank(node)]
    return "\n".join(lines).strip()


def _blank(node: ast.stmt) -> list[str]:
    """Return empty lines in the place of the further lines of a statement."""
    return [""] * ((node.end_lineno or node.lineno) - node.lineno)


def is_changed(path: Path) -> bool:
    """Return whether somebody has changed a file since it was written, or wrote it themselves."""
    mark, _, body = path.read_text("utf-8", errors="replace").partition("\n")
    return f"{mark}\n{body}" != _marked(body)


def _marked(body: str) -> str:
    """Prepend the mark to a text."""
    return f"{MARK}{sha256(body.encode()).hexdigest()[:16]}\n{body}"


def _is_there(statement: str) -> bool:
    """Return whether an import is of neither the book's packages nor a name that is there."""
    (node,) = ast.parse(statement).body
    modules = (
        [node.module or ""]
        if isinstance(node, ast.ImportFrom)
        else [alias.name for alias in getattr(node, "names", ())]
    )
    return not {"transformer_lab", "tensorgrader", "my_gpt"} & {
        name.partition(".")[0] for name in modules
    }
