"""Wrong answers to the exercise on normalisation, written blind."""

import math

import torch
import torch.nn.functional as F


def mean_variance__squares_first(x):
    """mean of squares minus squared mean loses precision for large means"""
    mean = x.mean(dim=-1, keepdim=True)
    mean_of_squares = (x ** 2).mean(dim=-1, keepdim=True)
    return mean, mean_of_squares - mean ** 2


def mean_variance__axis_one(x):
    """the second axis is averaged instead of the last"""
    mu = torch.mean(x, dim=1, keepdim=True)
    sigma2 = torch.mean((x - mu) ** 2, dim=1, keepdim=True)
    return mu, sigma2


def layer_norm__eps_behind_root(x, gamma, beta, eps):
    """epsilon is added to the root instead of the variance"""
    mu = x.mean(-1, keepdim=True)
    centred = x - mu
    sigma = torch.sqrt(centred.pow(2).mean(-1, keepdim=True))
    x_hat = centred / (sigma + eps)
    return gamma * x_hat + beta


def layer_norm__eats_its_input(x, gamma, beta, eps):
    """x itself is changed in place"""
    mean, variance = mean_variance(x)
    x -= mean
    x /= torch.sqrt(variance + eps)
    return x * gamma + beta


def layer_norm__std_plus_eps(x, gamma, beta, eps):
    """the variance is divided by n - 1
    epsilon is added to the root instead of the variance"""
    return gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) + beta


def layer_norm__whole_sentence(x, gamma, beta, eps):
    """mean and variance run over the tokens too, not only the features"""
    axes = tuple(range(1, x.dim())) if x.dim() > 1 else (0,)
    m = x.mean(dim=axes, keepdim=True)
    v = (x - m).square().mean(dim=axes, keepdim=True)
    normal = (x - m) / torch.sqrt(v + eps)
    return normal * gamma + beta


def layer_norm__shift_then_scale(x, gamma, beta, eps):
    """beta is added before gamma multiplies"""
    mean, variance = mean_variance(x)
    normal = (x - mean) / (variance + eps).sqrt()
    normal = normal + beta
    normal = normal * gamma
    return normal


def normalise__factor_on_root(x, eps):
    """Bessel's factor is applied to the deviation, not the variance"""
    d = x.size(-1)
    mean = x.mean(dim=-1, keepdim=True)
    deviation = x.std(dim=-1, keepdim=True) * (d - 1) / d
    return (x - mean) / torch.sqrt(deviation.square() + eps)


def rms_norm__still_centred(x, gamma, eps):
    """divides by the standard deviation instead of the root mean square"""
    _, variance = mean_variance(x)
    return gamma * x / torch.sqrt(variance + eps)


def rms_norm__one_for_all(x, gamma, eps):
    """one mean square for the whole tensor instead of one per token"""
    mean_square = x.square().mean()
    return x * torch.rsqrt(mean_square + eps) * gamma


def rms_norm__length_of_vector(x, gamma, eps):
    """the squares are summed, not averaged
    epsilon is added to the root instead of under it"""
    length = (x * x).sum(dim=-1, keepdim=True) ** 0.5
    return gamma * (x / (length + eps))


def post_norm__norm_on_branch(x, weight, gamma, beta, eps):
    """only the sublayer's result is normalised, x is added afterwards"""
    out = sublayer(x, weight)
    out = layer_norm(out, gamma, beta, eps)
    return x + out


def post_norm__default_var(x, weight, gamma, beta, eps):
    """the variance is divided by n - 1"""
    s = x + torch.relu(x @ weight)
    m = s.mean(-1, keepdim=True)
    v = s.var(-1, keepdim=True)
    return (s - m) / torch.sqrt(v + eps) * gamma + beta


def pre_norm__stream_overwritten(x, weight, gamma, beta, eps):
    """the normalised x is added instead of x"""
    x = layer_norm(x, gamma, beta, eps)
    return x + sublayer(x, weight)


def pre_norm__linear_like_pytorch(x, weight, gamma, beta, eps):
    """the sublayer's matrix is transposed"""
    mu = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, correction=0)
    normal = (x - mu) / torch.sqrt(var + eps) * gamma + beta
    branch = F.relu(F.linear(normal, weight))
    return x + branch


def pre_norm__no_beta(x, weight, gamma, beta, eps):
    """the norm on the branch forgets beta"""
    centred = x - x.mean(dim=-1, keepdim=True)
    root = torch.sqrt((centred * centred).mean(dim=-1, keepdim=True) + eps)
    return x + sublayer(gamma * centred / root, weight)


def feed_forward__bias_after_bend(x, w1, b1, w2, b2):
    """the first bias is added after the ReLU"""
    hidden = torch.relu(x @ w1) + b1
    return hidden @ w2 + b2


def feed_forward__gelu_no_second_bias(x, w1, b1, w2, b2):
    """GELU bends instead of ReLU
    the second bias is missing"""
    h = F.gelu(torch.matmul(x, w1) + b1)
    return torch.matmul(h, w2)


def swiglu__wrong_branch(x, gate, widen, narrow):
    """swish is applied to the widened branch instead of the gate"""
    g = x @ gate
    w = x @ widen
    return (g * F.silu(w)) @ narrow


def swiglu__exp_over_exp(x, gate, widen, narrow):
    """the sigmoid overflows for large gates and gives nan"""
    z = x @ gate
    e = torch.exp(z)
    swish = z * (e / (1 + e))
    return (swish * (x @ widen)) @ narrow


def whole_layer__second_reads_x(x, first, second, gammas, betas, eps):
    """the second sublayer reads x instead of the stream"""

    def norm(z, row):
        z = z - z.mean(dim=-1, keepdim=True)
        z = z / torch.sqrt(z.square().mean(dim=-1, keepdim=True) + eps)
        return z * gammas[row] + betas[row]

    middle = norm(x + torch.relu(x @ first), 0)
    output = middle + torch.relu(x @ second)
    return norm(output, 1)


def whole_layer__loop_with_one_norm(x, first, second, gammas, betas, eps):
    """both norms use the first row of gammas and betas
    the variance is divided by n - 1"""
    for w in [first, second]:
        x = x + torch.relu(x @ w)
        x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt()
        x = gammas[0] * x + betas[0]
    return x


def count_parameters__one_head(d_model, heads, d_ff):
    """queries, keys and values are counted for one head only"""
    width = d_model // heads
    qkv = 3 * (d_model * width + width)
    output = d_model * d_model + d_model
    ffn = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * 2 * d_model
    return qkv + output + ffn + norms


def shapes__stored_like_linear(B, T, D, F):
    """the first matrix is given transposed"""
    means = (B, T, 1)
    gamma = (D,)
    w1 = (F, D)
    hidden = (B, T, F)
    out = (B, T, D)
    return means, gamma, w1, hidden, out
