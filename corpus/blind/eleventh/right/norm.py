import math

import torch
import torch.nn.functional as F

from transformer_lab import check


def mean_variance__all_pairs(x):
    wide = x.double()
    d = x.size(-1)
    mean = wide.sum(dim=-1, keepdim=True) / d
    # the variance is half the mean square of the difference of two features
    apart = wide.unsqueeze(-1) - wide.unsqueeze(-2)
    variance = apart.square().sum(dim=(-2, -1)).unsqueeze(-1) / (2 * d * d)
    return mean.to(x.dtype), variance.to(x.dtype)


def mean_variance__row_times_column(x):
    wide = x.double()
    mean = wide.mean(dim=-1, keepdim=True)
    off = wide - mean
    variance = (off.unsqueeze(-2) @ off.unsqueeze(-1)).squeeze(-1) / x.size(-1)
    return mean.to(x.dtype), variance.to(x.dtype)


def layer_norm__two_parts_added(x, gamma, beta, eps):
    mean, variance = mean_variance(x)
    normed = torch.div(x - mean, torch.sqrt(variance + eps))
    return torch.stack((normed * gamma, beta.expand_as(x))).sum(dim=0)


def layer_norm__power_in_double(x, gamma, beta, eps):
    wide = x.double()
    mean, variance = mean_variance(wide)
    normed = (wide - mean) * (variance + eps) ** -0.5
    return (normed @ torch.diag(gamma.double()) + beta).to(x.dtype)


def rms_norm__einsum(x, gamma, eps):
    wide = x.double()
    square = torch.einsum("...d,...d->...", wide, wide) / x.size(-1)
    shrink = (square + eps).rsqrt()
    return torch.einsum("...d,...,d->...d", wide, shrink, gamma.double()).to(x.dtype)


def rms_norm__mean_and_variance(x, gamma, eps):
    mean, variance = mean_variance(x.double())
    size = torch.sqrt(mean**2 + variance + eps)
    return (x / size * gamma).to(x.dtype)


def post_norm__stacked(x, weight, gamma, beta, eps):
    both = torch.stack((x, sublayer(x, weight)))
    return layer_norm(both.sum(dim=0), gamma, beta, eps)


class _Residual:
    """Wire a norm and a branch around a stream, in either way."""

    def __init__(self, norm, branch):
        self.norm, self.branch = norm, branch

    def after(self, x):
        return self.norm(torch.add(x, self.branch(x)))

    def before(self, x):
        return torch.add(self.branch(self.norm(x)), x)


def _residual(weight, gamma, beta, eps):
    return _Residual(
        lambda x: layer_norm(x, gamma, beta, eps), lambda x: sublayer(x, weight)
    )


def post_norm__class(x, weight, gamma, beta, eps):
    return _residual(weight, gamma, beta, eps).after(x)


def pre_norm__class(x, weight, gamma, beta, eps):
    return _residual(weight, gamma, beta, eps).before(x)


def pre_norm__difference(x, weight, gamma, beta, eps):
    branch = sublayer(layer_norm(x, gamma, beta, eps), weight)
    return x - branch.neg()


def shapes__of_tensors(B, T, D, F):
    x = torch.empty(B, T, D, device="meta")
    first = torch.empty(D, F, device="meta")
    hidden = x @ first
    output = hidden @ first.transpose(0, 1)
    tensors = (x[..., :1], x[0, 0], first, hidden, output)
    return tuple(tuple(tensor.shape) for tensor in tensors)


# ambiguous: "Give five shapes": as a tuple or as a list of tuples; the text asks for tuples only of the shapes.
def shapes__front_and_width(B, T, D, F):
    def tokens(width):
        return (B, T) + (width,)

    means, hidden, output = map(tokens, (1, F, D))
    return means, (D,), (D, F), hidden, output


def swiglu__tanh(x, gate, widen, narrow):
    z = x.double() @ gate.double()
    opened = z * (1 + torch.tanh(z / 2)) / 2
    return ((opened * (x.double() @ widen.double())) @ narrow.double()).to(x.dtype)


def swiglu__both_branches_at_once(x, gate, widen, narrow):
    both = x.double() @ torch.cat((gate, widen), dim=1).double()
    z, other = both.chunk(2, dim=-1)
    opened = z * torch.exp(-F.softplus(-z))
    return torch.einsum("...f,...f,fd->...d", opened, other, narrow.double()).to(x.dtype)


def _linear(inputs, outputs):
    return (inputs + 1) * outputs


# ambiguous: whether heads always divides d_model; "The width of a head is d_model / heads" is read so.
def count_parameters__head_by_head(d_model, heads, d_ff):
    width = d_model // heads
    count = 0
    for _ in range(heads):
        for _ in ("queries", "keys", "values"):
            count += _linear(d_model, width)
    count += _linear(heads * width, d_model)
    count += _linear(d_model, d_ff) + _linear(d_ff, d_model)
    for _ in ("attention's norm", "the network's norm"):
        count += len(("gamma", "beta")) * d_model
    return count


def count_parameters__polynomial(d_model, heads, d_ff):
    return (4 * d_model + 9 + 2 * d_ff) * d_model + d_ff


def whole_layer__loop(x, first, second, gammas, betas, eps):
    for weight, gamma, beta in zip((first, second), gammas, betas):
        x = layer_norm(x + sublayer(x, weight), gamma, beta, eps)
    return x


def whole_layer__two_post_norms(x, first, second, gammas, betas, eps):
    middle = post_norm(x, first, gammas[0], betas[0], eps)
    return post_norm(middle, second, gammas[1], betas[1], eps)


def _far(tokens, where):
    tokens = (tokens.clamp(-0.5, 0.5) * 4).round() / 4
    steps = torch.arange(tokens.size(-1)) % 3 * 1.0  # features differ by 1 or more
    return tokens + 2 * steps + where


# ambiguous: whether eps = 0 is among "any eps"; it is tried on tokens that vary, where a right norm cannot fail.
def is_layer_norm__many_tokens(norm):
    fronts = [(), (1,), (4,), (2, 3), (3, 1, 2), (5, 4, 1, 2)]
    for front in fronts:
        for D in (2, 3, 4, 6):
            random = torch.randn(*front, D)
            spaced = random + torch.arange(D) * 3.0
            trials = [
                (random, 1e-5),
                (random * 2 + 3, 0.7),
                (random * 0.1 + 0.2, 0.05),
                (random * 50, 20.0),
                (spaced * 0.01, 0.0),
                (spaced * 0.001, 1e-5),
                (torch.full((*front, D), 7.0), 1e-5),
                (torch.zeros(*front, D), 0.3),
                (_far(random, 4096.0), 1e-5),
                (_far(random, 4096.0), 0.5),
                (_far(random, -3000.0), 1e-5),
            ]
            for x, eps in trials:
                gamma, beta = torch.randn(D) * 2, torch.randn(D) * 3
                right = layer_norm(x, gamma, beta, eps)
                given = x.clone()
                try:
                    got = norm(given, gamma.clone(), beta.clone(), eps)
                    good = (got - right).abs() <= 0.01 * (1 + right.abs())
                    if got.shape != right.shape or not bool(good.all()):
                        return False
                except Exception:
                    return False
                if not torch.equal(given, x):
                    return False
    return True


def _one_by_one(token, gamma, beta, eps):
    mean = math.fsum(token) / len(token)
    variance = math.fsum((number - mean) ** 2 for number in token) / len(token)
    root = math.sqrt(variance + eps)
    return [g * (number - mean) / root + b for number, g, b in zip(token, gamma, beta)]


def is_layer_norm__token_by_token(norm):
    generator = torch.Generator().manual_seed(11)

    def draw(*shape):
        return torch.randn(*shape, generator=generator)

    for shape in [(2,), (3,), (5,), (1, 3), (4, 4), (3, 2), (2, 4, 3), (3, 3, 3), (2, 2, 1, 5)] * 3:
        D = shape[-1]
        kinds = [draw(*shape), 3 * draw(*shape) - 5, draw(*shape) / 20, 40 * draw(*shape)]
        kinds += [draw(*shape) * (1 + 9 * draw(*shape[:-1], 1).abs())]
        kinds += [torch.full(shape, -2.5), _far(draw(*shape), 4096), _far(draw(*shape), 2048)]
        for x in kinds:
            for eps in (1e-5, 1e-3, 0.25, 4.0):
                gamma, beta = 2 * draw(D), 2 * draw(D)
                numbers = [gamma.tolist(), beta.tolist(), eps]
                rows = x.reshape(-1, D).tolist()
                right = torch.tensor([_one_by_one(row, *numbers) for row in rows])
                right = right.reshape(shape)
                given = x.clone()
                try:
                    off = (norm(given, gamma, beta, eps) - right).abs()
                except Exception:
                    return False
                if off.shape != right.shape or not torch.equal(given, x):
                    return False
                if not bool((off <= 0.01 * (1 + right.abs())).all()):
                    return False
    return True


def _learns(make_model, rate, steps):
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    losses = []
    for step in range(steps + 1):
        optimizer.zero_grad()
        loss = model()
        losses.append(loss.item())
        if step < steps:
            loss.backward()
            optimizer.step()
    return losses[-1] < losses[0] / 4


def largest_rate__filter(make_model, rates, steps):
    return max((rate for rate in rates if _learns(make_model, rate, steps)), default=0.0)


def largest_rate__autograd_grad(make_model, rates, steps):
    found = [0.0]
    for rate in rates:
        model = make_model()
        parameters = [p for p in model.parameters() if p.requires_grad]
        loss = model()
        before = loss.item()
        for _ in range(steps):
            slopes = torch.autograd.grad(loss, parameters, allow_unused=True)
            with torch.no_grad():
                for parameter, slope in zip(parameters, slopes):
                    if slope is not None:
                        parameter.sub_(slope, alpha=rate)
            loss = model()
        if loss.item() < before / 4:
            found.append(rate)
    return max(found)
