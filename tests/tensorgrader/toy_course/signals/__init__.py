"""Smooth a signal."""
