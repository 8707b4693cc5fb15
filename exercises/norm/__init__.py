"""The exercises on norms."""
