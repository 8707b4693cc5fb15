"""The recorded training: the same as without anybody watching, and as the chapter tells it."""

import pytest
import torch
import torch.nn.functional as F

from transformer_lab.loss import shift_right
from transformer_lab.tasks.symbol_tasks import INDUCTION, repeated
from transformer_lab.widgets import TrainingPlayback
from transformer_lab.widgets.training_playback import HEADS, STEPS, WORD, recorded

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time

LENGTH = 2 * len(WORD)
AGAIN = range(len(WORD) + 1, LENGTH)  # the places whose letter has been read before


def drawn(step):
    """Read a frame's weights as the page does: heads, queries, keys."""
    weights = bytearray(TrainingPlayback(step=step).frame["weights"])
    return torch.frombuffer(weights, dtype=torch.uint8).view(len(HEADS), LENGTH, LENGTH) / 255


@torch.no_grad()
def test_it_is_the_training_that_the_task_describes():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    trainer = INDUCTION.trainer(seed=0)
    with torch.enable_grad():
        trainer.run(40)
    torch.set_num_threads(threads)
    targets = INDUCTION.held_out(200)["targets"]
    logits = trainer.model(shift_right(targets, 0))
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    known = repeated(targets)
    right = (logits.argmax(-1) == targets)[known].float().mean()
    curves, at = TrainingPlayback().curves, STEPS.index(40)
    assert curves["loss"][at] == pytest.approx(losses.mean().item(), abs=1e-3)
    assert curves["known"][at] == pytest.approx(losses[known.flatten()].mean().item(), abs=1e-3)
    assert curves["accuracy"][at] == pytest.approx(right.item(), abs=1e-3)


def test_weights_are_those_of_the_recording_and_rows_add_up():
    for step in (0, 100, 200):
        torch.testing.assert_close(
            drawn(step), recorded().weights[STEPS.index(step)], rtol=0, atol=0.5 / 255 + 1e-6
        )
        torch.testing.assert_close(drawn(step).sum(-1), torch.ones(4, LENGTH), rtol=0, atol=7 / 255)
        assert not drawn(step).triu(1).any()


def test_at_the_end_a_head_looks_one_back_and_the_next_layer_finds_what_followed():
    curves = TrainingPlayback().curves
    assert curves["accuracy"][-1] > 0.98
    assert curves["known"][-1] < 0.1 < 1 < curves["loss"][-1], "what is new cannot be known"
    first, second = drawn(200)[:2], drawn(200)[2:]
    assert first.diagonal(-1, dim1=-2, dim2=-1).mean(-1).max() > 0.5
    found = torch.stack([second[0, i, i - len(WORD) + 1] for i in AGAIN])
    assert found.mean() > 0.7, "the head that is shown first is one that finds"
    assert TrainingPlayback(step=200).frame["guesses"][AGAIN[0] :] == [*WORD[1:]]
