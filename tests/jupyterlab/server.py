"""JupyterLab, started as `make lab` starts it, on a working folder that nothing else uses."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
#: Runs in the server and its kernels: notes every address outside this machine that is asked for.
WATCH = """
import os, sys

def watch(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if str(host or "localhost") not in ("localhost", "127.0.0.1", "::1", "0.0.0.0"):
        with open(os.environ["OUTSIDE"], "a") as file:
            print(host, " ".join(sys.argv), file=file)

sys.addaudithook(watch)
"""


COMMAND = Path(sys.executable).with_name("transformer-lab")


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: its address, its token, and the learner's folder."""

    url: str
    token: str
    folder: Path
    runtime: Path
    outside: Path

    def api(self, path: str) -> object:
        with urlopen(f"{self.url}/api/{path}?token={self.token}") as answer:
            return json.load(answer)

    def kernel_file(self, notebook: str) -> Path:
        sessions = {session["path"]: session for session in self.api("sessions")}
        return self.runtime / f"kernel-{sessions[notebook]['kernel']['id']}.json"


def environment(home: Path) -> dict[str, str]:
    """Give an environment in which no setting of the user's counts, and nothing saves by itself."""
    watch = home / "watch"
    watch.mkdir(parents=True)
    (watch / "sitecustomize.py").write_text(WATCH, "utf8")
    settings = home / "CONFIG/lab/user-settings/@jupyterlab/docmanager-extension"
    settings.mkdir(parents=True)
    (settings / "plugin.jupyterlab-settings").write_text('{"autosave": false}', "utf8")
    own = {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    return _without_make() | own | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "IPYTHONDIR": str(home / "ipython"),
        "OUTSIDE": str(home / "outside"),
        "PYTHONPATH": f"{watch}{os.pathsep}{ROOT}",
    }  # fmt: skip


def command() -> str:
    make = shutil.which("make")
    assert make, "these tests ask make how it starts JupyterLab, and there is no make"
    told = subprocess.run(
        [make, "--dry-run", "--no-print-directory", "lab"],
        cwd=ROOT, env=_without_make(), capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    (line,) = [line for line in told.splitlines() if "jupyter lab " in line]
    return line


def _without_make() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}


@contextlib.contextmanager
def jupyterlab(home: Path) -> Iterator[Lab]:
    variables = environment(home)
    subprocess.run(
        [COMMAND, "start", "lab"],
        cwd=home, env=variables, check=True, capture_output=True,
    )  # fmt: skip
    flags = "--no-browser --ServerApp.ip=127.0.0.1 --ServerApp.port=0"
    log = home / "log"
    with log.open("w") as file:
        server = subprocess.Popen(
            f"{command()} {flags}",
            shell=True, cwd=home, env=variables, stdout=file, stderr=file, start_new_session=True,
        )  # fmt: skip
    try:
        runtime = home / "RUNTIME"
        facts = _facts(server, runtime, log)
        url = f"http://127.0.0.1:{facts['port']}"
        yield Lab(url, facts["token"], home / "lab", runtime, home / "outside")
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def _facts(server: subprocess.Popen, runtime: Path, log: Path) -> dict:
    while True:
        assert server.poll() is None, log.read_text()
        with contextlib.suppress(OSError, ValueError):
            (found,) = runtime.glob("jpserver-*.json")
            facts = json.loads(found.read_text())
            with urlopen(f"http://127.0.0.1:{facts['port']}/api?token={facts['token']}"):
                return facts
        time.sleep(0.1)
