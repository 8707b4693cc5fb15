"""transformer_lab.embedding: tables, scale, tied and untied outputs, and strange ids."""

import math

import torch
from torch import nn

from transformer_lab.embedding import Embeddings, ScaledEmbedding
from transformer_lab.norm import LayerNorm
from transformer_lab.positional_encoding import LearnedPositions, NoPositions

IDS = torch.tensor([[3, 1, 4], [1, 5, 0]])


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
