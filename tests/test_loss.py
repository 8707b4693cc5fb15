"""transformer_lab.loss: the one shift to the right, and what counts."""

import math

import pytest
import torch

from transformer_lab.loss import IGNORED, shift_right, token_loss


def test_shift_right_starts_with_start_and_drops_the_last():
    targets = torch.tensor([[5, 6, 7], [8, 9, IGNORED]])
    before = targets.clone()
    assert shift_right(targets, 1).tolist() == [[1, 5, 6], [1, 8, 9]]
    assert torch.equal(targets, before)


def test_ignored_targets_are_read_as_start():
    assert shift_right(torch.tensor([[5, IGNORED, IGNORED]]), 1).tolist() == [[1, 5, 1]]


def test_a_prompt_cannot_be_ignored_and_read():
    with pytest.raises(ValueError, match=r"shift the ids, not the targets"):
        shift_right(torch.tensor([[5, 6, 7], [IGNORED, 3, IGNORED]]), 1)


def test_loss_is_the_mean_surprise_at_what_counts():
    logits = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0))
    targets = torch.tensor([[0, 3, IGNORED], [2, IGNORED, IGNORED]])
    p = logits.softmax(-1)
    surprise = -(p[0, 0, 0].log() + p[0, 1, 3].log() + p[1, 0, 2].log()) / 3
    torch.testing.assert_close(token_loss(logits, targets), surprise)


def test_uniform_logits_surprise_by_the_log_of_the_vocabulary():
    targets = torch.randint(10, (2, 6))[:, 1:]  # not contiguous
    assert token_loss(torch.zeros(2, 5, 10), targets).item() == pytest.approx(math.log(10))


def test_label_smoothing_mixes_in_the_uniform_distribution():
    logits, targets = torch.randn(1, 3, 4), torch.tensor([[0, 3, IGNORED]])
    log_p = logits.log_softmax(-1)
    mixed = 0.9 * token_loss(logits, targets) - 0.1 * log_p[0, :2].mean()
    torch.testing.assert_close(token_loss(logits, targets, label_smoothing=0.1), mixed)


def test_targets_of_another_shape_are_refused(as_readers_run_it):
    with pytest.raises(ValueError, match=r"logits have shape \(2, 3, 4\) and targets \(3, 2\)"):
        token_loss(torch.zeros(2, 3, 4), torch.zeros(3, 2).long())
