"""Fit a line."""
