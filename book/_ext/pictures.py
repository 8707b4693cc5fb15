"""Reserve the space of each figure, and load it when the reader comes near.

A figure so wide that its words would be too small on a phone is marked, and scrolls sideways there.
"""

import re
from pathlib import Path
from typing import Any

#: CSS pixels in the units of an SVG's size.
_PIXELS = {"pt": 4 / 3, "px": 1.0, "": 1.0}
WIDE = 520  # pixels


def size(svg: str) -> tuple[int, int] | None:
    """Return an SVG's width and height in CSS pixels, None if it has none of its own."""
    found = [
        re.search(rf'<svg[^>]*\s{side}="([\d.]+)(pt|px|)"', svg) for side in ("width", "height")
    ]
    if None in found:
        return None
    width, height = (round(float(one[1]) * _PIXELS[one[2]]) for one in found if one)
    return width, height


def roomy(body: str, sizes: dict[str, tuple[int, int]]) -> str:
    """Return a page with image sizes; all but the first image load when they are near."""
    first = True

    def with_room(image: re.Match) -> str:
        nonlocal first
        if image["name"] not in sizes:
            return image[0]
        wait, first = "" if first else ' loading="lazy"', False
        width, height = sizes[image["name"]]
        wide = ' class="tl-large"' if width > WIDE else ""
        return f'<img width="{width}" height="{height}"{wide}{wait}{image["rest"]}'

    return re.sub(r'<img(?P<rest>[^>]*\ssrc="[^"]*_images/(?P<name>[^"]+\.svg)")', with_room, body)


def make_room(app: Any, _page: str, _template: str, context: dict, doctree: Any) -> None:
    """Reserve the space of a page's figures."""
    if doctree is None or app.builder.format != "html":
        return
    sizes = {
        name: known
        for path, name in app.builder.images.items()
        if f'_images/{name}"' in context["body"] and name.endswith(".svg")
        and (known := size(Path(app.srcdir, path).read_text("utf8")[:2000]))
    }  # fmt: skip
    context["body"] = roomy(context["body"], sizes)
