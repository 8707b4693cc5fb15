"""A course of one task, to be made one's own."""

from collections.abc import Iterator
from pathlib import Path

FIRST = Path(__file__).parent / "first_task"


def new(folder: Path) -> Iterator[Path]:
    """Write a course of one task into a folder, and yield each file.

    Raises FileExistsError for a folder in which something lies.
    """
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise FileExistsError(
            f"{folder} is not empty, and nothing was written: give the name of a new folder."
        )
    for source in sorted(FIRST.rglob("*")):
        if source.suffix in (".py", ".md"):
            path = folder / source.relative_to(FIRST)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source.read_text("utf8"), "utf8")
            yield path
