"""transformer_lab.parameters: how models begin, and the paper's 65 million, term by term."""

import pytest
import torch
from torch import nn

from transformer_lab.layers import DecoderLayer, EncoderLayer
from transformer_lab.model import PAPER_BASE, EncoderDecoderModel
from transformer_lab.parameters import count_parameters, initialise_normal, initialise_xavier

PAPER = dict(d_model=512, heads=8, d_ff=2048)


def test_the_papers_base_model_term_by_term():
    with torch.device("meta"):
        model = EncoderDecoderModel(PAPER_BASE)
        encoder, decoder = EncoderLayer(**PAPER), DecoderLayer(**PAPER)
    attention, norm = 4 * (512 * 512 + 512), 2 * 512
    feed_forward = 2 * 512 * 2048 + 2048 + 512
    assert count_parameters(encoder) == attention + feed_forward + 2 * norm == 3_152_384
    assert count_parameters(decoder) == 2 * attention + feed_forward + 3 * norm == 4_204_032
    shared_table = 37_000 * 512
    layers = 6 * 3_152_384 + 6 * 4_204_032
    assert count_parameters(model) == shared_table + layers == 63_082_496
    assert count_parameters(model, without=(nn.Embedding,)) == layers == 44_138_496
    assert count_parameters(model) / 65e6 == pytest.approx(0.97, abs=0.001)  # what the paper says


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(400, 64)
        self.matrix = nn.Linear(64, 300)
        self.plain = nn.Linear(64, 64, bias=False)
        self.norm = nn.LayerNorm(64)


@pytest.mark.parametrize(
    ("initialise", "table", "matrix"),
    [(initialise_normal, 0.02, 0.02), (initialise_xavier, 64**-0.5, (2 / (64 + 300)) ** 0.5)],
)
def test_the_two_beginnings(initialise, table, matrix):
    torch.manual_seed(0)
    parts = Parts().apply(initialise)
    assert parts.table.weight.std().item() == pytest.approx(table, rel=0.02)
    assert parts.matrix.weight.std().item() == pytest.approx(matrix, rel=0.02)
    assert parts.table.weight.mean().item() == pytest.approx(0, abs=table / 30)
    assert not parts.matrix.bias.any()
    assert (parts.norm.weight == 1).all()


def test_the_papers_matrices_are_bounded_and_the_others_are_not():
    torch.manual_seed(0)
    bound = (6 / (64 + 300)) ** 0.5
    assert Parts().apply(initialise_xavier).matrix.weight.abs().max() <= bound
    assert Parts().apply(initialise_normal).matrix.weight.abs().max() > 3 * 0.02
