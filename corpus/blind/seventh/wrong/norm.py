"""Wrong answers to the exercise on normalisation, seventh set, written from its text alone."""

import torch
import torch.nn.functional as F


def mean_variance__deviation(x):
    """Returns the standard deviation in the place of the variance."""
    mean = x.mean(dim=-1, keepdim=True)
    return mean, x.std(dim=-1, correction=0, keepdim=True)


def mean_variance__around_zero(x):
    """Takes the mean of the squares without subtracting the mean first."""
    mean = x.mean(dim=-1, keepdim=True)
    return mean, x.square().mean(dim=-1, keepdim=True)


def layer_norm__shift_before_scale(x, gamma, beta, eps):
    """Shifts first, then scales, so the shift is scaled too."""
    mean, variance = mean_variance(x)
    normal = (x - mean) / torch.sqrt(variance + eps)
    return gamma * (normal + beta)


def layer_norm__fixed_statistics(x, gamma, beta, eps):
    """Takes the statistics for constants: no gradient flows through them."""
    with torch.no_grad():
        mean, variance = mean_variance(x)
    normal = (x - mean) / torch.sqrt(variance + eps)
    return gamma * normal + beta


def rms_norm__root_before_mean(x, gamma, eps):
    """Takes the root before the mean, which makes it the mean of the sizes."""
    size = torch.sqrt(x.square() + eps).mean(dim=-1, keepdim=True)
    return gamma * x / size


def rms_norm__eps_as_floor(x, gamma, eps):
    """Takes eps for the least that the mean square may be, where it is to be added."""
    mean_square = x.square().mean(dim=-1, keepdim=True)
    return gamma * x / torch.sqrt(mean_square.clamp(min=eps))


def post_norm__norm_on_branch(x, weight, gamma, beta, eps):
    """Normalises only what the sublayer gives, before it is added."""
    return x + layer_norm(sublayer(x, weight), gamma, beta, eps)


def post_norm__no_residual(x, weight, gamma, beta, eps):
    """Forgets to add x."""
    return layer_norm(sublayer(x, weight), gamma, beta, eps)


def pre_norm__normed_stream(x, weight, gamma, beta, eps):
    """Overwrites x, so the normalised x is also what is added."""
    x = layer_norm(x, gamma, beta, eps)
    return x + sublayer(x, weight)


def pre_norm__normed_twice(x, weight, gamma, beta, eps):
    """Normalises before the sublayer, then once more behind it."""
    read = layer_norm(x, gamma, beta, eps)
    return layer_norm(x + sublayer(read, weight), gamma, beta, eps)


def shapes__outputs_first(B, T, D, F):
    """Gives the first matrix as nn.Linear stores it, outputs first."""
    return (B, T, 1), (D,), (F, D), (B, T, F), (B, T, D)


def shapes__mean_of_text_and_gamma_of_token(B, T, D, F):
    """Gives each text one mean and each token a gamma of its own."""
    return (B, 1, 1), (T, D), (D, F), (B, T, F), (B, T, D)


def swiglu__sigmoid(x, gate, widen, narrow):
    """Opens the gate with a plain sigmoid, not with swish."""
    opened = torch.sigmoid(x @ gate)
    return (opened * (x @ widen)) @ narrow


def swiglu__swish_of_product(x, gate, widen, narrow):
    """Multiplies the two branches first, then bends the product."""
    return F.silu((x @ gate) * (x @ widen)) @ narrow


def count_parameters__output_of_one_head(d_model, heads, d_ff):
    """Lets the output projection read one head only, not all of them side by side."""
    d_k = d_model // heads
    attention = 3 * (d_model * d_model + d_model) + d_k * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return attention + network + 2 * (d_model + d_model)


def count_parameters__narrow_biases(d_model, heads, d_ff):
    """Gives both layers of the network a bias of d_model, though the first has d_ff outputs."""
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * (d_model * d_ff + d_model)
    return attention + network + 2 * (d_model + d_model)


def whole_layer__residual_before_norm(x, first, second, gammas, betas, eps):
    """Adds the stream as it was before the first norm, as pre-norm does."""
    stream = x + sublayer(x, first)
    middle = layer_norm(stream, gammas[0], betas[0], eps)
    output = stream + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__second_reads_x(x, first, second, gammas, betas, eps):
    """Corrects the wrong place: the second sublayer now reads x."""
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = middle + sublayer(x, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def is_layer_norm__too_close(norm):
    """Tries far tokens that hardly differ, so right norms fail for their rounding."""
    near = torch.randn(2, 3, 4)
    gamma, beta = torch.randn(4) + 2, torch.randn(4) - 3
    far = 0.001 * near + 4096
    for x, eps in ((near, 0.5), (near, 1e-5), (far, 1e-5)):
        given = x.clone()
        yours = norm(given, gamma, beta, eps)
        right = layer_norm(x, gamma, beta, eps)
        if not torch.allclose(yours, right, rtol=0.01, atol=0.01):
            return False
        if not torch.equal(given, x):
            return False
    return True


def is_layer_norm__plain_numbers_and_no_copy(norm):
    """Tries gamma 1 with beta 0 only and compares x with itself, not with a copy."""
    near = torch.randn(2, 3, 4)
    gamma, beta = torch.ones(4), torch.zeros(4)
    far = (near * 4).round() / 4 + 4096
    for x, eps in ((near, 0.5), (near, 1e-5), (far, 1e-5)):
        given = x
        right = layer_norm(x, gamma, beta, eps)
        yours = norm(given, gamma, beta, eps)
        if not torch.allclose(yours, right, rtol=0.01, atol=0.01):
            return False
        if not torch.equal(given, x):
            return False
    return True


def largest_rate__one_model(make_model, rates, steps):
    """Trains one model at all rates, one after the other, never a fresh one."""
    model = make_model()
    first = model().item()
    learned = [0.0]
    for rate in rates:
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
        if model().item() < first / 4:
            learned.append(rate)
    return max(learned)


def largest_rate__loss_before_last_step(make_model, rates, steps):
    """Judges by the loss before the last step, not by the one behind it."""
    learned = [0.0]
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
            learned.append(rate)
    return max(learned)
