"""Shared by all tests."""

import pytest
import torch
from jaxtyping import config
from playwright.sync_api import sync_playwright

from tests.chromium import launch

torch.set_num_threads(1)  # two would round in another order now and then, and two tests run anyway


@pytest.fixture
def as_readers_run_it():
    """Switch the shape checker off, as it is outside the tests: our own messages must serve."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests that need one."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()
