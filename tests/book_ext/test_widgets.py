"""A widget's ES module becomes a script that loads from a folder."""

from types import SimpleNamespace

import pytest

from book._ext.theme import description
from book._ext.widgets import _jobs
from transformer_lab import widgets
from transformer_lab.widgets._page import classic_script


def test_the_default_export_is_registered():
    module = "function render() {}\nexport default { render };\n"
    assert classic_script(module, "toy") == (
        "(() => {\nfunction render() {}\ntransformerLab.widgets.toy = { render };\n})();\n"
    )


@pytest.mark.parametrize(
    "module",
    ["function render() {}\n", 'import x from "./x.js";\nexport default {};\n',
     "export const a = 1;\nexport default {};\n"],
)  # fmt: skip
def test_a_module_that_needs_others_is_refused(module):
    with pytest.raises(ValueError, match=r"toy\.js must have one `export default`"):
        classic_script(module, "toy")


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


def test_a_page_is_described_by_its_first_sentences():
    from docutils.core import publish_doctree

    long = "A question comes first. " * 6
    doctree = publish_doctree(f"Title\n=====\n\nShort.\n\n{long}\n")
    assert description(doctree) == ("A question comes first. " * 4).strip()
    assert description(publish_doctree("Title\n=====\n")) == ""
