"""Serve the built book to this machine's browser: `python -m book._ext.serve FOLDER`."""

import argparse
import errno
import functools
import http.server
import sys
from pathlib import Path


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_args: object) -> None:
        """Log nothing."""


def server(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Return a server for the folder on 127.0.0.1, on another port if that one is taken.

    Raises FileNotFoundError if the folder holds no page.
    """
    if not (folder / "index.html").is_file():
        raise FileNotFoundError(f"{folder} holds no index.html. Build the book first: make html")
    handler = functools.partial(_Quiet, directory=folder)
    try:
        return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        return http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="book._ext.serve", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=8000)
    arguments = parser.parse_args()
    try:
        with server(arguments.folder, arguments.port) as http_server:
            port = http_server.server_port
            print(f"The book is at http://127.0.0.1:{port}/ (Ctrl-C ends it)", flush=True)
            http_server.serve_forever()
    except FileNotFoundError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
