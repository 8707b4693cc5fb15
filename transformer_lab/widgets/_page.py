"""What a page with widgets and no kernel needs: elements, scripts, baked frames, pictures.

The book's pages share files, in a folder that Sphinx fills (`TRANSFORMER_LAB_STATIC=1`). A page in
one file (`TRANSFORMER_LAB_STATIC=inline`, for `nbconvert --to html`) contains all of it with each
widget: the runtime, and the widget's frames.
"""

import base64
import json
import os
import re
from html import escape
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
INSTALLED = PACKAGE / "_sources/widgets"
#: What draws the widgets in the browser. A page's Python has no such folder, and needs none.
DRAWN = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent / "widgets"
#: A placeholder in the HTML for the folder of the widgets' files, replaced by the publisher.
ASSETS = "transformer-lab-assets:"
#: A line with which a module imports from its neighbour.
IMPORT = re.compile(r'^import (?:(\{[^}]*\}) from )?"\./(\w+)\.js";$', re.MULTILINE)
#: Modules that some widgets import: a page with one of those loads them, others do not.
SOME_NEED = ("byte_pairs", "charts", "player", "silencing", "typing", "walk_map", "writing")
#: Modules that a widget asks for when a reader comes to what they are for.
LATER = ("edits", "plane")
EXPORT = re.compile(r"^export (?:class|const|function) (\w+)", re.MULTILINE)


def home() -> str:
    """Return where widgets show: with a kernel (""), on the book's pages ("1"), or "inline"."""
    return os.environ.get("TRANSFORMER_LAB_STATIC", "")


def linked(module: str) -> str:
    """Return an ES module together with its imports from the same folder, as one text.

    For use without a bundler: a kernel's notebook, a page in one file, a build without Node. Each
    imported module becomes a function that returns its exports.
    """
    made: dict[str, str] = {}

    def fed(text: str) -> str:
        for _, stem in IMPORT.findall(text):
            if stem not in made:
                made[stem] = as_function(stem)
        return IMPORT.sub(lambda m: f"const {m[1]} = modules.{m[2]};" if m[1] else "", text)

    def as_function(stem: str) -> str:
        text = fed((DRAWN / f"{stem}.js").read_text("utf8"))
        names = ", ".join(EXPORT.findall(text))
        body = re.sub("^export (?:default )?", "", text, flags=re.MULTILINE)
        return f"modules.{stem} = (() => {{\n{body}return {{ {names} }};\n}})();\n"

    text = fed(module)
    return "".join(["const modules = {};\n", *made.values(), text])


def module(stem: str) -> str:
    """Return a widget's module for a kernel's notebook."""
    return linked((DRAWN / f"{stem}.js").read_text("utf8"))


def classic(*stems: str) -> str:
    """Return modules of these names, and their imports, as a script without global names."""
    imports = "".join(f'import "./{stem}.js";\n' for stem in stems)
    return f"{{\n{linked(imports)}}}\n"


def style(stem: str) -> str:
    """Return the style of all widgets, with a widget's own."""
    files = (DRAWN / name for name in ("widgets.css", f"{stem}.css"))
    return "".join(file.read_text("utf8") for file in files if file.exists())


def bake(widget: Any) -> dict[str, Any]:
    """Compute every frame of a widget's grid, for the page's host; equal bytes are stored once.

    `frames` is nested in the order of the axes: `frames[i][j]` belongs to the first axis' stop i
    and the second's stop j. What is not swept stays at its default: the page computes the rest.
    """
    offers, controls = {name: widget.stops[name] for name in widget.axes()}, widget.controls()
    free = [name for name in offers if not controls[name].swept]
    axes = {name: stops for name, stops in offers.items() if name not in free}
    blob, kept = bytearray(), {}

    def packed(value: Any) -> Any:
        if not isinstance(value, bytes):
            return value
        if value not in kept:
            kept[value] = len(blob)
            blob.extend(value)
        return {"from": kept[value], "size": len(value)}

    def swept(place: dict[str, Any], *left: str) -> Any:
        if left:
            return [swept(place | {left[0]: stop}, *left[1:]) for stop in axes[left[0]]]
        frame = widget.framed({name: place[name] for name in offers})
        return {name: packed(value) for name, value in frame.items() if name not in offers}

    frames = swept({name: getattr(widget, name) for name in free}, *axes)
    state = {name: getattr(widget, name) for name in _state(widget)}
    own = [n for n in free if not controls[n].computed]  # for these a page needs a model
    state["stops"] = {n: offer for n, offer in widget.stops.items() if n not in own}
    more = {name: offers[name] for name in own}
    text = base64.b64encode(blob).decode()
    baked = {"axes": axes, "free": free, "more": more, "state": state}
    return baked | {"frames": frames, "blob": text}


def _state(widget: Any) -> list[str]:
    """Return the names of our traits that the front end reads, besides the frame."""
    from anywidget import AnyWidget

    theirs = {"frame", "tries", *AnyWidget.class_trait_names()}
    return sorted(n for n in {*widget.class_trait_names(sync=True)} - theirs if n[0] != "_")


def place(widget: Any) -> str:
    """Return the HTML of a widget's element on the page.

    The frames come from the widget's file, which holds the baked grid of our own functions;
    anything else (own words, own functions) is in the element itself.
    """
    stem, alt = widget.stem, escape(widget.told())
    inline = home() == "inline"
    start = {name: getattr(widget, name) for name in widget.controls()}
    usual = {name: control.default_value for name, control in widget.controls().items()}
    own = inline or widget.stops != widget.grid() or widget.has_own_function() or _moved(widget)
    data = f'<script type="application/json">{in_json(bake(widget))}</script>' if own else ""
    picture = f"{ASSETS}{stem}.png"
    if own or start != usual:
        picture = f"data:image/webp;base64,{base64.b64encode(widget.still('webp')).decode()}"
    return (
        f'{_runtime(stem) if inline else ""}<div class="tl-widget tl-{stem.replace("_", "-")}"'
        f' data-widget="{stem}" data-assets="{"" if inline else ASSETS}"{_needs(stem)}'
        f' data-start="{escape(json.dumps(start))}"'
        f' data-tries="{escape(json.dumps(widget.tries))}">'
        f'<div class="tl-home">{_tries(widget.tries)}'
        f'<div class="tl-body"></div></div>'
        f'<img class="tl-still" loading="lazy" src="{picture}" alt="{alt}">{data}</div>'
    )


def _needs(stem: str) -> str:
    """Return the attribute that names what a widget's script imports and the page's has not.

    And what that imports in turn.
    """
    names = [stem]
    for name in names:
        imported = [other for _, other in IMPORT.findall((DRAWN / f"{name}.js").read_text("utf8"))]
        names += [other for other in imported if other in SOME_NEED and other not in names]
    return f' data-needs="{" ".join(names[1:])}"' * (len(names) > 1)


def _moved(widget: Any) -> bool:
    """Return whether a control is set outside the baked frames and no page computes it."""
    controls = widget.controls().items()
    unknown = {name: c.default_value for name, c in controls if not (c.swept or c.computed)}
    return any(getattr(widget, name) != value for name, value in unknown.items())


def _tries(tries: dict[str, Any]) -> str:
    """Return the buttons before a widget as kit.js will write them: their place has its height."""
    buttons = (
        f'<button type="button" class="tl-button" disabled>{escape(text)}</button>'
        for text in tries
    )
    return f'<div class="tl-row tl-tries"><span>Try:</span>{"".join(buttons)}</div>' * bool(tries)


def _runtime(stem: str) -> str:
    """Return all that a widget needs on a page in one file; every widget contains it."""
    return f"<style>{style(stem)}</style><script>{classic('host', stem)}</script>"


def in_json(data: Any) -> str:
    """Return JSON that is safe inside a <script>: a learner's < can't start a tag."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")
