"""What a newcomer meets whose Python is too old: the way on is named."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLD = """#!/bin/sh
exec "$REAL" -c "import sys; sys.version_info = (3, 9); sys.version = '3.9.1'; $2"
"""


def test_an_old_python_is_named_with_a_way_out(tmp_path):
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "requirements-pretrained.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/install").touch()
    old = tmp_path / "old-python"
    old.write_text(OLD)
    old.chmod(0o755)
    done = subprocess.run(
        ["make", "html", f"PYTHON={old}"], cwd=tmp_path, capture_output=True, text=True,
        env={"PATH": os.environ["PATH"], "REAL": sys.executable},
    )  # fmt: skip
    assert done.returncode != 0
    assert "3.9.1" in done.stderr
    assert "make PYTHON=python3.12 html" in done.stderr
