"""The key with which the hunts of a class are drawn: a file that stays with the teacher."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

SIZE = 32


def key_in(path: Path) -> bytes:
    """Return the key in a file, which is created with a new one if it does not exist.

    Raises OSError as open does, ValueError for a file that holds no key.
    """
    with (
        suppress(FileExistsError),
        open(path, "x", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o600)) as file,
    ):
        file.write(f"{secrets.token_hex(SIZE)}\n")
    return read_key(path)


def read_key(path: Path) -> bytes:
    """Return the key in a file. Raises OSError as open does, ValueError if it holds none."""
    with path.open("rb") as file:
        raw = file.read(1024)
    try:
        key = bytes.fromhex(raw.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != SIZE:
        raise ValueError(f"{path} holds no key of hunts: {2 * SIZE} hexadecimal digits.")
    return key
