"""The recorded trainings: one is run again, and the map shows what the chapter says."""

import pytest

from transformer_lab.widgets.norm_placement import (
    EVERY,
    LAYERS,
    RATES,
    STEPS,
    final,
    recorded,
    train,
)  # fmt: skip


def loss(warm_up, wiring, layers, rate):
    return final(warm_up, wiring)[LAYERS.index(layers), RATES.index(rate)].item()


@pytest.mark.usefixtures("as_readers_run_it")  # it trains
def test_a_recorded_training_can_be_repeated():
    runs = recorded()["none"]["pre-norm"][LAYERS.index(2)][RATES.index(0.01)]
    again = train("pre-norm", 2, 0.01, "none", seed=1)
    assert len(again) == STEPS // EVERY
    assert again == pytest.approx(runs[1], abs=0.1)  # the last digits of sums differ by machine


def test_what_the_chapter_says_of_depth_rate_and_wiring():
    for rate in (0.003, 0.01):
        assert all(loss("none", "pre-norm", layers, rate) < 0.2 for layers in LAYERS)
    assert all(loss("none", "post-norm", layers, 0.01) > 1 for layers in (4, 8, 12))
    assert all(loss("none", "post-norm", 12, rate) > 1 for rate in RATES)
    assert loss("40 steps", "post-norm", 4, 0.01) < 0.2
    assert loss("40 steps", "post-norm", 12, 0.01) > 1
