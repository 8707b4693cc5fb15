"""The command `transformer-lab`: what will run learners' code starts while PyTorch is loaded here.

It stands outside of the package, since importing anything of that loads PyTorch first.
"""

import os
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

STARTED = "transformer_lab.grading.sandbox.started"


def main() -> int:
    """Run the command and give its exit code."""
    of_a_class = any(word.startswith("--out") for word in sys.argv)  # which has zygotes of its own
    if sys.argv[1:2] == ["grade"] and sys.platform == "linux" and not of_a_class:
        _start_zygote()
    from transformer_lab import cli

    return cli.main()


def _start_zygote() -> None:
    """Start a zygote for the grader to take, without importing the package."""
    package = find_spec("transformer_lab")
    assert package
    assert package.submodule_search_locations
    path = Path(package.submodule_search_locations[0], "grading/sandbox/started.py")
    spec = spec_from_file_location(STARTED, path)
    assert spec
    assert spec.loader
    sys.modules[STARTED] = started = module_from_spec(spec)
    spec.loader.exec_module(started)
    for name in started.ONE_THREAD:  # the matrices are tiny: a second thread only waits
        os.environ.setdefault(name, "1")
    started.begin(confined=True)
