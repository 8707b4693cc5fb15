import torch


# x.var divides by d - 1 when nothing is said (correction=1).
def mean_variance__default_var(x):
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return mean, variance


# Adds beta before it multiplies by gamma: gamma * (z + beta) instead of
# gamma * z + beta.
def layer_norm__beta_before_gamma(x, gamma, beta, eps):
    mean, variance = mean_variance(x)
    z = (x - mean) * torch.rsqrt(variance + eps)
    return gamma * (z + beta)


# Squares the mean instead of taking the mean of the squares.
# Line: x.mean(dim=-1, keepdim=True).square()
def rms_norm__square_of_mean(x, gamma, eps):
    mean_square = x.mean(dim=-1, keepdim=True).square()
    return gamma * x / torch.sqrt(mean_square + eps)


# Normalises only what the sublayer gives, and adds x afterwards: the sum itself is
# not normalised. x + Norm(f(x)) instead of Norm(x + f(x)).
def post_norm__norm_of_branch(x, weight, gamma, beta, eps):
    branch = sublayer(x, weight)
    return x + layer_norm(branch, gamma, beta, eps)


# Adds x once more after the norm: x + Norm(x + f(x)). Line: return x + normed
def post_norm__adds_twice(x, weight, gamma, beta, eps):
    h = x + sublayer(x, weight)
    normed = layer_norm(h, gamma, beta, eps)
    return x + normed


# swish is computed as z * e^z / (1 + e^z), which is inf / inf = nan for large z.
def swiglu__exp_overflows(x, gate, up, down):
    z = x @ gate
    swish = z * torch.exp(z) / (1 + torch.exp(z))
    return (swish * (x @ up)) @ down


# Gives every head projections of the full width d_model, so queries, keys and
# values count `heads` times too often; a head is only d_model // heads wide.
def count_parameters__full_width_heads(d_model, heads, d_ff):
    linear = d_model * d_model + d_model
    attention = heads * 3 * linear + linear
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * 2 * d_model
    return attention + feed_forward + norms


# Two mistakes: the second bias of the feed-forward network has d_ff numbers instead of
# d_model, and each norm has a gamma only (2 * d_model instead of 4 * d_model).
def count_parameters__bias_and_beta(d_model, heads, d_ff):
    head = d_model // heads
    total = 0
    for _ in range(heads):
        total += 3 * (d_model * head + head)
    total += d_model * d_model + d_model
    total += d_model * d_ff + d_ff
    total += d_ff * d_model + d_ff
    total += 2 * d_model
    return total


# Exchanges the wrong x: the second sublayer now reads x instead of middle, while
# the addition takes middle. Line: output = middle + sublayer(x, second)
def whole_layer__reads_x(x, first, second, gammas, betas, eps):
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = middle + sublayer(x, second)
    return layer_norm(output, gammas[1], betas[1], eps)


# torch.allclose with its own bounds (1e-5 and 1e-8) is stricter than the rules:
# right norms that round in another way, above all far from 0, are refused.
def is_layer_norm__too_strict(norm):
    torch.manual_seed(0)
    near = torch.randn(2, 3, 4)
    far = (torch.randn(2, 3, 4) * 8).round() / 4 + 4096
    for x in (near, near * 0.1, far):
        gamma, beta = torch.randn(4), torch.randn(4)
        for eps in (1e-5, 0.5):
            kept = x.clone()
            given = norm(x, gamma, beta, eps)
            if not torch.equal(x, kept):
                return False
            if not torch.allclose(given, layer_norm(kept, gamma, beta, eps)):
                return False
    return True


# gamma is always 1 and beta always 0, so norms without gamma or beta, or with the
# two in a wrong place, are let through (except when exchanged).
def is_layer_norm__gamma_one(norm):
    D = 4
    gamma, beta = torch.ones(D), torch.zeros(D)
    for _ in range(5):
        small = torch.randn(2, 3, D)
        far = (small * 8).round() / 4 + 4096
        for x in (small, far):
            for eps in (1e-5, 1.0):
                right = layer_norm(x, gamma, beta, eps)
                before = x.clone()
                try:
                    given = norm(x, gamma, beta, eps)
                except Exception:
                    return False
                if given.shape != right.shape or not torch.equal(before, x):
                    return False
                bound = 0.01 * (1 + right.abs())
                if bool(((given - right).abs() > bound).any()):
                    return False
    return True


# The last loss compared is the one before the last step (computed at its start),
# not the loss after it: no model() after the loop.
def largest_rate__loss_before_last_step(make_model, rates, steps):
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
        if losses[-1] < losses[0] / 4 and rate > best:
            best = rate
    return best


# Goes from the smallest rate up and stops at the first that fails after one that
# learned; above a failing one a larger rate may still learn. The break is wrong.
def largest_rate__stops_at_failure(make_model, rates, steps):
    found = 0.0
    for rate in sorted(rates):
        model = make_model()
        start = model().item()
        for _ in range(steps):
            model.zero_grad()
            model().backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= rate * parameter.grad
        end = model().item()
        if end < start / 4:
            found = rate
        elif found > 0:
            break
    return found


# Means along dim=1: right for (T, D); for (B, T, D) it is the mean over the words and
# for (D,) an error.
def mean_variance__dim_one(x):
    mean = x.mean(dim=1, keepdim=True)
    variance = (x - mean).pow(2).mean(dim=1, keepdim=True)
    return mean, variance


# The variance is clamped to at least 1e-5, "so that one can divide by it": wrong for
# tokens whose features are all alike or nearly so.
def mean_variance__never_zero(x):
    d = x.size(-1)
    mean = x.sum(dim=-1, keepdim=True) / d
    variance = ((x - mean) ** 2).sum(dim=-1, keepdim=True) / d
    return mean, variance.clamp(min=1e-5)


# gamma and beta are viewed as (1, 1, D): for x (T, D) or (D,) the result has three
# axes instead of those of x.
def layer_norm__always_three_axes(x, gamma, beta, eps):
    mean, variance = mean_variance(x)
    normal = (x - mean) / torch.sqrt(variance + eps)
    return normal * gamma.view(1, 1, -1) + beta.view(1, 1, -1)


# Where the variance is not above eps, the token is only centred and not divided: wrong
# for tokens with a small variance, or for a large eps.
def layer_norm__small_left_alone(x, gamma, beta, eps):
    mean, variance = mean_variance(x)
    centred = x - mean
    normal = torch.where(variance > eps, centred / (variance + eps).sqrt(), centred)
    return gamma * normal + beta


# eps is a lower bound of the mean square instead of being added: right for a tiny eps,
# wrong where eps is not tiny beside the mean square.
def rms_norm__eps_as_bound(x, gamma, eps):
    mean_square = (x * x).mean(dim=-1, keepdim=True)
    return gamma * x / mean_square.clamp(min=eps).sqrt()


# The lost axis is put back with unsqueeze(1), right for (T, D); for (B, T, D) it gives
# (B, 1, T): an error, or silently wrong where T equals D.
def rms_norm__axis_back_at_one(x, gamma, eps):
    rms = torch.sqrt(x.square().mean(dim=-1) + eps)
    return x / rms.unsqueeze(1) * gamma


# 1e-5 is written in place of eps: wrong for any other eps.
def post_norm__fixed_eps(x, weight, gamma, beta, eps=1e-5):
    total = x + sublayer(x, weight)
    return layer_norm(total, gamma, beta, 1e-5)


# swish as z / (1 + exp(-z)): the result is right, but for z = -500 exp is inf, and the
# gradient is 0 * inf = nan.
def swiglu__nan_gradient(x, gate, up, down):
    z = x @ gate
    swish = z / (1 + torch.exp(-z))
    return (swish * (x @ up)) @ down


# d_model / heads makes a float of all: 3152384.0 instead of the integer.
def count_parameters__float(d_model, heads, d_ff):
    width = d_model / heads
    projections = 3 * heads * (d_model * width + width)
    output = heads * width * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * 2 * d_model
    return projections + output + network + norms


# The mended stream is x itself: `stream += ...` writes the first sum into the caller's
# x. (The numbers that come out are right.)
def whole_layer__writes_into_x(x, first, second, gammas, betas, eps):
    stream = x
    for i, matrix in enumerate((first, second)):
        stream += sublayer(stream, matrix)
        stream = layer_norm(stream, gammas[i], betas[i], eps)
    return stream


# `(gap > allowed).any()` is False for nan: a norm that gives nan (a variance that gets
# negative far from 0) passes as right.
def is_layer_norm__nan_slips(norm):
    for shape in ((7, 3), (2, 5, 4), (2, 3, 4, 5), (6,)):
        for far in (0, 4096):
            for eps in (1e-5, 0.5, 3.0):
                x = (torch.randn(shape) * 8).round() / 4 + far
                gamma, beta = torch.randn(shape[-1]), torch.randn(shape[-1])
                right = layer_norm(x, gamma, beta, eps)
                given = x.clone()
                try:
                    got = norm(given, gamma, beta, eps)
                except Exception:
                    return False
                if got.shape != right.shape or not torch.equal(given, x):
                    return False
                gap, allowed = (got - right).abs(), 0.01 * (1 + right.abs())
                if bool((gap > allowed).any()):
                    return False
    return True


# Two mistakes: `before = x.view_as(x)` shares memory with x, so a norm that writes into
# x is not caught; and eps is always 1e-5, beside which no eps or a misplaced one hides.
def is_layer_norm__view_and_tiny_eps(norm):
    for _ in range(10):
        for add in (0.0, 4096.0):
            x = (torch.randn(3, 4, 5) * 4).round() / 4 + add
            x[..., 0] += 2
            gamma, beta = torch.rand(5) + 0.5, torch.randn(5)
            right = layer_norm(x, gamma, beta, 1e-5)
            before = x.view_as(x)
            got = norm(x, gamma, beta, 1e-5)
            if got.shape != right.shape:
                return False
            if not bool(((got - right).abs() <= 0.01 * (1 + right.abs())).all()):
                return False
            if not torch.equal(before, x):
                return False
    return True


# The last loss that is looked at is the one before the last step, not after it.
def largest_rate__before_last_step(make_model, rates, steps):
    best = 0.0
    for rate in rates:
        model = make_model()
        losses = []
        for _ in range(steps):
            value = model()
            losses.append(value.item())
            model.zero_grad()
            value.backward()
            with torch.no_grad():
                for p in model.parameters():
                    p -= rate * p.grad
        if losses[-1] < losses[0] / 4:
            best = max(best, rate)
    return best


# rates.sort(reverse=True) sorts the caller's list.
def largest_rate__sorts_callers_list(make_model, rates, steps):
    rates.sort(reverse=True)
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        start = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
        if model().item() < start / 4:
            return rate
    return 0.0
