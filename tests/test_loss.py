"""transformer_lab.loss: the one shift to the right, and what counts."""

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
    with pytest.raises(ValueError, match="shift the ids"):
        shift_right(torch.tensor([[5, 6, 7], [IGNORED, 3, IGNORED]]), 1)


def test_targets_of_another_shape_are_refused(as_readers_run_it):
    with pytest.raises(ValueError, match=r"\(2, 3, 4\).*\(3, 2\)"):
        token_loss(torch.zeros(2, 3, 4), torch.zeros(3, 2).long())
