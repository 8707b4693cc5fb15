"""The head splitter's places against loops, and who is heard against gradients."""

import itertools

import pytest
import torch
from torch import nn

from tests.widgets.reading import baked as read
from transformer_lab.widgets import HeadSplitter
from transformer_lab.widgets.head_splitter import WORDS, layer, words

HEADS = HeadSplitter.heads.stops
T, D = len(WORDS), 8


@pytest.fixture(scope="module")
def frames():
    data, frames = read("head_splitter")
    assert list(data["axes"]) == ["heads"]
    return {heads: frame for (heads,), frame in frames.items()}


def number_at(way, heads, head, row, column):
    if way == 0:
        return row * D + head * (D // heads) + column
    return head * T * (D // heads) + row * (D // heads) + column


@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize("heads", HEADS)
def test_every_number_stands_where_counting_says(frames, heads, way):
    places = itertools.product(range(heads), range(T), range(D // heads))
    expected = [number_at(way, heads, *place) for place in places]
    assert frames[heads]["ways"][way]["places"] == expected


def piece(x, way, heads, head):
    flat, K = x.flatten(), D // heads
    rows = [[flat[number_at(way, heads, head, i, k)] for k in range(K)] for i in range(T)]
    return torch.stack([torch.stack(row) for row in rows])


def output(x, way, heads, upto):
    """Run the layer head by head, with nothing of ours but its matrices."""
    multi = layer(heads)
    W_q, W_k, W_v, W_o = (
        part.weight.T for part in (multi.query, multi.key, multi.value, multi.output)
    )
    merged = torch.zeros(T * D)
    for head in range(heads):
        q, k, v = (piece(x @ W, way, heads, head) for W in (W_q, W_k, W_v))
        mixed = (q @ k.T / (D // heads) ** 0.5).softmax(-1) @ v
        for i, c in itertools.product(range(T), range(D // heads)):
            merged[number_at(way, heads, head, i, c)] = mixed[i, c]
    merged = merged.view(T, D)
    return merged @ W_o if upto == "W_O" else merged


@pytest.mark.parametrize("step", ["merge", "W_O"])
@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize("heads", HEADS)
def test_a_word_has_a_share_where_and_only_where_its_change_moves_the_output(
    frames, heads, way, step
):
    shares = torch.tensor(frames[heads]["ways"][way]["heard"][step == "W_O"]).view(T, D, T)
    torch.testing.assert_close(shares.sum(-1), torch.ones(T, D), rtol=0, atol=2.1e-3)
    before = output(words(), way, heads, step)
    for word in range(T):
        changed = words()
        changed[word] += 1
        moved = (output(changed, way, heads, step) - before).abs().amax(-1) > 1e-6
        assert torch.equal(shares[..., word].amax(-1) > 0, moved)


@pytest.mark.parametrize("heads", HEADS)
def test_rightly_split_the_shares_are_the_heads_weights(frames, heads):
    shares = torch.tensor(frames[heads]["ways"][0]["heard"][0]).view(T, heads, D // heads, T)
    multi = layer(heads)
    theirs = nn.MultiheadAttention(D, heads, bias=False, batch_first=True)
    with torch.no_grad():
        stacked = torch.cat([multi.query.weight, multi.key.weight, multi.value.weight])
        theirs.in_proj_weight.copy_(stacked)
        _, weights = theirs(*3 * [words()[None]], average_attn_weights=False)
    for column in range(D // heads):
        seen = shares[:, :, column].transpose(0, 1)
        torch.testing.assert_close(seen, weights[0], rtol=0, atol=5.1e-4)


def test_it_shows_where_the_learners_function_puts_numbers():
    def interleaved(x, heads):
        return x.unflatten(-1, (-1, heads)).movedim(-1, 0)

    way = HeadSplitter(split=interleaved, heads=4).frame["ways"][0]
    assert way["code"] == "your split: interleaved(x, 4)"
    assert way["places"][:8] == [0, 4, 8, 12, 16, 20, 24, 28]
    every = torch.tensor(way["heard"][0]).view(T, D, T)
    assert (every > 0).all(), "another order, but no mistake"


def test_a_function_that_loses_numbers_is_told_which():
    def half(x, heads):
        return x[:, :4].repeat(1, 2).view(4, heads, -1).transpose(0, 1)

    trouble = HeadSplitter(split=half).frame["trouble"]
    assert "16 are lost: first of them, number 4 of 'The'" in trouble
