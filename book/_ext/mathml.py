r"""Mathematics as MathML, generated while the book is built: no script, no layout shift.

KaTeX (from sphinxcontrib-katex) translates, in V8 (mini-racer); browsers draw MathML Core, in the
font that fonts.py adds to the page.
"""

import re
from functools import cache
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

#: `\query{Q}` has its role's colour: a name here, since the colour is the page's and its theme's.
_MACROS = {rf"\{role}": rf"\textcolor{{{role}}}{{#1}}" for role in ("query", "key", "value")}
LONG = 24  # characters of LaTeX: a longer formula with a full stop may be too wide for a phone
# MathML Core has no mathvariant but "normal": letters of another style are characters of their own.
_STYLES = {
    "bold": (0x1D400, 0x1D41A),
    "bold-italic": (0x1D468, 0x1D482),
    "script": (0x1D49C, 0x1D4B6),
    "double-struck": (0x1D538, 0x1D552),
}
# KaTeX spaces formulas for its own fonts; browsers know operators from a dictionary of their own.
# There `sin` stands close to its neighbours, a minus behind a bracket is one between two numbers,
# and three dots are an operator.
_NAME, _THIN = r"<mi>\w\w+</mi><mo>\u2061</mo>", '<mspace width="0.1667em"/>'
_SPACED = (
    (rf"((?:{_NAME}|<msub><mrow>{_NAME}</mrow><m\w>\w+</m\w></msub>))"
     r"(?!</mrow>|(?:<mrow>)?<mo[^>]*>[(\[{∑]|<munder)", rf"\1{_THIN}"),
    (rf"(</m(?:i|n|sub|sup|subsup|row|frac|sqrt)>|<mo[^>]*>[)\]]</mo>)"
     rf"(?=(?:<msub><mrow>)?{_NAME})", rf"\1{_THIN}"),
    (r"(<mo[^>]*>[^)\]}|∣∥!<]+</mo>|<mspace[^>]*/>)<mo>([−+±])</mo>",
     r'\1<mo form="prefix">\2</mo>'),
    (r"<mo>([…⋯])</mo>", r"<mi>\1</mi>"),
)  # fmt: skip
# Some of them were in Unicode before the others.
_ELDER = str.maketrans("𝒝𝒠𝒡𝒣𝒤𝒧𝒨𝒭𝔺𝔿𝕅𝕇𝕈𝕉𝕑", "ℬℰℱℋℐℒℳℛ" + "ℂℍℕℙℚℝℤ")


def to_mathml(latex: str, *, display: bool) -> str:
    """Translate one formula. Raises ValueError with KaTeX's message if it cannot be read."""
    options = {
        "output": "mathml",
        "displayMode": display,
        "throwOnError": True,
        "strict": "error",
        "macros": _MACROS,
    }
    from py_mini_racer import JSEvalException

    try:
        markup = _katex().call("katex.renderToString", latex, options)
    except JSEvalException as error:
        message = str(error).strip().splitlines()[0]
        raise ValueError(f"{message} (in the formula {latex!r})") from None
    markup = re.sub(r'^<span class="katex">|</span>$', "", markup)
    markup = re.sub(r"<annotation .*?</annotation>", "", markup, flags=re.DOTALL)
    for pattern, better in _SPACED:
        markup = re.sub(pattern, better, markup)
    markup = re.sub(r'mathcolor="(query|key|value)"', r'class="tl-\1"', markup)
    return re.sub(r'<(m[ion]) mathvariant="([a-z-]+)">([^<]*)</\1>', _styled, markup)


def _styled(match: re.Match) -> str:
    tag, style, text = match.groups()
    if style not in _STYLES:
        return match[0]
    upper, lower = _STYLES[style]
    styled = [
        chr(upper + ord(c) - ord("A")) if "A" <= c <= "Z"
        else chr(lower + ord(c) - ord("a")) if "a" <= c <= "z"
        else c
        for c in unescape(text)
    ]  # fmt: skip
    return f"<{tag}>{''.join(styled).translate(_ELDER)}</{tag}>"


@cache
def _katex() -> Any:
    from py_mini_racer import MiniRacer

    spec: Any = find_spec("sphinxcontrib.katex")
    source = Path(spec.origin).with_name("katex.min.js")
    engine = MiniRacer()
    engine.eval(source.read_text("utf8"))
    return engine


def _visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(to_mathml(node.astext(), display=False))
    raise nodes.SkipNode


def _visit_block(translator: Any, node: nodes.math_block) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    anchor = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    formula = to_mathml(node.astext(), display=True)
    translator.body.append(f'<div class="math-block"{anchor} tabindex="0">{formula}{number}</div>')
    raise nodes.SkipNode


class KeepMarks(SphinxPostTransform):
    """Keeps a formula and the full stop or comma after it on one line."""

    default_priority = 200
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Wrap both in one span, which the style sheet does not break."""
        for formula in [*self.document.findall(nodes.math)]:
            after = formula.next_node(descend=False, siblings=True)
            if isinstance(after, nodes.Text) and (marks := re.match(r"[^\w\s]+", after)):
                long = ["tl-long"] * (len(formula.astext()) > LONG)
                kept = nodes.inline("", "", classes=["tl-kept", *long])
                formula.replace_self(kept)
                kept += [formula, nodes.Text(marks[0])]
                kept.parent.replace(after, nodes.Text(after[marks.end() :]))


def setup(app: Any) -> None:
    """Register the renderer with Sphinx; `html_math_renderer: mathml` chooses it."""
    app.add_post_transform(KeepMarks)
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
