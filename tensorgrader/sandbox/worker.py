"""The untrusted side of `grade`: runs a learner's answers and applies them to given tensors.

Loaded by path into the zygote, or started by path where there is none, so it imports torch, the
standard library and the file beside it only. It holds no reference, no judgement and no input but
those it is asked about.
"""

import ast
import importlib.util
import linecache
import os
import sys
import types
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from typing import Any

import torch
from torch import Tensor


def _by_path(name: str) -> types.ModuleType:
    """Load a file by its path without making its package importable."""
    path = Path(__file__).parent / name
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __package__:
    from tensorgrader import outcome
    from tensorgrader.sandbox import (
        audit,
        call,
        describe,
        gradient_cuts,
        gradients,
        main_module,
        no_compile,
        statements,
        values,
    )
else:
    beside = ["audit", "call", "describe", "gradient_cuts", "gradients", "main_module"]
    beside += ["no_compile", "statements", "values"]
    outcome = _by_path("../outcome.py")
    audit, call, describe, gradient_cuts, gradients, main_module, no_compile, statements, values = (
        _by_path(f"{name}.py") for name in beside
    )

IMPORTS = ast.Import | ast.ImportFrom
DEFINITIONS = ast.FunctionDef | ast.ClassDef | ast.Assign
THREADS = ("set_num_threads", "set_num_interop_threads")
OURS = ("tensorgrader", "tensorgrader.check")
_hidden: set[str] = set()


def apply(
    function: Callable[..., Any],
    args: tuple,
    mask: Tensor | None = None,
    before: tuple | None = None,
    trains: tuple[int, ...] = (),
    driver: Any = None,
) -> outcome.Returned | outcome.Raised:
    """Call function(*args), with the mask if there is one, and keep plain copies of everything.

    A call with `before` comes first, whose tensors are then overwritten with `args`. Recipes among
    the arguments are built here; reported afterwards is what they were built from. A driver's
    recipe is called instead of the function, which is its first argument.
    """
    answer = function
    if driver is not None:
        function = partial(driver.recipe, answer)
    leaves: list[Tensor] = []
    given: tuple = ()
    try:
        if before is not None:
            call.call(function, values.made(before), mask)
            with torch.no_grad():
                args = call.overwritten(before, args)
        kept = _kept((*args, mask), trains)
        moving, cuts = gradients.arguments(args, trains, leaves), gradient_cuts.Cutting()
        with torch.enable_grad(), cuts if trains else nullcontext():
            given = values.made(moving)
            result = call.call(function, given, mask)
        origins = gradients.origins(result, leaves) if leaves else ()
        after = values.plain((*values.numbers(moving), mask))

        def again() -> Any:
            *anew, its_mask = gradients.arguments(kept, trains, [])
            return call.call(function, values.made(tuple(anew)), its_mask)

        severed = gradient_cuts.severed(result, again) if cuts.heard else ()
        return outcome.Returned(values.plain(result), after, origins, severed)
    except (Exception, SystemExit) as error:
        return raised(error, call.names_of(answer), given)


def _kept(args: tuple, trains: tuple[int, ...]) -> tuple:
    """Copy for a second call what the first may modify."""
    return tuple(a if n in trains else values.plain(a) for n, a in enumerate(args) if trains)


def raised(error: BaseException, names: dict, given: tuple = ()) -> outcome.Raised:
    """Describe an exception by the last line in the cell of the code with these globals.

    It may have come from a function of another cell, or from an argument. For code that cannot be
    compiled the error itself says where, since no line has run.
    """
    line, code, cell, traceback = 0, "", "", error.__traceback__
    within: int | str = -1
    message = str(error)
    had: tuple[str, ...] = ()
    while traceback is not None:
        frame = traceback.tb_frame
        filename = frame.f_code.co_filename
        if frame.f_globals is names and filename == (cell := cell or filename):
            line = traceback.tb_lineno
            code = linecache.getline(filename, line).strip()
            had = describe.told(frame.f_locals) if frame.f_locals is not names else ()
            within = -1
        elif within == -1 and frame.f_globals is names:
            within = frame.f_code.co_name[: values.TEXT_LIMIT]
        elif within == -1:
            within = next((n for n, one in enumerate(given) if _runs(frame, one)), -1)
        traceback = traceback.tb_next
    if isinstance(error, SyntaxError) and not line:
        line, message = error.lineno or 0, error.msg
        code = linecache.getline(error.filename or "", line).strip()
    return outcome.Raised(
        type(error).__name__,
        message[: values.TEXT_LIMIT],
        line,
        code[: values.TEXT_LIMIT],
        had,
        within,
    )


def _runs(frame: types.FrameType, one: Any) -> bool:
    """Return whether a frame runs this function, or calls this object.

    Only a frame of the object's own `__call__` is asked for its names: a disabled ready-made
    function has foreign code, whose names Python must not be asked for.
    """
    called = getattr(type(one).__call__, "__code__", None) if callable(one) else None
    if frame.f_code is called:
        return frame.f_locals.get("self") is one
    return frame.f_code is getattr(one, "__code__", None)


def run(
    code: str,
    cell: str,
    names: dict,
    without: Container[int] = (),
    at: Callable[[int], None] = lambda number: None,
) -> outcome.Raised | None:
    """Execute one answer cell with the given names; a failing statement stops no other.

    `at` gets the number of each before it begins; those that took too long are left out. Of several
    that fail, a definition is reported before others, an import after them.
    """
    try:
        tree = ast.parse(code, f"<{cell}>")
    except (Exception, SystemExit) as error:
        return raised(error, names)
    done = execute(tree, code, cell, names, (Exception, SystemExit), without, at)
    return foremost(tree, done)


def execute(
    tree: ast.Module,
    code: str,
    cell: str,
    names: dict,
    caught: tuple[type[BaseException], ...],
    without: Container[int] = (),
    at: Callable[[int], None] = lambda number: None,
) -> Iterator[Any]:
    """Execute the statements of a cell one by one, as the iterator is advanced.

    Yields for each the value of an expression, or what was raised, or None.
    """
    filename = f"<{cell}>"
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    audit.cells[filename] = cell
    for number, statement in enumerate(tree.body):
        if number in without:
            yield None
            continue
        at(number)
        try:
            done = statements.run(statement, filename, names)
        except caught as error:
            done = raised(error, names)
        yield done


def foremost(tree: ast.Module, done: Iterable[Any]) -> outcome.Raised | None:
    """Return the most important error of a cell's statements, if any: definitions come first."""
    problems: dict[int, outcome.Raised] = {}
    for statement, told in zip(tree.body, done, strict=True):
        if isinstance(told, outcome.Raised):
            rank = 0 if isinstance(statement, DEFINITIONS) else 1 + isinstance(statement, IMPORTS)
            problems.setdefault(rank, told)
    return problems[min(problems)] if problems else None


def answers(
    request: dict,
    given: list[Tensor],
    names: dict,
    at: Callable[[int], None],
    stands_for: Callable[[int], Any],
) -> Iterator[tuple[dict, list[Tensor]]]:
    """Execute one request: yield a reply and its tensors, for each of several calls."""
    if request["do"] == "begin":
        main_module.keep_first(names)
        audit.noted.clear()
        yield {"ran": []}, []
    elif request["do"] == "run":
        hide(request.get("hidden", ()))
        without = request.get("without", ())
        problems = [run(code, cell, names, without, at) for cell, code in request["cells"]]
        yield {"ran": [problem and list(problem) for problem in problems]}, []
    elif request["do"] == "module":
        made = sys.modules[request["name"]] = types.ModuleType(request["name"])
        for cells, wanted in request["parts"]:
            inside = main_module.first_names()
            for cell, code in cells:
                run(code, cell, inside)
            vars(made).update({name: inside[name] for name in wanted if name in inside})
        yield {"ran": []}, []
    else:
        for encoded in request["calls"]:
            function = no_compile.as_written(names.get(request["name"]))
            if not callable(function):
                yield {"missing": request["name"]}, []
                return
            inputs = values.decode(encoded, given, recipes=True)
            applied = apply(function, *_handed(inputs, request["held"], stands_for))
            tensors: list[Tensor] = []
            if isinstance(applied, outcome.Raised):
                yield {"raised": list(applied)}, []
            else:
                told = [values.encode(part, tensors) for part in applied[:2]]
                yield {"returned": [*told, applied.origins, applied.severed]}, tensors


def _handed(inputs: tuple, held: list, stands_for: Callable[[int], Any]) -> tuple:
    """Insert the stand-ins for things that are held elsewhere into the arguments."""
    parts = [list(part) if isinstance(part, tuple) else part for part in inputs]
    for number, (part, place) in enumerate(held):
        parts[part][place] = values.Made("", stands_for, (number,), steady=True)
    return tuple(tuple(part) if isinstance(part, list) else part for part in parts)


def serve(
    requests: BufferedIOBase,
    replies: BufferedIOBase,
    names: dict[str, Any] | None = None,
    stands_for: Callable[[int], Any] = int,
) -> None:
    """Answer requests until they end.

    `stands_for` returns the stand-in for what is held elsewhere, by its number.
    """
    torch.set_num_threads(1)
    for name in THREADS:  # more threads would exceed the limit of processes
        setattr(torch, name, lambda number: None)
    hide(OURS)
    names = {} if names is None else names
    main_module.keep_first(names)
    audit.begin()
    token = ""

    def tell(reply: dict, tensors: Iterable[Tensor] = ()) -> None:
        told = {"token": token, "tried": list(audit.noted)}
        values.send(replies, {**reply, **told}, list(tensors))

    tell({"ran": []})
    with suppress(EOFError):
        while True:
            request, given = values.receive(requests)
            token = request["token"]
            done = answers(request, given, names, lambda number: tell({"at": number}), stands_for)
            for reply in done:
                tell(*reply)


def hide(names: Iterable[str]) -> None:
    """Replace modules of these names by ones that hold only a `check` that does nothing.

    So nothing of the grader and the course can be imported, even if no sandbox protects the files.
    """
    for name in {*names} - _hidden:
        _hidden.add(name)
        module = sys.modules[name] = types.ModuleType(name)
        vars(module)["check"] = lambda *args, **options: None


def silence() -> None:
    """Redirect standard output to nowhere, and standard input to an empty one."""
    for standard in (0, 1, 2):
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, standard)
        os.close(nowhere)


if __name__ == "__main__":
    streams = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    silence()
    statements.begin()
    no_compile.compile_nothing()
    serve(*streams, main_module.main_module())
