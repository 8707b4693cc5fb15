"""Pages as plain Markdown: what becomes of MyST, of outputs and of links."""

import pytest

from book._ext.for_assistants import markdown, printed

KERNEL = "  display_name: Python 3\n  language: python\n  name: python3\n"
HEAD = f"---\nkernelspec:\n{KERNEL}---\n\n"


def converted(text, page="book/one", outputs=()):
    return markdown(page, HEAD + text, lambda target: f"to:{target}", list(outputs))


def test_a_page_becomes_plain():
    text = converted(
        "# One\n\n```{widget} OneHead\n```\n\n<noscript>\n<p>No.</p>\n</noscript>\n\n"
        "[Begin](two.md){.tl-begin}, {repository}`the code <blob/main/x.py>`, {cite:t}`vaswani2017`"
    )
    assert text.startswith("# One\n\n")
    assert "[Begin](to:two.md), [the code](https://github.com/" in text
    assert "[Vaswani et al. (2017)](http" in text
    assert not any(left in text for left in ("widget", "noscript", "{"))


def test_what_has_no_plain_form_is_refused():
    with pytest.raises(ValueError, match="mermaid"):
        converted("```{mermaid}\nA\n```\n")


def test_a_cell_comes_with_what_it_prints_but_a_proof_does_not():
    cells = "```{code-cell}\nprint(1)\n```\n\n```{code-cell}\n:tags: [proof]\nassert 1\n```\n"
    cells += "\n```{code-cell}\nprint(3)\n```\n"
    outputs = [[{"text": f"{n}\n"}] for n in ("one", "two", "three")]
    text = converted(cells, outputs=outputs)
    assert text == (
        "```python\nprint(1)\n```\n\n```\none\n```\n\n```python\nprint(3)\n```\n\n```\nthree\n```\n"
    )


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"text/markdown": "**x**", "text/plain": "<Markdown>"}, "**x**"),
        ({"text/html": '<table class="a"><td style="b: c">1</td>'}, "<table><td>1</td>"),
        ({"text/plain": "3"}, "```\n3\n```"),
        ({"image/svg+xml": "<svg>", "text/plain": "<Figure>"}, ""),
        ({"text/html": "<div>", "text/plain": "<Widget>"}, ""),
    ],
)  # fmt: skip
def test_an_output_is_told_as_text(data, told):
    assert printed({"data": data}).strip() == told
