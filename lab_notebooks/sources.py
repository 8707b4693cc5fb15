"""Where the sources of the notebooks are, in a checkout and in an installed package."""

from pathlib import Path

ROOMS = ("book", "exercises")


def root() -> Path:
    """Return the folder that holds the sources: in the package when installed, else its parent."""
    here = Path(__file__).parents[1]
    installed = here / "transformer_lab/_sources"
    return installed if installed.is_dir() else here


def sources() -> dict[str, Path]:
    """Return the sources of notebooks by names such as "book/attention" (not plain pages)."""
    found = (path for room in ROOMS for path in sorted((root() / room).glob("*.md")))
    return {
        f"{path.parent.name}/{path.stem}": path
        for path in found
        if "\nkernelspec:" in path.read_text(encoding="utf-8").partition("\n---\n")[0]
    }
