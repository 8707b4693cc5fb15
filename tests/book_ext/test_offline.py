"""The book in one zip file: what is in it, and that it is the same each time."""

import re
import subprocess
import sys
from zipfile import ZipFile

import pytest

from book._ext.offline import CARDS, WORDS, pack

PAGES = {"index.html": "start", "book/index.html": "a page", ".buildinfo": ""}
PAGES |= {f"_static/{n}.js": "1" for n in range(20)}


@pytest.fixture
def site(tmp_path):
    for name, text in PAGES.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf8")
    return tmp_path / "site"


def test_the_zip_holds_the_site_and_a_page_to_begin_with(site, tmp_path):
    target = pack(site, tmp_path / "build")
    top = target.name.removesuffix("-offline.zip")
    assert re.fullmatch(r"transformer-lab-\d+\.\d+\.\d+", top)
    with ZipFile(target) as archive:
        begin, *rest = archive.namelist()
        assert begin == f"{top}/Open me.html"
        assert rest == sorted(f"{top}/site/{name}" for name in PAGES if name[0] != ".")
        assert archive.read(f"{top}/site/book/index.html") == b"a page"
        for to in re.findall(rb'(?:url|href)="?([^"]+)"', archive.read(begin)):
            assert f"{top}/{to.decode()}" in rest
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o644}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_what_only_other_sites_show_stays_out(site, tmp_path):
    (site / CARDS).mkdir(parents=True)
    (site / CARDS / "masking.png").write_bytes(b"a card")
    assert not [name for name in ZipFile(pack(site, tmp_path)).namelist() if CARDS in name]


def test_what_is_for_assistants_stays_out_and_no_page_tells_of_it(site, tmp_path):
    (site / "book/index.html").write_text(
        '<link rel="icon">\n<link rel="alternate" type="text/markdown" href="index.md">\na page'
    )
    for name in ("book/index.md", "exercises/one.json", "llms.txt", "_static/one.json"):
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text("for assistants")
    with ZipFile(pack(site, tmp_path)) as archive:
        shown = {name.partition("/site/")[2]: name for name in archive.namelist()}
        assert {"book/index.html", "_static/one.json"} <= shown.keys()
        assert not {"book/index.md", "exercises/one.json", "llms.txt"} & shown.keys()
        assert archive.read(shown["book/index.html"]) == b'<link rel="icon">\na page'


def test_the_small_file_has_in_place_of_the_models_what_says_so(site, tmp_path):
    words = site / WORDS
    words.mkdir(parents=True)
    for name in ("asking.js", "words.js", "minilm-0.js", "notices.txt"):
        (words / name).write_text("of the models", "utf8")
    targets = [pack(site, tmp_path, models=models) for models in (True, False)]
    large, small = (set(ZipFile(target).namelist()) for target in targets)
    gone = {name.rpartition("/")[2] for name in large - small}
    assert gone == {"minilm-0.js", "notices.txt"}
    assert small < large
    with ZipFile(targets[1]) as archive:
        (name,) = (name for name in small if name.endswith(f"{WORDS}words.js"))
        assert b"came without the models" in archive.read(name)


def test_a_folder_without_a_page_is_told(tmp_path):
    command = [sys.executable, "-m", "book._ext.offline", tmp_path, tmp_path / "build"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "make html" in done.stderr
    assert not (tmp_path / "build").exists()
