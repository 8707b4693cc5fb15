"""What Binder would build and start, as far as it can be tried without a container engine."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_structure import tracked

ROOT = Path(__file__).parents[1]
# The command and the options of a server on BinderHub (its chart's singleuser.cmd and spawner).
SERVER = ["jupyter-lab", "--ip=127.0.0.1", "--ServerApp.base_url=/user/x/"]
SERVER += ["--ServerApp.token=t", "--ServerApp.trust_xheaders=True", "--ServerApp.allow_origin=*"]


@pytest.fixture
def clone(tmp_path):
    home = tmp_path / "jovyan"
    for path in tracked():
        target = home / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return home


def at_home(home, python=sys.executable):
    path = f"{Path(python).parent}:{os.defpath}:/usr/bin:/bin"
    passed_on = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **passed_on}


def test_repo2docker_reads_our_files_and_pins_python(clone):
    pin = (clone / "binder/runtime.txt").read_text("utf8").strip()
    version = re.fullmatch(r"python-(3\.\d+)", pin)[1]
    done = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."],
        cwd=clone, env=at_home(clone), capture_output=True, text=True, check=True,
    )  # fmt: skip
    dockerfile = re.sub(r"-2([de])", lambda m: {"d": "-", "e": "."}[m[1]], done.stdout)
    assert f"environment.py-{version}-" in dockerfile
    assert "RUN ./binder/postBuild" in dockerfile
