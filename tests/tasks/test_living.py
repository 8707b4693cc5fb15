"""transformer_lab.tasks.living: the numbers that the first three chapters tell."""

import pytest
import torch
import torch.nn.functional as F

from transformer_lab.tasks.living import (
    D_K,
    ENDINGS,
    HEADS,
    WIDEST,
    noise,
    projected,
    read,
    sentence,
    vectors,
)

CAT, MAT, IT, LAST = 1, 5, 7, 9


def of_it(layer, head=0):
    return [round(weight, 2) for weight in layer.weights[head, IT, [CAT, MAT, LAST]].tolist()]


@pytest.mark.parametrize("ending", ENDINGS)
def test_with_a_causal_mask_only_the_last_word_can_ask(ending):
    for layer in read(sentence(ending), layers=2, causal=True):
        cat, mat, last = layer.weights[0, IT, [CAT, MAT, LAST]]
        assert abs(cat - mat) < 0.005
        assert last == 0
    asks = read(sentence(ending), causal=True)[0].weights[0, LAST]
    assert asks.argmax() == (CAT if ending == "tired" else MAT)
    assert round(asks.max().item(), 2) == 0.78


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("d_k", [1, 2, 4, 64])
def test_every_number_is_pytorchs(d_k, scaled, causal):
    x = vectors(sentence()).double()
    for layer in read(sentence(), x, layers=2, heads=4, d_k=d_k, scaled=scaled, causal=causal):
        scale = d_k**-0.5 if scaled else 1.0
        output = F.scaled_dot_product_attention(
            layer.q, layer.k, layer.v, is_causal=causal, scale=scale
        )
        torch.testing.assert_close(layer.output, output)
        torch.testing.assert_close(layer.scores, layer.q @ layer.k.mT * scale)
        added = sum(output[n] @ HEADS[n].output.double() for n in range(4))
        torch.testing.assert_close(layer.after, x + added)
        x = layer.after


def test_wider_queries_and_keys_keep_their_numbers_and_repeat_them_with_noise():
    x = vectors(sentence())
    narrow, wide = (projected(x, sentence(), 0, d_k) for d_k in (D_K, WIDEST))
    for few, many in zip(narrow[:2], wide[:2], strict=True):
        assert torch.equal(many[:, :D_K], few)
        assert many.shape == (10, WIDEST)
        assert torch.equal(many[0], many[4]), "the same word has the same noise"
        softer = many[:, D_K:].unflatten(-1, (-1, D_K)).mean(1)
        torch.testing.assert_close(softer, few * 5**-0.5, atol=0.005, rtol=0)
    assert len(noise()) == 10


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("d_k", [8, 16, 32, WIDEST])
def test_wide_keys_decide_as_narrow_ones_do_if_scores_are_divided(d_k, ending):
    first, second = read(sentence(ending), layers=2, d_k=d_k)
    assert max(of_it(first)) < 0.4
    assert second.weights[0, IT].argmax() == (CAT if ending == "tired" else MAT)
    narrow = read(sentence(ending))[0].scores[0]
    assert (first.scores[0] - narrow).abs().max() < 1.2


def test_without_the_division_the_noise_decides():
    divided, raw = (read(sentence(), layers=2, d_k=WIDEST, scaled=s) for s in (True, False))
    assert divided[0].weights[0].amax(-1).mean() < 0.5 < 0.7 < raw[0].weights[0].amax(-1).mean()
    assert of_it(raw[1]) == [0, 1, 0], "the wrong word"


def test_a_function_of_the_readers_is_shown_by_its_output_or_by_its_weights():
    def even(q, k, v):
        return v.mean(-2, keepdim=True).expand(*q.shape[:-1], -1)

    (layer,) = read(sentence(), attention=even)
    torch.testing.assert_close(layer.weights, torch.full((1, 10, 10), 0.1))
