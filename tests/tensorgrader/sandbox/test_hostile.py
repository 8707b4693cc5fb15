"""Hostile submissions earn nothing, harm nobody, stop nothing and leave nothing behind."""

import hashlib
import json
import os
import resource
import tempfile
from itertools import groupby, islice
from pathlib import Path

import pytest
import torch

from lab_notebooks.notebooks import read_notebook
from tensorgrader.classes.grade_class import MEMORY, grade_class, local_pool
from tensorgrader.classes.submissions import printable
from tensorgrader.sandbox.pool import Limits
from tensorgrader.sandbox.processes import lacking
from tensorgrader.source.forms import solved_text
from tests.course import CHAPTERS, Settings, write_reports
from tests.tensorgrader.asking import worth
from tests.tensorgrader.sandbox import hostile as whole
from tests.tensorgrader.sandbox.hostile import replaced

pytestmark = pytest.mark.skipif(bool(lacking()), reason=f"no sandbox: {lacking()}")

ROOT = Path(__file__).parents[3]
HOSTILE = ROOT / "corpus/hostile"
ALL = {path.stem: path for path in sorted(HOSTILE.rglob("*.cell"))}
#: Two of each kind, of those that are soon over; `make test-full` has the others.
KINDS = groupby(sorted(HOSTILE.glob("*.cell")), lambda path: path.stem.split("-")[0])
CELLS = {path.stem: path for _, paths in KINDS for path in islice(paths, 2)}
OTHERS = {name: path for name, path in ALL.items() if name not in CELLS}
TOUCHES_TORCH = {"patch", "tamper", "subclass"}
BUILT = ("scores", "softmax", "attention")
POINTS = {function: worth("attention")[function] for function in BUILT}
STEPS = {f"attention-{function.replace('_', '-')}" for function in POINTS}
SETTINGS = Settings(seed=5, limits=Limits(deadline=1.5))
ATTENTION = """
def attention(q, k, v, mask=None):
    s = q @ k.mT / k.size(-1) ** 0.5
    s = s if mask is None else s.masked_fill(~mask, -1e9)
    w = (s - s.amax(-1, keepdim=True)).exp()
    w = w / w.sum(-1, keepdim=True)
    w = w if mask is None else w * mask
    return w @ v, w
"""


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """Grade hostile submissions of every kind beside honest ones."""
    return graded(tmp_path_factory.mktemp("hostile"), CELLS, files=True)


def graded(home, cells, files):
    folder, out, canary = home / "submissions", home / "report", home / "canary"
    folder.mkdir(), out.mkdir()
    canary.write_text("sing")
    canary.chmod(0o666), home.chmod(0o777)
    solved = read_notebook("exercises/attention", solved_text)
    solved = replaced(solved, "attention-attention", ATTENTION)
    around = {e.id for e in CHAPTERS["attention"].exercises} - STEPS
    solved["cells"] = [cell for cell in solved["cells"] if cell["id"] not in around]
    for name, path in cells.items():
        function, cell = path.read_text("utf8").split("\n", 1)
        places = {"CANARY": canary, "ROOT": ROOT, "SUBMISSIONS": folder, "RESULTS": out / "results"}
        for word, place in places.items():
            cell = cell.replace(word, str(place))
        text = json.dumps(replaced(solved, f"attention-{function[2:].replace('_', '-')}", cell))
        (folder / f"{name}.ipynb").write_text(text, "utf8")
    for name, raw in whole.written(solved).items() if files else ():
        (folder / name).write_bytes(raw)
    if files:
        whole.placed(folder, secret=home / "canary")
    for number in range(8):
        (folder / f"neighbour-{number}.ipynb").write_text(json.dumps(solved), "utf8")
    before, running = snapshot(home), children()
    records = list(grade_class(folder, out / "results", SETTINGS, local_pool(2)))
    after = snapshot(home)
    write_reports(out, records)
    return {
        "records": {record["student"].removesuffix(".ipynb"): record for record in records},
        "entries": len(os.listdir(folder)),
        "changed": {path for path in before.keys() | after if before.get(path) != after.get(path)},
        "left": children() - running,
        "out": out,
    }


def snapshot(home):
    places = [home / "canary", *home.glob("canary*"), *(home / "submissions").glob("*.ipynb")]
    places += [ROOT / "transformer_lab/attention.py", Path(torch.__file__)]
    for folder in (Path("/dev/shm"), Path.cwd(), ROOT, Path(tempfile.gettempdir()), home):
        places += folder.glob("left-behind")
    return {
        path: (path.lstat().st_mode, hashlib.sha256(path.read_bytes()).digest())
        for path in places
        if path.is_file() and not path.is_symlink()
    }


def children():
    """List the processes that have this one for a parent, but for Python's own helpers."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            if not any(helper in words for helper in (b"resource_tracker", b"forkserver")):
                found.add(pid)
    return found


def by_exercise(record):
    return {work["function"]: work["earned"] for work in record["notebooks"][0]["works"]}


def test_there_are_enough_of_every_kind(batch):
    kinds = {name.split("-")[0] for name in batch["records"]}
    assert len(ALL) >= 220
    assert kinds >= {"tamper", "forge", "patch", "subclass", "ready", "read", "network", "write"}
    assert kinds >= {"kill", "fork", "memory", "output", "time", "json", "zip", "place", "name"}
    assert kinds >= {"signal", "silence", "exhaust", "names"}


def test_nobody_is_lost_and_the_grader_never_failed(batch):
    assert len(batch["records"]) == batch["entries"]
    assert not [name for name, record in batch["records"].items() if record.get("failed")]


@pytest.mark.parametrize("name", CELLS)
def test_a_hostile_cell_earns_nothing(batch, name):
    earns_nothing(name, CELLS[name], batch)


@pytest.mark.score
def test_all_other_hostile_cells_earn_nothing(tmp_path):
    batch = graded(tmp_path, OTHERS, files=False)
    for name, path in OTHERS.items():
        earns_nothing(name, path, batch)
    test_neighbours_keep_their_points(batch)
    test_nothing_was_changed_and_nothing_is_left(batch)
    test_nobody_is_lost_and_the_grader_never_failed(batch)


def earns_nothing(name, path, batch):
    function = path.read_text("utf8").split("\n", 1)[0][2:]
    scores = by_exercise(batch["records"][name])
    assert scores[function] == 0, name
    if name.split("-")[0] not in TOUCHES_TORCH:
        kept = POINTS.keys() - {function}
        assert {key: scores[key] for key in kept} == {key: POINTS[key] for key in kept}, name


def test_neighbours_keep_their_points(batch):
    for number in range(8):
        record = batch["records"][f"neighbour-{number}"]
        assert {key: n for key, n in by_exercise(record).items() if n} == POINTS
        assert not record["problems"]


def test_nothing_was_changed_and_nothing_is_left(batch):
    assert not batch["changed"]
    assert not batch["left"]


def test_a_process_of_the_grader_cannot_grow_beyond_its_bound():
    """And none that graded all these failed for want of memory: see above."""
    with local_pool(1).make() as pool:
        bound, _ = pool.submit(resource.getrlimit, resource.RLIMIT_AS).result()
    assert bound == MEMORY


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("json-cut-off", "ends in the middle"),
        ("json-wide", "Clear its outputs"),
        ("json-not-utf-8", "UTF-8"),
        ("json-without-ids", "no answer cells"),
        ("json-endless-code", "characters of code"),
        ("json-picture", "picture"),
        ("zip-bomb.zip", "All together it is more than"),
        ("zip-link.zip", "is a link"),
        ("zip-locked.zip", "protected by a password"),
        ("zip-deep.zip", "zips in zips"),
        ("zip-of-a-class.zip", "not one student's"),
        ("place-pipe", "not a regular file"),
        ("place-many-files", "more than 10000 files"),
        ("place-of-holes", "larger than"),
    ],
)
def test_what_cannot_be_read_is_told_in_words(batch, name, words):
    record = batch["records"][printable(f"{name}.ipynb").removesuffix(".ipynb")]
    assert any(words in problem for problem in record["problems"]), record["problems"]


#: What can be read all the same: the first is as any system writes it.
READ = {"zip-in-a-zip.zip", "json-checks-called-answers", "json-endless-answers"}
READ |= {"json-points-of-its-own"}


def test_whatever_is_wrong_as_a_file_earns_nothing(batch):
    wrong = ("json-", "zip-", "place-", "name-", "=place", "-")
    records = {n: r for n, r in batch["records"].items() if n.startswith(wrong) and n not in READ}
    assert len(records) > 60
    assert {n for n, record in records.items() if record["earned"]} == set()
    silent = {n for n, r in records.items() if not r["problems"] and not r["notebooks"]}
    assert silent == set(), "it is told why nothing was read"


def test_a_notebook_as_any_system_writes_it_is_read(batch):
    assert batch["records"]["zip-in-a-zip.zip"]["earned"] == sum(POINTS.values())


@pytest.mark.parametrize("name", ["checks-called-answers", "endless-answers", "points-of-its-own"])
def test_ids_given_twice_earn_no_more_than_there_is(batch, name):
    assert batch["records"][f"json-{name}"]["earned"] <= sum(POINTS.values())


def test_the_report_shows_what_they_wrote_as_text(batch):
    pages = [path.read_text("utf8") for path in batch["out"].rglob("*.html")]
    assert len(pages) == batch["entries"] + 1
    assert not any("<script" in page or "<img" in page or "<style>*" in page for page in pages)
    assert not any("\x1b" in page for page in pages)
    table = (batch["out"] / "scores.csv").read_text("utf8")
    assert "\n'=place" in table
