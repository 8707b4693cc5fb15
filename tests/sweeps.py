"""What is asked of many: `make test` asks it of a few, `make test-full` of all."""

import pytest


def few(values, *kept, **named):
    """Give values to parametrize a test by; all but those that are kept are slow."""
    return [
        pytest.param(value, marks=[pytest.mark.slow] * (value not in kept), **named)
        for value in values
    ]


def once(values, key):
    """Give tuples to parametrize a test by; of those with the same key, all but one are slow."""
    seen, params = set(), []
    for value in values:
        found = key(*value)
        params.append(pytest.param(*value, marks=[pytest.mark.slow] * (found in seen)))
        seen |= {found} - {None}  # what has no key is never slow
    return params


def one_in(number, values):
    """Give values to parametrize a test by; all but one in so many are slow."""
    return few(values, *list(values)[::number])
