"""The front door: all names of the models, and `check`, which brings the grader along."""

import importlib

import pytest
import torch
from torch import nn

import transformer_lab as lab
from transformer_lab._renamed import NOW_IN, RENAMED, WEIGHTS


def test_the_grader_comes_when_it_is_asked_for():
    assert "check" in lab.__all__
    assert callable(lab.check)


def test_what_is_not_there_is_named():
    with pytest.raises(AttributeError, match="chek"):
        lab.chek  # noqa: B018 -- asking is the test


@pytest.mark.parametrize("old", NOW_IN)
def test_an_old_name_of_the_package_leads_to_the_new_one(old):
    with pytest.raises(AttributeError, match=NOW_IN[old]):
        getattr(lab, old)
    with pytest.raises(ImportError, match=NOW_IN[old]):
        exec(f"from transformer_lab import {old}")
    module, _, name = f"transformer_lab.{NOW_IN[old]}".rpartition(".")
    assert hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize("module", RENAMED)
def test_an_old_name_of_a_module_leads_to_the_new_one(module):
    whole = importlib.import_module(f"transformer_lab.{module}")
    for old, new in RENAMED[module].items():
        assert not hasattr(whole, old)
        with pytest.raises(ImportError, match=new):
            exec(f"from transformer_lab.{module} import {old}")
        assert hasattr(whole, new)


@pytest.mark.parametrize("kind", [lab.EncoderModel, lab.DecoderModel, lab.EncoderDecoderModel])
@pytest.mark.parametrize("feed_forward", [lab.FeedForward, lab.SwiGLU])
def test_weights_of_0_2_are_loaded(kind, feed_forward):
    config = lab.ModelConfig(
        vocabulary=5, d_model=4, heads=2, d_ff=6, layers=2, feed_forward=feed_forward
    )
    saved, model = kind(config), kind(config)
    old = {}
    for name, weight in saved.state_dict().items():
        for before, now in WEIGHTS.items():
            name = name.replace(now, before)
        old[name] = weight
    assert old.keys() != saved.state_dict().keys()
    model.load_state_dict(old)
    for one, other in zip(model.parameters(), saved.parameters(), strict=True):
        assert torch.equal(one, other)
    with pytest.raises(RuntimeError, match="narrower"):
        model.load_state_dict(old | {"narrower": nn.Parameter(torch.ones(2))})
