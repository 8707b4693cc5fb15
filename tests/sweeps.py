"""What is asked of many: `make test` asks it of a few, a later tier of all (see the Makefile)."""

import pytest


def few(values, *kept, tier="slow", **named):
    """Return values to parametrize a test by; all but those that are kept are of a later tier."""
    later = getattr(pytest.mark, tier)
    return [pytest.param(value, marks=[later] * (value not in kept), **named) for value in values]


def once(values, key, tier="slow"):
    """Return tuples to parametrize a test by; of those with the same key, one is of this tier."""
    later = getattr(pytest.mark, tier)
    seen, params = set(), []
    for value in values:
        found = key(*value)
        params.append(pytest.param(*value, marks=[later] * (found in seen)))
        seen |= {found} - {None}  # what has no key is always of this tier
    return params


def one_in(number, values, tier="slow"):
    """Return values to parametrize a test by; all but one in so many are of a later tier."""
    return few(values, *list(values)[::number], tier=tier)
