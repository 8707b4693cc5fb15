"""Measurements as tables, and the machine on which they were made."""

import os
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import torch

PACKAGES = (
    "transformer-lab-book",
    "torch",
    "transformers",
    "jupyterlab",
    "ipywidgets",
    "anywidget",
    "matplotlib",
    "playwright",
)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, with all but its first column aligned right."""
    rule = f"|{'|'.join(['---', *['--:'] * (len(header) - 1)])}|"
    first, *rest = (f"| {' | '.join(row)} |" for row in (header, *rows))
    return "\n".join([first, rule, *rest])


def machine() -> str:
    """Return when and on which machine the measurements were made, and its load."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} on {os.cpu_count()} cores ({processor()}, "
        f"{platform.system()}), PyTorch on {torch.get_num_threads()} of them, load {load}, "
        f"Python {platform.python_version()}, {packages}."
    )


def processor() -> str:
    """Return the processor's model if the system knows it, else its architecture."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text("utf8").splitlines() if told.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
