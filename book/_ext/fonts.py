"""The book's fonts, subset to the characters that the built pages use, inside style sheets.

There they are loaded before the first line is drawn, so nothing jumps, and they load from a folder
(file://) too, where browsers block font files: Source Serif 4 and Source Sans 3 for text (from
packages of their names), STIX Two Math for formulas (from ziamath), and the theme's icons, of which
a page uses two dozen of two thousand.
"""

import base64
import io
import os
import re
from collections.abc import Collection, Iterable, Mapping
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ICONS, MATHEMATICS = "icons.css", "mathematics.css"
#: A sheet for each family: browsers load them beside each other, sooner than one of all.
FACES = {"Lab Serif": "serif.css", "Lab Sans": "sans.css"}  # webpack-macros.html links the first
BEFORE_WIDGETS = 400  # a priority: large sheets are asked for before the widgets' small ones
NOTICES = "fonts-notices.txt"
SERIF, SANS = "fontpkg_source_serif_4", "fontpkg_source_sans_3"
#: The faces of type.css by their names in rules: the package, its file, what is kept of its
#: axes. "Source" is a name reserved for the whole fonts.
TEXT: dict[tuple[str, str, str], tuple[str, str, dict[str, Any]]] = {
    ("Lab Serif", "400 700", "normal"):
        (SERIF, "SourceSerif4[opsz,wght].ttf", {"opsz": 16, "wght": (400, 700)}),
    ("Lab Serif", "400", "italic"):
        (SERIF, "SourceSerif4-Italic[opsz,wght].ttf", {"opsz": 16, "wght": 400}),
    ("Lab Sans", "400 700", "normal"): (SANS, "SourceSans3[wght].ttf", {"wght": (400, 700)}),
}  # fmt: skip
#: The faces of figures: matplotlib draws a font of many weights in its thinnest, so each has one.
FIGURES = {
    "regular.ttf": ("SourceSans3[wght].ttf", 400),
    "bold.ttf": ("SourceSans3[wght].ttf", 700),
    "italic.ttf": ("SourceSans3-Italic[wght].ttf", 400),
}
#: A line of them, in thousandths of the size: as in matplotlib's own font, closer than text's.
LINE = {"sTypoAscender": 760, "sTypoDescender": -240, "sTypoLineGap": 200}
#: What is in italics: a question below a title, a stressed word, a term, a title. Scripts stress
#: words in these characters.
SLANTED = re.compile(r"<(em|i|dfn|cite|blockquote)\b.*?</\1>", re.DOTALL)
PLAIN = "".join(map(chr, range(0x20, 0x7F))) + "‘’“”–—…×"
FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
LETTERS_AND_SIGNS = [*range(0x20, 0x180), *range(0x370, 0x400), *range(0x2000, 0x2300), 0x2713]
# Drawn in formulas without being their text: digits, roots, accents, fences.
_ALWAYS = "0123456789+=()[]{}|,.√‖^ˉ~→⏞⏟"
# A single letter in <mi> is drawn in italics instead, which are characters of their own.
_ITALIC = {
    chr(first + i): chr(italic + i)
    for first, italic in [(ord("A"), 0x1D434), (ord("a"), 0x1D44E), (ord("α"), 0x1D6FC)]
    for i in range(26)
} | {"h": "ℎ"}


def carried(package: str, file: str) -> Path:
    """Return the font file in a package, without importing it."""
    spec: Any = find_spec(package)
    [folder] = spec.submodule_search_locations
    return Path(folder, file)


def mathematics() -> Path:
    """Return the file of STIX Two Math."""
    return carried("ziamath", "fonts/STIXTwoMath-Regular.ttf")


def in_formulas(page: str) -> set[str]:
    """Return the characters that a page's formulas need."""
    used = set()
    for formula in FORMULA.findall(page):
        for tag, text in re.findall(r"<(\w[^>]*)>([^<]+)", formula):
            written = unescape(text).strip()
            slants = tag.split()[0] == "mi" and "normal" not in tag
            used |= set(_ITALIC.get(written, written) if slants else written)
    return used


def in_icons(page: str, styles: str) -> set[str]:
    """Return the icons that a page names by class, as characters of the icon font."""
    names = set(re.findall(r"\bfa-([a-z0-9-]+)", page))
    rules = re.findall(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"\\([0-9a-f]+)"\}', styles)
    called = ((set(re.findall(r"\.fa-([a-z0-9-]+)", rule)), code) for rule, code in rules)
    return {chr(int(code, 16)) for aliases, code in called if aliases & names}


def cut(font: Path, characters: Iterable[str], axes: Mapping[str, Any] | None = None) -> bytes:
    """Return the font as woff2 with these characters only, and with `axes` of its axes.

    A font of one weight, for formulas, keeps its characters' larger sizes and no other forms.
    """
    from fontTools import subset
    from fontTools.varLib.instancer import instantiateVariableFont

    features = ["ccmp", "kern", "liga", "locl", "mark", "tnum"] if axes else []
    options = subset.Options(flavor="woff2", layout_features=features, hinting=False)
    loaded = subset.load_font(str(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(sorted(set(characters))))
    subsetter.subset(loaded)
    if axes:
        instantiateVariableFont(loaded, axes, inplace=True)
    file = io.BytesIO()
    subset.save_font(loaded, file, options)
    loaded.close()
    return file.getvalue()


def write_faces_of_figures(folder: Path) -> None:
    """Write the fonts of figures, unless they exist."""
    from fontTools import subset
    from fontTools.varLib.instancer import instantiateVariableFont

    folder.mkdir(parents=True, exist_ok=True)
    for name, (file, weight) in FIGURES.items():
        if not (folder / name).exists():
            options = subset.Options(layout_features=["kern"], name_IDs=["*"])
            loaded = subset.load_font(str(carried(SANS, f"files/{file}")), options)
            subsetter = subset.Subsetter(options)
            subsetter.populate(unicodes=LETTERS_AND_SIGNS)
            subsetter.subset(loaded)
            instantiateVariableFont(loaded, {"wght": weight}, inplace=True)
            loaded["OS/2"].__dict__.update(LINE)
            postscript = f"SourceSans3-{name.removesuffix('.ttf')}"  # SVGs tell faces apart by it
            loaded["name"].setName(postscript, 6, 3, 1, 0x409)
            loaded.save(folder / name)
            loaded.close()


def face(family: str, weight: str, style: str, woff2: bytes) -> str:
    """Return a style sheet's rule that contains the font itself."""
    source = f"data:font/woff2;base64,{base64.b64encode(woff2).decode()}"
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};'
        f'font-display:block;src:url({source}) format("woff2")}}\n'
    )


def notices(fonts: Iterable[Path]) -> str:
    """Return each font's author and licence, as the font itself says, and the OFL."""
    from fontTools.ttLib import TTFont

    told = ["The fonts of this site, each cut down to the characters that the site uses:"]
    for font in fonts:
        names = TTFont(font)["name"]
        told.append("\n".join(names.getDebugName(i) or "" for i in (4, 0, 13, 14)))
    return "\n\n".join([*told, carried(SERIF, "LICENSE").read_text("utf8")])


def write(site: Path, pages: Collection[str]) -> None:
    """Write the fonts that these pages need, and their notices."""
    static = site / "_static"
    sheet = static / "styles/pydata-sphinx-theme.css"
    if not sheet.exists():  # no page was written: nothing has changed since lighten.py
        return
    theme = sheet.read_text("utf8")
    formulas = set(_ALWAYS).union(*map(in_formulas, pages))
    icons = set(re.findall(r'--pst-icon-[a-z-]+:"(.)"', theme)).union(
        *(in_icons(page, theme) for page in pages)
    )
    solid = static / "vendor/fontawesome/webfonts/fa-solid-900.ttf"
    scripts = static.glob("transformer_lab/**/*.js")  # the theme's are in many languages
    words = [FORMULA.sub("", page) for page in pages]
    slanted = (found[0] for page in words for found in SLANTED.finditer(page))
    text = {
        "normal": "".join([*words, *(script.read_text("utf8") for script in scripts)]),
        "italic": "".join([PLAIN, *slanted]),
    }
    faces = dict.fromkeys(FACES.values(), "")
    for kind, (package, file, axes) in TEXT.items():
        font = cut(carried(package, f"files/{file}"), text[kind[2]], axes)
        faces[FACES[kind[0]]] += face(*kind, font)
    for name, rule in {
        **faces,
        ICONS: face("Font Awesome 6 Free", "900", "normal", cut(solid, icons)),
        MATHEMATICS: face("STIX Two Math", "400", "normal", cut(mathematics(), formulas)),
    }.items():
        (static / name).write_text(rule, "utf8")
    files = [carried(package, f"files/{file}") for package, file, _ in TEXT.values()]
    (static / NOTICES).write_text(notices([*files, mathematics(), solid]), "utf8")


def _offer_to_figures(app: Any, _config: Any) -> None:
    folder = Path(app.outdir).parent / "cache/faces"
    write_faces_of_figures(folder)
    os.environ["TRANSFORMER_LAB_FACES"] = str(folder)  # inherited by kernels


def add_mathematics(app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Load the font of formulas on a page that has some."""
    if "<math" in context.get("body", ""):
        app.add_css_file(MATHEMATICS, priority=BEFORE_WIDGETS)


def setup(app: Any) -> None:
    """Register with Sphinx."""
    for sheet in (FACES["Lab Sans"], ICONS):
        app.add_css_file(sheet, priority=BEFORE_WIDGETS)
    app.connect("config-inited", _offer_to_figures)
