"""Slide a kernel along a signal."""
