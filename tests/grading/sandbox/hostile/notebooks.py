"""Hostile submissions that are no single cell: what lies in the folder, by name."""

import base64
import io
import itertools
import json
import os
import stat
import zipfile

import nbformat


def replaced(notebook, identity, source):
    """Copy a notebook with one answer replaced."""
    copy = json.loads(json.dumps(notebook))
    for cell in copy["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == identity:
            cell["source"] = source
    return nbformat.from_dict(copy)


def _edited(notebook, edit):
    copy = json.loads(json.dumps(notebook))
    edit(copy)
    return json.dumps(copy)


def _graded(notebook):
    return [c for c in notebook["cells"] if "nbgrader" in c["metadata"]]


def _without_ids(notebook):
    for cell in _graded(notebook):
        del cell["metadata"]["nbgrader"]


def _renamed_ids(notebook):
    for cell in _graded(notebook):
        cell["metadata"]["nbgrader"]["grade_id"] += "-of-mine"


def _checks_called_answers(notebook):
    for cell in _graded(notebook):
        cell["metadata"]["nbgrader"] |= {"solution": True, "points": 1000}


def _endless_answers(notebook):
    notebook["cells"] += [
        c for c in _graded(notebook) if c["metadata"]["nbgrader"]["solution"]
    ] * 99


def _other_language(notebook):
    notebook["metadata"]["kernelspec"] = {"name": "ir", "language": "R", "display_name": "R"}


def _endless_code(notebook):
    notebook["cells"][0:0] = [{"cell_type": "code", "metadata": {}, "source": "x = 1\n" * 10**6}]


def _no_text(notebook):
    for cell in notebook["cells"]:
        cell["source"] = [None, 5, {"a": []}, "def scores(q, k):", ["return 1"]]


def _surrogates(notebook):
    for cell in _graded(notebook):
        cell["source"] = "scores = '\ud800'\u202e\x00"


def _metadata_of_all_kinds(notebook):
    kinds = itertools.cycle([None, [], 5, "x", {"nbgrader": 7}])
    for cell, metadata in zip(notebook["cells"], kinds, strict=False):
        cell["metadata"] = metadata


def _deep_code(notebook):
    deep = ["(" * 9000, "x" + ".a" * 30_000, "-" * 50_000 + "1", "1" + "+1" * 40_000]
    for cell, code in zip(_graded(notebook), itertools.cycle(deep), strict=False):
        cell["source"] = code


def written(notebook):
    """Give the notebooks that are wrong as files, as bytes."""
    whole = json.dumps(notebook)
    edits = (_without_ids, _renamed_ids, _checks_called_answers, _endless_answers, _other_language)
    edits += (_endless_code, _no_text, _surrogates, _metadata_of_all_kinds, _deep_code)
    texts = {edit.__name__[1:].replace("_", "-"): _edited(notebook, edit) for edit in edits}
    texts |= {
        "cut-off": whole[: len(whole) // 2],
        "empty": "",
        "null": "null",
        "deep": "[" * 10**6,
        "wide": '{"metadata": {}, "cells": [' + "[]," * 6_000_000 + "[]]}",
        "large": '{"metadata": {}, "cells": ["' + "x" * 25 * 2**20 + '"]}',
        "long-number": '{"metadata": {}, "cells": [' + "9" * 10**6 + "]}",
        "keys-twice": whole[:-1] + ', "cells": []}',
    }  # fmt: skip
    raw = {
        f"json-{name}.ipynb": text.encode("utf-8", "surrogatepass") for name, text in texts.items()
    }
    raw["json-not-utf-8.ipynb"] = whole.encode("cp1252", "replace").replace(b'"The', b'"\x93\xff')
    raw["json-zeros.ipynb"] = bytes(10**6)
    return raw | {f"zip-{name}.zip": content for name, content in _zips(whole).items()}


def _zips(whole):
    """Give zip files that claim or do what they should not."""

    def packed(*entries, **options):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, **options) as archive:
            for entry, content in entries:
                archive.writestr(entry, content)
        return buffer.getvalue()

    link = zipfile.ZipInfo("answers.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    bomb = packed(*((f"{n}.ipynb", bytes(18 * 2**20)) for n in range(8)))
    many = packed(*((f"{n}.txt", b"") for n in range(12_000)))
    plain = packed(("a.ipynb", whole))
    return {
        "bomb": bomb,
        "many-files": many,
        "link": packed((link, "/etc/passwd")),
        "cut-off": plain[:-30],
        "damaged": plain[:60] + bytes(200) + plain[260:],
        "locked": plain.replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01")
        .replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"),
        "in-a-zip": packed(("inner.zip", plain)),
        "no-zip": base64.b64decode(b"UEsDBA==") * 100,
    }  # fmt: skip


def placed(folder, secret):
    """Put links and pipes where notebooks should be."""
    os.symlink(secret, folder / "place-link.ipynb")
    os.mkfifo(folder / "place-pipe.ipynb")
    inside = folder / "place-links-inside"
    inside.mkdir()
    os.symlink(folder, inside / "loop")
    os.symlink(secret, inside / "answers.ipynb")
    os.mkfifo(inside / "waiting.ipynb")
    (folder / "place-folder.ipynb").mkdir()
    (folder / "place-nothing").mkdir()
    (folder / "=place+formula").mkdir()
    (folder / os.fsdecode(b"place-\xff\x1b[2J")).mkdir()
