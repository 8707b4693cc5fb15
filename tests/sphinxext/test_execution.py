"""The notebooks' cache belongs to one state of the package."""

from types import SimpleNamespace

from transformer_lab.sphinxext import execution


def test_only_the_cache_of_this_package_is_kept_and_files_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_LAB_STATIC", "")  # set below; as it was again afterwards
    app, config = SimpleNamespace(outdir=tmp_path / "html"), SimpleNamespace()
    cache = tmp_path / "cache"
    (cache / "an older state" / "cards").mkdir(parents=True)
    (cache / ".DS_Store").touch()
    present = cache / execution.package_hash("*.py")
    present.mkdir()
    execution._configure(app, config)
    assert {*cache.iterdir()} == {present, cache / ".DS_Store"}
    assert config.nb_execution_cache_path == str(present)
