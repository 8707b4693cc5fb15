"""Turn measurements into tables, and say on what they were made."""

import os
import platform
from importlib.metadata import version

import numpy as np

from benchmarks.live import KINDS
from benchmarks.static import weights

NAMES = {"static": "static page, the explorer"} | KINDS
PACKAGES = ("torch", "jupyterlab", "ipywidgets", "anywidget", "matplotlib", "playwright")
WHAT = """\
One move: the pointer is pressed on the slider's track at another stop of d_k. The clock starts with
the time stamp of that `pointerdown` event and stops in the first animation frame after the new
picture is there: the explorer's grid has its new numbers (its canvases are painted in the same
task), or the new `<img>` has been decoded. All kinds take the same route through the stops, with
{pause} ms of rest before each move. In JupyterLab every kind has a notebook with a kernel of its
own, all in one session, and they take turns, move by move. All show the same weights of four heads
over six words. The explorer has tokens and numbers; plain panels have tokens; the tiled picture has
neither."""


def slider_table(times: dict[str, list[float]]) -> str:
    """Give median, 95th percentile and ratio to the live explorer of every kind."""
    live = np.median(times["live"])
    lines = [
        "| slider to paint | moves | median | 95th percentile | median / live |",
        "|---|--:|--:|--:|--:|",
    ]
    for kind, name in NAMES.items():
        median, late = np.median(times[kind]), np.quantile(times[kind], 0.95)
        numbers = f"{len(times[kind])} | {median:.1f} | {late:.1f} | {median / live:.2f}"
        lines.append(f"| {name} | {numbers} |")
    return "\n".join(lines)


def weight_table(kinds: dict[str, dict[str, bytes]]) -> str:
    """Give the bytes of the attention page, by kind of file, raw and compressed."""
    lines = ["| the attention page | files | KB | KB gzip |", "|---|--:|--:|--:|"]
    every = {path: content for files in kinds.values() for path, content in files.items()}
    for name, files in [*kinds.items(), ("all", every)]:
        raw, packed = weights(files)
        lines.append(f"| {name} | {len(files)} | {raw / 1000:.1f} | {packed / 1000:.1f} |")
    return "\n".join(lines)


def machine(browser: str) -> str:
    """Say what the measurements were made on, and how busy it was with other work."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}), load {load}, "
        f"Chromium {browser} without a screen, Python {platform.python_version()}, {packages}."
    )
