"""The command `transformer-lab`. To grade notebooks it restarts itself, so as to load PyTorch once.

It replaces itself by a Python in the zygote's environment, with the same process id. That loads
PyTorch and forks the zygote while it knows nothing else: no arguments, variables and paths of the
user, no reference. Then it restores the command's arguments, and continues as the grader.

So it imports nothing of ours before: any module of `transformer_lab` loads PyTorch first.
"""

import gc
import marshal
import os
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from io import TextIOWrapper
from multiprocessing import forkserver
from pathlib import Path
from types import ModuleType

STARTED = "tensorgrader.sandbox.zygote_process"


def main() -> int:
    """Run the command and return its exit code."""
    judging = sys.argv[1:2] in (["grade"], ["certificate"], ["verify"])
    if judging and sys.platform == "linux":
        if any(word.startswith("--out") for word in sys.argv):
            _load_ahead()
        else:
            _begin_afresh()
    from lab_notebooks import cli

    return cli.main()


def _load_ahead() -> None:
    """Preload the modules that grade a class in the process from which workers are forked."""
    ahead = ["tensorgrader.classes.grade_class", "transformer_lab._course"]
    forkserver.set_forkserver_preload(ahead)
    forkserver.ensure_running()


def _begin_afresh() -> None:
    """Replace this process by another Python."""
    package = find_spec("tensorgrader")
    assert package
    assert package.submodule_search_locations
    folder = Path(package.submodule_search_locations[0], "sandbox").resolve()
    lists = [[*map(os.fsencode, texts)] for texts in (sys.argv, sys.path)]
    encodings = [stream and stream.encoding for stream in (sys.stdout, sys.stderr)]
    given = os.memfd_create("given", 0)
    with open(given, "wb", closefd=False) as file:
        marshal.dump([*lists, encodings, dict(os.environb)], file)
    command = [sys.executable, "-I", str(Path(__file__).resolve()), str(folder), str(given)]
    os.execve(sys.executable, command, _load(folder, "zygote_process").environment("/"))


def go_on(folder: Path, given: int) -> int:
    """Fork the zygote, restore the arguments, run the command, and return its exit code."""
    gc.disable()  # keep everything that is loaded now
    started, zygote = _load(folder, "zygote_process"), _load(folder, "zygote")
    gc.freeze()
    started.fork(zygote.main)
    gc.enable()
    os.lseek(given, 0, os.SEEK_SET)
    with open(given, "rb") as file:
        words, path, encodings, environment = marshal.load(file)
    sys.argv, sys.path = ([*map(os.fsdecode, texts)] for texts in (words, path))
    for stream, encoding in zip((sys.stdout, sys.stderr), encodings, strict=True):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=encoding)
    os.environb.clear()
    os.environb.update(environment)
    sys.modules[STARTED] = started
    from lab_notebooks import cli

    return cli.main()


def _load(folder: Path, name: str) -> ModuleType:
    """Load a file of the sandbox without importing the package."""
    spec = spec_from_file_location(name, folder / f"{name}.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(go_on(Path(sys.argv[1]), int(sys.argv[2])))
