r"""Mathematics as MathML, made while the book is built: no script, no layout shift.

KaTeX (carried by sphinxcontrib-katex) translates, in V8 (mini-racer). Browsers draw MathML Core
with the font STIX Two Math (carried by ziamath), cut down to the characters in use.
"""

import re
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

from docutils import nodes

FONT = "mathematics.woff2"

# MathML Core has no mathvariant but "normal": letters of another style are characters of their own.
_STYLES = {
    "bold": (0x1D400, 0x1D41A),
    "bold-italic": (0x1D468, 0x1D482),
    "script": (0x1D49C, 0x1D4B6),
    "double-struck": (0x1D538, 0x1D552),
}
_EXCEPTIONS = dict(
    zip(
        map(chr, (0x1D49D, 0x1D4A0, 0x1D4A1, 0x1D4A3, 0x1D4A4, 0x1D4A7, 0x1D4A8 + 1, 0x1D4AD))
        , "ℬℰℱℋℐℒℳℛ", strict=True,
    )
) | dict(zip("𝔺𝔿𝕅𝕇𝕈𝕉𝕑", "ℂℍℕℙℚℝℤ", strict=True))  # fmt: skip


def to_mathml(latex: str, *, display: bool) -> str:
    """Translate one formula. Raises ValueError with KaTeX's message if it cannot be read."""
    options = {
        "output": "mathml",
        "displayMode": display,
        "throwOnError": True,
        "strict": "error",
    }
    from py_mini_racer import JSEvalException

    try:
        markup = _katex().call("katex.renderToString", latex, options)
    except JSEvalException as error:
        message = str(error).strip().splitlines()[0]
        raise ValueError(f"{message} (in the formula {latex!r})") from None
    markup = re.sub(r'^<span class="katex">|</span>$', "", markup)
    markup = re.sub(r"<annotation .*?</annotation>", "", markup, flags=re.DOTALL)
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
    styled = "".join(_EXCEPTIONS.get(c, c) for c in styled)
    return f"<{tag}>{styled}</{tag}>"


@cache
def _katex() -> Any:
    import sphinxcontrib.katex
    from py_mini_racer import MiniRacer

    engine = MiniRacer()
    engine.eval(Path(sphinxcontrib.katex.__file__).with_name("katex.min.js").read_text("utf8"))
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


def _cut_font(app: Any, error: Exception | None) -> None:
    """Write the font with the characters that the built pages' formulas use."""
    if error or app.builder.format != "html":
        return
    import ziamath
    from fontTools import subset

    used: set[str] = set("0123456789+=()[]{}|,.√‖^ˉ~→⏞⏟")  # some are drawn without being text
    for page in Path(app.outdir).rglob("*.html"):
        for formula in re.findall(r"<math.*?</math>", page.read_text("utf8"), flags=re.DOTALL):
            used |= set(unescape(re.sub(r"<[^>]*>", "", formula)))
    # A single letter in <mi> is drawn in italics, which are characters of their own.
    italics = {"h": "ℎ"} | {
        chr(first + i): chr(italic + i)
        for first, italic in [(ord("A"), 0x1D434), (ord("a"), 0x1D44E), (0x3B1, 0x1D6FC)]
        for i in range(26)
        if (first, i) != (ord("a"), 7)
    }
    used |= {italics[c] for c in used if c in italics}
    options = subset.Options(flavor="woff2", layout_features=["*"])
    source = Path(ziamath.__file__).with_name("fonts") / "STIXTwoMath-Regular.ttf"
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(sorted(used)))
    subsetter.subset(font)
    target = Path(app.outdir, "_static", "transformer_lab", FONT)
    target.parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(font, str(target), options)


def setup(app: Any) -> None:
    """Register the renderer with Sphinx; `html_math_renderer: mathml` chooses it."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    app.connect("build-finished", _cut_font)
