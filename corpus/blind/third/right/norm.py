"""Right answers to the exercise on normalisation, third set, in unusual styles."""

import math

import torch
import torch.nn.functional as F


def mean_variance__torch(x):
    """Uses torch.var_mean with the right correction."""
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return mean, variance


def mean_variance__sums(x):
    """Adds up feature by feature."""
    d = x.shape[-1]
    mean = sum(x.unbind(-1)) / d
    variance = sum((f - mean) ** 2 for f in x.unbind(-1)) / d
    return mean[..., None], variance[..., None]


def mean_variance__pairs(x):
    """Takes the variance from the differences of all pairs."""
    mean = x.mean(-1, keepdim=True)
    apart = x.unsqueeze(-1) - x.unsqueeze(-2)
    return mean, 0.5 * apart.square().mean(dim=(-2, -1)).unsqueeze(-1)


def layer_norm__matrix(x, gamma, beta, eps):
    """Centres by a matrix product."""
    d = x.size(-1)
    centring = torch.eye(d, dtype=x.dtype) - 1 / d
    centred = x @ centring
    variance = torch.einsum("...d,...d->...", centred, centred).unsqueeze(-1) / d
    return torch.rsqrt(variance + eps) * centred * gamma + beta


def layer_norm__one_scale_one_shift(x, gamma, beta, eps):
    """Folds everything into one scale and one shift."""
    mean, variance = mean_variance(x)
    scale = gamma * (variance + eps) ** -0.5
    return x * scale + (beta - mean * scale)


def layer_norm__class(x, gamma, beta, eps):
    """Is a module of its own."""

    class Norm(torch.nn.Module):
        def forward(self, x):
            centred = x - x.mean(-1, keepdim=True)
            root = (centred.pow(2).mean(-1, keepdim=True) + eps).sqrt()
            return torch.addcmul(beta, gamma, centred / root)

    return Norm()(x)


def normalise__correction(x, eps):
    """Says which correction it wants."""
    mean = x.mean(dim=-1, keepdim=True)
    deviation = x.std(dim=-1, keepdim=True, correction=0)
    return (x - mean) / torch.sqrt(deviation.square() + eps)


def normalise__factor(x, eps):
    """Corrects the given variance by (d - 1) / d."""
    d = x.size(-1)
    variance = x.std(dim=-1, keepdim=True).square() * ((d - 1) / d)
    return (x - x.mean(-1, keepdim=True)) * torch.rsqrt(variance + eps)


def normalise__own_function(x, eps):
    """Calls layer_norm with ones and zeros."""
    d = x.size(-1)
    return layer_norm(x, torch.ones(d, dtype=x.dtype), torch.zeros(d, dtype=x.dtype), eps)


def rms_norm__dot(x, gamma, eps):
    """Dots each vector with itself."""
    mean_square = (x.unsqueeze(-2) @ x.unsqueeze(-1)).squeeze(-1) / x.size(-1)
    return x * gamma / (mean_square + eps).sqrt()


def rms_norm__var_and_mean(x, gamma, eps):
    """Adds the square of the mean to the variance."""
    mean, variance = mean_variance(x)
    return gamma * (x * (variance + mean**2 + eps).rsqrt())


def post_norm__inside_out(x, weight, gamma, beta, eps):
    """Names each step."""
    said = sublayer(x, weight)
    stream = torch.add(said, x)
    return layer_norm(stream, gamma=gamma, beta=beta, eps=eps)


def post_norm__composed(x, weight, gamma, beta, eps):
    """Composes two small functions."""
    residual = lambda f: lambda t: t + f(t)
    norm = lambda t: layer_norm(t, gamma, beta, eps)
    return norm(residual(lambda t: sublayer(t, weight))(x))


def pre_norm__composed(x, weight, gamma, beta, eps):
    """Composes two small functions the other way round."""
    steps = [lambda t: layer_norm(t, gamma, beta, eps), lambda t: sublayer(t, weight)]
    branch = x
    for step in steps:
        branch = step(branch)
    return branch + x


def pre_norm__into_a_copy(x, weight, gamma, beta, eps):
    """Starts with a copy of the stream and adds into the copy."""
    stream = x.clone()
    stream += sublayer(layer_norm(x, gamma, beta, eps), weight)
    return stream


def feed_forward__neuron_by_neuron(x, w1, b1, w2, b2):
    """Adds up what each hidden neuron writes."""
    out = b2
    for column, bias, row in zip(w1.unbind(1), b1, w2):
        said = (x @ column + bias).clamp(min=0)
        out = out + said[..., None] * row
    return out


def feed_forward__half_of_absolute(x, w1, b1, w2, b2):
    """Writes ReLU as half of z plus its absolute value."""
    z = F.linear(x, w1.T, b1)
    return F.linear((z + z.abs()) / 2, w2.mT, b2)


def feed_forward__where(x, w1, b1, w2, b2):
    """Bends with where, and uses einsum."""
    z = torch.einsum("...d,df->...f", x, w1) + b1
    hidden = torch.where(z > 0, z, torch.zeros_like(z))
    return torch.einsum("...f,fd->...d", hidden, w2) + b2


def swiglu__joined(x, gate, widen, narrow):
    """Makes both branches by one product."""
    opened, carried = (x @ torch.cat([gate, widen], dim=1)).chunk(2, dim=-1)
    return torch.mul(carried, F.silu(opened)) @ narrow


def swiglu__written_out(x, gate, widen, narrow):
    """Writes swish out with an exponential."""
    z = x @ gate
    return torch.einsum("...f,...f,fd->...d", z / (1 + torch.exp(-z)), x @ widen, narrow)


def whole_layer__loop(x, first, second, gammas, betas, eps):
    """Loops over the two sublayers."""
    for weight, gamma, beta in zip((first, second), gammas, betas):
        x = layer_norm(x + sublayer(x, weight), gamma, beta, eps)
    return x


def whole_layer__own_function(x, first, second, gammas, betas, eps):
    """Calls post_norm twice."""
    middle = post_norm(x, first, gammas[0], betas[0], eps)
    return post_norm(middle, second, gammas[1], betas[1], eps)


def count_parameters__measured(d_model, heads, d_ff):
    """Builds PyTorch's layer and counts."""
    layer = torch.nn.TransformerEncoderLayer(d_model, heads, d_ff, device="meta")
    return sum(p.numel() for p in layer.parameters())


def count_parameters__head_by_head(d_model, heads, d_ff):
    """Counts head by head."""
    d_k = d_model // heads
    linear = lambda ins, outs: (ins + 1) * outs
    attention = sum(3 * linear(d_model, d_k) for _ in range(heads)) + linear(d_model, d_model)
    return attention + linear(d_model, d_ff) + linear(d_ff, d_model) + 2 * 2 * d_model


def shapes__from_tokens(B, T, D, F):
    """Adds one axis to the axes of the tokens."""
    tokens = (B, T)
    return tokens + (1,), (D,), (D, F), tokens + (F,), tokens + (D,)
