import math

import torch
import torch.nn.functional as F

from transformer_lab import check


# mean_variance


def mean_variance__squares(x):
    """The variance is E[x^2] - mean^2, which is lost in rounding far from 0."""
    mean = x.mean(dim=-1, keepdim=True)
    return mean, (x**2).mean(dim=-1, keepdim=True) - mean**2


def mean_variance__deviation(x):
    """Returns the standard deviation in the place of the variance."""
    mean = torch.mean(x, -1, keepdim=True)
    return mean, torch.std(x, dim=-1, keepdim=True, correction=0)


def mean_variance__absolute(x):
    """Takes the mean distance from the mean, without squares."""
    mean = x.mean(dim=-1, keepdim=True)
    return mean, (x - mean).abs().mean(dim=-1, keepdim=True)


def mean_variance__d_from_tokens(x):
    """Divides the sum of squares by the length of the tokens' axis, not by the number of features."""
    mean = x.mean(dim=-1, keepdim=True)
    d = x.size(-2) if x.dim() > 1 else x.size(0)
    return mean, (x - mean).pow(2).sum(dim=-1, keepdim=True) / d


# layer_norm


def layer_norm__shift_first(x, gamma, beta, eps):
    """The shift is added before the scale, so beta is multiplied by gamma."""
    mean, variance = mean_variance(x)
    return gamma * ((x - mean) * torch.rsqrt(variance + eps) + beta)


def layer_norm__in_place(x, gamma, beta, eps):
    """Subtracts the mean in place and so changes the x that was handed in."""
    mean, variance = mean_variance(x)
    x -= mean
    return x / (variance + eps).sqrt() * gamma + beta


def layer_norm__own_eps(x, gamma, beta, eps):
    """Always takes 0.00001 for eps, whatever is given."""
    mean, variance = mean_variance(x)
    return (x - mean) / (variance + 1e-5) ** 0.5 * gamma + beta


def layer_norm__frozen_statistics(x, gamma, beta, eps):
    """Mean and variance are detached, so no gradient flows through them."""
    with torch.no_grad():
        mean, variance = mean_variance(x)
    return (x - mean) / torch.sqrt(variance + eps) * gamma + beta


# rms_norm


def rms_norm__absolute(x, gamma, eps):
    """Divides by the mean absolute value instead of the root of the mean square."""
    size = x.abs().mean(dim=-1, keepdim=True)
    return gamma * x / torch.sqrt(size * size + eps)


def rms_norm__clamp(x, gamma, eps):
    """eps is a lower bound for the mean square instead of being added to it."""
    mean_square = (x * x).mean(-1, keepdim=True)
    return gamma * x * mean_square.clamp(min=eps).rsqrt()


def rms_norm__float32(x, gamma, eps):
    """Works in float32 as Llama does, but does not go back to the dtype of x."""
    wide = x.float()
    mean_square = wide.pow(2).mean(-1, keepdim=True)
    return gamma.float() * (wide * torch.rsqrt(mean_square + eps))


def rms_norm__one_plus(x, gamma, eps):
    """Scales by 1 + gamma, as Gemma does, instead of by gamma."""
    rms = torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    return (1 + gamma) * (x / rms)


# post_norm


def post_norm__stream_only(x, weight, gamma, beta, eps):
    """Normalises x and adds the sublayer's result afterwards, which meets no norm."""
    found = sublayer(x, weight)
    return layer_norm(x, gamma, beta, eps) + found


def post_norm__added_twice(x, weight, gamma, beta, eps):
    """Adds x once more behind the norm."""
    total = x + sublayer(x, weight)
    return x + layer_norm(total, gamma, beta, eps)


def post_norm__in_place(x, weight, gamma, beta, eps):
    """Adds the sublayer's result in place and so changes the x that was handed in."""
    x += sublayer(x, weight)
    return layer_norm(x, gamma, beta, eps)


def post_norm__scaled_sum(x, weight, gamma, beta, eps):
    """Halves the sum of stream and sublayer before the norm, so eps weighs more."""
    both = torch.stack([x, sublayer(x, weight)])
    return layer_norm(both.mean(dim=0), gamma, beta, eps)


# pre_norm


def pre_norm__sandwich(x, weight, gamma, beta, eps):
    """The sublayer's result is normalised once more before it is added."""
    branch = layer_norm(x, gamma, beta, eps)
    branch = sublayer(branch, weight)
    branch = layer_norm(branch, gamma, beta, eps)
    return x + branch


def pre_norm__behind_branch(x, weight, gamma, beta, eps):
    """The norm stands on the branch behind the sublayer, not before it."""
    return x + layer_norm(sublayer(x, weight), gamma, beta, eps)


def pre_norm__plain(x, weight, gamma, beta, eps):
    """The norm on the branch has neither the gamma nor the beta that are given."""
    ones, zeros = torch.ones_like(gamma), torch.zeros_like(beta)
    return x + sublayer(layer_norm(x, ones, zeros, eps), weight)


def pre_norm__cut_branch(x, weight, gamma, beta, eps):
    """The norm reads a detached x, so the gradient to x flows through the addition only."""
    normal = layer_norm(x.detach(), gamma, beta, eps)
    return x + sublayer(normal, weight)


# shapes


def shapes__not_a_tuple(B, T, D, F):
    """(D) is a number and not a tuple."""
    return (B, T, 1), (D), (D, F), (B, T, F), (B, T, D)


def shapes__mean_per_text(B, T, D, F):
    """Takes one mean for each sentence instead of one for each token."""
    return (B, 1, 1), (D,), (D, F), (B, T, F), (B, T, D)


def shapes__output_wide(B, T, D, F):
    """What comes out is as wide as the hidden vectors: the narrowing is forgotten."""
    return (B, T, 1), (D,), (D, F), (B, T, F), (B, T, F)


def shapes__gamma_per_place(B, T, D, F):
    """Gives gamma a row for each place."""
    return (B, T, 1), (T, D), (D, F), (B, T, F), (B, T, D)


# swiglu


def swiglu__overflow(x, gate, widen, narrow):
    """swish is worked out as z exp(z) / (1 + exp(z)), which is nan for large z."""
    z = x @ gate
    e = torch.exp(z)
    return (z * e / (1 + e) * (x @ widen)) @ narrow


def swiglu__gelu(x, gate, widen, narrow):
    """Takes GELU for swish."""
    hidden = F.gelu(torch.matmul(x, gate)) * torch.matmul(x, widen)
    return torch.matmul(hidden, narrow)


def swiglu__swish_of_product(x, gate, widen, narrow):
    """swish is applied to the product of both branches instead of to the gate."""
    product = (x @ gate) * (x @ widen)
    return F.silu(product) @ narrow


def swiglu__added(x, gate, widen, narrow):
    """The two branches are added instead of multiplied."""
    z = torch.einsum("...d,df->...f", x, gate)
    opened = z * torch.sigmoid(z)
    return (opened + torch.einsum("...d,df->...f", x, widen)) @ narrow


# count_parameters


def count_parameters__no_beta(d_model, heads, d_ff):
    """The norms have a gamma but no beta."""
    attention = 4 * (d_model + 1) * d_model
    network = (d_model + 1) * d_ff + (d_ff + 1) * d_model
    return attention + network + 2 * d_model


def count_parameters__wide_biases(d_model, heads, d_ff):
    """Both biases of the network have d_ff numbers."""
    attention = 4 * (d_model**2 + d_model)
    network = 2 * (d_model * d_ff + d_ff)
    norms = 2 * 2 * d_model
    return attention + network + norms


def count_parameters__head_bias(d_model, heads, d_ff):
    """Queries, keys and values have one bias of a head's width, shared by all heads."""
    width = d_model // heads
    attention = 3 * (d_model * d_model + width) + d_model * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return attention + network + 4 * d_model


def count_parameters__third_norm(d_model, heads, d_ff):
    """Counts three norms, as in a decoder layer."""
    total = 0
    for inputs, outputs in [(d_model, d_model)] * 4 + [
        (d_model, d_ff),
        (d_ff, d_model),
    ]:
        total += inputs * outputs + outputs
    for _ in range(3):
        total += 2 * d_model
    return total


# whole_layer


def whole_layer__second_reads_x(x, first, second, gammas, betas, eps):
    """The second sublayer reads the layer's input x instead of the stream."""
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = middle + sublayer(x, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__x_too(x, first, second, gammas, betas, eps):
    """The layer's input x is added a second time, beside the stream."""
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = x + middle + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__same_matrix(x, first, second, gammas, betas, eps):
    """Both sublayers use the first matrix."""
    for gamma, beta in zip(gammas, betas):
        x = layer_norm(x + sublayer(x, first), gamma, beta, eps)
    return x


def whole_layer__same_norm(x, first, second, gammas, betas, eps):
    """The second norm uses the first row of gammas and betas."""
    stream = x
    for matrix in (first, second):
        stream = stream + sublayer(stream, matrix)
        stream = layer_norm(stream, gammas[0], betas[0], eps)
    return stream


# is_layer_norm


def is_layer_norm__strict(norm):
    """Compares with PyTorch's default tolerance, so right norms are rejected for rounding."""
    near = torch.randn(2, 3, 4)
    gamma, beta = torch.randn(4) + 2, torch.randn(4) - 3
    far = (near * 4).round() / 4 + 4096
    for x, eps in ((near, 0.5), (near, 1e-5), (far, 1e-5)):
        given = x.clone()
        yours = norm(given, gamma, beta, eps)
        right = layer_norm(x, gamma, beta, eps)
        if not torch.allclose(yours, right):
            return False
        if not torch.equal(given, x):
            return False
    return True


def is_layer_norm__small_eps(norm):
    """Tries only an eps that is tiny beside the variance, so a fault in eps does not show."""
    near = torch.randn(2, 3, 4)
    gamma, beta = torch.randn(4) + 2, torch.randn(4) - 3
    for x in (near, (near * 4).round() / 4 + 4096):
        given = x.clone()
        yours = norm(given, gamma, beta, 1e-5)
        right = layer_norm(x, gamma, beta, 1e-5)
        if not torch.allclose(yours, right, rtol=0.01, atol=0.01):
            return False
        if not torch.equal(given, x):
            return False
    return True


def is_layer_norm__wide(norm):
    """Tries only tokens of 512 features, where d - 1 in the place of d does not show."""
    near = torch.randn(2, 3, 512)
    gamma, beta = torch.randn(512) + 2, torch.randn(512) - 3
    far = (near * 4).round() / 4 + 4096
    for x, eps in ((near, 0.5), (near, 1e-5), (far, 1e-5)):
        given = x.clone()
        yours = norm(given, gamma, beta, eps)
        right = layer_norm(x, gamma, beta, eps)
        if not torch.allclose(yours, right, rtol=0.01, atol=0.01):
            return False
        if not torch.equal(given, x):
            return False
    return True


def is_layer_norm__nan_passes(norm):
    """Asks whether the largest difference is too large, which nan never is."""
    near = torch.randn(2, 3, 4)
    gamma, beta = torch.randn(4) + 2, torch.randn(4) - 3
    far = (near * 4).round() / 4 + 4096
    for x, eps in ((near, 0.5), (near, 1e-5), (far, 1e-5)):
        given = x.clone()
        right = layer_norm(x, gamma, beta, eps)
        off = (norm(given, gamma, beta, eps) - right).abs()
        if (off / (1 + right.abs())).max() > 0.01:
            return False
        if not torch.equal(given, x):
            return False
    return True


# largest_rate


def largest_rate__stops_early(make_model, rates, steps):
    """Tries the rates in rising order and stops at the first that fails after one that learned."""
    best = 0.0
    for rate in sorted(rates):
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        first = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
        if model().item() < first / 4:
            best = rate
        elif best > 0:
            break
    return best


def largest_rate__before_last(make_model, rates, steps):
    """Looks at the loss before the last step instead of after it."""
    best = 0.0
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            loss = model()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        if losses[-1] < losses[0] / 4:
            best = max(best, rate)
    return best


def largest_rate__nan_learns(make_model, rates, steps):
    """A loss that is nan counts as learned, because it is not above a quarter."""
    learned = [0.0]
    for rate in rates:
        model = make_model()
        first = model().item()
        for _ in range(steps):
            model.zero_grad()
            model().backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= rate * parameter.grad
        if not model().item() >= first / 4:
            learned.append(rate)
    return max(learned)


def largest_rate__momentum(make_model, rates, steps):
    """Uses momentum instead of plain gradient descent."""
    learned = []
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
        first = model().item()
        for _ in range(steps):
            loss = model()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if model().item() < 0.25 * first:
            learned.append(rate)
    return max(learned, default=0.0)
