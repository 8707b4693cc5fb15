"""Firefox and WebKit as Debian has them, driven as little as one journey needs."""

import json
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from urllib.request import Request, urlopen

import psutil

FIREFOX = shutil.which("firefox-esr") or "firefox"  # Debian has the one, others the other
WEBKIT, SCREEN = "WebKitWebDriver", "broadwayd"
PATIENCE = 120  # seconds


def until(attempt):
    """Try until it goes, or until patience ends."""
    begun = time.monotonic()
    while True:
        try:
            return attempt()
        except (OSError, ValueError):
            if time.monotonic() - begun > PATIENCE:
                raise
            time.sleep(0.2)


@contextmanager
def firefox(folder):
    """Start Firefox; give a function that goes to an address, and one that runs a script there."""
    (folder / "user.js").write_text('user_pref("marionette.port", 0);\n')
    command = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def connected():
        port = int((folder / "MarionetteActivePort").read_text())  # it chose one, and tells
        return socket.create_connection(("127.0.0.1", port))

    try:
        with until(connected) as connection:
            stream = connection.makefile("rwb")

            def heard():
                size = b"".join(iter(lambda: stream.read(1), b":"))
                return json.loads(stream.read(int(size)))

            def ask(name, **parameters):
                message = json.dumps([0, 1, name, parameters]).encode()
                stream.write(b"%d:%s" % (len(message), message))
                stream.flush()
                _, _, error, result = heard()
                assert error is None, error
                return result

            heard()
            ask("WebDriver:NewSession")
            yield (
                lambda address: ask("WebDriver:Navigate", url=address),
                lambda script: ask("WebDriver:ExecuteScript", script=script, args=[])["value"],
            )
    finally:
        process.kill()
        process.wait()


@contextmanager
def webkit(folder):
    """Start WebKit, whose windows broadwayd stands in for; give the same."""
    shown = {"GDK_BACKEND": "broadway", "BROADWAY_DISPLAY": ":1", "XDG_RUNTIME_DIR": str(folder)}
    variables = os.environ | shown  # where display 1 is nobody else's
    where = ["--unixsocket", str(folder / "screen"), ":1"]
    screen = subprocess.Popen([SCREEN, *where], env=variables, stdout=subprocess.DEVNULL)
    process = psutil.Popen([WEBKIT, "--port=0"], cwd=folder, env=variables)

    def listening():
        ports = [c.laddr.port for c in process.net_connections() if c.status == "LISTEN"]
        return f"http://127.0.0.1:{min(ports)}"  # of none, min raises ValueError

    def ask(path, method="POST", **body):
        data = json.dumps(body).encode() if method == "POST" else None
        request = Request(f"{address}{path}", data, method=method)
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    try:
        address = until(listening)
        session = until(lambda: ask("/session", capabilities={}))["sessionId"]
        yield (
            lambda address: ask(f"/session/{session}/url", url=address),
            lambda script: ask(f"/session/{session}/execute/sync", script=script, args=[]),
        )
        ask(f"/session/{session}", "DELETE")
    finally:
        for each in (process, screen):
            each.kill()
            each.wait()
