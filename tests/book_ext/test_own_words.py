"""What a page gets to read own words: scripts for what is installed, or nothing."""

import json
import re
import sys
from types import SimpleNamespace

import pytest

from book._ext import own_words
from book._ext.packing import PAGE


@pytest.fixture
def two_models(monkeypatch):
    """Let one model be installed, which is small, and another one not."""
    parts = {f"tiny-tokens-{n}.safetensors": bytes(range(n, n + 200)) * 50 for n in range(12)}
    tiny = {"tiny.safetensors": b"weights" * 9} | parts
    monkeypatch.setattr(own_words, "MODELS", {"Tiny": ("json", lambda: tiny), "no": ("absent_", 0)})
    return tiny


def constant(script, name):
    return json.loads(re.search(rf"const {name} = (.*);", script)[1])


def test_what_is_installed_is_packed(two_models, tmp_path):
    folder = own_words.place(tmp_path / "cache")
    (tmp_path / "cache/of another state").mkdir(parents=True)
    own_words.pack(folder)
    assert [*folder.parent.iterdir()] == [folder]
    script = (folder / "words.js").read_text("utf8")
    assert script.startswith("(() => {")
    files = constant(script, "PACKED")
    assert files.keys() == {*two_models, "worker.js", "linear.wasm"}
    assert all((folder / name).exists() for parts in files.values() for name, _ in parts)
    assert constant(script, "SIZES").keys() == {"Tiny"}
    assert "Apache License" in (folder / own_words.NOTICES).read_text("utf8")
    app = SimpleNamespace(config=SimpleNamespace(transformer_lab_words=str(folder)))
    assert own_words._jobs(app, []) == []
    (folder / own_words.NOTICES).unlink()
    assert [job.name for job in own_words._jobs(app, [])] == ["the pages' models"]


def test_a_size_is_that_of_a_sentence_and_of_the_whole(monkeypatch):
    manifest = {"tiny.safetensors": [["a", 5_000_000], ["b", 1_000_000]], "worker.js": [["c", 9]]}
    manifest |= {f"tiny-tokens-{n}.safetensors": [["d", 100_000]] for n in range(20)}
    assert own_words._sizes(["Tiny"], manifest) == {"Tiny": [6.9, 8.0]}
    assert own_words._sizes(["Tiny"], {"tiny.bin": [["a", 140_000]]}) == {"Tiny": [0.1]}


def test_without_any_model_the_book_goes_without_and_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setattr(own_words, "MODELS", {"no": ("absent_", 0)})
    with pytest.raises(ModuleNotFoundError, match="transformer-lab pretrained"):
        own_words.place(tmp_path)
    assert own_words.offered("", ["real_heads"]) == {}


@pytest.mark.parametrize("needed", own_words.NEEDED)
def test_without_what_packs_them_the_book_goes_without_and_says_how_to_get_it(
    two_models, monkeypatch, tmp_path, capsys, needed
):
    monkeypatch.setitem(sys.modules, needed, None)
    app = SimpleNamespace(outdir=tmp_path / "_build/html")
    config = SimpleNamespace(transformer_lab_words="")
    own_words._configure(app, config)
    assert config.transformer_lab_words == ""
    assert own_words._jobs(SimpleNamespace(config=config), []) == []
    assert f"{needed} is not installed: type `make book`" in capsys.readouterr().out


def test_only_a_page_with_a_real_model_is_told_of_it():
    assert own_words.offered("folder", ["norm_explorer"]) == {}
    told = own_words.offered("folder", ["norm_explorer", "real_heads"])
    assert told == {"data-words": "real_heads"}


def test_the_worker_is_one_script_in_which_each_module_follows_what_it_needs():
    script = own_words.worker()
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    made = re.findall(r"^modules\.(\w+) = ", script, re.MULTILINE)
    assert len(made) == len(own_words.MODULES)
    assert {*made} == {"sampling", *(path.stem for path in (PAGE / "own_words").glob("*.js"))}
    for used in re.finditer(r"= modules\.(\w+);", script):
        assert script.index(f"modules.{used[1]} = (") < used.start()


def test_a_page_gets_what_asks_and_nothing_of_the_models(two_models, tmp_path):
    folder = own_words.place(tmp_path / "cache")
    own_words.pack(folder)
    own_words.write(folder, tmp_path)
    script = (tmp_path / "own_words.js").read_text("utf8")
    assert "const widgetOwnWords" in script
    assert "transformerLab.models[widget]" in script
    assert "PACKED = " not in script
    assert (tmp_path / "words/words.js").exists()
