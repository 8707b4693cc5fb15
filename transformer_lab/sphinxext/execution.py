"""Run the notebooks as the static page's, and again whenever the package has changed."""

import hashlib
import os
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]


def package_hash() -> str:
    """Hash the Python sources that a notebook may run."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        if "_sources" not in path.parts:
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _configure(app: Any, config: Any) -> None:
    os.environ["TRANSFORMER_LAB_STATIC"] = "1"  # kernels inherit it
    config.nb_execution_cache_path = str(Path(app.outdir).parent / "cache" / package_hash())


def setup(app: Any) -> None:
    """Register with Sphinx: before MyST-NB reads its configuration."""
    app.connect("config-inited", _configure, priority=100)
