"""The real models of widgets are loaded once: SmolLM2 takes longer to load than its tests do."""

from functools import cache

import pytest

from transformer_lab.widgets import _real


@pytest.fixture(scope="session", autouse=True)
def loaded_once():
    """Keep each model that was loaded; widgets let it go when they show another."""
    with pytest.MonkeyPatch.context() as patch:
        for name, load in _real.LOADERS.items():
            patch.setitem(_real.LOADERS, name, cache(load))
        yield
