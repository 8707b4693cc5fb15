"""transformer_lab.sampling: what each filter keeps, and how often a token is drawn."""

from functools import partial

import torch

from transformer_lab.sampling import apply_temperature, greedy, keep_top_k, keep_top_p, sample

# Probabilities 0.1, 0.4, 0.2, 0.3.
LOGITS = torch.tensor([[0.1, 0.4, 0.2, 0.3]]).log()


def kept(logits):
    return logits.isfinite()[0].nonzero().flatten().tolist()


def frequencies(choose, draws=20_000):
    torch.manual_seed(0)
    return choose(LOGITS.expand(draws, 4)).bincount(minlength=4) / draws


def test_greedy_takes_the_likeliest():
    assert greedy(torch.tensor([[0.0, 2.0, 1.0], [3.0, 2.0, 1.0]])).tolist() == [1, 0]


def test_sampling_draws_by_probability():
    torch.testing.assert_close(frequencies(sample), LOGITS[0].exp(), atol=0.02, rtol=0)


def test_temperature_sharpens_or_flattens():
    squared = LOGITS[0].exp() ** 2
    cold = frequencies(partial(sample, temperature=0.5))
    torch.testing.assert_close(cold, squared / squared.sum(), atol=0.02, rtol=0)
    hot = frequencies(partial(sample, temperature=1e6))
    torch.testing.assert_close(hot, torch.full((4,), 0.25), atol=0.02, rtol=0)
    torch.testing.assert_close(apply_temperature(LOGITS, 4.0), LOGITS / 4)


def test_top_k_and_top_p_keep_the_likeliest():
    assert [kept(keep_top_k(LOGITS, k)) for k in (1, 2, 4)] == [[1], [1, 3], [0, 1, 2, 3]]
    assert kept(keep_top_k(torch.tensor([[1.0, 0.0, 1.0]]), 1)) == [0, 2]
    ps = {1e-9: [1], 0.3: [1], 0.5: [1, 3], 0.8: [1, 2, 3], 1.0: [0, 1, 2, 3]}
    assert {p: kept(keep_top_p(LOGITS, p)) for p in ps} == ps
    assert len(kept(keep_top_p(torch.zeros(1, 2), 0.5))) == 1, "half is enough"
    for filtered in (keep_top_k(LOGITS, 2), keep_top_p(LOGITS, 0.5)):
        assert torch.equal(filtered[filtered.isfinite()], torch.tensor([0.4, 0.3]).log())


def test_filters_work_in_turn_and_what_they_remove_is_never_drawn():
    assert frequencies(partial(sample, top_k=2)).nonzero().flatten().tolist() == [1, 3]
    # Of 4/7 and 3/7, the first alone has 0.5; of 0.4 and 0.3, it had not.
    both = frequencies(partial(sample, top_k=2, top_p=0.5))
    assert both.tolist() == [0, 1, 0, 0]
    # At a temperature of 1/2 the shares are 1, 16, 4 and 9 thirtieths.
    cold = frequencies(partial(sample, temperature=0.5, top_p=0.5))
    assert cold.tolist() == [0, 1, 0, 0]


def test_a_seeded_generator_draws_the_same_again():
    logits = torch.zeros(50, 10)
    first, again, other = (
        sample(logits, generator=torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
