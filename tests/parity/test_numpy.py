"""The encoder block once more, in plain NumPy and with another layout of the loops."""

import numpy as np
import pytest
import torch
from hypothesis import given

from tests.parity.problems import assert_same, few, problems
from transformer_lab.layers import EncoderLayer
from transformer_lab.masking import padding_mask
from transformer_lab.norm import PostNorm, PreNorm


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def norm(x, gamma, beta):
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + beta


def linear(x, w, name):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def attention(x, w, heads, real):
    """One sentence, one head at a time: x is (T, D)."""
    q, k, v = (linear(x, w, f"attention.{part}") for part in ("query", "key", "value"))
    found = []
    for columns in np.split(np.arange(x.shape[1]), heads):
        scores = q[:, columns] @ k[:, columns].T / np.sqrt(len(columns))
        found.append(softmax(np.where(real, scores, -np.inf)) @ v[:, columns])
    return linear(np.concatenate(found, axis=1), w, "attention.output")


def feed_forward(x, w):
    return linear(np.maximum(linear(x, w, "feed_forward.up"), 0), w, "feed_forward.down")


def encoder_block(x, w, heads, real, wiring):
    norms = [
        (w[f"{sublayer}_residual.norm.weight"], w[f"{sublayer}_residual.norm.bias"])
        for sublayer in ("attention", "feed_forward")
    ]
    if wiring == "pre-norm":
        x = x + attention(norm(x, *norms[0]), w, heads, real)
        return x + feed_forward(norm(x, *norms[1]), w)
    x = norm(x + attention(x, w, heads, real), *norms[0])
    return norm(x + feed_forward(x, w), *norms[1])


@pytest.mark.parametrize("wiring", ["post-norm", "pre-norm"])
@given(problem=problems())
@few
def test_encoder_layer_equals_numpy(wiring, problem):
    layer = problem.random_weights(
        EncoderLayer(
            d_model=problem.d_model,
            heads=problem.heads,
            d_ff=problem.d_ff,
            residual=PreNorm if wiring == "pre-norm" else PostNorm,
        )
    )
    x, real = problem.vectors(problem.length), problem.real(problem.length)
    w = {name: tensor.numpy() for name, tensor in layer.state_dict().items()}
    expected = [
        encoder_block(x[b].numpy(), w, problem.heads, real[b].numpy(), wiring)
        for b in range(problem.batch)
    ]
    output = layer(x, padding_mask(real))
    assert_same(output, torch.from_numpy(np.stack(expected)), problem.dtype)
