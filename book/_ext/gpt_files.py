"""The GPT of one page as files to keep: `gpt.py`, a play to learn from, and the ladder's rungs.

The page gets a link to them at `<div class="tl-gpt-files"></div>`. A notebook needs none: its last
cell writes the files.
"""

import io
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

NAME = "gpt.zip"
PLAY = "Twelfth Night"
EMPTY = '<div class="tl-gpt-files"></div>'


def files() -> dict[str, str]:
    """Return the text of each file by its name."""
    from transformer_lab.tasks.shakespeare import plays
    from transformer_lab.widgets.gpt_ladder import recorded

    programs = [rung["program"] for rung in recorded().values()]
    names = [name.replace(" ", "_") for name in recorded()]
    rungs = {f"ladder/{n}_{name}.py": programs[n - 1] for n, name in enumerate(names, 1)}
    return {"gpt.py": programs[-1], "play.txt": plays()[PLAY], **rungs}


@cache
def packed() -> bytes:
    """Return the files in one zip, always the same bytes."""
    from book._ext.offline import add

    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name, text in files().items():
            add(archive, f"gpt/{name}", text.encode())
    return file.getvalue()


def place(_app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Insert the link at its place in the page."""
    if EMPTY in context.get("body", ""):
        link = (
            f'<p><a href="{NAME}" download><b>{NAME}</b></a> ({len(packed()) / 1000:.0f} KB): '
            f"<code>gpt.py</code>, <i>{PLAY}</i> to learn from (<code>play.txt</code>), and each "
            'rung of the ladder in <a href="#whole-model-ladder">From a bigram to a GPT</a>.</p>'
        )
        context["body"] = context["body"].replace(EMPTY, link)


def write(folder: Path) -> None:
    """Write the files beside the page."""
    (folder / "book" / NAME).write_bytes(packed())
