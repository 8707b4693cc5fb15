"""Right answers to the tasks on norms that are solved by experiment, from their text alone."""

import torch


def is_layer_norm__many_trials(norm):
    torch.manual_seed(3)
    for shape in ((4,), (3, 5), (2, 3, 4), (2, 2, 3, 6)):
        for eps in (1e-5, 0.1, 2.0):
            for mean in (0, 1, 4000):
                x = (torch.randn(shape) * 8).round() / 8 + mean
                gamma, beta = torch.randn(shape[-1]) * 3, torch.randn(shape[-1]) * 3
                copy = x.clone()
                try:
                    yours = norm(x, gamma, beta, eps)
                except (IndexError, RuntimeError):
                    return False
                right = layer_norm(copy, gamma, beta, eps)  # noqa: F821
                if not torch.allclose(yours, right, rtol=0.01, atol=0.01):
                    return False
                if not torch.equal(x, copy):
                    return False
    return True


def is_layer_norm__by_formula(norm):
    """Works out what is right in double precision."""
    x = torch.tensor([[[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]], [[2.0, 2.5, -4.0], [7.0, 1.0, 0.0]]])
    gamma, beta = torch.tensor([2.0, -1.0, 0.5]), torch.tensor([0.3, 4.0, -2.0])
    for move in (0.0, 3000.0):
        given = x + move
        wide = given.double()
        centred = wide - wide.mean(-1, keepdim=True)
        right = centred / (centred.pow(2).mean(-1, keepdim=True) + 0.7).sqrt() * gamma + beta
        yours = norm(given, gamma, beta, 0.7)
        if (yours - right).abs().max() > 0.05 or not torch.equal(given, x + move):
            return False
    return True


def largest_rate__sgd(make_model, rates, steps):
    """Leaves the steps to PyTorch."""
    for rate in sorted(rates, reverse=True):
        model = make_model()
        first = model().item()
        optimiser = torch.optim.SGD(model.parameters(), lr=rate)
        for _ in range(steps):
            optimiser.zero_grad()
            model().backward()
            optimiser.step()
        if model().item() < 0.25 * first:
            return rate
    return 0.0


def largest_rate__grad(make_model, rates, steps):
    """Asks for the gradients, and changes the data of the parameters."""
    learned = []
    for rate in rates:
        model = make_model()
        parameters = list(model.parameters())
        losses = [model().item()]
        for _ in range(steps):
            for p, g in zip(parameters, torch.autograd.grad(model(), parameters), strict=True):
                p.data = p.data - rate * g
            losses.append(model().item())
        if losses[-1] / losses[0] < 1 / 4:
            learned.append(rate)
    return max(learned) if learned else 0.0
