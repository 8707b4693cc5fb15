"""Write measurements as tables, and say on what they were made."""

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
    """Write a table in Markdown, all but its first column set to the right."""
    rule = f"|{'|'.join(['---', *['--:'] * (len(header) - 1)])}|"
    first, *rest = (f"| {' | '.join(row)} |" for row in (header, *rows))
    return "\n".join([first, rule, *rest])


def machine() -> str:
    """Say when and on what the measurements were made, and how busy it was with other work."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} on {os.cpu_count()} cores ({processor()}, "
        f"{platform.system()}), PyTorch on {torch.get_num_threads()} of them, load {load}, "
        f"Python {platform.python_version()}, {packages}."
    )


def processor() -> str:
    """Name the processor, where the system tells; else its kind."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text("utf8").splitlines() if told.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
