"""Widgets on the page: the host, their scripts, baked frames and still pictures."""

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Iterable
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from book._ext.jobs import EVENT, Job, cache, elsewhere
from book._ext.models import offered
from tensorgrader.exercise import Exercise
from tensorgrader.sphinx import node
from transformer_lab.widgets._learner import OF_EXERCISES
from transformer_lab.widgets._page import DRAWN, EXPORT, LATER, SOME_NEED, classic

FOLDER = "_static/transformer_lab/"
#: The one sheet of a page's widgets, named after the page.
SHEET = re.compile(r"transformer_lab/(of_\w+\.css)")
#: A still picture that is in the page itself, which a reader with scripts never sees.
WITHIN = re.compile(r'(class="tl-still" loading="lazy" src=")data:image/webp;base64,([^"]*)')
#: The first widget of a page: its name, its controls, and the place of what it shows.
FIRST = re.compile(
    r'data-widget="(\w+)"[^>]* data-start="([^"]*)".*?<div class="tl-body">()</div>', re.DOTALL
)


def stems(page: str) -> list[str]:
    """Return the widgets that a page shows."""
    return sorted(set(re.findall(r'data-widget="(\w+)"', page)))


def bake(stem: str, baked: Path) -> None:
    """Compute a widget's frames and its still picture, unless they exist."""
    from book._ext.thumbnails import thumbnail
    from transformer_lab import plots, widgets
    from transformer_lab.widgets._page import bake as frames
    from transformer_lab.widgets._page import in_json, place

    still = baked / f"{stem}.png"
    if not still.exists():
        kinds = (getattr(widgets, name) for name in widgets.__all__)
        widget = next(kind for kind in kinds if kind.stem == stem)()
        plots.use_book_style()
        data = f'transformerLab.baked("{stem}",{in_json(frames(widget))});\n'
        (baked / f"{stem}.data.js").write_text(data, "utf8")
        (baked / f"{stem}.html").write_text(place(widget), "utf8")
        (baked / f"{stem}.webp").write_bytes(thumbnail(widget.drawn()))
        still.write_bytes(widget.still())


#: What widgets' scripts import from the page's script, and how they get it.
SHARED = ("controls", "kit", "pictures", *SOME_NEED, *LATER)
FROM_THE_PAGE = (
    *(f"--external:./{name}.js" for name in SHARED),
    "--format=cjs",
    "--banner:js=((require)=>{",
    "--footer:js=})((path)=>transformerLab.shared[path]);",
)


def scripts(wanted: list[str], cache: Path) -> dict[str, str]:
    """Return the page's script and style, those of each widget, and what only some need.

    Without Node, they are as in a notebook.
    """
    stems = [*wanted, *SOME_NEED, *LATER]
    sheets = [file for stem in ("widgets", *wanted) if (file := DRAWN / f"{stem}.css").exists()]
    try:
        npm = node.installed(cache)
    except node.NoNodeError:
        made = {"widgets.js": classic("host")} | {f"{stem}.js": classic(stem) for stem in stems}
        return made | {sheet.name: sheet.read_text("utf8") for sheet in sheets}
    made = node.bundled(npm, node.PAGE / "widgets.js") | node.bundled(npm, *sheets)
    with TemporaryDirectory() as folder:
        entries = [Path(folder, f"{stem}.js") for stem in stems]
        for entry in entries:
            entry.write_text(_entry(DRAWN / entry.name), "utf8")
        return made | node.bundled(npm, *entries, options=FROM_THE_PAGE)


def _entry(module: Path) -> str:
    """Return what runs a module and, if scripts import from it, fills its place on the page."""
    if module.stem not in SHARED:
        return f'import "{module.as_posix()}";\n'
    names = f"{{ {', '.join(EXPORT.findall(module.read_text('utf8')))} }}"
    filled = f'Object.assign(require("./{module.name}"), {names});\n'
    return f'import {names} from "{module.as_posix()}";\n{filled}'


def write_assets(target: Path, wanted: list[str], baked: Path, cache: Path) -> None:
    """Write what pages load for these widgets; `baked` keeps slow results for the next build."""
    for folder in (target, baked):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in scripts(wanted, cache).items():
        (target / name).write_text(text, "utf8")
    for stem in wanted:
        bake(stem, baked)
        for end in ("data.js", "png", "webp"):
            shutil.copy(baked / f"{stem}.{end}", target)


def _jobs(app: Any, _names: list[str]) -> list[Job]:
    """Return the jobs for what is missing of all widgets."""
    from transformer_lab import widgets

    baked = Path(app.config.transformer_lab_baked, "widgets")  # one for each state of the package
    baked.mkdir(parents=True, exist_ok=True)
    every = [getattr(widgets, name).stem for name in widgets.__all__]
    wanted = [stem for stem in every if not (baked / f"{stem}.png").exists()]
    wanted = wanted if app.builder.format == "html" else []
    return [Job(stem, 3, elsewhere(bake, stem, baked)) for stem in wanted]


def of_answer(exercise: Exercise) -> str:
    """Return the element of the widget that shows an exercise's function, in a box, or ""."""
    if exercise.id not in OF_EXERCISES:
        return ""
    from transformer_lab import widgets
    from transformer_lab.widgets._page import place

    widget = getattr(widgets, OF_EXERCISES[exercise.id][0])()
    what = f"See your <code>{exercise.function}</code> in the {widget.stem.replace('_', ' ')}"
    return (
        f'<details class="tl-yours" data-answer="{exercise.id}"><summary>{what}</summary>'
        f"{place(widget)}</details>"
    )


def apart(body: str, folder: Path, address: str) -> str:
    """Move the still pictures that a page contains into files: it is read the sooner."""

    def filed(found: re.Match) -> str:
        data = base64.b64decode(found[2])
        name = f"{hashlib.sha256(data).hexdigest()[:12]}.webp"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        return f"{found[1]}{address}{name}"

    return WITHIN.sub(filed, body)


def opened(body: str) -> str:
    """Write the text that a page's first widget opens with into the page, before scripts come.

    It is large, and would else be painted last.
    """
    from transformer_lab import widgets

    if not (found := FIRST.search(body)):
        return body
    kinds = (getattr(widgets, name) for name in widgets.__all__)
    kind = next(kind for kind in kinds if kind.stem == found[1])
    if not hasattr(kind, "opening"):
        return body
    text = kind(**json.loads(unescape(found[2]))).opening()
    return f"{body[: found.start(3)]}{text}{body[found.end(3) :]}"


def point_to_assets(app: Any, page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Set the address of their files on a page with widgets, and load the host."""
    from transformer_lab.widgets._page import ASSETS

    body = context.get("body", "")
    if ASSETS not in body:
        return
    address = context["pathto"](FOLDER, 1)
    body = apart(opened(body), Path(app.outdir, FOLDER), address)
    context["body"] = body.replace(ASSETS, address)
    for sheet in ("widgets", f"of_{page.replace('/', '_')}"):
        app.add_css_file(f"transformer_lab/{sheet}.css")
    app.add_js_file("transformer_lab/widgets.js", loading_method="defer")
    if words := offered(app.config.transformer_lab_words, stems(body)):
        app.add_js_file("transformer_lab/words/asking.js", loading_method="defer", **words)


def write(app: Any, pages: Iterable[str]) -> None:
    """Write the files of the widgets that the built pages show."""
    baked = Path(app.config.transformer_lab_baked, "widgets")
    target, shown = Path(app.outdir, FOLDER), {page: stems(page) for page in pages}
    every = sorted(set().union(*shown.values()))
    write_assets(target, every, baked, cache(app))
    sheets = {stem: file for stem in every if (file := target / f"{stem}.css").exists()}
    styles = {stem: sheet.read_text("utf8") for stem, sheet in sheets.items()}
    for page, wanted in shown.items():
        if named := SHEET.search(page):
            style = "".join(styles.get(stem, "") for stem in wanted)
            (target / named[1]).write_text(style, "utf8")
    for sheet in sheets.values():
        sheet.unlink()


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect(EVENT, _jobs)
