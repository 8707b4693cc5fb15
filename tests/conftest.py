"""Shared by all tests."""

import itertools

import pytest
import torch
from hypothesis import HealthCheck, settings
from jaxtyping import config
from playwright.sync_api import expect, sync_playwright

from tests.chromium import PATIENCE, launch

torch.set_num_threads(1)  # two would round in another order now and then, and two tests run anyway

# No test knows what time it is: a busy machine is no reason to fail.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
expect.set_options(timeout=PATIENCE)


def pytest_itemcollected(item):
    """Leave those tests of a module to one worker that share what the module has made."""
    definitions = itertools.chain(*item._fixtureinfo.name2fixturedefs.values())
    grouped = item.get_closest_marker("xdist_group")
    if not grouped and any(made.scope == "module" for made in definitions):
        item.add_marker(pytest.mark.xdist_group(item.path.stem))


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
