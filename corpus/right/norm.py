"""Right answers, written in many ways: none may lose a point. Before __ stands the function."""

import math
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional


def mean_variance__torch_var(x):
    return x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)


def mean_variance__var_mean(x):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return mean, variance


def mean_variance__old_keyword(x):
    return x.mean(axis=-1)[..., None], x.var(axis=-1, unbiased=False).unsqueeze(-1)


def mean_variance__sums_float64_inside(x):
    d, wide = x.size(-1), x.double()
    mean = wide.sum(dim=-1, keepdim=True) / d
    return mean.to(x.dtype), (((wide - mean) ** 2).sum(-1, keepdim=True) / d).to(x.dtype)


def mean_variance__square_of_deviation(x):
    return [x.mean(-1, True), x.std(-1, correction=0, keepdim=True) ** 2]


def mean_variance__bessel_undone(x):
    d = x.shape[-1]
    return x.mean(-1, keepdim=True), x.var(-1, keepdim=True) * (d - 1) / d


def mean_variance__einsum(x):
    ones = torch.full((x.size(-1),), 1 / x.size(-1), dtype=x.dtype)
    mean = torch.einsum("...d,d->...", x, ones)[..., None]
    centred = x - mean
    return mean, torch.einsum("...d,...d,d->...", centred, centred, ones)[..., None]


def _normal(x, eps):
    mean, variance = mean_variance__torch_var(x)
    return (x - mean) / (variance + eps).sqrt()


def layer_norm__rsqrt(x, gamma, beta, eps):
    centred = x - x.mean(-1, keepdim=True)
    return beta + gamma * centred * torch.rsqrt(centred.pow(2).mean(-1, keepdim=True) + eps)


def layer_norm__in_place_on_its_own(x, gamma, beta, eps):
    y = x - x.mean(-1, keepdim=True)
    y = y / (y.square().mean(-1, keepdim=True) + eps) ** 0.5 * gamma
    y += beta
    return y


def layer_norm__noisy_float64_inside(x, gamma, beta, eps):
    print("normalising", x.shape)
    print("to stderr", file=sys.stderr)
    warnings.warn("a warning", stacklevel=1)
    y = _normal(x.double(), eps)
    return (y * gamma.double() + beta.double()).to(x.dtype)


def layer_norm__loop_over_tokens(x, gamma, beta, eps):
    rows = []
    for row in x.reshape(-1, x.size(-1)):
        root = (row.var(correction=0) + eps).sqrt()
        rows.append((row - row.mean()) / root * gamma + beta)
    return torch.stack(rows).view(x.shape)


def layer_norm__one_scale_and_one_shift(x, gamma, beta, eps):
    scale = gamma * (x.var(-1, correction=0, keepdim=True) + eps) ** -0.5
    return x * scale + (beta - x.mean(-1, keepdim=True) * scale)


def layer_norm__features_first(x, gamma, beta, eps):
    y = x.transpose(0, -1)
    y = (y - y.mean(0)) / torch.sqrt(y.var(0, correction=0) + eps)
    return y.transpose(0, -1) * gamma + beta


def layer_norm__addcmul(x, gamma, beta, eps):
    return torch.addcmul(beta, _normal(x, eps), gamma)


def rms_norm__rsqrt(x, gamma, eps):
    return gamma * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps))


def rms_norm__dot(x, gamma, eps):
    square = torch.einsum("...d,...d->...", x, x)[..., None] / x.size(-1)
    return x / (square + eps) ** 0.5 * gamma


def rms_norm__length(x, gamma, eps):
    size = x.norm(dim=-1, keepdim=True) / math.sqrt(x.size(-1))
    return x * gamma / (size**2 + eps).sqrt()


def rms_norm__float64_inside(x, gamma, eps):
    wide = x.double()
    return (wide / (wide.square().mean(-1, True) + eps).sqrt() * gamma).to(x.dtype)


def rms_norm__mean_and_variance(x, gamma, eps):
    mean, variance = mean_variance__torch_var(x)
    return x / torch.sqrt(variance + mean.square() + eps) * gamma


def rms_norm__in_place_on_its_own(x, gamma, eps):
    y = x.clone()
    y /= x.square().mean(-1, keepdim=True).add_(eps).sqrt_()
    return y.mul_(gamma)


def _layer(x, gamma, beta, eps):
    return layer_norm__rsqrt(x, gamma, beta, eps)


def _sub(x, weight):
    return (x @ weight).clamp(min=0)


def post_norm__lines(x, weight, gamma, beta, eps):
    y = _sub(x, weight)
    y = y + x
    return _layer(y, gamma, beta, eps)


def post_norm__einsum(x, weight, gamma, beta, eps):
    read = torch.einsum("...d,de->...e", x, weight)
    return _normal(x + read * (read > 0), eps) * gamma + beta


def post_norm__linear(x, weight, gamma, beta, eps):
    return _layer(functional.relu(functional.linear(x, weight.T)).add(x), gamma, beta, eps)


def post_norm__loop_over_tokens(x, weight, gamma, beta, eps):
    rows = [_layer(row + _sub(row, weight), gamma, beta, eps) for row in x.flatten(0, -2)]
    return torch.stack(rows).view_as(x)


def post_norm__float64_inside(x, weight, gamma, beta, eps):
    x, weight, kind = x.double(), weight.double(), x.dtype
    return _layer(x + _sub(x, weight), gamma.double(), beta.double(), eps).to(kind)


def post_norm__in_place_on_its_own(x, weight, gamma, beta, eps):
    y = x.clone()
    y += _sub(x, weight)
    return _layer(y, gamma, beta, eps)


def swiglu__by_the_formula(x, gate, widen, narrow):
    z = x @ gate
    return (z * torch.sigmoid(z) * (x @ widen)) @ narrow


def swiglu__exponential(x, gate, widen, narrow):
    z = x @ gate
    return (x @ widen * z / (1 + (-z).exp())) @ narrow


def swiglu__one_product(x, gate, widen, narrow):
    opened, content = (x @ torch.cat([gate, widen], dim=1)).chunk(2, dim=-1)
    return functional.silu(opened).mul(content) @ narrow


def swiglu__einsum(x, gate, widen, narrow):
    opened = nn.SiLU()(torch.einsum("...d,df->...f", x, gate))
    return torch.einsum("...f,...f,fd->...d", opened, x @ widen, narrow)


def swiglu__linear_layers(x, gate, widen, narrow):
    opened = functional.silu(functional.linear(x, gate.T))
    return functional.linear(opened * functional.linear(x, widen.T), narrow.T)


def swiglu__float64_inside(x, gate, widen, narrow):
    x, gate, widen, kind = x.double(), gate.double(), widen.double(), x.dtype
    return ((functional.silu(x @ gate) * (x @ widen)) @ narrow.double()).to(kind)


def whole_layer__one_name(x, first, second, gammas, betas, eps):
    x = _layer(x + _sub(x, first), gammas[0], betas[0], eps)
    return _layer(x + _sub(x, second), gammas[1], betas[1], eps)


def whole_layer__loop(x, first, second, gammas, betas, eps):
    for weight, gamma, beta in zip((first, second), gammas, betas, strict=True):
        x = _layer(x + _sub(x, weight), gamma, beta, eps)
    return x


def whole_layer__post_norm_twice(x, first, second, gammas, betas, eps):
    middle = post_norm__lines(x, first, gammas[0], betas[0], eps)
    return post_norm__lines(middle, second, gammas[1], betas[1], eps)


def whole_layer__mended_in_place(x, first, second, gammas, betas, eps):
    middle = x + _sub(x, first)
    middle = _layer(middle, gammas[0], betas[0], eps)
    output = _sub(middle, second)
    output += middle
    return _layer(output, gammas[1], betas[1], eps)


def whole_layer__unpacked(x, first, second, gammas, betas, eps):
    gamma1, gamma2 = gammas
    beta1, beta2 = betas.unbind()
    middle = _normal(x + _sub(x, first), eps) * gamma1 + beta1
    return _normal(middle + _sub(middle, second), eps) * gamma2 + beta2


def whole_layer__float64_inside(x, first, second, gammas, betas, eps):
    wide = (tensor.double() for tensor in (x, first, second, gammas, betas))
    return whole_layer__loop(*wide, eps).to(x.dtype)


def count_parameters__one_formula(d_model, heads, d_ff):
    return 4 * d_model**2 + 2 * d_model * d_ff + 9 * d_model + d_ff


def count_parameters__heads_one_by_one(d_model, heads, d_ff):
    width = d_model // heads
    of_a_head = 3 * (d_model * width + width)
    output = d_model * d_model + d_model
    return heads * of_a_head + output + (d_model + 1) * d_ff + (d_ff + 1) * d_model + 4 * d_model


def count_parameters__linear(d_model, heads, d_ff):
    def linear(inputs, outputs):
        return (inputs + 1) * outputs

    layers = 4 * linear(d_model, d_model) + linear(d_model, d_ff) + linear(d_ff, d_model)
    return layers + 2 * 2 * d_model


def count_parameters__summed_shapes(d_model, heads, d_ff):
    D, F = d_model, d_ff
    shapes = [(D, D), (D,)] * 4 + [(F, D), (F,), (D, F), (D,)] + [(D,)] * 4
    return sum(math.prod(shape) for shape in shapes)


def count_parameters__pytorch(d_model, heads, d_ff):
    layers = [nn.Linear(d_model, d_model, device="meta") for _ in range(4)]
    layers += [nn.Linear(d_model, d_ff, device="meta"), nn.Linear(d_ff, d_model, device="meta")]
    return sum(p.numel() for layer in layers for p in layer.parameters()) + 4 * d_model


def count_parameters__counted_up(d_model, heads, d_ff):
    total = 0
    for inputs, outputs in [(d_model, d_model)] * 4 + [(d_model, d_ff), (d_ff, d_model)]:
        total += inputs * outputs + outputs
    for _ in range(2):
        total += 2 * d_model
    return total


def _right_norm(x, gamma, beta, eps):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() * gamma + beta


def _passes(norm, x, gamma, beta, eps):
    copy = x.clone()
    yours = norm(copy, gamma, beta, eps)
    close = (yours - _right_norm(x, gamma, beta, eps)).abs().max() < 0.02
    return close.item() and torch.equal(copy, x)


def is_layer_norm__two_trials(norm):
    x = torch.tensor([[[1.0, 2, 4, 0], [3, 3, 1, 7]], [[0, 1, 0, 5], [2, 9, 4, 4]]])
    gamma, beta = torch.tensor([1.0, -2, 3, 0.5]), torch.tensor([2.0, 0, -1, 5])
    return _passes(norm, x, gamma, beta, 0.3) and _passes(norm, x + 8192, gamma, beta, 0.3)


def is_layer_norm__batch(norm):
    torch.manual_seed(1)
    near = (torch.randn(4, 3, 3) * 4).round() / 4
    trials = [(near, 1.0), (near + 5000, 1.0), (near, 0.01)]
    gamma, beta = torch.tensor([3.0, 1, -1]), torch.tensor([-2.0, 2, 1])
    return all(_passes(norm, x, gamma, beta, eps) for x, eps in trials)


def is_layer_norm__loops(norm):
    for move in (0, 4096):
        for eps in (0.2, 2.0):
            x = torch.tensor([[0.0, 1, 3], [2, 2, 5], [4, 0, 1]]) + move
            if not _passes(norm, x, torch.tensor([2.0, 3, 4]), torch.tensor([5.0, 6, 7]), eps):
                return False
    return True


def is_layer_norm__counts_faults(norm):
    faults = 0
    for n in range(6):
        torch.manual_seed(n)
        x = (torch.randn(2, 2, 4) * 2).round() + 1000 * n
        faults += not _passes(norm, x, torch.randn(4) * 3, torch.randn(4) * 3, 0.5)
    return faults == 0


def largest_rate__sgd(make_model, rates, steps):
    learned = []
    for rate in rates:
        model = make_model()
        optimiser = torch.optim.SGD(model.parameters(), lr=rate)
        first = model().item()
        for _ in range(steps):
            optimiser.zero_grad()
            model().backward()
            optimiser.step()
        if model().item() < first / 4:
            learned.append(rate)
    return max(learned, default=0.0)


def largest_rate__from_above(make_model, rates, steps):
    for rate in sorted(rates)[::-1]:
        model = make_model()
        with torch.no_grad():
            first = model()
        for _ in range(steps):
            parameters = list(model.parameters())
            gradients = torch.autograd.grad(model(), parameters)
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.data.sub_(rate * gradient)
        if 4 * model() < first:
            return float(rate)
    return 0.0


def largest_rate__helper(make_model, rates, steps):
    def left(rate):
        model = make_model()
        losses = []
        for _ in range(steps + 1):
            loss = model()
            losses.append(loss.item())
            model.zero_grad()
            loss.backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.add_(parameter.grad, alpha=-rate)
        return losses[-1] / losses[0]

    return max([0.0, *(rate for rate in rates if left(rate) < 0.25)])


def largest_rate__best_so_far(make_model, rates, steps):
    best = 0.0
    for rate in rates:
        if rate <= best:
            continue
        model = make_model()
        first = model().item()
        for _ in range(steps):
            for parameter in model.parameters():
                parameter.grad = None
            model().backward()
            for parameter in model.parameters():
                parameter.data = parameter.data - rate * parameter.grad
        if model().item() < 0.25 * first:
            best = rate
    return best
