"""The Transformer as one drawing: each part links to its chapter, three lines are three families.

Pages include it as SVG in their own text and colours (`architecture.css`), notebooks as a picture.
"""

import base64
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

SHEET = Path(__file__).with_suffix(".css")
WIDTH, HEIGHT, GAP, TOWER = 360, 488, 12, 132
LEFT, RIGHT = 18, 206  # the lower end of the towers
MIDDLE = (LEFT + TOWER + RIGHT) / 2
TITLE = "The Transformer, read from below"
CAPTION = (
    "Read it from below. The shaded parts are repeated N times, 6 times in the paper. Each part "
    "links to its chapter, and the three lines are the three families."
)
FOLD = "Where this chapter is in the whole model"
ABOUT = (
    "Two towers. Left, the encoder: embedding, positions, then layers of attention and "
    "feed-forward, each followed by add and norm, and an output. Right, the decoder: the same, "
    "but its attention has a mask, and cross-attention stands between attention and feed-forward. "
    "An encoder such as BERT takes the left tower. A decoder such as GPT takes the right one, "
    "around the cross-attention. An encoder–decoder takes both: from the top of the left one a "
    "line leads into the cross-attention of the right one."
)


LIGHT = {
    "--pst-color-text-base": "#222832",
    "--pst-color-background": "#fff",
    "--pst-color-border": "#c9c9c9",
    "--pst-color-surface": "#f3f4f5",
    "--tl-ink": "#3b2a8c",
    "--tl-sans": "sans-serif",
}


class Box(NamedTuple):
    """A part: its name, the page and section that it links to, its place."""

    name: str
    to: str
    x: float
    y: float
    width: float = TOWER
    height: float = 26


HEIGHTS = {"attention": 46, "add & norm": 22}
TARGETS = {
    "embedding": "from_text_to_loss#from_text_to_loss-embedding",
    "positions": "positional_encoding",
    "attention": "attention",
    "cross-attention": "attention#attention-cross",
    "add & norm": "norm",
    "feed-forward": "norm#norm-feed-forward",
    "output": "from_text_to_loss#from_text_to_loss-tied",
}
#: A line's name, its target, and its class.
LINES = (
    ("encoder: reads (BERT)", "real_models#real_models-encoder", "encoder"),
    ("encoder–decoder: translates (2017)", "real_models#real_models-translator", "both"),
    ("decoder: writes (GPT)", "whole_model", "decoder"),
)
GROUND = HEIGHT - 104  # the lower edge of the lowest boxes


def tower(x: float, sublayers: tuple[str, ...], top: float) -> list[Box]:
    """Return boxes stacked from below; the output is at the height `top`, or next if that is 0."""
    boxes, y = [], float(GROUND)
    layers = [part for name in sublayers for part in (name, "add & norm")]
    for name in ["embedding", "positions", *layers, "output"]:
        height = HEIGHTS.get(name, 26)
        y = top if name == "output" and top else y - height
        boxes.append(Box(name, TARGETS[name], x, y, height=height))
        y -= GAP + 4 * (name == "positions")
    return boxes


DECODER = tower(RIGHT, ("attention", "cross-attention", "feed-forward"), 0)
ENCODER = tower(LEFT, ("attention", "feed-forward"), DECODER[-1].y)


def inside(box: Box) -> list[Box]:
    """Return the small boxes inside an attention: in the decoder it also has a mask."""
    parts = [("heads", "multi_head"), ("mask", "masking")][: 1 + (box.x == RIGHT)]
    return [Box(*part, box.x + 8 + 62 * n, box.y + 23, 54, 18) for n, part in enumerate(parts)]


def lines() -> Iterator[tuple[str, str, str]]:
    """Yield the class, the path and the tip of each line; boxes are drawn over them."""
    low, high = GROUND + 14, DECODER[-1].y - 14
    top, cross = ENCODER[-2].y - 10, DECODER[4].y + 13
    round_it = f"V{DECODER[3].y - 5} H{RIGHT + TOWER + 12} V{DECODER[5].y - 6} H{RIGHT + 96}"
    for kind, x, way in (
        ("encoder", LEFT + 36, ""),
        ("both", RIGHT + 36, ""),
        ("decoder", RIGHT + 96, round_it),
    ):
        yield kind, f"M{x} {low} {way} V{high}", f"M{x - 5} {high} h10 l-5 -7 z"
    across = f"M{LEFT + 96} {low} V{top} H{MIDDLE} V{cross} H{RIGHT - 7}"
    yield "both", across, f"M{RIGHT - 8} {cross - 5} v10 l7 -5 z"


def marked(to: str, page: str, link: Callable[[str], str]) -> str:
    """Return the attributes of a link: its target, and whether that is the current page."""
    here = to.partition("#")[0] == page
    return f' href="{escape(link(to))}"' + ' class="tl-here" aria-current="page"' * here


def linked(box: Box, page: str, link: Callable[[str], str]) -> str:
    """Draw a box with its name; it is filled on the page that it links to."""
    x = box.x + box.width / 2
    y = box.y + (16 if box.name == "attention" else box.height / 2 + 4.5)
    return (
        f'<a{marked(box.to, page, link)}><rect x="{box.x}" y="{box.y}" width="{box.width}" '
        f'height="{box.height}" rx="5"/><text x="{x}" y="{y}" text-anchor="middle">'
        f"{escape(box.name)}</text></a>"
    )


def layers(boxes: list[Box]) -> str:
    """Draw a background behind the layers that repeat."""
    top, bottom = boxes[-2].y - 6, boxes[2].y + boxes[2].height + 6
    return (
        f'<rect class="tl-layers" x="{boxes[0].x - 8}" y="{top}" width="{TOWER + 16}" '
        f'height="{bottom - top}" rx="8"/>'
    )


def drawing(page: str, link: Callable[[str], str]) -> str:
    """Draw everything as SVG; `page` is the stem of the page that includes it."""

    def words(text: str, to: str, x: float, y: float, anchor: str = "middle") -> str:
        written = f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
        return f"<a{marked(to, page, link)}>{written}</a>"

    def column(boxes: list[Box], begin: str, end: str, to: str) -> Iterator[str]:
        x = boxes[0].x + TOWER / 2
        yield words(begin, "from_text_to_loss#from_text_to_loss-tokens", x, GROUND + 30)
        for box in boxes:
            yield linked(box, page, link)
            if box.name == "attention":
                yield from (linked(part, page, link) for part in inside(box))
        yield words(end, to, x, boxes[-1].y - 27)

    parts = [layers(ENCODER), layers(DECODER)]
    for kind, path, tip in lines():
        parts.append(f'<path class="tl-line-{kind}" d="{path}"/>')
        parts.append(f'<path class="tl-tip-{kind}" d="{tip}"/>')
    parts.append(f'<text x="{MIDDLE}" y="{ENCODER[2].y + 28}" text-anchor="middle">N ×</text>')
    parts += column(ENCODER, "a text", "what was hidden", "masking#masking-tasks")
    choosing = "training_and_writing#training_and_writing-choosing"
    parts += column(DECODER, "the text so far", "the next token", choosing)
    for n, (name, to, kind) in enumerate(LINES):
        y = GROUND + 54 + 20 * n
        parts.append(f'<path class="tl-line-{kind}" d="M{LEFT} {y - 5} h44"/>')
        parts.append(words(name, to, LEFT + 54, y, "start"))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-labelledby="tl-map-title" '
        'aria-describedby="tl-map-about">'
        f'<title id="tl-map-title" class="nohighlight">{TITLE}</title>'
        f'<desc id="tl-map-about" class="nohighlight">{escape(ABOUT)}</desc>{"".join(parts)}</svg>'
    )


def picture(page: str) -> str:
    """Draw a standalone SVG on white, with the colours of a light page."""
    style = SHEET.read_text("utf8")
    for name, colour in LIGHT.items():
        style = style.replace(f"var({name})", colour)
    svg = drawing(page, lambda _: "#")
    ground = f'<style>{style}</style><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    head = '<svg xmlns="http://www.w3.org/2000/svg" class="tl-architecture" width="450" '
    return svg.replace("<svg ", head, 1).replace("</desc>", f"</desc>{ground}", 1)


def for_notebook(page: str, *, folded: bool) -> str:
    """Return the drawing as Markdown for a notebook."""
    data = base64.b64encode(picture(page).encode()).decode()
    image = f"![{TITLE}. {ABOUT}](data:image/svg+xml;base64,{data})"
    shown = f"{image}\n\n*{CAPTION}*"
    return f"<details><summary>{FOLD}</summary>\n\n{shown}\n\n</details>" if folded else shown
