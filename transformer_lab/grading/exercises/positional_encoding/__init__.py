"""The exercises on positional encoding."""
