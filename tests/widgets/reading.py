"""Read a widget's baked frames as the page does."""

import base64
import itertools
import json
import re
from typing import Any

from transformer_lab.widgets import _page


def baked(widget: Any) -> tuple[dict, dict[tuple, dict]]:
    """Give the baked file, and its frames by their place on the grid (lists as tuples)."""
    text = _page.data_script(widget.stem, widget)
    name, text = re.fullmatch(r'transformerLab\.baked\("(\w+)",(.*)\);\n', text).groups()
    assert name == widget.stem
    data = json.loads(text)
    blob = base64.b64decode(data["blob"])
    places = itertools.product(*data["axes"].values())
    frames = {}
    for place, frame in zip(places, data["frames"], strict=True):
        for key, value in frame.items():
            if isinstance(value, dict):
                frame[key] = blob[value["from"] :][: value["size"]]
        frames[tuple(tuple(at) if isinstance(at, list) else at for at in place)] = frame
    return data, frames
