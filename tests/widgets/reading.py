"""Read a widget's baked frames as the page does."""

import base64
import json
import re

from tests.widget_pages import data_script


def baked(stem: str) -> tuple[dict, dict[tuple, dict]]:
    text = data_script(stem)
    name, text = re.fullmatch(r'transformerLab\.baked\("(\w+)",(.*)\);\n', text).groups()
    assert name == stem
    data = json.loads(text)
    blob = base64.b64decode(data["blob"])
    frames = dict(flat(data["frames"], list(data["axes"].values())))
    for frame in frames.values():
        for key, value in frame.items():
            if isinstance(value, dict):
                frame[key] = blob[value["from"] :][: value["size"]]
    return data, frames


def flat(frames, axes, *at):
    if not axes:
        yield at, frames
        return
    for stop, within in zip(axes[0], frames, strict=True):
        yield from flat(within, axes[1:], *at, tuple(stop) if isinstance(stop, list) else stop)
