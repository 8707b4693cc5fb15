"""What is asked of many: `make test` asks it of a few, `make test-full` of all."""

import pytest


def few(values, *kept, **named):
    """Give values to parametrize a test by; all but those that are kept are slow."""
    return [
        pytest.param(value, marks=[pytest.mark.slow] * (value not in kept), **named)
        for value in values
    ]
