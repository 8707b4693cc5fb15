"""Run the notebooks for the static page, and again when what they use has changed.

A page's outputs are stored with a hash of each file of ours that its kernel imported. Other files
can't have changed its outputs.
"""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Collection
from concurrent.futures import Executor
from pathlib import Path, PurePosixPath
from typing import Any

import transformer_lab
from book._ext.jobs import EVENT, Job

ROOT = Path(transformer_lab.__file__).parents[1]
FOLDERS = (
    "book/_ext", "exercises", "lab_notebooks", "page", "page_torch", "tensorgrader",
    "transformer_lab", "widgets",
)  # fmt: skip
NOT_BAKED = {
    "exercises",
    "page",
    "page_torch",
    "tensorgrader",
}  # what affects neither widgets nor cards
KEPT = ("faces", "notebooks", "page", "words")  # folders of the cache with their own invalidation
SOURCE = {"name": "myst_nb_md", "type": "plugin"}  # how jupyter-cache reads a page
PREFIXES = tuple(str(ROOT / folder / "_")[:-1] for folder in FOLDERS)
#: The environment of kernels. With one thread each, results don't depend on the number of cores.
ENVIRONMENT = {"TRANSFORMER_LAB_STATIC": "1", "TQDM_DISABLE": "1", "OMP_NUM_THREADS": "1"}
IMPORTED = f"""
import json, sys
files = [getattr(module, '__file__', None) or '' for module in sys.modules.values()]
print(json.dumps([file for file in files if file.startswith({PREFIXES})]))
"""


def baked_hash() -> str:
    """Hash all that widgets are baked from: code, and what was recorded for them."""
    return package_hash((".py", ".json"), NOT_BAKED)


def package_hash(kinds: Collection[str] = (), without: Collection[str] = ()) -> str:
    """Hash our files of some kinds, or all; leave out texts, which Sphinx looks after."""
    digest = hashlib.sha256()
    for path in sorted(path for each in FOLDERS for path in (ROOT / each).rglob("*")):
        place = path.relative_to(ROOT)
        if path.suffix == ".md" or (kinds and path.suffix not in kinds):
            continue
        if path.is_file() and not {"_sources", "__pycache__", *without} & set(place.parts):
            digest.update(place.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def file_hashes(files: Collection[str]) -> dict[str, str | None]:
    """Return the hashes of files of ours; None for missing ones."""
    paths = {file: ROOT / file for file in files}
    return {
        file: hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else None
        for file, path in paths.items()
    }


def forget_changed(cache: Any) -> None:
    """Remove pages from the cache whose kernels imported what has changed since."""
    for record in cache.list_cache_records():
        used = record.data.get("used")
        if used is None or file_hashes(used) != used:
            cache.remove_cache(record.pk)


def is_executed(path: Path, excluded: Collection[str]) -> bool:
    """Return whether a page is a notebook that is to be executed."""
    from myst_nb.core.read import is_myst_markdown_notebook

    if any(PurePosixPath(path.as_posix()).match(pattern) for pattern in excluded):
        return False
    return is_myst_markdown_notebook(path.read_text("utf8"))


async def run(notebook: Any, folder: Path, timeout: int) -> dict[str, str | None]:
    """Run a notebook's cells in place; return our files that it used, with their hashes.

    Raises nbclient's CellExecutionError or CellTimeoutError at a cell that fails.
    """
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell
    from traitlets.config import Config

    notebook.cells.append(new_code_cell(IMPORTED))
    client = NotebookClient(
        notebook,
        timeout=timeout,
        record_timing=False,  # the cache identifies a notebook by its cells and their metadata
        resources={"metadata": {"path": str(folder)}},
        config=Config({"KernelManager": {"transport_encryption": "auto"}}),  # or kernels warn
    )
    await client.async_execute()
    files = json.loads(notebook.cells.pop().outputs[0].text)
    return file_hashes([Path(file).relative_to(ROOT).as_posix() for file in files])


def keep(cache: Any, page: str, notebook: Any, seconds: float, used: dict) -> None:
    """Store an executed page in the cache, in place of its older version."""
    from jupyter_cache.base import CacheBundleIn

    for record in cache.list_cache_records():
        if record.uri == page:
            cache.remove_cache(record.pk)
    data = {"execution_seconds": seconds, "used": used}
    cache.cache_notebook_bundle(CacheBundleIn(notebook, page, data=data), check_validity=False)


def seconds(page: str) -> float:
    """Estimate how long a page runs: by its size, and four times that if it trains."""
    text = Path(page).read_bytes()
    return len(text) / 3000 * (4 if b"execution_timeout:" in text else 1)


def _job(cache: Any, page: str, timeout: int) -> Job:
    """Return the job of running a page and storing its outputs.

    A cell may take `timeout` seconds, or what its page sets, as one that trains does. A failing
    page is printed; it is run again when it is read, which reports to Sphinx.
    """
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    async def do(_pool: Executor) -> bool:
        notebook, start = cache.get_project_notebook(page).nb, time.monotonic()
        limit = notebook.metadata.get("mystnb", {}).get("execution_timeout", timeout)
        try:
            used = await run(notebook, Path(page).parent, limit)
        except (CellExecutionError, CellTimeoutError) as error:
            print(error)
            return False
        keep(cache, page, notebook, time.monotonic() - start, used)
        return True

    return Job(Path(page).stem, seconds(page), do)


def _jobs(app: Any, names: list[str]) -> list[Job]:
    """Return the pages that are about to be read and whose outputs are missing."""
    from jupyter_cache import get_cache

    cache, config = get_cache(app.config.nb_execution_cache_path), app.config
    forget_changed(cache)
    paths = [Path(app.env.doc2path(name)) for name in names]
    pages = [
        cache.add_nb_to_project(str(path), read_data=SOURCE).uri
        for path in paths
        if is_executed(path, config.nb_execution_excludepatterns)
    ]
    waiting = {record.uri for record in cache.list_unexecuted(filter_uris=pages)}
    return [_job(cache, page, config.nb_execution_timeout) for page in pages if page in waiting]


def _configure(app: Any, config: Any) -> None:
    os.environ |= ENVIRONMENT
    config.transformer_lab_hash = package_hash()
    cache, state = Path(app.outdir).parent / "cache", baked_hash()
    for old in {*cache.glob("*")} - {cache / kept for kept in (*KEPT, state)}:
        if old.is_dir():  # without files of a file manager, such as .DS_Store
            shutil.rmtree(old)
    config.nb_execution_cache_path = str(cache / "notebooks")
    config.transformer_lab_baked = str(cache / state)


def setup(app: Any) -> None:
    """Register with Sphinx: before MyST-NB reads its configuration."""
    app.add_config_value("transformer_lab_hash", "", "env")  # if new, read every page again
    app.add_config_value("transformer_lab_baked", "", "")  # the folder of what was slow to draw
    app.connect("config-inited", _configure, priority=100)
    app.connect(EVENT, _jobs)
