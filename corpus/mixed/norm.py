"""Two mistakes at once, by their names. Without a docstring none may be named."""

import torch


def mean_variance__unbiased_over_tokens(x):
    return x.mean(-2, keepdim=True), x.var(-2, keepdim=True)


def mean_variance__deviation_without_axis(x):
    """it gives the standard deviation, not the variance
    the last axis is lost (keepdim)
    """
    return x.mean(-1), x.std(-1, correction=0)


def layer_norm__unbiased_and_eps_outside(x, gamma, beta, eps):
    """the variance is the unbiased one
    ε stands outside the root
    """
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * gamma + beta


def layer_norm__swapped_over_tokens(x, gamma, beta, eps):
    """it averages over the tokens, not the features
    γ and β have changed places
    """
    mean, variance = x.mean(-2, keepdim=True), x.var(-2, correction=0, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * beta + gamma


def rms_norm__length_and_eps_outside(x, gamma, eps):
    """it divides by the vector's length
    ε stands outside the root
    """
    return x / (x.norm(dim=-1, keepdim=True) + eps) * gamma


def _norm(x, gamma, beta, eps):
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * gamma + beta


def post_norm__normed_added_to_normed(x, weight, gamma, beta, eps):
    x = _norm(x, gamma, beta, eps)
    return x + torch.relu(x @ weight)


def pre_norm__no_bend_and_post(x, weight, gamma, beta, eps):
    """that is post-norm
    the sublayer's bend is missing
    """
    return _norm(x + x @ weight, gamma, beta, eps)


def swiglu__sigmoid_on_the_other_branch(x, gate, widen, narrow):
    """the bend is on the wrong branch
    the gate is a sigmoid
    """
    return ((x @ gate) * (x @ widen).sigmoid()) @ narrow


def whole_layer__shared_norm_and_wrong_residual(x, first, second, gammas, betas, eps):
    """both sublayers share one norm
    the mistake is still in it
    """
    middle = _norm(x + torch.relu(x @ first), gammas[0], betas[0], eps)
    return _norm(x + torch.relu(middle @ second), gammas[0], betas[0], eps)


def count_parameters__three_matrices_and_no_norms(d_model, heads, d_ff):
    """4 · d_model parameters are missing
    attention has three matrices
    """
    return 3 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model


def shapes__lost_axis_and_wide(B, T, D, F):
    """the mean has lost its last axis
    the output stays wide
    """
    return (B, T), (D,), (D, F), (B, T, F), (B, T, F)
