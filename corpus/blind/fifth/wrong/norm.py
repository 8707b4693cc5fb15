"""Wrong answers to the tasks on norms that are solved by experiment, from their text alone."""

import torch


def is_layer_norm__standard_inputs(norm):
    """Tries what one always tries: wide random tokens, gamma 1, beta 0, a tiny eps."""
    x = torch.randn(2, 5, 64)
    gamma, beta = torch.ones(64), torch.zeros(64)
    yours = norm(x.clone(), gamma, beta, 1e-5)
    return torch.allclose(yours, layer_norm(x, gamma, beta, 1e-5), atol=1e-3)  # noqa: F821


def is_layer_norm__mean_and_variance(norm):
    """Looks whether mean and variance are 0 and 1."""
    out = norm(torch.randn(3, 4, 8) * 5 + 2, torch.ones(8), torch.zeros(8), 1e-6)
    mean, var = out.mean(-1), out.var(-1, unbiased=False)
    return bool((mean.abs() < 0.01).all() and ((var - 1).abs() < 0.01).all())


def is_layer_norm__too_strict(norm):
    """Wants every digit to agree."""
    for shift in (0, 4096):
        x = torch.randn(2, 3, 4) + shift
        gamma, beta = torch.randn(4), torch.randn(4)
        copy = x.clone()
        if not (norm(x, gamma, beta, 0.3) == layer_norm(copy, gamma, beta, 0.3)).all():  # noqa: F821
            return False
        if not (x == copy).all():
            return False
    return True


def is_layer_norm__not_far(norm):
    """Never goes far from 0."""
    x, gamma, beta = torch.randn(2, 3, 4), torch.randn(4), torch.randn(4)
    copy = x.clone()
    right = layer_norm(copy, gamma, beta, 0.5)  # noqa: F821
    return torch.allclose(norm(x, gamma, beta, 0.5), right, atol=0.01) and torch.equal(x, copy)


def is_layer_norm__argument_free(norm):
    """Never asks whether the argument was changed."""
    good = True
    for x in (torch.randn(2, 3, 4), (torch.randn(2, 3, 4) * 4).round() / 4 + 4096):
        gamma, beta = torch.randn(4) + 2, torch.randn(4)
        right = layer_norm(x, gamma, beta, 0.5)  # noqa: F821
        good = good and torch.allclose(norm(x.clone(), gamma, beta, 0.5), right, atol=0.01)
    return good


def is_layer_norm__compared_with_the_changed(norm):
    """Asks the norm first, and compares with what is right for the changed argument."""
    x = torch.randn(2, 3, 4) + 1
    gamma, beta = torch.randn(4) + 2, torch.randn(4)
    yours = norm(x, gamma, beta, 0.5)
    return torch.allclose(yours, layer_norm(x, gamma, beta, 0.5), atol=0.01)  # noqa: F821


def is_layer_norm__shapes(norm):
    """Looks at the shape alone."""
    x = torch.randn(2, 3, 4)
    return norm(x, torch.ones(4), torch.zeros(4), 1e-5).shape == x.shape


def is_layer_norm__one_token(norm):
    """Tries one token at a time."""
    good = True
    for shift in (0.0, 4096.0):
        x = (torch.randn(4) * 4).round() / 4 + shift
        gamma, beta, copy = torch.randn(4) + 2, torch.randn(4) - 3, x.clone()
        right = layer_norm(copy, gamma, beta, 0.5)  # noqa: F821
        try:
            yours = norm(x, gamma, beta, 0.5)
        except (IndexError, RuntimeError):
            return False
        good = good and torch.allclose(yours, right, rtol=0.01, atol=0.01) and torch.equal(x, copy)
    return good


def is_layer_norm__opposite(norm):
    """Says True when it has found a fault."""
    x = torch.randn(2, 3, 4)
    gamma, beta, copy = torch.randn(4) + 2, torch.randn(4), x.clone()
    yours = norm(x, gamma, beta, 0.5)
    right = layer_norm(copy, gamma, beta, 0.5)  # noqa: F821
    far = (copy * 4).round() / 4 + 4096
    yours_far = norm(far.clone(), gamma, beta, 0.5)
    right_far = layer_norm(far, gamma, beta, 0.5)  # noqa: F821
    return (
        not torch.allclose(yours, right, atol=0.01)
        or not torch.equal(x, copy)
        or not torch.allclose(yours_far, right_far, atol=0.01)
    )


def _train(model, rate, steps):
    for _ in range(steps):
        model.zero_grad()
        model().backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= rate * p.grad
    return model().item()


def largest_rate__one_model(make_model, rates, steps):
    """Trains one and the same model at all rates."""
    model, best = make_model(), 0.0
    for rate in rates:
        first = model().item()
        if _train(model, rate, steps) < first / 4:
            best = max(best, rate)
    return best


def largest_rate__gradients_pile_up(make_model, rates, steps):
    """Never sets the gradients to zero."""
    best = 0.0
    for rate in rates:
        model = make_model()
        first = model().item()
        for _ in range(steps):
            model().backward()
            with torch.no_grad():
                for p in model.parameters():
                    p -= rate * p.grad
        if model().item() < first / 4:
            best = max(best, rate)
    return best


def largest_rate__half(make_model, rates, steps):
    """Is content with half."""
    good = [0.0]
    for rate in rates:
        model = make_model()
        first = model().item()
        if _train(model, rate, steps) < first / 2:
            good.append(rate)
    return max(good)


def largest_rate__in_order(make_model, rates, steps):
    """Stops at the first rate that does not learn, as if they stood in order."""
    best = 0.0
    for rate in rates:
        model = make_model()
        first = model().item()
        if not _train(model, rate, steps) < first / 4:
            break
        best = rate
    return best


def largest_rate__lowest_loss(make_model, rates, steps):
    """Gives the rate that ends lowest."""
    ends = [_train(make_model(), rate, steps) for rate in rates]
    return rates[min(range(len(rates)), key=ends.__getitem__)]


def largest_rate__last_that_learns(make_model, rates, steps):
    """Gives the last in the list that learns."""
    best = 0.0
    for rate in rates:
        model = make_model()
        first = model().item()
        if _train(model, rate, steps) < first / 4:
            best = rate
    return best


def largest_rate__rebinds(make_model, rates, steps):
    """Computes new parameters that the model never gets."""
    best = 0.0
    for rate in rates:
        model = make_model()
        first = model().item()
        for _ in range(steps):
            model.zero_grad()
            model().backward()
            for p in model.parameters():
                p = p - rate * p.grad  # noqa: PLW2901
        if model().item() < first / 4:
            best = max(best, rate)
    return best


def largest_rate__nan_is_fine(make_model, rates, steps):
    """Takes whatever is not above for below."""
    best = 0.0
    for rate in rates:
        model = make_model()
        first = model().item()
        if not _train(model, rate, steps) >= first:
            best = max(best, rate)
    return best


def largest_rate__none(make_model, rates, steps):
    """Gives None where nothing learns, and uphill is where it goes."""
    good = []
    for rate in rates:
        model = make_model()
        first = model().item()
        if _train(model, -rate, steps) < first / 4:
            good.append(rate)
    return max(good) if good else None
