"""Identify a submitted file that isn't a notebook, and say what to do about it."""

import ast
import json
import re
import warnings

HEAD = 2**16  # the bytes that identify a file
PACKED = {
    b"PK\3\4": "a zip file",
    b"PK\5\6": "an empty zip file",
    b"\x1f\x8b": "a gzip file",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a rar archive",
    b"\xfd7zXZ\0": "an xz file",
    b"BZh": "a bzip2 file",
}
OTHERS = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\xd0\xcf\x11\xe0": "a document of an old Office program",
    b"\x7fELF": "a program",
    b"MZ": "a program",
}
ITSELF = "Hand in the notebook itself, which ends in .ipynb."
CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: .*)?\r?$", re.MULTILINE)
LINK = re.compile(r"\[InternetShortcut\]|<key>URL</key>|^https?://\S+$|^\[Desktop Entry\]")
LOGIN = re.compile(r"(?i)type=.?password|log[ -]?in|sign[ -]?in")
PAGE = re.compile(r"(?i)(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*>\s*)?<(?:!doctype html|html|head)\b")


def foreign(raw: bytes) -> str:
    """Return what a file is by its bytes, and what to do; "" if they don't show it."""
    if not raw.strip(b"\0 \t\r\n"):
        what = "is empty (0 bytes)" if not raw else "contains only whitespace"
        return (
            f"{what}: it was not saved or uploaded completely. Save it in JupyterLab, and try "
            "again."
        )
    head = raw[:HEAD]
    if packed := next((kind for sign, kind in PACKED.items() if head.startswith(sign)), ""):
        return f"is {packed}, whatever its name says. Unpack it, and hand in the notebook inside."
    if head[257:262] == b"ustar":
        return "is a tar archive. Unpack it, and hand in the notebook inside."
    if head.startswith(b"bplist"):
        return f"is a link to a page, not the file. {ITSELF}"
    if other := next((kind for sign, kind in OTHERS.items() if head.startswith(sign)), ""):
        return f"is {other}, not a notebook. {ITSELF}"
    whole = raw.decode("utf-8-sig", "replace")
    text = whole[:HEAD].strip()
    if conflict := CONFLICT.search(whole):
        line = 1 + whole.count("\n", 0, conflict.start())
        return (
            f"contains the marks of a merge conflict in git ({conflict[0][:7]} in line "
            f"{line}), so no program can open it. Take one of the two versions "
            "(`git checkout --ours FILE` or `--theirs`), open it in JupyterLab, and copy into it "
            "what you need from the other one."
        )
    if LINK.search(text) and not text.startswith("{"):
        return f"is a link to a page, not the file. {ITSELF}"
    if PAGE.match(text):
        kind = ", perhaps a login page" if LOGIN.search(text) else ""
        return (
            f"is a web page (HTML){kind}, not a notebook. In JupyterLab, File ▸ Download gives the "
            "notebook."
        )
    if _is_script(raw):
        return (
            "is a Python script, not a notebook. Paste its functions into the answer cells of the "
            "notebook, and hand that in."
        )
    return ""


def broken(raw: bytes, error: Exception) -> str:
    """Return what is wrong with a file that should be JSON and isn't."""
    if isinstance(error, UnicodeDecodeError):
        return (
            f"is not in UTF-8, as notebooks are (byte {error.start} is {raw[error.start]:#x}). "
            "Some program has saved it in another encoding: open it in a text editor, and save it "
            "again as UTF-8."
        )
    if isinstance(error, json.JSONDecodeError) and raw.lstrip()[:1] == b"{":
        rest = error.doc[error.pos :].strip()
        if not rest or error.msg.startswith("Unterminated string"):
            return (
                f"ends in the middle, in line {error.lineno}: it was not saved or uploaded "
                "completely. Hand it in again from a place where it opens in JupyterLab."
            )
    return (
        f"is not a notebook, or a broken one: {error}. Open it in JupyterLab and save it again, "
        f"or start from a fresh copy and paste your answers in."
    )


def is_notebook(raw: bytes) -> bool:
    """Return whether a file is a notebook under another name."""
    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and isinstance(told.get("cells"), list) and "nbformat" in told


def _is_script(raw: bytes) -> bool:
    if len(raw) > HEAD or not re.search(rb"^(?:def|import|from|class) ", raw, re.MULTILINE):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(ast.parse(raw).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
