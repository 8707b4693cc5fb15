"""Serving the built book."""

import os
import signal
import subprocess
import sys
import threading
import urllib.request

import pytest

from book._ext.serve import server


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "index.html").write_text("the book")
    return tmp_path


def read(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
        return page.read().decode()


def test_another_port_if_that_one_is_taken(folder):
    with server(folder, 0) as first, server(folder, first.server_port) as second:
        assert first.server_port != second.server_port
        assert {first.server_address[0], second.server_address[0]} == {"127.0.0.1"}
        threading.Thread(target=second.serve_forever, daemon=True).start()
        assert read(second.server_port) == "the book"
        second.shutdown()


def test_a_folder_without_a_book_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="make html"):
        server(tmp_path, 0)


def test_ctrl_c_ends_it_cleanly(folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "book._ext.serve", folder, "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Started in the background, a process may have been told to ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    said = process.stdout.readline()
    assert "http://127.0.0.1:" in said
    assert read(said.split(":")[2].split("/")[0]) == "the book"
    os.kill(process.pid, signal.SIGINT)
    rest, errors = process.communicate()
    assert (process.returncode, rest.strip(), errors) == (0, "", "")
