"""Run the notebooks as the static page's, and again whenever what they can import has changed."""

import hashlib
import os
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

import transformer_lab

PACKAGE = Path(transformer_lab.__file__).parent
#: What no page's cells import: a test holds the pages to that.
NOT_EXECUTED = {"grading"}


def package_hash(pattern: str, without: Collection[str] = ()) -> str:
    """Hash the package's files of a kind, but for some of its folders."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob(pattern)):
        place = path.relative_to(PACKAGE)
        if path.is_file() and not {"_sources", "__pycache__", *without} & set(place.parts):
            digest.update(place.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _configure(app: Any, config: Any) -> None:
    os.environ |= {"TRANSFORMER_LAB_STATIC": "1", "TQDM_DISABLE": "1"}  # kernels inherit it
    config.transformer_lab_hash = package_hash("*")
    cache = Path(app.outdir).parent / "cache" / package_hash("*.py", NOT_EXECUTED)
    for old in set(cache.parent.glob("*")) - {cache}:
        if old.is_dir():  # not what a file manager leaves there, such as .DS_Store
            shutil.rmtree(old)
    config.nb_execution_cache_path = str(cache)


def setup(app: Any) -> None:
    """Register with Sphinx: before MyST-NB reads its configuration."""
    app.add_config_value("transformer_lab_hash", "", "env")  # another one: read every page again
    app.connect("config-inited", _configure, priority=100)
