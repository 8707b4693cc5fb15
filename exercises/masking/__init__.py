"""The exercises on masking."""
