"""What a page gets to read own words: scripts for what is installed, or nothing."""

import re
import sys
from types import SimpleNamespace

import pytest

from book._ext import models
from tensorgrader.sphinx import node
from tests.conftest import ROOT


@pytest.fixture
def two_models(monkeypatch):
    parts = {f"tiny-tokens-{n}.safetensors": bytes(range(n, n + 200)) * 50 for n in range(12)}
    tiny = {"tiny.safetensors": b"weights" * 9} | parts
    monkeypatch.setattr(models, "MODELS", {"Tiny": ("json", lambda: tiny), "no": ("absent_", 0)})
    return tiny


def test_what_is_installed_is_packed(two_models, tmp_path):
    folder = models.place(tmp_path / "cache")
    (tmp_path / "cache/of another state").mkdir(parents=True)
    models.pack(folder, node.installed(ROOT / "_build/cache/page"))
    assert [*folder.parent.iterdir()] == [folder]
    script = (folder / "words.js").read_text("utf8")
    for file in (*two_models, "worker.js", "linear.wasm"):
        assert file in script
    parts = set(re.findall(r"[\w-]+\.[0-9a-f]{12}\.js", script))
    written = {path.name for path in folder.iterdir()}
    assert written == parts | {"words.js", "asking.js", models.NOTICES}
    assert "Tiny" in script
    assert "tiny-" not in (folder / "asking.js").read_text("utf8")
    assert "Apache License" in (folder / models.NOTICES).read_text("utf8")
    config = SimpleNamespace(transformer_lab_words=str(folder))
    app = SimpleNamespace(config=config, outdir=ROOT / "_build/html")
    assert models._jobs(app, []) == []
    (folder / models.NOTICES).unlink()
    assert [job.name for job in models._jobs(app, [])] == ["the pages' models"]


def test_without_any_model_the_book_goes_without_and_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setattr(models, "MODELS", {"no": ("absent_", 0)})
    with pytest.raises(ModuleNotFoundError, match="transformer-lab pretrained"):
        models.place(tmp_path)
    assert models.offered("", ["real_heads"]) == {}


@pytest.mark.parametrize("needed", models.NEEDED)
def test_without_what_packs_them_the_book_goes_without_and_says_how_to_get_it(
    two_models, monkeypatch, tmp_path, capsys, needed
):
    monkeypatch.setitem(sys.modules, needed, None)
    app = SimpleNamespace(outdir=tmp_path / "_build/html")
    config = SimpleNamespace(transformer_lab_words="")
    models._configure(app, config)
    assert config.transformer_lab_words == ""
    assert models._jobs(SimpleNamespace(config=config), []) == []
    assert f"{needed} is not installed" in capsys.readouterr().out


def test_only_a_page_with_a_real_model_is_told_of_it():
    assert models.offered("folder", ["norm_explorer"]) == {}
    told = models.offered("folder", ["norm_explorer", "real_heads"])
    assert told == {"data-words": "real_heads"}
