"""Wrong answers to the exercise on norms, sixth set, written from its text alone."""

import torch
import torch.nn.functional as F


def mean_variance__one_less(x):
    """Divides by d - 1."""
    return x.mean(-1, keepdim=True), x.var(-1, keepdim=True)


def mean_variance__of_absolute_deviations(x):
    """Takes the mean of absolute deviations, not of squares."""
    mean = x.mean(-1, keepdim=True)
    return mean, (x - mean).abs().mean(-1, keepdim=True)


def mean_variance__mean_not_squared(x):
    """Uses the shortcut E[x²] − μ², and forgets to square μ."""
    mean = x.mean(-1, keepdim=True)
    return mean, (x * x).mean(-1, keepdim=True) - mean


def layer_norm__shift_before_scale(x, gamma, beta, eps):
    """Adds beta first, then multiplies by gamma."""
    mean, variance = mean_variance(x)
    return gamma * ((x - mean) / (variance + eps) ** 0.5 + beta)


def layer_norm__epsilon_outside(x, gamma, beta, eps):
    """Adds epsilon to the root."""
    mean, variance = mean_variance(x)
    return gamma * (x - mean) / (variance**0.5 + eps) + beta


def layer_norm__mean_comes_back(x, gamma, beta, eps):
    """Forgets parentheses, so that only the mean is divided."""
    mean, variance = mean_variance(x)
    return gamma * (x - mean / torch.sqrt(variance + eps)) + beta


def rms_norm__sum_of_squares(x, gamma, eps):
    """Divides by the length of the vector: the sum of squares, not their mean."""
    return gamma * x / torch.sqrt((x * x).sum(-1, keepdim=True) + eps)


def rms_norm__square_of_the_mean(x, gamma, eps):
    """Squares the mean, and does not take the mean of the squares."""
    return gamma * x / torch.sqrt(x.mean(-1, keepdim=True) ** 2 + eps)


def rms_norm__root_before_the_mean(x, gamma, eps):
    """Takes the root before the mean, which gives the mean of absolute values."""
    size = (x.square() + eps).sqrt().mean(-1, keepdim=True)
    return gamma * x / size


def post_norm__norm_of_the_branch(x, weight, gamma, beta, eps):
    """Normalises what the sublayer gives, and then adds x."""
    return x + layer_norm(sublayer(x, weight), gamma, beta, eps)


def post_norm__normalised_stream(x, weight, gamma, beta, eps):
    """Normalises x and adds the sublayer's result to that."""
    return layer_norm(x, gamma, beta, eps) + sublayer(x, weight)


def pre_norm__stream_is_normalised(x, weight, gamma, beta, eps):
    """Adds to the normalised x, not to x."""
    x = layer_norm(x, gamma, beta, eps)
    return x + sublayer(x, weight)


def pre_norm__both_sides(x, weight, gamma, beta, eps):
    """Normalises before the sublayer and once more at the end."""
    y = x + sublayer(layer_norm(x, gamma, beta, eps), weight)
    return layer_norm(y, gamma, beta, eps)


def shapes__means_without_the_axis(B, T, D, F):
    """Leaves out the axis of length 1 of the means."""
    return (B, T), (D,), (D, F), (B, T, F), (B, T, D)


def shapes__gamma_for_each_token(B, T, D, F):
    """Gives each token a gamma of its own."""
    return (B, T, 1), (T, D), (D, F), (B, T, F), (B, T, D)


def swiglu__branches_exchanged(x, gate, widen, narrow):
    """Sends the other branch through swish."""
    return (x @ gate * F.silu(x @ widen)) @ narrow


def swiglu__sigmoid_only(x, gate, widen, narrow):
    """Opens by the sigmoid, as a GLU does, without the z in front."""
    return (torch.sigmoid(x @ gate) * (x @ widen)) @ narrow


def swiglu__added(x, gate, widen, narrow):
    """Adds the two branches."""
    return (F.silu(x @ gate) + x @ widen) @ narrow


def count_parameters__each_head_whole(d_model, heads, d_ff):
    """Thinks each head has projections as wide as the model."""
    attention = heads * 3 * (d_model * d_model + d_model) + d_model * d_model + d_model
    network = 2 * d_model * d_ff + d_ff + d_model
    return attention + network + 4 * d_model


def count_parameters__no_output_projection(d_model, heads, d_ff):
    """Forgets the fourth projection."""
    return 3 * (d_model + 1) * d_model + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model


def count_parameters__one_norm(d_model, heads, d_ff):
    """Counts one norm."""
    return 4 * (d_model + 1) * d_model + 2 * d_model * d_ff + d_ff + d_model + 2 * d_model


def whole_layer__sublayer_reads_x(x, first, second, gammas, betas, eps):
    """Lets the second sublayer read x."""
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return layer_norm(middle + sublayer(x, second), gammas[1], betas[1], eps)


def whole_layer__both_added(x, first, second, gammas, betas, eps):
    """Adds the middle and keeps the x as well."""
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return layer_norm(x + middle + sublayer(middle, second), gammas[1], betas[1], eps)
