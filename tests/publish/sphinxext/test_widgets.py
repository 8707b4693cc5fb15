"""A widget's ES module becomes a script that loads from a folder."""

import pytest

from transformer_lab.publish.sphinxext.theme import description
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


def test_a_page_is_described_by_its_first_sentences():
    from docutils.core import publish_doctree

    long = "A question comes first. " * 6
    doctree = publish_doctree(f"Title\n=====\n\nShort.\n\n{long}\n")
    assert description(doctree) == ("A question comes first. " * 4).strip()
    assert description(publish_doctree("Title\n=====\n")) == ""
