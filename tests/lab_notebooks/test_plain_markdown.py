"""From MyST to Markdown that every notebook shows."""

import pytest

from lab_notebooks.plain_markdown import citation, plain

PAPERS = {"a": ("Ada et al.", "2017", "https://a.org"), "b": ("Bo", "1994", "https://b.org")}


def rewritten(text):
    return plain(
        text, lambda style, keys: citation(style, keys, PAPERS), lambda target: f"to/{target}"
    )


@pytest.mark.parametrize(
    ("myst", "markdown"),
    [
        ("(a-label)=\n## Heading", "## Heading"),
        ("So {cite:p}`a,b`.", "So ([Ada et al., 2017](https://a.org); [Bo, 1994](https://b.org))."),
        ("```{note}\nOne.\n\nTwo.\n```\nAfter", "> **Note**\n>\n> One.\n>\n> Two.\nAfter"),
        (":::{warning}\nMind.\n:::", "> **Warning**\n>\n> Mind."),
        ("```{tip} A title\nDo.\n```", "> **A title**\n>\n> Do."),
        ("````{admonition} Why?\n:class: tip\n\nSee.\n```\ncode\n```\n````",
         "> **Why?**\n>\n> See.\n> ```\n> code\n> ```"),
        ("[x](page.md)", "[x](to/page.md)"),
        ("the [**query**]{.query} $\\query{q_i} \\key{k}$", "the **query** $q_i k$"),
        ("$\\frac{\\query{Q}}{\\sqrt\\key{d_{k}}}$", "$\\frac{Q}{\\sqrt d_{k}}$"),
        ("`[x]{.key}`", "`[x]{.key}`"),
        ("![alt](https://x.org/p.png)", "![alt](https://x.org/p.png)"),
        ("`{note}` and ``(label)=``", "`{note}` and ``(label)=``"),
        ("```python\n(label)=1\nx = {y}\n% z\n```", "```python\n(label)=1\nx = {y}\n% z\n```"),
        ("`[x](page.md)`", "`[x](page.md)`"),
        ("$\\text{a}_{b}$ and $$\nx\n$$", "$\\text{a}_{b}$ and $$\nx\n$$"),
        ("<details>\n\nText\n\n</details>", "<details>\n\nText\n\n</details>"),
        ('<details class="deep"><summary>Dive</summary>\n\nText', "**Dive**\n\nText"),
        ("</details>\n\nAfter", "After"),
        ("</details>", ""),
        ("<details>\n\nA\n\n</details>\n\nB\n\n</details>\n\n<details>\n\nC\n\n</details>",
         "<details>\n\nA\n\n</details>\n\nB\n\n\n<details>\n\nC\n\n</details>"),
        ("| a |\n|---|\n| b |", "| a |\n|---|\n| b |"),
    ],
)  # fmt: skip
def test_what_chapters_use_is_rewritten(myst, markdown):
    assert rewritten(myst) == markdown


@pytest.mark.parametrize(
    "myst",
    [
        "```{figure} x.png\n```",
        "```{bibliography}\n```",
        ":::{grid} 2\n:::",
        ":::\n",
        "![alt](picture.png)",
        "see {ref}`label`",
        "see {eq}`label` and `code`",
        "% a comment",
        "[x]{.other}",
        "{{ substitution }}",
        "a footnote[^1]",
        "$$\nx\n$$ (label)",
        "```{note}\nnever closed",
    ],
)
def test_anything_else_is_refused(myst):
    with pytest.raises(ValueError, match="plain notebook"):
        rewritten(myst)
