"""Hostile submissions that are no single cell: what lies in the folder, by name."""

import base64
import gzip
import io
import itertools
import json
import os
import socket
import stat
import struct
import zipfile
import zlib

import nbformat

NAMES = [
    "-rf", "$(touch left-behind)", "<img src=x onerror=alert(1)>", "{{ 7 * 7 }}", "a\nb", "CON",
    "\u202egnp.x", "'; DROP TABLE students; --", "x" * 240, "%2e%2e%2f", "a\u0300" * 50,
]  # fmt: skip


def replaced(notebook, identity, source):
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


def _endless_cells(notebook):
    for number in range(40_000):
        about = {"grade_id": f"attention-shapes-{number}\x1b[2J", "solution": True}
        cell = {"cell_type": "code", "metadata": {"nbgrader": about}, "source": ""}
        notebook["cells"].append(cell)


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


def _ids_that_are_paths(notebook):
    for number, cell in enumerate(_graded(notebook)):
        cell["metadata"]["nbgrader"]["grade_id"] = f"../../{number}/__init__\0.py"


def _ids_in_other_letters(notebook):
    for cell in _graded(notebook):
        identity = cell["metadata"]["nbgrader"]["grade_id"]
        cell["metadata"]["nbgrader"]["grade_id"] = identity.replace("a", "\u0430")  # Cyrillic


def _of_another_chapter(notebook):
    notebook["metadata"]["transformer_lab"] = {"source": "exercises/norm", "points": 10**9}


def _numbers_for_text(notebook):
    for cell in _graded(notebook):
        cell |= {"source": float("inf"), "cell_type": "code", "id": float("nan")}


def _points_of_its_own(notebook):
    for cell in _graded(notebook):
        cell["metadata"]["nbgrader"] |= {"points": 1e308, "grade": True, "locked": False}
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "32 of 32"}]


def _lines_that_are_slow_to_read(notebook):
    slow = (" " * 90_000 + "x", "a" * 90_000 + " = ", "%" * 90_000, "x?" * 40_000, "\f\t" * 40_000)
    for cell, code in zip(_graded(notebook), itertools.cycle(slow), strict=False):
        cell["source"] = code


def _another_alphabet(notebook):
    for cell in _graded(notebook):
        cell["source"] = "# -*- coding: utf-7 -*-\ndef softmax(x): return +AF8-"


def _commands(notebook):
    for cell in _graded(notebook):
        cell["source"] = "%%bash\ntouch left-behind\n!touch left-behind\n%run /etc/passwd\n?os"


def _imports_without_end(notebook):
    lines = "".join(f"import module_{number}\n" for number in range(30_000))
    notebook["cells"].insert(0, {"cell_type": "code", "metadata": {}, "source": lines})
    for cell in _graded(notebook):
        cell["source"] = "import os"


def written(notebook):
    whole = json.dumps(notebook)
    edits = [_without_ids, _renamed_ids, _checks_called_answers, _endless_answers, _other_language]
    edits += [_endless_code, _no_text, _surrogates, _metadata_of_all_kinds, _deep_code]
    edits += [_ids_that_are_paths, _ids_in_other_letters, _of_another_chapter, _numbers_for_text]
    edits += [_points_of_its_own, _lines_that_are_slow_to_read, _another_alphabet, _commands]
    edits += [_imports_without_end, _endless_cells]
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
        "cells-by-name": json.dumps({"metadata": {}, "cells": {"a": {}, "b": {}}}),
        "old-format": json.dumps({"nbformat": 3, "worksheets": [{"cells": notebook["cells"]}]}),
        "of-python": "{'cells': [], 'metadata': {}}",
        "two-of-them": whole + whole,
    }  # fmt: skip
    raw = {
        f"json-{name}.ipynb": text.encode("utf-8", "surrogatepass") for name, text in texts.items()
    }
    raw["json-not-utf-8.ipynb"] = whole.encode("cp1252", "replace").replace(b'"The', b'"\x93\xff')
    raw["json-zeros.ipynb"] = bytes(10**6)
    raw["json-utf-16.ipynb"] = whole.encode("utf-16")[:-1]
    raw["json-packed.ipynb"] = gzip.compress(whole.encode())
    raw["json-picture.ipynb"] = b"\x89PNG\r\n\x1a\n" + bytes(999)
    for name in NAMES:
        raw[f"name-{name}.ipynb"] = b"{}"
    return raw | {f"zip-{name}.zip": content for name, content in _zips(whole).items()}


def _zips(whole):
    def packed(*entries, **options):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, **options) as archive:
            for entry, content in entries:
                archive.writestr(entry, content)
        return buffer.getvalue()

    def nested(content, depth):
        return content if depth == 0 else packed(("z.zip", nested(content, depth - 1)))

    def same_place_often(content):
        """Have many entries share the bytes of one."""
        raw = packed(("a.ipynb", content))
        start, end = raw.index(b"PK\1\2"), raw.index(b"PK\5\6")
        listed = raw[start:end]
        many = b"".join(listed.replace(b"a.ipynb", b"%c.ipynb" % (97 + n)) for n in range(20))
        closing = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 20, 20, len(many), start, 0)
        return raw[:start] + many + closing

    link = zipfile.ZipInfo("answers.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    pipe = zipfile.ZipInfo("answers.ipynb")
    pipe.external_attr = (stat.S_IFIFO | 0o777) << 16
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
        "deep": nested(plain, 9),
        "bomb-of-zips": packed(*((f"{n}.zip", bomb) for n in range(9))),
        "same-place-often": same_place_often(bytes(18 * 2**20)),
        "false-size": plain.replace(struct.pack("<L", len(whole.encode())), bytes(4)),
        "false-sum": plain.replace(struct.pack("<L", zlib.crc32(whole.encode())), b"\1\2\3\4"),
        "packed-otherwise": gzip.compress(whole.encode()),
        "of-a-class": packed(*((f"roe{n}_10{n}_5550{n}_attention.ipynb", whole) for n in range(9))),
        "of-folders": packed(*((f"student {n}/attention.ipynb", whole) for n in range(9))),
        "strange-names": packed(("/etc/../a\0b.ipynb", "{}"), ("\\\\c\\x.ipynb", "{}"),
            ("a/" * 4000 + "x.ipynb", "{}"), ("\u202e<img src=x>.ipynb", "{}"), (".ipynb", "{}")),
        "pipe": packed((pipe, "{}")),
    }  # fmt: skip


def placed(folder, secret):
    os.symlink(secret, folder / "place-link.ipynb")
    os.mkfifo(folder / "place-pipe.ipynb")
    inside = folder / "place-links-inside"
    inside.mkdir()
    os.symlink(folder, inside / "loop")
    os.symlink(secret, inside / "answers.ipynb")
    os.mkfifo(inside / "waiting.ipynb")
    deep = folder / "place-deep" / "/".join("d" * 300)
    deep.mkdir(parents=True)
    (deep / "a.ipynb").write_text("{}")
    many = folder / "place-many-files"
    many.mkdir()
    for number in range(11_000):
        (many / f"{number}.ipynb").touch()
    (folder / "place-of-holes").mkdir()
    with (folder / "place-of-holes/a.ipynb").open("wb") as file:
        file.truncate(2**34)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(folder / "place-socket.ipynb"))
    for student in ("Ana_1", "Bo_2"):
        home = folder / f"place-of-a-class/{student}_assignsubmission_file_"
        home.mkdir(parents=True)
        (home / "attention.ipynb").write_text("{}")
    (folder / "place-folder.ipynb").mkdir()
    (folder / "place-nothing").mkdir()
    (folder / "=place+formula").mkdir()
    (folder / os.fsdecode(b"place-\xff\x1b[2J")).mkdir()
