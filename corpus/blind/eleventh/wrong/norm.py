import math

import torch
import torch.nn.functional as F

from transformer_lab import check


# Breaks "both (..., 1)": right for x (N, D) only; with more axes the length-1 axis stands at place 1, without any it fails.
def mean_variance__axis_put_back_at_one(x):
    mean = x.mean(dim=-1).unsqueeze(1)
    variance = x.var(dim=-1, correction=0).unsqueeze(1)
    return mean, variance


# Breaks "the mean of its d features": features of exactly 0 are not counted, as if they were padding.
def mean_variance__zeros_left_out(x):
    there = (x != 0).to(x.dtype)
    count = there.sum(dim=-1, keepdim=True).clamp(min=1)
    mean = x.sum(dim=-1, keepdim=True) / count
    variance = ((x - mean).square() * there).sum(dim=-1, keepdim=True) / count
    return mean, variance


# Breaks "Note the d under the second sum": d - 1 is mended with the count of all tokens' numbers, right for one token only.
def mean_variance__mended_with_numel(x):
    n = x.numel()
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True) * (n - 1) / n
    return mean, variance


# Breaks "Gradients must flow through it": mean and variance are constants for the gradient of x.
def layer_norm__statistics_detached(x, gamma, beta, eps):
    mean, variance = mean_variance(x.detach())
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta


# Breaks the formula's root of (variance + eps): the larger of the two is taken, wrong where eps is not tiny.
def layer_norm__larger_of_variance_and_eps(x, gamma, beta, eps):
    mean, variance = mean_variance(x)
    return gamma * (x - mean) / variance.clamp(min=eps).sqrt() + beta


# Breaks "all features of a token are 7: ... beta": a token of equal features is left as it is, 7 gamma + beta.
def layer_norm__equal_features_left(x, gamma, beta, eps):
    mean, variance = mean_variance(x)
    normed = (x - mean) / torch.sqrt(variance + eps)
    normed = torch.where(variance == 0, x, normed)
    return gamma * normed + beta


# Breaks "Scale each vector to RMS 1, then by gamma": gamma comes first, and the norm undoes its size.
def rms_norm__gamma_first(x, gamma, eps):
    x = gamma * x
    return x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps)


# Breaks the formula, 1/d times the sum, and then eps: eps is divided by d, which shows when it is not tiny.
def rms_norm__eps_inside_the_sum(x, gamma, eps):
    total = x.square().sum(dim=-1, keepdim=True) + eps
    return gamma * x / torch.sqrt(total / x.size(-1))


# Breaks "divide each token by the root of its mean square": by its spread instead, wrong where the mean is not 0.
def rms_norm__spread_for_size(x, gamma, eps):
    _, variance = mean_variance(x)
    return gamma * x / torch.sqrt(variance + eps)


# Breaks "do not change what you are given": the caller's x has the sublayer's result in it, for any x.
def post_norm__stream_changed_in_place(x, weight, gamma, beta, eps):
    x += sublayer(x, weight)
    return layer_norm(x, gamma, beta, eps)


# Breaks "the norm is your layer_norm" with the given eps: 0.00001 is written in, wrong for any other eps.
def post_norm__usual_eps(x, weight, gamma, beta, eps):
    return layer_norm(x + sublayer(x, weight), gamma, beta, 1e-5)


# Breaks "Gradients must flow through it": none comes back to x by way of the addition.
def post_norm__skip_detached(x, weight, gamma, beta, eps):
    skip = x.detach()
    return layer_norm(skip + sublayer(x, weight), gamma, beta, eps)


# Breaks "y = x + f(Norm(x))": the branch is normalised once more behind the sublayer.
def pre_norm__sandwich(x, weight, gamma, beta, eps):
    branch = sublayer(layer_norm(x, gamma, beta, eps), weight)
    return x + layer_norm(branch, gamma, beta, eps)


# Breaks "y = x + f(Norm(x))": the norm leaves the mean in, wrong for tokens whose mean is not 0.
def pre_norm__rms_in_its_place(x, weight, gamma, beta, eps):
    return x + sublayer(rms_norm(x, gamma, eps) + beta, weight)


# Breaks "f is sublayer": ReLU comes before the matrix, and negative numbers get out of it.
def pre_norm__relu_before_the_matrix(x, weight, gamma, beta, eps):
    return x + torch.relu(layer_norm(x, gamma, beta, eps)) @ weight


# Breaks "F wide inside": the hidden vectors are 4 D wide, wrong for every F but 4 D.
def shapes__hidden_four_times(B, T, D, F):
    return (B, T, 1), (D,), (D, F), (B, T, 4 * D), (B, T, D)


# Breaks "the hidden vectors" of "a batch of B sentences of T tokens": sentences and tokens are one axis, (B * T, F).
def shapes__hidden_flattened(B, T, D, F):
    return (B, T, 1), (D,), (D, F), (B * T, F), (B, T, D)


# Breaks "A batch of B sentences": with B = 1 the batch's axis is missing from means, hidden and output.
def shapes__lone_sentence_without_batch(B, T, D, F):
    front = (B, T) if B > 1 else (T,)
    return front + (1,), (D,), (D, F), front + (F,), front + (D,)


# Breaks "Gradients must flow through it" where "swish of -500 is 0": exp(500) is inf, and the gradient nan.
def swiglu__exp_in_the_gate(x, gate, widen, narrow):
    z = x @ gate
    swish = z / (1 + torch.exp(-z))
    return (swish * (x @ widen)) @ narrow


# Breaks "swish(z) = z sigmoid(z)": MobileNet's hard swish, wrong wherever z is not 0 or far from it.
def swiglu__hard_swish(x, gate, widen, narrow):
    return (F.hardswish(x @ gate) * (x @ widen)) @ narrow


# Breaks "swish(x W_gate) times x W_widen": swish is taken of the product of the two.
def swiglu__swish_of_the_product(x, gate, widen, narrow):
    return F.silu((x @ gate) * (x @ widen)) @ narrow


# Breaks "All linear layers have a bias": those of queries, keys and values are counted for one head only (heads > 1).
def count_parameters__bias_of_one_head(d_model, heads, d_ff):
    width = d_model // heads
    projections = 3 * (d_model * d_model + width)
    output = d_model * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return projections + output + network + 2 * 2 * d_model


# Breaks "two LayerNorms", each as long as the vector is wide: the second is counted d_ff wide (d_ff not d_model).
def count_parameters__second_norm_inside(d_model, heads, d_ff):
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return attention + network + 2 * d_model + 2 * d_ff


# Breaks "All linear layers have a bias", one for each output: the second one's is counted d_ff long (d_ff not d_model).
def count_parameters__both_biases_wide(d_model, heads, d_ff):
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * (d_model * d_ff + d_ff)
    return attention + network + 4 * d_model


# Breaks "Gradients must flow through it": the matrix product's input is overwritten, and backward to `second` raises.
def whole_layer__added_in_place(x, first, second, gammas, betas, eps):
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    middle += sublayer(middle, second)
    return layer_norm(middle, gammas[1], betas[1], eps)


# Breaks "sublayer, add, normalise, twice": the second addition takes the stream from before the first norm.
def whole_layer__stream_past_the_norm(x, first, second, gammas, betas, eps):
    stream = x + sublayer(x, first)
    middle = layer_norm(stream, gammas[0], betas[0], eps)
    output = stream + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


# Breaks "sublayer, add, normalise, twice": the layer's own x is added a second time.
def whole_layer__both_streams(x, first, second, gammas, betas, eps):
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = x + middle + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def _tokens(*shape):
    near = torch.randn(*shape)
    far = (near * 8).round() / 4 + 4096
    flat = torch.full(shape, 7.0)
    return near, near * 0.01, near * 100, far, flat


# Breaks "tokens with any axes in front": a norm that is right for (B, T, D) alone is called right.
def is_layer_norm__three_axes_only(norm):
    for B, T, D in ((2, 3, 4), (4, 4, 4), (1, 5, 2), (3, 1, 7)):
        for x in _tokens(B, T, D):
            for eps in (1e-5, 0.5, 3.0):
                gamma, beta = torch.randn(D) * 2, torch.randn(D) * 2
                right = layer_norm(x, gamma, beta, eps)
                given = x.clone()
                try:
                    got = norm(given, gamma, beta, eps)
                except Exception:
                    return False
                if got.shape != right.shape or not torch.equal(given, x):
                    return False
                if not ((got - right).abs() <= 0.01 * (1 + right.abs())).all():
                    return False
    return True


# Breaks "False for a faulty one": one whose fault is nan, as for a token of equal features, is let through.
def is_layer_norm__nan_is_not_larger(norm):
    for shape in ((4,), (5, 2), (2, 3, 4), (4, 4), (2, 1, 3, 6)):
        for x in _tokens(*shape):
            for eps in (1e-5, 0.5, 3.0):
                gamma, beta = torch.randn(shape[-1]) * 2, torch.randn(shape[-1]) * 2
                right = layer_norm(x, gamma, beta, eps)
                given = x.clone()
                try:
                    got = norm(given, gamma, beta, eps)
                except Exception:
                    return False
                if got.shape != right.shape or not torch.equal(given, x):
                    return False
                if ((got - right).abs() > 0.01 * (1 + right.abs())).any():
                    return False
    return True


# Breaks "True for a right norm": far tokens whose features differ by a thousandth condemn one that rounds otherwise.
def is_layer_norm__far_and_narrow(norm):
    for shape in ((4,), (5, 2), (2, 3, 4), (4, 4), (2, 1, 3, 6)):
        narrow = 4096.3 + torch.randn(*shape) / 1000
        for x in (*_tokens(*shape), narrow):
            for eps in (1e-12, 1e-5, 0.5, 3.0):
                gamma, beta = torch.randn(shape[-1]) * 2, torch.randn(shape[-1]) * 2
                right = layer_norm(x, gamma, beta, eps)
                given = x.clone()
                try:
                    got = norm(given, gamma, beta, eps)
                except Exception:
                    return False
                if got.shape != right.shape or not torch.equal(given, x):
                    return False
                if not ((got - right).abs() <= 0.01 * (1 + right.abs())).all():
                    return False
    return True


# Breaks "the loss after the last step": it is the loss before the last step, wrong where that one decides.
def largest_rate__last_step_not_seen(make_model, rates, steps):
    best = 0.0
    for rate in rates:
        model = make_model()
        losses = []
        for _ in range(steps):
            loss = model()
            losses.append(loss.item())
            model.zero_grad()
            loss.backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= rate * parameter.grad
        if losses[-1] < losses[0] / 4:
            best = max(best, rate)
    return best


# Breaks "A loss that is nan has not learned": nan is not at or above a quarter either, so its rate counts.
def largest_rate__nan_is_not_above(make_model, rates, steps):
    best = 0.0
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        first = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
        if model().item() >= first / 4:
            continue
        best = max(best, rate)
    return best


# Breaks "plain gradient descent": gradients longer than 1 are cut, so rates learn that should not, and the reverse.
def largest_rate__gradients_clipped(make_model, rates, steps):
    best = 0.0
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        first = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if model().item() < first / 4:
            best = max(best, rate)
    return best
