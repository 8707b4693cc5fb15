"""Wrong answers to the exercise on normalisation, written blind."""

import math

import torch
import torch.nn.functional as F


def mean_variance__returns_deviation(x):
    """Returns the standard deviation instead of the variance."""
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return mean, variance.sqrt()


def layer_norm__eps_as_floor_beta_scaled(x, gamma, beta, eps):
    """Uses eps as a lower limit of the root instead of adding it.
    Adds beta before multiplying by gamma.
    """
    mean, variance = mean_variance(x)
    deviation = torch.sqrt(variance).clamp(min=eps)
    normal = (x - mean) / deviation
    return gamma * (normal + beta)


def normalise__corrects_without_root(x, eps):
    """Corrects the deviation by (d - 1)/d without taking its root."""
    d = x.size(-1)
    mean = x.mean(dim=-1, keepdim=True)
    deviation = x.std(dim=-1, keepdim=True) * (d - 1) / d
    return (x - mean) / torch.sqrt(deviation.square() + eps)


def rms_norm__sum_of_squares(x, gamma, eps):
    """Divides by the vector's length: sum instead of mean of squares."""
    length = torch.sqrt((x**2).sum(-1, keepdim=True) + eps)
    return gamma * x / length


def post_norm__var_with_correction(x, weight, gamma, beta, eps):
    """Divides the variance by d - 1 in the norm."""
    y = x + sublayer(x, weight)
    mu = y.mean(-1, keepdim=True)
    var = y.var(-1, keepdim=True)
    return gamma * (y - mu) / torch.sqrt(var + eps) + beta


def pre_norm__eps_outside_and_norm_on_stream(x, weight, gamma, beta, eps):
    """Adds eps to the root instead of to the variance.
    Adds to the normalised vectors instead of to the stream.
    """
    mean, variance = mean_variance(x)
    x = (x - mean) / (variance.sqrt() + eps)
    x = gamma * x + beta
    return x + sublayer(x, weight)


def pre_norm__relu_after_addition(x, weight, gamma, beta, eps):
    """Bends the stream too: the ReLU comes after the addition."""
    normed = layer_norm(x, gamma, beta, eps)
    out = x + normed @ weight
    return torch.relu(out)


def feed_forward__bends_output_too(x, w1, b1, w2, b2):
    """Applies ReLU after the second linear layer as well."""
    for w, b in ((w1, b1), (w2, b2)):
        x = torch.relu(x @ w + b)
    return x


def swiglu__swish_of_product(x, gate, widen, narrow):
    """Applies swish to the product of both branches, not the gate."""
    gates = x @ gate
    wide = x @ widen
    return F.silu(gates * wide) @ narrow


def whole_layer__adds_to_sum_before_norm(
    x, first, second, gammas, betas, eps
):
    """Second addition takes the stream from before the first norm."""
    stream = x + sublayer(x, first)
    normed = layer_norm(stream, gammas[0], betas[0], eps)
    stream = stream + sublayer(normed, second)
    return layer_norm(stream, gammas[1], betas[1], eps)


def count_parameters__one_head_of_biases(d_model, heads, d_ff):
    """Counts the biases of queries, keys, values for one head only."""
    k = d_model // heads
    qkv = 3 * (heads * d_model * k + k)
    output = d_model * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * (d_model + d_model)
    return qkv + output + network + norms


def shapes__matrix_as_pytorch_stores_it(B, T, D, F):
    """Gives the first matrix as outputs by inputs, like nn.Linear."""
    return (B, T, 1), (D,), (F, D), (B, T, F), (B, T, D)
