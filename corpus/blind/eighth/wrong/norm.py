import math

import torch
import torch.nn.functional as F


# mean_variance

def mean_variance__square_of_the_mean(x):
    """Intended: computes the variance as mean of squares minus square of the mean, which is lost in rounding far from 0."""
    mean = x.mean(dim=-1, keepdim=True)
    return mean, (x**2).mean(dim=-1, keepdim=True) - mean**2


def mean_variance__of_the_whole_sentence(x):
    """Intended: takes mean and variance over tokens and features together instead of over the features of each token (wrong from three axes on)."""
    dims = tuple(range(1, x.dim())) if x.dim() > 1 else (-1,)
    mean = x.mean(dim=dims, keepdim=True).expand(*x.shape[:-1], 1)
    variance = (x - mean).square().mean(dim=dims, keepdim=True).expand(*x.shape[:-1], 1)
    return mean, variance


def mean_variance__deviation(x):
    """Intended: returns the standard deviation in the place of the variance."""
    return x.mean(dim=-1, keepdim=True), x.std(dim=-1, keepdim=True, correction=0)


# layer_norm

def layer_norm__constants(x, gamma, beta, eps):
    """Intended: detaches mean and variance, so the gradient takes them for constants."""
    mean, variance = mean_variance(x.detach())
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta


def layer_norm__at_least_eps(x, gamma, beta, eps):
    """Intended: uses eps as a lower bound of the variance instead of adding it."""
    mean, variance = mean_variance(x)
    return (x - mean) * variance.clamp(min=eps).rsqrt() * gamma + beta


# rms_norm

def rms_norm__one_plus_gamma(x, gamma, eps):
    """Intended: multiplies by 1 + gamma, as Gemma does, where the text has gamma."""
    normal = x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps)
    return normal * (1 + gamma)


def rms_norm__by_deviation(x, gamma, eps):
    """Intended: two mistakes: divides by the standard deviation (mean taken off inside), and adds eps behind the root."""
    return gamma * x / (x.std(dim=-1, keepdim=True, correction=0) + eps)


# post_norm

def post_norm__sum_of_norm(x, weight, gamma, beta, eps):
    """Intended: normalises what the sublayer says and adds it to x, without normalising the sum."""
    return x + layer_norm(sublayer(x, weight), gamma, beta, eps)


def post_norm__stream_overwritten(x, weight, gamma, beta, eps):
    """Intended: right numbers, but the sublayer's result is added into the caller's x."""
    x += sublayer(x, weight)
    return layer_norm(x, gamma, beta, eps)


# pre_norm

def pre_norm__name_used_twice(x, weight, gamma, beta, eps):
    """Intended: calls the normalised vectors x, so the residual carries them and not the stream."""
    x = layer_norm(x, gamma, beta, eps)
    return x + sublayer(x, weight)


def pre_norm__norm_behind_branch(x, weight, gamma, beta, eps):
    """Intended: normalises what the sublayer says instead of what it reads."""
    said = sublayer(x, weight)
    return x + layer_norm(said, gamma, beta, eps)


# shapes

def shapes__number_not_tuple(B, T, D, F):
    """Intended: writes (D) for gamma's shape, which in Python is the number D and no tuple."""
    return (B, T, 1), (D), (D, F), (B, T, F), (B, T, D)


def shapes__outputs_first(B, T, D, F):
    """Intended: gives the first matrix as nn.Linear keeps it, (F, D), though the text says x W_1."""
    return (B, T, 1), (D,), (F, D), (B, T, F), (B, T, D)


# swiglu

def swiglu__other_branch_bent(x, gate, widen, narrow):
    """Intended: the other branch (widen) goes through swish, and the gate stays as it is."""
    return ((x @ gate) * F.silu(x @ widen)) @ narrow


def swiglu__bent_too_late(x, gate, widen, narrow):
    """Intended: multiplies the two branches first and sends the product through swish."""
    return F.silu((x @ gate) * (x @ widen)) @ narrow


# count_parameters

def count_parameters__both_biases_wide(d_model, heads, d_ff):
    """Intended: gives both linear layers of the feed-forward network a bias of d_ff numbers, though the second has d_model outputs."""
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_ff
    return attention + network + 4 * d_model


def count_parameters__full_width_heads(d_model, heads, d_ff):
    """Intended: each head gets queries, keys and values of the full width."""
    qkv = heads * 3 * (d_model * d_model + d_model)
    output = d_model * d_model + d_model
    network = 2 * d_model * d_ff + d_ff + d_model
    return qkv + output + network + 4 * d_model


# whole_layer

def whole_layer__bypass(x, first, second, gammas, betas, eps):
    """Intended: the second addition takes the sum from before the first norm, so the stream goes round that norm."""
    total = x + sublayer(x, first)
    middle = layer_norm(total, gammas[0], betas[0], eps)
    output = total + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__both_streams(x, first, second, gammas, betas, eps):
    """Intended: adds middle but keeps x as well, so x comes in once more."""
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    output = x + middle + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


# is_layer_norm

def _inputs_for_norms(far=True):
    """Draw inputs on which most faults show."""
    inputs = []
    for shape in ((2, 3, 4), (5, 3), (6,), (2, 2, 3, 5)):
        gamma, beta = torch.randn(shape[-1]) + 2, torch.randn(shape[-1])
        near = torch.randn(shape)
        inputs += [(near, gamma, beta, 0.5), (near * 3 + 1, gamma, beta, 1e-5)]
        inputs.append((torch.zeros(shape), gamma, beta, 1e-3))
        if far:
            steps = torch.arange(shape[-1]).float()
            inputs.append(((near * 4).round() / 4 + 3 * steps + 4096, gamma, beta, 1e-5))
    return inputs


def is_layer_norm__too_strict(norm):
    """Intended: asks for allclose with its default bounds, so right norms that round in another way are refused far from 0."""
    for x, gamma, beta, eps in _inputs_for_norms():
        copy = x.clone()
        right = layer_norm(x, gamma, beta, eps)
        if not torch.allclose(norm(copy, gamma, beta, eps), right):
            return False
        if not torch.equal(copy, x):
            return False
    return True


def is_layer_norm__near_zero_only(norm):
    """Intended: tries only tokens near 0, so a variance that fails far from 0 passes."""
    for x, gamma, beta, eps in _inputs_for_norms(far=False):
        copy = x.clone()
        right = layer_norm(x, gamma, beta, eps)
        theirs = norm(copy, gamma, beta, eps)
        if theirs.shape != right.shape or not torch.equal(copy, x):
            return False
        if not ((theirs - right).abs() <= 0.01 * (1 + right.abs())).all():
            return False
    return True


def is_layer_norm__fresh_weights(norm):
    """Intended: tries every norm with gamma 1 and beta 0 only, so a norm that forgets or confuses the two passes."""
    for x, _, _, eps in _inputs_for_norms():
        gamma, beta = torch.ones(x.size(-1)), torch.zeros(x.size(-1))
        copy = x.clone()
        right = layer_norm(x, gamma, beta, eps)
        theirs = norm(copy, gamma, beta, eps)
        if theirs.shape != right.shape or not torch.equal(copy, x):
            return False
        if not ((theirs - right).abs() <= 0.01 * (1 + right.abs())).all():
            return False
    return True


# largest_rate

def largest_rate__loss_before_last_step(make_model, rates, steps):
    """Intended: compares the loss that was computed before the last step, not the one after it."""
    best = 0.0
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        losses = []
        for _ in range(steps):
            loss = model()
            losses.append(loss.item())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if losses[-1] < losses[0] / 4:
            best = max(best, rate)
    return best


def largest_rate__nan_has_learned(make_model, rates, steps):
    """Intended: asks whether the loss is not at or above a quarter, which is true of nan."""
    best = 0.0
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        first = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
        if not model().item() >= first / 4:
            best = max(best, rate)
    return best


def largest_rate__stops_at_first_failure(make_model, rates, steps):
    """Intended: goes upwards and stops at the first rate that fails, though a smaller one may be too slow and a larger one may learn."""
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
        else:
            break
    return best
