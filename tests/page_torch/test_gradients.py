"""The small PyTorch trains as PyTorch does: gradients, what they add up to, steps of optimisers."""

import pytest
import torch

from page_torch import torch as small
from tests.page_torch.programs import Ref, run


def leaf(side, *shape):
    return (side.arange(1.0, 1 + torch.Size(shape).numel()).sin()).reshape(shape).requires_grad_()


def of_a_model(side):
    """Return gradients of a small transformer: of all that a GPT is made of."""
    F = side.nn.functional
    layer = [leaf(side, 4, 4) for _ in range(4)]
    table, gamma = leaf(side, 6, 4), leaf(side, 4)
    ids = side.tensor([[0, 3, 3, 5], [2, 1, 0, 2]])
    x = F.embedding(ids, table)
    normed = F.layer_norm(F.rms_norm(x, (4,), gamma), (4,), gamma, leaf(side, 4))
    q, k, v = (F.linear(normed, w).unflatten(-1, (2, 2)).transpose(1, 2) for w in layer[:3])
    mask = side.ones(4, 4).tril().bool()
    found = ((q @ k.mT / 2).masked_fill(~mask, -float("inf")).softmax(-1) @ v).transpose(1, 2)
    x = x + F.gelu(found.flatten(-2) @ layer[3])
    loss = F.cross_entropy((x @ table.T).flatten(0, 1), ids.roll(-1, 1).flatten())
    loss.backward()
    return [w.grad for w in (*layer, table, gamma)]


def twice(side):
    x = leaf(side, 3)
    for _ in range(2):
        (x * x).sum().backward()
    kept = x.grad
    x.exp().sum().backward()
    return [x.grad, kept]


def without_numbers_of_its_own(side):
    x = leaf(side, 2, 3)
    with side.no_grad():
        a = x * 2
    with side.set_grad_enabled(False):
        b = x * 3
    c = (x * x).detach() * x + a.sum() * x + b
    c.sum().backward()
    return [x.grad]


def written_into(side):
    x, y = leaf(side, 2, 3), leaf(side, 3)
    z = x * 2
    z[0] = y.exp()
    z.mul_(x)
    z[:, 1].add_(y[0])
    z[1, [0, 2]] = y[1:] * 3
    z.masked_fill_(z < -1, 0)
    (z * z).sum().backward()
    return [x.grad, y.grad]


def in_part(side):
    x, y = leaf(side, 3), leaf(side, 2)
    used, unused = side.autograd.grad((x * x).sum(), [x, y], allow_unused=True)
    given = side.autograd.grad([x * 2, x.exp()], x, [leaf(side, 3).detach()] * 2)
    return [used, side.tensor(unused is None), *given]


def of_a_part_of_another(side):
    whole = side.arange(12.0).reshape(3, 4)
    x = side.nn.Parameter(whole.T[1:])
    (x.T * x.T).sum().backward()
    return [x.grad, x.grad.T.contiguous()]


def again(side):
    x = leaf(side, 3)
    y = x.exp().sum()
    y.backward(retain_graph=True)
    y.backward()
    return [x.grad]


def clipped(side):
    x, y = leaf(side, 3), leaf(side, 2, 2)
    ((x * 3).sum() + y.square().sum()).backward()
    whole = side.nn.utils.clip_grad_norm_([x, y], 1.0)
    parts = [x.grad.clone(), y.grad.clone(), whole]
    side.nn.utils.clip_grad_value_([x, y], 0.2)
    return [*parts, x.grad, y.grad]


def by_data(side):
    x = side.nn.Parameter(side.ones(2))
    (x * x).sum().backward()
    x.data -= 0.1 * x.grad
    x.data = x.data - x.grad
    x.grad.zero_()
    x.exp().sum().backward()
    return [x.detach(), x.grad]


def steps(make):
    def train(side):
        side.manual_seed(0)
        model = side.nn.Sequential(side.nn.Linear(3, 4), side.nn.GELU(), side.nn.Linear(4, 2))
        optimiser = make(side.optim, list(model.parameters()))
        x, losses = leaf(side, 5, 3).detach(), []
        for _ in range(5):
            loss = model(x).square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.detach())
        return [*losses, *model.parameters()]

    return train


TRAININGS = [
    of_a_model, twice, without_numbers_of_its_own, written_into, in_part, of_a_part_of_another,
    again, clipped, by_data,
    steps(lambda optim, p: optim.SGD(p, lr=0.1)),
    steps(lambda optim, p: optim.SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=0.1)),
    steps(lambda optim, p: optim.SGD(p, 0.1, 0.5, dampening=0.2, maximize=True)),
    steps(lambda optim, p: optim.Adam(p, weight_decay=0.1)),
    steps(lambda optim, p: optim.AdamW(p, 0.05, (0.8, 0.9), 1e-6)),
    steps(lambda optim, p: optim.AdamW([{"params": p[:2], "lr": 0.1}, {"params": p[2:]}])),
]  # fmt: skip


@pytest.mark.parametrize("train", TRAININGS)
def test_it_trains_as_pytorch_does(train):
    for mine, right in zip(train(small), train(torch), strict=True):
        given = torch.tensor(mine.tolist(), dtype=right.dtype)
        assert tuple(mine.shape) == tuple(right.shape)
        torch.testing.assert_close(given, right.detach(), rtol=1e-5, atol=1e-6)


def modified(side):
    x = leaf(side, 3)
    y = x.exp()
    y.add_(1)
    y.sum().backward()


REFUSED = [
    lambda side: side.ones(2).sum().backward(),
    lambda side: (leaf(side, 2) * 2).backward(),
    lambda side: [y := leaf(side, 2).exp().sum(), y.backward(), y.backward()],
    lambda side: side.autograd.grad(leaf(side, 2).sum(), leaf(side, 2)),
    lambda side: side.autograd.grad(leaf(side, 2).sum(), side.ones(2)),
    lambda side: (leaf(side, 2) * 2).backward(side.ones(3)),
    lambda side: side.ones(2, requires_grad=True).mul_(2),
    lambda side: side.optim.SGD([], lr=1),
    lambda side: side.optim.SGD([leaf(side, 2)], lr=-1),
    lambda side: side.optim.SGD([leaf(side, 2) * 2], lr=1),
    lambda side: side.optim.SGD(leaf(side, 2), lr=1),
    lambda side: side.optim.AdamW([1.0]),
    modified,
]  # fmt: skip


@pytest.mark.parametrize("use", REFUSED)
def test_what_cannot_be_trained_raises_what_pytorch_raises(use):
    with pytest.raises(Exception) as right:  # noqa: PT011 -- whatever it is
        use(torch)
    with pytest.raises(right.type) as mine:
        use(small)
    assert str(mine.value)[:25] == str(right.value)[:25]


@pytest.mark.parametrize("sizes", [(2, 0, 3), (0, 2, 3), (2, 3, 0), (0, 0, 2)])
def test_products_of_empty_matrices(sizes):
    n, inner, m = sizes
    given = [
        ("float32", (2, n, inner), [1.0] * (2 * n * inner), False, False, True),
        ("float32", (2, inner, m), [2.0] * (2 * inner * m), False, False, True),
    ]
    run(given, [("operator", "matmul", (Ref(0), Ref(1)), {})])
