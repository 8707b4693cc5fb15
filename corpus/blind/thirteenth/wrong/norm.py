import math

import torch
import torch.nn.functional as F


# torch.var_mean returns (variance, mean); they are unpacked in the other
# order, so variance comes first in the result.
def mean_variance__var_mean_order(x):
    mean, variance = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return mean, variance


# Divides the sum of squares by d - 1 instead of d. Line: variance = ...
def mean_variance__d_minus_one(x):
    d = x.shape[-1]
    mean = x.sum(dim=-1, keepdim=True) / d
    variance = ((x - mean) ** 2).sum(dim=-1, keepdim=True) / (d - 1)
    return mean, variance


# eps is not added to the variance, only used as its lower limit:
# clamp(min=eps) instead of + eps.
def layer_norm__eps_as_limit(x, gamma, beta, eps):
    mean, variance = mean_variance(x)
    scaled = (x - mean) / variance.clamp(min=eps).sqrt()
    return gamma * scaled + beta


# gamma multiplies beta too: gamma * (normed + beta) instead of
# gamma * normed + beta.
def layer_norm__gamma_times_beta(x, gamma, beta, eps):
    mean, variance = mean_variance(x)
    normed = (x - mean) * torch.rsqrt(variance + eps)
    return gamma * (normed + beta)


# Takes the square of the mean instead of the mean of the squares.
def rms_norm__square_of_mean(x, gamma, eps):
    mean_square = x.mean(dim=-1, keepdim=True).square()
    return gamma * x / torch.sqrt(mean_square + eps)


# Two mistakes: divides by the vector's length (the sum of squares is not
# divided by d), and eps is added outside the root.
def rms_norm__length_eps_outside(x, gamma, eps):
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / (length + eps) * gamma


# Norms the sublayer's result alone and adds x outside: x + Norm(f(x)) instead
# of Norm(x + f(x)).
def post_norm__residual_outside(x, weight, gamma, beta, eps):
    branch = sublayer(x, weight)
    return x + layer_norm(branch, gamma, beta, eps)


# Pre-norm and post-norm mixed: the sublayer reads the norm of x instead of x;
# Norm(x + f(Norm(x))).
def post_norm__branch_reads_norm(x, weight, gamma, beta, eps):
    normed = layer_norm(x, gamma, beta, eps)
    total = x + sublayer(normed, weight)
    return layer_norm(total, gamma, beta, eps)


# Sigmoid by hand as e / (1 + e): for large gates e is inf, and inf / inf nan.
# Line: swish = z * e / (1 + e).
def swiglu__exp_overflows(x, gate, up, down):
    z = x @ gate
    e = torch.exp(z)
    swish = z * e / (1 + e)
    return (swish * (x @ up)) @ down


# swish is applied to the product of both branches instead of to the gate
# branch alone.
def swiglu__silu_of_product(x, gate, up, down):
    hidden = torch.einsum("...d,df->...f", x, gate)
    hidden = hidden * torch.einsum("...d,df->...f", x, up)
    return F.silu(hidden) @ down


# Both linear layers of the network get a bias of d_ff; the second one has
# d_model outputs and so a bias of d_model.
def count_parameters__second_bias(d_model, heads, d_ff):
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = 2 * (d_model * d_ff + d_ff)
    norms = 2 * 2 * d_model
    return attention + feed_forward + norms


# Divides with / instead of //, so the result is a float, not an integer.
def count_parameters__float(d_model, heads, d_ff):
    width = d_model / heads
    per_head = 3 * (d_model * width + width)
    output = heads * width * d_model + d_model
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return heads * per_head + output + feed_forward + 4 * d_model


# Two mistakes: the output projection's bias is missing, and of the two norms
# only one is counted.
def count_parameters__bias_and_norm(d_model, heads, d_ff):
    total = 0
    for _ in ("query", "key", "value"):
        total += d_model * d_model + d_model
    total += d_model * d_model
    total += d_model * d_ff + d_ff
    total += d_ff * d_model + d_model
    total += d_model + d_model
    return total


# The second addition is mended (middle + ...), but the second sublayer now
# reads x instead of middle.
def whole_layer__second_reads_x(x, first, second, gammas, betas, eps):
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = middle + sublayer(x, second)
    return layer_norm(output, gammas[1], betas[1], eps)


# The second residual connection takes the stream BEFORE the first norm (the
# raw sum) instead of the normalised middle. Line: output = total + ...
def whole_layer__residual_before_norm(x, first, second, gammas, betas, eps):
    total = x + sublayer(x, first)
    middle = layer_norm(total, gammas[0], betas[0], eps)
    output = total + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


# eps is always 1e-5, tiny beside the variances tried, and no token is
# constant: a norm without eps, or with eps in the wrong place, passes.
def is_layer_norm__eps_tiny(norm):
    gamma = torch.tensor([0.5, 2.0, -1.0, 3.0])
    beta = torch.tensor([1.0, -2.0, 0.5, 4.0])
    far = torch.tensor([[0.0, 1.0, -2.0, 3.0], [2.0, 0.0, 1.0, -1.5]]) + 4096
    for x in (torch.randn(2, 3, 4), torch.randn(5, 4), torch.randn(4), far):
        before = x.clone()
        right = layer_norm(x.clone(), gamma, beta, 1e-5)
        found = norm(x, gamma, beta, 1e-5)
        if found.shape != right.shape or not torch.equal(x, before):
            return False
        if not bool(((found - right).abs() <= 0.01 * (1 + right.abs())).all()):
            return False
    return True


# before = x is no copy but the same tensor, so a norm that writes into x is
# never noticed. Line: before = x.
def is_layer_norm__no_copy(norm):
    gamma = torch.tensor([1.5, -2.0, 0.3])
    beta = torch.tensor([0.0, 1.0, -3.0])
    inputs = [
        torch.randn(2, 4, 3),
        torch.randn(3),
        torch.zeros(2, 3),
        torch.tensor([[0.0, 1.0, 2.5], [3.0, -1.0, 0.25]]) + 4096,
    ]
    for x in inputs:
        for eps in (1e-5, 0.7):
            before = x
            right = layer_norm(x, gamma, beta, eps)
            found = norm(x, gamma, beta, eps)
            if not torch.equal(x, before):
                return False
            if found.shape != right.shape:
                return False
            if bool(((found - right).abs() > 0.01 * (1 + right.abs())).any()):
                return False
    return True


# Compares exactly (torch.equal) instead of allowing rounding, so right norms
# that are written in another way are called faulty.
def is_layer_norm__exactly_equal(norm):
    torch.manual_seed(1)
    gamma, beta = torch.randn(5), torch.randn(5)
    for eps in (1e-5, 0.1, 1.0):
        for offset in (0.0, 4096.0):
            x = (torch.randn(2, 3, 5) * 16).round() / 4 + offset
            copy = x.clone()
            found = norm(x, gamma, beta, eps)
            if not torch.equal(copy, x):
                return False
            if not torch.equal(found, layer_norm(copy, gamma, beta, eps)):
                return False
    return True


# The last loss in the list was measured BEFORE the last step, not after it.
# Line: losses[-1] < losses[0] / 4.
def largest_rate__before_last_step(make_model, rates, steps):
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


# Goes up through the rates and stops at the first failure after a success,
# though a larger rate may learn again. Line: elif best > 0: break.
def largest_rate__stops_at_failure(make_model, rates, steps):
    best = 0.0
    for rate in sorted(rates):
        model = make_model()
        first = model().item()
        for _ in range(steps):
            model.zero_grad()
            model().backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= rate * parameter.grad
        if model().item() < first / 4:
            best = rate
        elif best > 0:
            break
    return best


import math

import torch
import torch.nn.functional as F


# Works out E[x^2] - mu^2 after subtracting one number, the mean of ALL of x
# (`x.mean()`). If tokens lie far from 0 in different places, their variance is
# lost in rounding.
def mean_variance__shift_of_all_tokens(x):
    """Return mean and variance of each vector of x, both (..., 1)."""
    shift = x.mean()
    near = x - shift
    mean = near.mean(dim=-1, keepdim=True)
    variance = near.square().mean(dim=-1, keepdim=True) - mean**2
    return mean + shift, variance


# Divides by x.size(1) (`d = ...`), the number of features only if x has two axes:
# with (B, T, D) it is T, and a single vector has no axis 1.
def mean_variance__length_of_axis_one(x):
    """Return mean and variance of each vector of x, both (..., 1)."""
    d = x.size(1)
    mean = x.sum(dim=-1, keepdim=True) / d
    variance = ((x - mean) ** 2).sum(dim=-1, keepdim=True) / d
    return mean, variance


# eps is not added to the variance but is its least value (`clamp(min=eps)`): right
# for equal features, and within rounding where eps is tiny beside the variance.
def layer_norm__eps_as_minimum(x, gamma, beta, eps):
    """Normalise each vector of x (..., D), then scale and shift it."""
    mean, variance = mean_variance(x)
    root = variance.clamp(min=eps).sqrt()
    return gamma * (x - mean) / root + beta


# Flattens the first axes with `x.view`, which raises an error if x does not lie in
# one piece in memory, as after a transpose.
def layer_norm__view_of_any(x, gamma, beta, eps):
    """Normalise each vector of x (..., D), then scale and shift it."""
    rows = x.view(-1, x.size(-1))
    mean, variance = mean_variance(rows)
    rows = (rows - mean) / torch.sqrt(variance + eps)
    return (rows * gamma + beta).view(x.shape)


# Divides by the length, at least eps (`clamp(min=eps)`): eps is not added under the
# root, so small vectors come out too large, and the gradient at a vector of zeros is
# nan (root of 0).
def rms_norm__length_at_least_eps(x, gamma, eps):
    """Scale each vector of x (..., D) to RMS 1, then by gamma."""
    length = x.square().sum(dim=-1, keepdim=True).sqrt()
    unit = x / length.clamp(min=eps)
    return gamma * unit * math.sqrt(x.size(-1))


# gamma gets the shape (1, 1, D) (`view(1, 1, -1)`), so an x with one or two axes
# comes back with three.
def rms_norm__gamma_three_axes(x, gamma, eps):
    """Scale each vector of x (..., D) to RMS 1, then by gamma."""
    mean_square = torch.mean(x**2, dim=-1, keepdim=True)
    return gamma.view(1, 1, -1) * x * torch.rsqrt(mean_square + eps)


# `total += x` writes into the result of the sublayer, which its ReLU keeps for the
# way back: the numbers are right, but backward() raises an error.
def post_norm__sum_in_place(x, weight, gamma, beta, eps):
    """Return Norm(x + sublayer(x))."""
    total = sublayer(x, weight)
    total += x
    return layer_norm(total, gamma, beta, eps)


# Does not hand its eps to the norm but always 1e-5 (last line), whatever eps
# is.
def post_norm__usual_eps(x, weight, gamma, beta, eps):
    """Return Norm(x + sublayer(x))."""
    found = sublayer(x, weight)
    return layer_norm(x + found, gamma, beta, 1e-5)


# swish is written as z / (1 + exp(-z)): for z = -500 exp is inf and the result is 0
# as it should be, but the gradient is nan.
def swiglu__nan_gradient(x, gate, up, down):
    """Multiply by what the gate lets through, then project down."""
    z = x @ gate
    swish = z / (1 + torch.exp(-z))
    return (swish * (x @ up)) @ down


# Two mistakes: swish is z * exp(z) / (1 + exp(z)), which is nan for z = 500; and the
# einsums name exactly three axes, so any other number of axes raises an error.
def swiglu__exp_and_three_axes(x, gate, up, down):
    """Multiply by what the gate lets through, then project down."""
    z = torch.einsum("btd,df->btf", x, gate)
    opened = z * z.exp() / (1 + z.exp())
    wide = torch.einsum("btd,df->btf", x, up)
    return torch.einsum("btf,fd->btd", opened * wide, down)


# The width of a head is worked out with `/`, so the result is a float and not an
# integer (its value is right).
def count_parameters__a_float(d_model, heads, d_ff):
    """Count the learned numbers of one encoder layer."""
    head = d_model / heads
    one_head = 3 * (d_model * head + head)
    attention = heads * one_head + d_model * d_model + d_model
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return attention + feed_forward + 4 * d_model


# The second residual is the sum before the first norm (`stream`), not what the first
# norm gave: hardly any difference while the first gamma is 1 and beta 0 and the
# stream has variance 1 or the second sublayer is silent.
def whole_layer__residual_before_norm_too(x, first, second, gammas, betas, eps):
    """Wire two sublayers, each with a residual connection and a norm."""
    stream = x + sublayer(x, first)
    middle = layer_norm(stream, gammas[0], betas[0], eps)
    output = stream + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


# The loop uses row 0 of gammas and betas for both norms (`gammas[0], betas[0]`):
# right only where both norms have the same numbers.
def whole_layer__first_rows_twice(x, first, second, gammas, betas, eps):
    """Wire two sublayers, each with a residual connection and a norm."""
    for weight in (first, second):
        x = layer_norm(x + sublayer(x, weight), gammas[0], betas[0], eps)
    return x


# Hands the norm a clone (`norm(x.clone(), ...)`), so a norm that writes into its x
# is never caught.
def is_layer_norm__clone_hides_writing(norm):
    """Return whether a norm is right."""
    for shape in ((4,), (3, 4), (2, 3, 5), (2, 2, 3, 6)):
        gamma, beta = torch.randn(2, shape[-1])
        steps = torch.arange(shape[-1]).float()
        near = torch.randn(shape) + steps
        far = (near * 4).round() / 4 + 4096
        for x in (near, far, 0.1 * near, torch.full(shape, 7.0)):
            for eps in (1e-5, 0.5):
                right = layer_norm(x, gamma, beta, eps)
                found = norm(x.clone(), gamma, beta, eps)
                if found.shape != right.shape:
                    return False
                near_enough = (found - right).abs() <= 0.01 * (1 + right.abs())
                if not near_enough.all():
                    return False
    return True


# Tries tokens of three axes (2, 3, 4) only: a norm that takes its mean over axis 2, or
# fails without axes in front or with more of them, counts as right.
def is_layer_norm__three_axes_only(norm):
    """Return whether a norm is right."""
    good = True
    for trial in range(20):
        gamma, beta = torch.randn(4), torch.randn(4)
        small = torch.randn(2, 3, 4) + torch.arange(4)
        far = (small * 4).round() / 4 + 4096
        for x in (small, far, small / 10, torch.ones(2, 3, 4)):
            for eps in (1e-5, 0.3):
                kept = x.clone()
                right = layer_norm(kept, gamma, beta, eps)
                found = norm(x, gamma, beta, eps)
                limit = 0.01 * (1 + right.abs())
                good = good and found.shape == right.shape
                good = good and bool(((found - right).abs() <= limit).all())
                good = good and torch.equal(x, kept)
    return good


# Two mistakes: a difference of nan is not larger than the limit (`> limit`), so nan
# counts as right; and eps is always 1e-5, so with it a norm without eps (nan for
# equal features), or with eps behind the root, goes through.
def is_layer_norm__nan_and_tiny_eps(norm):
    """Return whether a norm is right."""
    for shape in ((5,), (3, 4), (2, 3, 4), (1, 2, 2, 3)):
        D = shape[-1]
        gamma, beta = torch.randn(D), torch.randn(D)
        x = torch.randn(shape) + torch.arange(D)
        far = (x * 4).round() / 4 + 4096
        equal = torch.full(shape, 7.0)
        for tokens in (x, far, equal):
            before = tokens.clone()
            right = layer_norm(before, gamma, beta, 1e-5)
            found = norm(tokens, gamma, beta, 1e-5)
            if not torch.equal(tokens, before) or found.shape != right.shape:
                return False
            limit = 0.01 * (1 + right.abs())
            if ((found - right).abs() > limit).any():
                return False
    return True


# The last loss in the list was measured before the last step, not after it
# (`losses[-1]`): the effect of the last step is not seen.
def largest_rate__before_last_step_too(make_model, rates, steps):
    """Return the largest rate at which a fresh model learns, or 0.0."""
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


# Returns the rate that has learned and stands last in the list (`found = rate`), not
# the largest: the rates come in no order.
def largest_rate__last_in_list(make_model, rates, steps):
    """Return the largest rate at which a fresh model learns, or 0.0."""
    found = 0.0
    for rate in rates:
        model = make_model()
        first = model().item()
        for _ in range(steps):
            model.zero_grad()
            model().backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= rate * parameter.grad
        if model().item() < first / 4:
            found = rate
    return found
