"""Shared by all tests."""

import pytest
from jaxtyping import config


@pytest.fixture
def as_readers_run_it():
    """Switch the shape checker off, as it is outside the tests: our own messages must serve."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)
