"""transformer_lab.embedding: tables, scale, tied and untied outputs, and strange ids."""

import math

import torch
from torch import nn

from transformer_lab.embedding import Embeddings, ScaledEmbedding, TiedOutput, untied_output
from transformer_lab.norm import LayerNorm
from transformer_lab.positional_encoding import LearnedPositions, NoPositions

IDS = torch.tensor([[3, 1, 4], [1, 5, 0]])


def padded(ids):
    """Put two other tokens in front."""
    return torch.cat([torch.full((2, 2), 4), ids], dim=1)


def embeddings(**parts):
    parts = {"tokens": nn.Embedding(6, 4), "positions": NoPositions(d_model=4)} | parts
    return Embeddings(**parts).eval()


def test_scaled_embedding_is_the_table_times_the_root_of_the_width():
    table = ScaledEmbedding(6, 4)
    assert torch.equal(table(IDS), table.weight[IDS] * 2)
    wide = ScaledEmbedding(5, 512)
    torch.testing.assert_close(wide(IDS[:1]), wide.weight[IDS[:1]] * math.sqrt(512))


def test_embeddings_are_token_plus_position_then_norm_then_dropout():
    torch.manual_seed(0)
    positions, norm = LearnedPositions(d_model=4, max_length=3), LayerNorm(d_model=4)
    part = embeddings(positions=positions, norm=norm, dropout=0.5)
    summed = part.tokens.weight[IDS] + positions.table.weight
    torch.testing.assert_close(part(IDS), norm(summed))
    dropped = part.train()(IDS)
    kept = dropped != 0
    assert 0 < kept.sum() < kept.numel()
    torch.testing.assert_close(dropped[kept], 2 * norm(summed)[kept])


def test_padding_moves_no_position():
    part = embeddings(positions=LearnedPositions(d_model=4, max_length=2))
    real = torch.tensor([[False, True, True], [True, False, True]])
    table = part.positions.table.weight
    expected = part.tokens.weight[IDS][real] + table[[0, 1, 0, 1]]
    torch.testing.assert_close(part(IDS, real)[real], expected)


def test_tokens_read_before_count_as_positions():
    part = embeddings(positions=LearnedPositions(d_model=4, max_length=5))
    real = torch.tensor([[False, True, True, True, True], [True] * 5])
    torch.testing.assert_close(part(IDS[:, 1:], real, past=3), part(padded(IDS), real)[:, 3:])
    table = part.positions.table.weight
    torch.testing.assert_close(part(IDS, past=2), part.tokens.weight[IDS] + table[2:])
    assert (part.max_length, embeddings().max_length) == (5, None)


def test_tied_output_is_the_table_and_no_new_matrix():
    part, x = embeddings(), torch.randn(2, 3, 4)
    tokens, tied = part.tokens, TiedOutput(part)
    torch.testing.assert_close(tied(x), x @ tokens.weight.mT)
    assert list(tied.parameters()) == [tokens.weight]
    biased = TiedOutput(part, bias=True)
    nn.init.normal_(biased.bias)
    torch.testing.assert_close(biased(x), x @ tokens.weight.mT + biased.bias)


def test_untied_output_is_a_matrix_of_its_own():
    part = embeddings()
    output = untied_output(part)
    assert output.weight.shape == part.tokens.weight.shape
    assert output.weight is not part.tokens.weight
    assert output.bias is None


def test_a_weight_set_in_a_tied_output_is_the_tables_too():
    part = embeddings(tokens=nn.Embedding(5, 3))
    tokens, tied = part.tokens, TiedOutput(part)
    tied.weight = nn.Parameter(torch.ones(7, 3))
    assert tied.weight is tokens.weight
    assert tied(torch.ones(1, 3)).tolist() == [[3.0] * 7]
