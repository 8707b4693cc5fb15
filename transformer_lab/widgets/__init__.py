"""Explorers: sliders that work in a live kernel, on a static page, and as a still picture.

Each is imported on first use, so that a page depends only on its own.
"""

import re
from importlib import import_module
from typing import Any

from transformer_lab._renamed import missing

__all__ = [
    "AttentionStepper",
    "BlockWalk",
    "GptLadder",
    "HeadSplitter",
    "LearningToWrite",
    "LogitLens",
    "MaskPlayground",
    "NextToken",
    "NormExplorer",
    "NormPlacement",
    "OneHead",
    "PositionClocks",
    "PositionExplorer",
    "RealHeads",
    "RotaryArrows",
    "ScalingExplorer",
    "ScalingRuns",
    "SoftDictionary",
    "TokenizerLab",
    "TrainingPlayback",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        module = re.sub(r"\B(?=[A-Z])", "_", name).lower()
        return getattr(import_module(f"{__name__}.{module}"), name)
    missing(__name__, {"AttentionExplorer": "widgets.AttentionStepper"}, name)
