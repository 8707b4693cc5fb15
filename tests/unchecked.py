"""Without the shape checker, as it is outside the tests."""

from contextlib import contextmanager

from jaxtyping import config


@contextmanager
def unchecked():
    """Switch the shape checker off: what is run most would spend most of its time in it."""
    config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        config.update("jaxtyping_disable", False)
