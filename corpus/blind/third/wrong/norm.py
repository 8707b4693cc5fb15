"""Wrong answers to the exercise on normalisation, third set, written from its text alone."""

import math

import torch
import torch.nn.functional as F


def mean_variance__one_less(x):
    """Divides by d minus one."""
    return x.mean(-1, keepdim=True), x.var(-1, keepdim=True)


def mean_variance__deviation(x):
    """Returns the standard deviation instead of the variance."""
    mean = x.mean(-1, keepdim=True)
    return mean, (x - mean).pow(2).mean(-1, keepdim=True).sqrt()


def mean_variance__axis_lost(x):
    """Loses the last axis."""
    m = x.mean(dim=-1)
    return m, (x - m[..., None]).square().mean(dim=-1)


def mean_variance__of_all(x):
    """Takes mean and variance of all tokens together."""
    shape = (*x.shape[:-1], 1)
    m = x.mean()
    return m.expand(shape), (x - m).square().mean().expand(shape)


def mean_variance__mean_square(x):
    """Forgets to subtract the mean before squaring."""
    return x.mean(-1, keepdim=True), (x * x).mean(-1, keepdim=True)


def mean_variance__absolute(x):
    """Averages the absolute deviations instead of their squares."""
    mean = x.sum(-1, keepdim=True) / x.size(-1)
    return mean, (x - mean).abs().sum(-1, keepdim=True) / x.size(-1)


def mean_variance__features_and_one_less(x):
    """Averages over the tokens instead of the features.
    Divides by one less than their number.
    """
    x = x if x.dim() > 1 else x[:, None]
    return x.mean(dim=-2, keepdim=True).mT, x.var(dim=-2, keepdim=True).mT


def layer_norm__eps_beside_the_root(x, gamma, beta, eps):
    """Adds eps to the root instead of to the variance."""
    mean, variance = mean_variance(x)
    return gamma * (x - mean) / (variance.sqrt() + eps) + beta


def layer_norm__root_forgotten(x, gamma, beta, eps):
    """Divides by the variance without its root."""
    mean, variance = mean_variance(x)
    return (x - mean) / (variance + eps) * gamma + beta


def layer_norm__beta_scaled_too(x, gamma, beta, eps):
    """Adds beta before gamma multiplies."""
    mean, variance = mean_variance(x)
    normal = (x - mean) * torch.rsqrt(variance + eps)
    return (normal + beta) * gamma


def layer_norm__eps_forgotten(x, gamma, beta, eps):
    """Forgets eps."""
    mean, variance = mean_variance(x)
    return torch.addcmul(beta, gamma, (x - mean) / torch.sqrt(variance))


def layer_norm__all_but_batch(x, gamma, beta, eps):
    """Takes one mean and variance for all tokens of a sentence."""
    axes = tuple(range(1, x.dim())) or (0,)
    mean = x.mean(axes, keepdim=True)
    variance = (x - mean).square().mean(axes, keepdim=True)
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta


def layer_norm__in_place(x, gamma, beta, eps):
    """Works inside the caller's tensor."""
    mean, variance = mean_variance(x)
    x.sub_(mean).div_(torch.sqrt(variance + eps)).mul_(gamma).add_(beta)
    return x


def layer_norm__gamma_plus_one(x, gamma, beta, eps):
    """Scales by one plus gamma."""
    mean, variance = mean_variance(x)
    return (1 + gamma) * (x - mean) / torch.sqrt(variance + eps) + beta


def layer_norm__mean_left_in(x, gamma, beta, eps):
    """Divides without subtracting the mean."""
    _, variance = mean_variance(x)
    return gamma * x / torch.sqrt(variance + eps) + beta


def layer_norm__one_less_and_eps_outside(x, gamma, beta, eps):
    """Divides the variance by d minus one.
    Adds eps to the deviation instead of the variance.
    """
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) + beta


def layer_norm__gamma_before_mean(x, gamma, beta, eps):
    """Multiplies by gamma before the mean is subtracted."""
    mean, variance = mean_variance(x)
    return (gamma * x - mean) / torch.sqrt(variance + eps) + beta


def normalise__eps_outside(x, eps):
    """Mends the divisor, but moves eps out of the root."""
    mean = x.mean(dim=-1, keepdim=True)
    deviation = x.std(dim=-1, keepdim=True, correction=0)
    return (x - mean) / (deviation + eps)


def normalise__eps_lost(x, eps):
    """Mends the divisor, but loses eps."""
    mean = x.mean(dim=-1, keepdim=True)
    return (x - mean) / x.std(dim=-1, keepdim=True, correction=0)


def normalise__variance_squared(x, eps):
    """Takes the right variance and squares it once more."""
    mean = x.mean(dim=-1, keepdim=True)
    deviation = x.var(dim=-1, keepdim=True, correction=0)
    return (x - mean) / torch.sqrt(deviation.square() + eps)


def normalise__factor_without_root(x, eps):
    """Corrects the deviation by (d - 1) / d, which belongs to the variance."""
    d = x.size(-1)
    deviation = x.std(dim=-1, keepdim=True) * (d - 1) / d
    return (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(deviation**2 + eps)


def normalise__factor_upside_down(x, eps):
    """Corrects the variance by the factor turned upside down."""
    d = x.size(-1)
    variance = x.var(dim=-1, keepdim=True) * d / (d - 1)
    return (x - x.mean(dim=-1, keepdim=True)) * torch.rsqrt(variance + eps)


def rms_norm__mean_subtracted(x, gamma, eps):
    """Subtracts the mean first, as LayerNorm does."""
    centred = x - x.mean(-1, keepdim=True)
    return gamma * centred / torch.sqrt(centred.square().mean(-1, keepdim=True) + eps)


def rms_norm__sum_of_squares(x, gamma, eps):
    """Adds the squares up without dividing by their number."""
    total = torch.einsum("...d,...d->...", x, x)
    return gamma * x / torch.sqrt(total[..., None] + eps)


def rms_norm__eps_outside(x, gamma, eps):
    """Adds eps to the root instead of under it."""
    rms = x.square().mean(-1, keepdim=True).sqrt()
    return gamma * (x / (rms + eps))


def rms_norm__absolute(x, gamma, eps):
    """Takes the mean absolute value instead of the root mean square."""
    return gamma * x / (x.abs().mean(-1, keepdim=True) + eps)


def rms_norm__root_forgotten(x, gamma, eps):
    """Divides by the mean square without its root."""
    return gamma * x / (x.pow(2).mean(dim=-1, keepdim=True) + eps)


def rms_norm__over_tokens(x, gamma, eps):
    """Takes the mean square of all tokens and features together."""
    return x * torch.rsqrt((x * x).mean() + eps) * gamma


def rms_norm__mean_then_square(x, gamma, eps):
    """Takes the mean first and squares it then.
    Forgets gamma.
    """
    return x / torch.sqrt(x.mean(-1, keepdim=True) ** 2 + eps)


def post_norm__norm_before_adding(x, weight, gamma, beta, eps):
    """Normalises the stream alone and adds the sublayer afterwards."""
    return layer_norm(x, gamma, beta, eps) + sublayer(x, weight)


def post_norm__no_residual(x, weight, gamma, beta, eps):
    """Forgets to add the stream."""
    return layer_norm(sublayer(x, weight), gamma, beta, eps)


def post_norm__norm_on_branch(x, weight, gamma, beta, eps):
    """Wires pre-norm: normalises what the sublayer reads."""
    return x + sublayer(layer_norm(x, gamma, beta, eps), weight)


def post_norm__normalised_result_added(x, weight, gamma, beta, eps):
    """Normalises what the sublayer says, and not the sum."""
    answer = sublayer(x, weight)
    return x + layer_norm(answer, gamma, beta, eps)


def post_norm__gamma_and_beta_swapped(x, weight, gamma, beta, eps):
    """Hands beta over as gamma.
    Normalises before the sublayer too.
    """
    y = layer_norm(x, beta, gamma, eps)
    return layer_norm(x + sublayer(y, weight), beta, gamma, eps)


def pre_norm__stream_normalised(x, weight, gamma, beta, eps):
    """Adds to the normalised stream instead of to the stream itself."""
    x = layer_norm(x, gamma, beta, eps)
    return x + sublayer(x, weight)


def pre_norm__norm_behind_sublayer(x, weight, gamma, beta, eps):
    """Normalises behind the sublayer instead of before it."""
    return x + layer_norm(sublayer(x, weight), gamma, beta, eps)


def pre_norm__no_residual(x, weight, gamma, beta, eps):
    """Forgets the addition."""
    return sublayer(layer_norm(x, gamma, beta, eps), weight)


def pre_norm__norm_at_the_end_too(x, weight, gamma, beta, eps):
    """Normalises the sum as well."""
    y = x + sublayer(layer_norm(x, gamma, beta, eps), weight)
    return layer_norm(y, gamma, beta, eps)


def pre_norm__rms(x, weight, gamma, beta, eps):
    """Uses the RMSNorm, so beta and the mean are left out."""
    return x + sublayer(rms_norm(x, gamma, eps), weight)


def feed_forward__bent_at_the_end(x, w1, b1, w2, b2):
    """Bends after the second layer instead of between the two."""
    return torch.relu((x @ w1 + b1) @ w2 + b2)


def feed_forward__bias_after_bend(x, w1, b1, w2, b2):
    """Adds the first bias after the bend."""
    hidden = (x @ w1).clamp(min=0) + b1
    return hidden @ w2 + b2


def feed_forward__no_bend(x, w1, b1, w2, b2):
    """Forgets the bend."""
    hidden = torch.einsum("...d,df->...f", x, w1) + b1
    return torch.einsum("...f,fd->...d", hidden, w2) + b2


def feed_forward__gelu(x, w1, b1, w2, b2):
    """Bends with GELU instead of ReLU."""
    return F.gelu(x @ w1 + b1) @ w2 + b2


def feed_forward__residual(x, w1, b1, w2, b2):
    """Adds the stream, which is not the network's business."""
    return x + F.relu(x @ w1 + b1) @ w2 + b2


def feed_forward__keeps_the_negative(x, w1, b1, w2, b2):
    """Keeps the negative numbers and drops the positive ones.
    Forgets the second bias.
    """
    hidden = torch.minimum(x @ w1 + b1, torch.zeros(()))
    return hidden @ w2


def swiglu__other_branch(x, gate, widen, narrow):
    """Sends the wrong branch through swish."""
    return ((x @ gate) * F.silu(x @ widen)) @ narrow


def swiglu__sigmoid(x, gate, widen, narrow):
    """Opens the gate with sigmoid alone, not with swish."""
    return (torch.sigmoid(x @ gate) * (x @ widen)) @ narrow


def swiglu__added(x, gate, widen, narrow):
    """Adds the branches instead of multiplying them."""
    return (F.silu(x @ gate) + x @ widen) @ narrow


def swiglu__relu(x, gate, widen, narrow):
    """Uses ReLU for the gate instead of swish."""
    return ((x @ gate).relu() * (x @ widen)) @ narrow


def swiglu__swish_of_product(x, gate, widen, narrow):
    """Takes swish of the product of both branches."""
    z = (x @ gate) * (x @ widen)
    return (z * z.sigmoid()) @ narrow


def swiglu__swish_late(x, gate, widen, narrow):
    """Takes swish after narrowing.
    Adds the branches instead of multiplying them.
    """
    return F.silu((x @ gate + x @ widen) @ narrow)


def whole_layer__both_streams(x, first, second, gammas, betas, eps):
    """Adds the first stream once more beside the second."""
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    output = x + middle + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__second_reads_first(x, first, second, gammas, betas, eps):
    """Mends the addition, but lets the second sublayer read the first stream."""
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return layer_norm(middle + sublayer(x, second), gammas[1], betas[1], eps)


def whole_layer__same_norm_twice(x, first, second, gammas, betas, eps):
    """Mends the addition, but uses the first norm's numbers twice."""
    for weight in (first, second):
        x = layer_norm(x + sublayer(x, weight), gammas[0], betas[0], eps)
    return x


def whole_layer__stream_before_norm(x, first, second, gammas, betas, eps):
    """Takes the stream from before the first norm into the second addition."""
    total = x + sublayer(x, first)
    middle = layer_norm(total, gammas[0], betas[0], eps)
    output = total + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__residual_lost(x, first, second, gammas, betas, eps):
    """Takes the wrong addition out and puts none in its place."""
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return layer_norm(sublayer(middle, second), gammas[1], betas[1], eps)


def count_parameters__no_biases(d_model, heads, d_ff):
    """Forgets the biases of the linear layers."""
    return 4 * d_model**2 + 2 * d_model * d_ff + 2 * 2 * d_model


def count_parameters__times_heads(d_model, heads, d_ff):
    """Gives each head projections of the full width."""
    attention = heads * 3 * (d_model * d_model + d_model) + d_model * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return attention + network + 4 * d_model


def count_parameters__one_norm(d_model, heads, d_ff):
    """Counts one norm instead of two."""
    linear = lambda i, o: i * o + o
    return 4 * linear(d_model, d_model) + linear(d_model, d_ff) + linear(d_ff, d_model) + 2 * d_model


def count_parameters__no_output_projection(d_model, heads, d_ff):
    """Forgets the output projection."""
    total = 3 * (d_model + 1) * d_model
    total += (d_model + 1) * d_ff + (d_ff + 1) * d_model
    return total + 4 * d_model


def count_parameters__narrow_bias_wide(d_model, heads, d_ff):
    """Gives the narrowing layer a bias as long as the hidden vector.
    Counts norms without beta.
    """
    return 4 * (d_model**2 + d_model) + 2 * (d_model * d_ff + d_ff) + 2 * d_model


def shapes__axis_lost(B, T, D, F):
    """Loses the axis that keepdim keeps."""
    return (B, T), (D,), (D, F), (B, T, F), (B, T, D)


def shapes__gamma_for_each_token(B, T, D, F):
    """Gives each token a gamma of its own."""
    return (B, T, 1), (T, D), (D, F), (B, T, F), (B, T, D)


def shapes__matrix_turned(B, T, D, F):
    """Turns the first matrix, as in nn.Linear."""
    return (B, T, 1), (D,), (F, D), (B, T, F), (B, T, D)


def shapes__means_of_features(B, T, D, F):
    """Takes a mean for each feature over the tokens.
    Does not narrow at the end.
    """
    return (B, 1, D), (D,), (D, F), (B, T, F), (B, T, F)
