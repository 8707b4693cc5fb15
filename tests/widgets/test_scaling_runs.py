"""The recorded trainings: a short one is run again, and the widget shows them all."""

import math
from datetime import datetime

import pytest
import torch

from tests.widgets.reading import baked
from tools import scaling_runs as tool
from transformer_lab.widgets import ScalingRuns
from transformer_lab.widgets.scaling_runs import SHARES, STEPS, WIDTHS, losses, recorded


@pytest.mark.usefixtures("as_readers_run_it")  # it trains
def test_a_recorded_training_can_be_repeated():
    again = tool.trained(tool.program(24), 100, SHARES["a thirty-second of them"])
    found = losses("a thirty-second of them")[WIDTHS.index(24), STEPS.index(100)]
    assert again == pytest.approx(found.tolist(), abs=0.05)  # sums differ by machine


@pytest.mark.slow
@pytest.mark.usefixtures("as_readers_run_it")
def test_a_training_of_the_curve_can_be_repeated():
    curve = recorded()["curve"]
    assert curve["budgets"] == tool.BUDGETS
    again = tool.curve_run((tool.BUDGETS[0], 192, 0))
    assert again == pytest.approx(curve["held out"][0][tool.CURVE.index(192)][0], abs=0.05)


def test_each_date_is_asked_once_and_answered_right():
    asked = dict(tool.dates(300))
    assert len(asked) == 300
    for question, answer in asked.items():
        written = datetime.strptime(question, "%d %B %Y ->")
        assert answer == f" {written:%Y-%m-%d}\n"


def test_every_run_is_there_and_every_frame_is_baked():
    _, frames = baked("scaling_runs")
    for text in SHARES:
        shown = losses(text)
        assert shown.shape == (len(WIDTHS), len(STEPS), 2)
        assert shown.isfinite().all()
        assert shown.max() < math.log(80) + 0.3
        assert frames[text,]["losses"] == ScalingRuns(text=text).frame["losses"] == shown.tolist()


def test_the_sizes_are_those_of_the_program_as_it_is_now():
    assert recorded()["sizes"] == tool.sizes()


def test_more_steps_and_more_parameters_help_as_long_as_there_is_text():
    plays = losses("six plays")[..., 1]
    assert (plays.diff(dim=0) < 0).all()
    assert (plays.diff(dim=1) < 0).all()


def test_the_largest_model_begins_to_learn_a_short_text_by_heart():
    known, held_out = losses("a thirty-second of them").unbind(dim=-1)
    assert torch.equal(known.argmin(), torch.tensor(known.numel() - 1))
    assert held_out[-1, -1] > held_out[-1].min() + 0.05
