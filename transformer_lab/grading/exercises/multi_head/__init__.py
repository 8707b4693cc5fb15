"""The exercises on several heads."""
