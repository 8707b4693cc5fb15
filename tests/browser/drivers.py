"""Firefox and WebKit as Debian has them, driven as little as one journey needs."""

import json
import os
import shutil
import socket
import subprocess
import time
from contextlib import closing, contextmanager
from urllib.request import Request, urlopen

FIREFOX = shutil.which("firefox-esr") or "firefox"  # Debian has the one, others the other
WEBKIT, SCREEN = "WebKitWebDriver", "broadwayd"
PATIENCE = 120  # seconds


def free_port():
    """Give a port that nothing listens on."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return server.getsockname()[1]


def until(attempt):
    """Try until it goes, or until patience ends."""
    begun = time.monotonic()
    while True:
        try:
            return attempt()
        except OSError:
            if time.monotonic() - begun > PATIENCE:
                raise
            time.sleep(0.2)


@contextmanager
def firefox(folder):
    """Start Firefox; give a function that goes to an address, and one that runs a script there."""
    port = free_port()
    (folder / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    command = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with until(lambda: socket.create_connection(("127.0.0.1", port))) as connection:
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
    port, display = free_port(), f":{free_port()}"
    where = ["--address", "127.0.0.1", "--port", str(free_port()), display]
    screen = subprocess.Popen([SCREEN, *where], stdout=subprocess.DEVNULL)
    shown = {"GDK_BACKEND": "broadway", "BROADWAY_DISPLAY": display}
    process = subprocess.Popen([WEBKIT, f"--port={port}"], cwd=folder, env=os.environ | shown)

    def ask(path, method="POST", **body):
        data = json.dumps(body).encode() if method == "POST" else None
        request = Request(f"http://127.0.0.1:{port}{path}", data, method=method)
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    try:
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
