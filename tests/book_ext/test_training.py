"""A page with a place for it gets what trains a model; where that cannot be packed, no place."""

import re
from types import SimpleNamespace

from book._ext import training
from tensorgrader.sphinx import node
from tests.chromium import SITE
from transformer_lab.widgets.train_here import PLACE

BODY = f"<p>Train it.</p>{PLACE}"


def loaded(body, folder):
    asked = []

    app = SimpleNamespace(
        config=SimpleNamespace(transformer_lab_train=folder, tensorgrader_page=""),
        add_css_file=asked.append,
        add_js_file=lambda name, **_: asked.append(name),
    )
    context = {"body": body, "pathto": lambda path, _: f"../{path}"}
    training.load(app, "page", "", context, None)
    return context["body"], [name.split("/")[-1] for name in asked]


def test_only_a_page_with_a_place_loads_it():
    assert loaded(BODY, "packed") == (BODY, ["widgets.css", "train.css", "train.js"])
    assert loaded("<p>Text.</p>", "packed") == ("<p>Text.</p>", [])


def test_where_it_is_not_packed_there_is_no_place():
    assert loaded(BODY, "") == ("<p>Train it.</p>", [])


def test_a_book_without_node_goes_without(tmp_path, monkeypatch, capsys):
    def installed(_cache):
        raise node.NoNodeError("there is no Node")

    monkeypatch.setattr(node, "installed", installed)
    app = SimpleNamespace(outdir=tmp_path / "html")
    config = SimpleNamespace(transformer_lab_train="")
    training._configure(app, config)
    assert config.transformer_lab_train == ""
    assert "no Node" in capsys.readouterr().out


def test_what_a_page_loads_is_light(tmp_path):
    """The button tells the sizes."""
    packed = training.place(SITE.parent / "cache/train")
    if not training.is_packed(packed):
        training.pack(packed, node.installed(SITE.parent / "cache/page"))
    training.write(str(packed), tmp_path)
    folder = tmp_path / training.FOLDER
    script = (folder / "train.js").read_text("utf8")
    (kilobytes,) = {int(n) for n in re.findall(r"kilobytes:(\d+),recorded", script)}
    assert kilobytes <= 12
    stems = {path.name.split("-")[0] for path in (folder / "train").iterdir()}
    assert stems == {"worker", "own_worker", "kernels", "play", "plays", "held"}
    assert (folder / "train.css").exists()
