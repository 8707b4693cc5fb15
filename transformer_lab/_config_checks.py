"""Refusals of configurations: sizes that no model has, and parts that nobody means together."""

from collections.abc import Mapping
from typing import Any

from torch import nn

from transformer_lab._call_checks import check_parts
from transformer_lab._checks import check_integers, check_share
from transformer_lab._text_checks import check_token
from transformer_lab.norm import PreNorm
from transformer_lab.positional_encoding import LearnedPositions, SinusoidalPositions

ADDED = (SinusoidalPositions, LearnedPositions)
SIZES = ("vocabulary", "d_model", "heads", "d_ff", "layers")


def check_config(config: Mapping[str, Any]) -> None:
    """Refuse the fields of a ModelConfig that make no model, or one that cannot be meant."""
    check_integers(**{name: config[name] for name in SIZES})
    if config["decoder_layers"] is not None:
        check_integers(decoder_layers=config["decoder_layers"])
    check_share(dropout=config["dropout"])
    check_token("start_id", config["start_id"], config["vocabulary"])
    numbers = {*SIZES, "decoder_layers", "start_id", "dropout"}
    check_parts(**{name: part for name, part in config.items() if name not in numbers})
    if config["residual"] is PreNorm and config["final_norm"] is nn.Identity:
        raise ValueError(
            "residual=PreNorm leaves unnormalised what the last layer gives, so final_norm must be "
            "a norm, but is nn.Identity. Give final_norm=LayerNorm, or whatever norm is."
        )
    relative = getattr(config["attention"], "keywords", {}).get("positions")
    absolute = getattr(config["positions"], "func", config["positions"])
    if relative is not None and isinstance(absolute, type) and issubclass(absolute, ADDED):
        raise ValueError(
            f"attention tells positions by {type(relative).__name__}, so none should be added to "
            f"the embeddings as well, but positions is {absolute}, perhaps by default. "
            f"Give positions=NoPositions."
        )
