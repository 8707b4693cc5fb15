"""The multi-head chapter: what its own cells cannot check."""

import pytest
import torch

from transformer_lab import causal_mask, scaled_dot_product_attention


@pytest.mark.parametrize(("words", "heads"), [(8, 4), (8, 2), (12, 3)])
def test_reshaping_both_ways_leaves_the_words_of_each_block_to_themselves(words, heads):
    torch.manual_seed(0)
    x = torch.randn(1, words, 4 * heads, dtype=torch.double, requires_grad=True)
    pieces = x.reshape(1, heads, words, 4)
    mixed, _ = scaled_dot_product_attention(pieces, pieces, pieces, causal_mask(words))
    output = mixed.reshape(words, 4 * heads)
    gradients = [torch.autograd.grad(word.sum(), x, retain_graph=True)[0] for word in output]
    heard = torch.cat(gradients).abs().sum(-1) > 1e-12
    blocks = torch.block_diag(*heads * [torch.ones(words // heads, words // heads)]).bool()
    assert torch.equal(heard, blocks & causal_mask(words))
