"""Small pictures of widgets, which link to them.

A page with `<div class="tl-thumbnails"></div>` gets one there for each section with a widget: the
gallery's overview.
"""

import io
import re
from typing import Any

WIDE, HIGH = 360, 240  # pixels; a page shows them half as large
AT_ONCE = 6  # on the first screen of a phone; the others load when they are near
FIRST, LATER = 'fetchpriority="high"', 'loading="lazy"'
EMPTY = '<div class="tl-thumbnails"></div>'
SECTION = re.compile(r'<section id="([^"]+)">(?:\s*<span id="[^"]+"></span>)*\s*<h2>(.*?)<a ')


def thumbnail(figure: Any) -> bytes:
    """Return the first picture of a figure, without its surroundings, as WebP."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    FigureCanvasAgg(figure).draw()
    box = (figure.axes or [figure.patch])[0].get_window_extent().padded(4)
    file = io.BytesIO()
    inches = box.transformed(figure.dpi_scale_trans.inverted())
    figure.savefig(file, dpi=200, bbox_inches=inches)
    drawn = Image.open(file).convert("RGB")
    drawn.thumbnail((WIDE, HIGH), Image.Resampling.LANCZOS)
    small = Image.new("RGB", (WIDE, HIGH), "white")
    small.paste(drawn, ((WIDE - drawn.width) // 2, (HIGH - drawn.height) // 2))
    packed = io.BytesIO()
    small.save(packed, "webp", quality=75, method=6)
    return packed.getvalue()


def links(body: str) -> list[str]:
    """Return the pictures with their names, as links, from a page's sections with a widget."""
    from transformer_lab.widgets._page import ASSETS

    parts = SECTION.split(body)[1:]
    sections = [
        (anchor, title, found[1])
        for anchor, title, part in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        if (found := re.search(r'data-widget="(\w+)"', part))
    ]
    return [
        f'<a href="#{anchor}"><img src="{ASSETS}{stem}.webp" alt="" width="{WIDE // 2}"'
        f' height="{HIGH // 2}" {FIRST if number < AT_ONCE else LATER}>{title}</a>'
        for number, (anchor, title, stem) in enumerate(sections)
    ]


def pictured(body: str) -> str:
    """Return a page with its small pictures."""
    if EMPTY not in body:
        return body
    nav = f'<nav class="tl-thumbnails" aria-label="All the widgets">{"".join(links(body))}</nav>'
    return body.replace(EMPTY, nav)


def picture(_app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Insert the small pictures into a page."""
    context["body"] = pictured(context.get("body", ""))
