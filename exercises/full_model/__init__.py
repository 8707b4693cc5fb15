"""The exercises on the full model."""
