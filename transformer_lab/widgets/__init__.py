"""Explorers: sliders that work in a live kernel, on a static page, and as a still picture."""

from transformer_lab.widgets.attention_explorer import AttentionExplorer
from transformer_lab.widgets.mask_playground import MaskPlayground

__all__ = ["AttentionExplorer", "MaskPlayground"]
