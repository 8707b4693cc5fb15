"""The tasks of a chapter."""
