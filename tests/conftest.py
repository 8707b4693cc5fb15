"""Shared by all tests."""

import gc
import os
from functools import cache
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings
from playwright.sync_api import expect, sync_playwright
from xdist.scheduler import LoadScopeScheduling

from tests.chromium import PATIENCE, launch
from tests.unchecked import unchecked

ROOT = Path(__file__).parents[1]
# Two threads would round in another order now and then. And several tests run at once: threads of
# theirs, and of the programs that they start, that wait for each other make them many times slower.
torch.set_num_threads(1)
os.environ["OMP_NUM_THREADS"] = "1"

# No test knows what time it is: a busy machine is no reason to fail. `make test` draws the same
# examples each time, and so does `make test-full`, which draws more.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=25)
settings.register_profile("patient", patient, derandomize=True)
settings.register_profile("thorough", patient, max_examples=250)
settings.load_profile("patient")
expect.set_options(timeout=PATIENCE)


#: Whose tests load real models, or train what widgets play back: one worker does it, once.
DEAR = (
    "tests/page/models/",
    "tests/pretrained/",
    "tests/widgets/",
    "tests/browser/test_training_playback.py",
)


class Sharing(LoadScopeScheduling):
    """Gives each worker one test after the other, but those to one that share what is dear."""

    def _split_scope(self, nodeid):
        path, _, test = nodeid.partition("::")
        if path.startswith("tests/jupyterlab/"):
            return "one server"
        if path.startswith(DEAR):
            return "real models"
        if path == "tests/browser/test_pages.py" and "[" in test:
            return test.partition("[")[2]  # a page, opened once
        return _shared(path) or nodeid


@cache
def _shared(path):
    """Name what the tests of a file share, if anything."""
    text = (ROOT / path).read_text("utf8")
    if "from tests.parsed import parsed" in text:
        return "parsed pages"
    return path if 'scope="module"' in text else None


def pytest_collection_finish():
    """Leave what was imported out of all collections of garbage to come."""
    gc.freeze()


def pytest_xdist_make_scheduler(config, log):
    """Ask ours who gets which test."""
    return Sharing(config, log)


@pytest.fixture
def as_readers_run_it():
    """Switch the shape checker off, as it is outside the tests: our own messages must serve."""
    with unchecked():
        yield


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests that need one."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()
