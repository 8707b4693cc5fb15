"""Write measurements as tables, and say on what they were made."""

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version

import torch

PACKAGES = (
    "torch",
    "transformers",
    "jupyterlab",
    "ipywidgets",
    "anywidget",
    "matplotlib",
    "playwright",
)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown, all but its first column set to the right."""
    rule = f"|{'|'.join(['---', *['--:'] * (len(header) - 1)])}|"
    first, *rest = (f"| {' | '.join(row)} |" for row in (header, *rows))
    return "\n".join([first, rule, *rest])


def machine() -> str:
    """Say what the measurements were made on, and how busy it was with other work."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}), "
        f"{torch.get_num_threads()} threads, load {load}, "
        f"Python {platform.python_version()}, {packages}."
    )
