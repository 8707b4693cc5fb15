"""The exercises on full model."""
