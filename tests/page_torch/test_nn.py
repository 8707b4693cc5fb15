"""Modules and functions that random programs do not reach do what PyTorch's do."""

import pytest
import torch

from page_torch import torch as small


def heads(side):
    side.manual_seed(0)
    return [side.randn(2, 2, 3, 4) for _ in range(3)]


def tall(side):
    queries, keys, _ = heads(side)
    return queries.reshape(12, 4), keys.reshape(12, 4)[:, :2]


FUNCTIONS = [
    lambda side: side.nn.LayerNorm(4)(side.nn.RMSNorm(4)(heads(side)[0])),
    lambda side: side.nn.Sequential(side.nn.Linear(4, 3), side.nn.SiLU())(heads(side)[0]),
    lambda side: side.nn.Embedding(5, 4)(side.tensor([[1, 2], [0, 4]])),
    lambda side: side.nn.Embedding.from_pretrained(side.ones(3, 2))(side.tensor(1)),
    lambda side: side.nn.CrossEntropyLoss(ignore_index=1)(
        heads(side)[0][0, 0], side.tensor([0, 1, 3])
    ),
    lambda side: side.nn.functional.cross_entropy(
        heads(side)[0][0, 0], side.tensor([0, 1, 3]), label_smoothing=0.1
    ),
    lambda side: side.linalg.matrix_exp(heads(side)[0][0, :, :2, :2]),
    lambda side: side.linalg.lstsq(*tall(side)).solution,
    lambda side: side.linalg.lstsq(tall(side)[0], tall(side)[1][:, 0]).solution,
    lambda side: side.linalg.lstsq(*tall(side)).residuals,
    lambda side: side.linalg.lstsq(*tall(side)).rank,
    lambda side: side.linalg.lstsq(*tall(side)).singular_values,
    lambda side: side.linalg.pinv(tall(side)[0].mT),
    lambda side: side.tensor([side.tensor(1), 2.5, True]),
    lambda side: side.Tensor([[1, 2], [3, 4]]),
    lambda side: (side.arange(512) / 256 + 1).bfloat16(),  # half of them lie between two
    lambda side: (side.arange(8192) / 2048 + 1).half(),
    lambda side: side.view_as_real(side.exp(1j * side.arange(6.0).view(2, 3))),
    lambda side: side.view_as_real(side.complex(side.eye(3), side.ones(3)) * 2j),
    lambda side: side.einsum("bhqd,bhkd->bhqk", *heads(side)[:2]),
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_gives_what_pytorch_gives(function):
    results = []
    for side in (small, torch):
        side.manual_seed(1)
        results.append(function(side))
    mine, right = results
    assert (tuple(mine.shape), str(mine.dtype)) == (tuple(right.shape), str(right.dtype))
    assert mine.requires_grad == right.requires_grad
    given = torch.tensor(mine.tolist(), dtype=right.dtype)
    assert torch.allclose(given, right, rtol=1e-5, atol=1e-6, equal_nan=True)


def test_on_the_device_meta_shapes_are_known():
    for side in (small, torch):
        x = side.empty(2, 3, 500, device="meta") @ side.nn.Linear(500, 7, device="meta").weight.mT
        assert (tuple(x.shape), x.device.type) == ((2, 3, 7), "meta")
        assert tuple(side.cat([x, x], 1).softmax(-1).mean(0).flatten().shape) == (42,)
