"""The exercises on norm."""
