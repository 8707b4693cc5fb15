"""transformer_lab.tasks.accuracy: what counts as right, by token and by sequence."""

import pytest
import torch

from transformer_lab.generate import generate
from transformer_lab.loss import IGNORED, shift_right
from transformer_lab.model import DecoderModel, EncoderDecoderModel, EncoderModel, ModelConfig
from transformer_lab.tasks.accuracy import correct_tokens, exact_match, token_accuracy

V = 5
CONFIG = ModelConfig(vocabulary=V, d_model=8, heads=2, d_ff=16, layers=1, start_id=1)


def lively(kind, seed=0):
    torch.manual_seed(seed)
    model = kind(CONFIG).eval()
    for p in model.parameters():
        p.data.normal_()
    return model


def best(logits):
    return logits.argmax(dim=-1)


def test_an_encoder_is_asked_with_its_ids_and_what_is_real():
    model, ids = lively(EncoderModel), torch.randint(V, (60, 4))
    real = torch.arange(4) < torch.tensor([[4], [2], [3]]).repeat(20, 1)
    guesses = best(model(ids, real))
    assert correct_tokens(model, {"ids": ids, "targets": guesses, "real": real}).all()
    assert not correct_tokens(model, {"ids": ids, "targets": (guesses + 1) % V, "real": real}).any()
    assert correct_tokens(model, {"ids": ids, "targets": best(model(ids))}).all()


def test_decoders_are_asked_with_the_true_tokens_before():
    model, targets = lively(DecoderModel), torch.randint(V, (60, 4))
    guesses = best(model(shift_right(targets, 1)))
    assert torch.equal(correct_tokens(model, {"targets": targets}), guesses == targets)
    model, source = lively(EncoderDecoderModel), torch.randint(V, (60, 6))
    real = torch.arange(6) < torch.tensor([[6], [2], [3]]).repeat(20, 1)
    guesses = best(model(source, shift_right(targets, 1), real))
    batch = {"source": source, "targets": targets, "source_real": real}
    assert torch.equal(correct_tokens(model, batch), guesses == targets)


@pytest.mark.parametrize("seed", range(5))
def test_exact_is_what_the_model_writes_on_its_own(seed):
    model = lively(DecoderModel, seed)
    written = generate(model, torch.tensor([[1]]), max_new_tokens=5)[:, -5:]
    assert exact_match(model, {"targets": written}) == 1
    other = written.clone()
    other[0, seed] = (other[0, seed] + 1) % V
    assert exact_match(model, {"targets": other}) == 0


def test_ignored_targets_count_for_nothing(monkeypatch):
    model = lively(DecoderModel)
    targets = torch.tensor([[2, 3, IGNORED, IGNORED], [2, 3, 4, 0], [1, 1, 1, IGNORED]])
    right = torch.tensor([[1, 1, 0, 0], [1, 0, 1, 1], [0, 0, 0, 0]]).bool()
    monkeypatch.setattr("transformer_lab.tasks.accuracy.correct_tokens", lambda *_: right)
    assert token_accuracy(model, {"targets": targets}) == pytest.approx(5 / 9)
    assert exact_match(model, {"targets": targets}) == pytest.approx(1 / 3)


def test_a_translator_guesses_from_its_source_and_the_right_words_so_far():
    model = lively(EncoderDecoderModel)
    source, targets = torch.randint(V, (60, 5)), torch.randint(V, (60, 3))
    right = best(model(source, shift_right(targets, 1))) == targets
    measured = token_accuracy(model, {"source": source, "targets": targets})
    assert measured == pytest.approx(right.double().mean().item())
