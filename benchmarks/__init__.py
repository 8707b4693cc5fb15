"""Measurements side by side, for ratios: `make bench` writes build/benchmarks.md."""
