"""Notebooks as learners hand them in, here too."""

from tests.tensorgrader.conftest import submit as submit
