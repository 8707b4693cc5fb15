"""Transformer Lab: the parts of a Transformer, small enough to read, right enough to run."""

from typing import Any

from transformer_lab.attention import AttentionHead, scaled_dot_product_attention

__all__ = ["AttentionHead", "check", "scaled_dot_product_attention"]


def __getattr__(name: str) -> Any:
    """Load `check` only when a notebook asks for it: the grader stays out of a plain import."""
    if name == "check":
        from transformer_lab.grading.live import check

        return check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
