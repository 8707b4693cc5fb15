"""Set before transformers is imported: nothing is downloaded. Each model is loaded once."""

import os

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(scope="session")
def minilm():
    from transformer_lab.pretrained import load_minilm

    return load_minilm()


@pytest.fixture(scope="session")
def smollm2():
    from transformer_lab.pretrained import load_smollm2

    return load_smollm2()


@pytest.fixture(scope="session")
def translators():
    from transformer_lab.pretrained import load_translator

    return {direction: load_translator(direction) for direction in ("en-pt", "pt-en")}
