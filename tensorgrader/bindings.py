"""What a cell does to a name: defines it, or was meant to and isn't valid Python."""

import ast
import dis
import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator
from types import CodeType

from tensorgrader.cells import parse
from tensorgrader.explain_error import uncompiled, unread
from tensorgrader.magic import PIECE
from tensorgrader.outcome import Raised
from tensorgrader.sandbox.statements import compiled

BINDS = {"STORE_NAME", "STORE_GLOBAL", "DELETE_NAME", "DELETE_GLOBAL"}
READS = {"LOAD_NAME", "LOAD_GLOBAL"}
#: Calls that may bind a name that the code doesn't show.
DYNAMIC = {"exec", "eval", "globals", "locals", "vars", "setattr"}
MAGIC = {"run_cell_magic", "run_line_magic"}
#: Magics that run the code below them.
RUNNING = {"time", "capture", "prun"}

HEADER = re.compile(r"(?:async +)?(?:def|class)\b")
ASSIGNED = re.compile(r"(?<![=!<>:])[-+*/%@&|^]*=(?!=)")
NO_TARGET = re.compile(r"\w *[(\[]|\w +\w")  # a call, a part, or prose


def read(source: str) -> tuple[list[CodeType], str, str]:
    """Compile a cell as far as it is valid: its code, the problem, and the text from there on.

    IPython, too, runs the statements before one that cannot be compiled.
    """
    source = _below_magic(source)
    text, tree, words = parse(source)
    if tree is None:
        return [], unread(words), source
    code: list[CodeType] = []
    for statement in tree.body:
        try:
            code.append(compiled(statement, "<cell>", {}))
        except SyntaxError as error:
            lines, line = text.splitlines(), error.lineno or statement.lineno
            raised = Raised("SyntaxError", error.msg, line, lines[line - 1].strip())
            return code, "\n".join(uncompiled(raised)), "\n".join(lines[statement.lineno - 1 :])
    return code, "", ""


def gives(code: Iterable[CodeType], name: str) -> bool:
    """Return whether code binds or deletes a name of the notebook."""
    return any(step.opname in BINDS and step.argval == name for step in _steps(code))


def may_give(code: Iterable[CodeType], is_known: bool) -> bool:
    """Return whether code may bind a name without showing it.

    If `is_known` says which cell defined the value, a magic can't have done so.
    """
    return any(
        (step.opname in READS and step.argval in DYNAMIC)
        or "IMPORT_STAR" in f"{step.opname} {step.argrepr}"
        or (step.argval in MAGIC and not is_known)
        for step in _steps(code)
    )


def sets_out(text: str, name: str) -> bool:
    """Return whether invalid Python was meant to define a name of the notebook.

    Strings and comments don't count, nor the bodies of classes and functions.
    """
    defines = re.compile(
        rf"(?:async +)?(?:def|class) *{name}\b *(?:[(:\[]|.*:$|$)"
        rf"|(?!(?:{'|'.join(keyword.kwlist)})\b)\w+ +{name}\(.*:$"  # dfe name(x):
        rf"|(?:from +[\w.]+ +)?import +(?:[\w. ]+, *)*(?:[\w.]+ +as +)?{name}\b(?! *\.| +as\b)"
    )
    scopes: list[int] = []
    depth = 0
    for line in _plain(text).splitlines():
        words, indent = line.strip(), len(line) - len(line.lstrip())
        if not words:
            continue
        while scopes and indent <= scopes[-1]:
            scopes.pop()
        is_statement = not depth or not indent
        if not scopes and (
            defines.match(words)
            or (is_statement and any(_assigns(part, name) for part in words.split(";")))
        ):
            return True
        if HEADER.match(words):
            scopes.append(indent)
        depth = max(
            0, depth + len(re.findall(r"[(\[{]", words)) - len(re.findall(r"[)\]}]", words))
        )
    return False


def _assigns(statement: str, name: str) -> bool:
    *targets, _ = ASSIGNED.split(statement)
    names = (target.partition(":")[0] for target in targets)
    return any(
        re.search(rf"(?<![\w.]){name}(?!\w| *\.)", target)
        for target in names
        if not NO_TARGET.search(target.strip())
    )


def _plain(text: str) -> str:
    """Return a text without invisible characters, strings and comments."""
    seen = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    spaced = re.sub(r"[^\S\n]", " ", seen)
    return PIECE.sub(
        lambda piece: piece[0] if piece[0] in "()[]{}\n" else "\n" * piece[0].count("\n"), spaced
    )


def _below_magic(source: str) -> str:
    """Return the cell below a magic such as %%time, as IPython keeps it, or the cell as it is."""
    if "run_cell_magic" not in source:
        return source
    _, tree, _ = parse(source)
    match tree and tree.body:
        case [
            ast.Expr(
                ast.Call(
                    ast.Attribute(attr="run_cell_magic"),
                    [ast.Constant(value=magic), _, ast.Constant(value=str(below))],
                )
            )
        ] if magic in RUNNING:
            return below
    return source


def _steps(code: Iterable[CodeType]) -> Iterator[dis.Instruction]:
    for part in code:
        yield from dis.get_instructions(part)
        yield from _steps(const for const in part.co_consts if isinstance(const, CodeType))
