"""The exercises on attention."""
