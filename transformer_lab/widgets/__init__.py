"""Explorers: sliders that work in a live kernel, on a static page, and as a still picture."""

from transformer_lab.widgets.attention_explorer import AttentionExplorer
from transformer_lab.widgets.block_walk import BlockWalk
from transformer_lab.widgets.head_splitter import HeadSplitter
from transformer_lab.widgets.mask_playground import MaskPlayground
from transformer_lab.widgets.next_token import NextToken
from transformer_lab.widgets.norm_explorer import NormExplorer
from transformer_lab.widgets.norm_placement import NormPlacement
from transformer_lab.widgets.position_explorer import PositionExplorer
from transformer_lab.widgets.real_heads import RealHeads
from transformer_lab.widgets.scaling_explorer import ScalingExplorer
from transformer_lab.widgets.soft_dictionary import SoftDictionary
from transformer_lab.widgets.training_playback import TrainingPlayback

__all__ = [
    "AttentionExplorer",
    "BlockWalk",
    "HeadSplitter",
    "MaskPlayground",
    "NextToken",
    "NormExplorer",
    "NormPlacement",
    "PositionExplorer",
    "RealHeads",
    "ScalingExplorer",
    "SoftDictionary",
    "TrainingPlayback",
]
