"""Wrong answers, in other words than the bank's. The docstring is the name they must be given."""

import math

import torch
from torch.nn import functional


def mean_variance__bessel(x):
    """the variance is the unbiased one"""
    mean = x.sum(-1, keepdim=True) / x.size(-1)
    return mean, ((x - mean) ** 2).sum(-1, keepdim=True) / (x.size(-1) - 1)


def mean_variance__flat(x):
    """the last axis is lost (keepdim)"""
    mean = x.mean(dim=-1)
    return mean, (x - mean[..., None]).pow(2).mean(dim=-1)


def mean_variance__columns(x):
    """it averages over the tokens, not the features"""
    mean = x.sum(-2, keepdim=True) / x.size(-2)
    return mean, ((x - mean) ** 2).sum(-2, keepdim=True) / x.size(-2)


def mean_variance__numpy_style(x):
    """it averages over everything"""
    mean = torch.sum(x) / x.numel()
    return mean, torch.mean((x - mean) ** 2)


def mean_variance__root(x):
    """it gives the standard deviation, not the variance"""
    mean = x.mean(-1, keepdim=True)
    return mean, (x - mean).square().mean(-1, keepdim=True).sqrt()


def mean_variance__raw_squares(x):
    """the squares are taken before the mean is subtracted"""
    return x.mean(-1, keepdim=True), (x * x).sum(-1, keepdim=True) / x.shape[-1]


def mean_variance__shortcut(x):
    """the variance is a difference of large numbers"""
    mean = x.mean(-1, keepdim=True)
    return mean, (x * x).mean(-1, keepdim=True) - mean * mean


def mean_variance__sum(x):
    """the squares are added up, and not averaged"""
    mean = x.mean(-1, keepdim=True)
    return mean, (x - mean).square().sum(-1, keepdim=True)


def mean_variance__distances(x):
    """distances are averaged without being squared"""
    mean = x.mean(-1, keepdim=True)
    return mean, torch.maximum(x - mean, mean - x).mean(-1, keepdim=True)


def mean_variance__as_torch_orders_them(x):
    """the two results have changed places"""
    return torch.var_mean(x, dim=-1, correction=0, keepdim=True)


def layer_norm__std_squared(x, gamma, beta, eps):
    """the variance is the unbiased one"""
    deviation = torch.std(x, -1, keepdim=True)
    return gamma * (x - x.mean(-1, keepdim=True)) / torch.sqrt(deviation**2 + eps) + beta


def layer_norm__plus_eps(x, gamma, beta, eps):
    """ε stands outside the root"""
    centred = x - x.mean(-1, keepdim=True)
    return gamma * centred / (centred.square().mean(-1, keepdim=True) ** 0.5 + eps) + beta


def layer_norm__without(x, gamma, beta, eps):
    """ε is missing"""
    centred = x - x.mean(-1, keepdim=True)
    return gamma * centred / centred.square().mean(-1, keepdim=True) ** 0.5 + beta


def layer_norm__by_variance(x, gamma, beta, eps):
    """the root is missing"""
    centred = x - x.mean(-1, keepdim=True)
    return beta + gamma * centred / (eps + centred.square().mean(-1, keepdim=True))


def layer_norm__flat(x, gamma, beta, eps):
    """the last axis is lost (keepdim)"""
    variance, mean = torch.var_mean(x, dim=-1, correction=0)
    return gamma * ((x - mean) * torch.rsqrt(variance + eps)) + beta


def layer_norm__columns(x, gamma, beta, eps):
    """it averages over the tokens, not the features"""
    centred = x - x.mean(-2, keepdim=True)
    return gamma * centred * torch.rsqrt(centred.square().mean(-2, keepdim=True) + eps) + beta


def layer_norm__whole(x, gamma, beta, eps):
    """it averages over everything"""
    centred = x - x.sum() / x.numel()
    return gamma * centred / math.sqrt(centred.square().mean().item() + eps) + beta


def layer_norm__where_they_stand(x, gamma, beta, eps):
    """the mean is not subtracted"""
    variance = (x - x.mean(-1, keepdim=True)).square().mean(-1, keepdim=True)
    return gamma * x * torch.rsqrt(variance + eps) + beta


def layer_norm__rms(x, gamma, beta, eps):
    """it is RMSNorm"""
    return gamma * x * (x * x).mean(-1, keepdim=True).add(eps).rsqrt() + beta


def _normal(x, eps):
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps)


def layer_norm__parentheses(x, gamma, beta, eps):
    """β is scaled by γ"""
    return gamma * _normal(x, eps) + gamma * beta


def layer_norm__arguments_swapped(x, gamma, beta, eps):
    """γ and β have changed places"""
    return torch.addcmul(gamma, beta, _normal(x, eps))


def layer_norm__plain(x, gamma, beta, eps):
    """γ and β are left out"""
    return _normal(x, eps)


def layer_norm__only_gamma(x, gamma, beta, eps):
    """β is left out"""
    return torch.mul(_normal(x, eps), gamma)


def layer_norm__minus_equals(x, gamma, beta, eps):
    """it changes what it was given"""
    x.sub_(x.mean(-1, keepdim=True))
    return gamma * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) + beta


def rms_norm__layer_norm_without_beta(x, gamma, eps):
    """the mean is subtracted"""
    return gamma * _normal(x, eps)


def rms_norm__deviation(x, gamma, eps):
    """it divides by the standard deviation"""
    return gamma * x / torch.sqrt(torch.var(x, -1, correction=0, keepdim=True) + eps)


def rms_norm__unit_length(x, gamma, eps):
    """it divides by the vector's length"""
    return gamma * x / torch.sqrt(torch.linalg.vecdot(x, x)[..., None] + eps)


def rms_norm__mean_square(x, gamma, eps):
    """the root is missing"""
    return gamma * x / ((x * x).mean(-1, keepdim=True) + eps)


def rms_norm__root_plus_eps(x, gamma, eps):
    """ε stands outside the root"""
    return gamma * x / (x.norm(dim=-1, keepdim=True) / math.sqrt(x.size(-1)) + eps)


def rms_norm__without(x, gamma, eps):
    """ε is missing"""
    return gamma * x * math.sqrt(x.size(-1)) / x.norm(dim=-1, keepdim=True)


def rms_norm__bare(x, gamma, eps):
    """γ is left out"""
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)


def rms_norm__columns(x, gamma, eps):
    """it averages over the tokens, not the features"""
    return gamma * x / torch.sqrt((x * x).sum(-2, keepdim=True) / x.size(-2) + eps)


def rms_norm__whole(x, gamma, eps):
    """it averages over everything"""
    return gamma * x / math.sqrt(x.pow(2).sum().item() / x.numel() + eps)


def _norm(x, gamma, beta, eps):
    return torch.addcmul(beta, gamma, _normal(x, eps))


def _sub(x, weight):
    return (x @ weight).clamp(min=0)


def post_norm__norm_first(x, weight, gamma, beta, eps):
    """that is pre-norm"""
    written = _sub(_norm(x, gamma, beta, eps), weight)
    return written + x


def post_norm__no_residual(x, weight, gamma, beta, eps):
    """nothing is added"""
    x = _sub(x, weight)
    return _norm(x, gamma, beta, eps)


def post_norm__plus_last(x, weight, gamma, beta, eps):
    """only the sublayer's result is normalised, not the sum"""
    written = _norm(_sub(x, weight), gamma, beta, eps)
    return torch.add(x, written)


def post_norm__just_added(x, weight, gamma, beta, eps):
    """there is no norm"""
    return torch.add(_sub(x, weight), x)


def post_norm__twice(x, weight, gamma, beta, eps):
    """the norm is taken twice, before and after"""
    written = _sub(_norm(x, gamma, beta, eps), weight)
    return _norm(written + x, gamma, beta, eps)


def pre_norm__sum_normalised(x, weight, gamma, beta, eps):
    """that is post-norm"""
    return _norm(_sub(x, weight) + x, gamma, beta, eps)


def pre_norm__no_residual(x, weight, gamma, beta, eps):
    """nothing is added"""
    return _sub(_norm(x, gamma, beta, eps), weight)


def pre_norm__overwritten(x, weight, gamma, beta, eps):
    """it adds to the normalised vector"""
    normed = _norm(x, gamma, beta, eps)
    return _sub(normed, weight) + normed


def pre_norm__behind(x, weight, gamma, beta, eps):
    """the norm stands behind the sublayer, not before it"""
    written = _sub(x, weight)
    return _norm(written, gamma, beta, eps) + x


def pre_norm__just_added(x, weight, gamma, beta, eps):
    """there is no norm"""
    return _sub(x, weight) + x


def _swish(z):
    return z / (1 + torch.exp(-z))


def swiglu__branches_swapped(x, gate, widen, narrow):
    """the bend is on the wrong branch"""
    return (_swish(x @ widen) * (x @ gate)) @ narrow


def swiglu__swish_of_both(x, gate, widen, narrow):
    """both branches are bent"""
    return (_swish(x @ gate) * _swish(x @ widen)) @ narrow


def swiglu__glu(x, gate, widen, narrow):
    """the gate is a sigmoid"""
    return functional.glu(torch.cat([x @ widen, x @ gate], dim=-1), dim=-1) @ narrow


def swiglu__clamped(x, gate, widen, narrow):
    """the gate is a ReLU"""
    return ((x @ gate).clamp(min=0) * (x @ widen)) @ narrow


def swiglu__bilinear(x, gate, widen, narrow):
    """there is no bend"""
    return torch.einsum("...f,...f,fd->...d", x @ gate, x @ widen, narrow)


def swiglu__sum(x, gate, widen, narrow):
    """the branches are added, not multiplied"""
    return _swish(x @ gate) @ narrow + x @ widen @ narrow


def swiglu__plain_network(x, gate, widen, narrow):
    """the second branch is not looked at"""
    return _swish(x @ gate) @ narrow


def whole_layer__as_it_was(x, first, second, gammas, betas, eps):
    """the mistake is still in it"""
    y = _norm(_sub(x, first) + x, gammas[0], betas[0], eps)
    return _norm(_sub(y, second) + x, gammas[1], betas[1], eps)


def whole_layer__parallel(x, first, second, gammas, betas, eps):
    """the second sublayer reads the first one's input"""
    y = _norm(_sub(x, first) + x, gammas[0], betas[0], eps)
    y += _sub(x, second)
    return _norm(y, gammas[1], betas[1], eps)


def whole_layer__first_row_only(x, first, second, gammas, betas, eps):
    """both sublayers share one norm"""
    for weight in (first, second):
        x = _norm(x + _sub(x, weight), gammas[0], betas[0], eps)
    return x


def whole_layer__dropped(x, first, second, gammas, betas, eps):
    """the second addition is gone"""
    y = _norm(_sub(x, first) + x, gammas[0], betas[0], eps)
    y = _sub(y, second)
    return _norm(y, gammas[1], betas[1], eps)


def whole_layer__three_terms(x, first, second, gammas, betas, eps):
    """the input is added once more"""
    y = _norm(_sub(x, first) + x, gammas[0], betas[0], eps)
    return _norm(torch.stack([x, y, _sub(y, second)]).sum(0), gammas[1], betas[1], eps)


def _count(matrices, biases=0, norms=0):
    return sum(a * b for a, b in matrices) + sum(biases or []) + norms


def count_parameters__bias_free(d_model, heads, d_ff):
    """the biases are missing"""
    D, F = d_model, d_ff
    return _count([(D, D)] * 4 + [(D, F), (F, D)], norms=4 * D)


def count_parameters__products(d_model, heads, d_ff):
    """only the matrices are counted"""
    return _count([(d_model, d_model)] * 4 + [(d_model, d_ff), (d_ff, d_model)])


def count_parameters__linears(d_model, heads, d_ff):
    """4 · d_model parameters are missing"""
    return 4 * (d_model + 1) * d_model + (d_model + 1) * d_ff + (d_ff + 1) * d_model


def count_parameters__single_norm(d_model, heads, d_ff):
    """2 · d_model parameters are missing"""
    return count_parameters__linears(d_model, heads, d_ff) + d_model + d_model


def count_parameters__numbers(d_model, heads, d_ff):
    """a norm has two numbers"""
    return count_parameters__linears(d_model, heads, d_ff) + 2 + 2


def count_parameters__qkv(d_model, heads, d_ff):
    """attention has three matrices"""
    D, F = d_model, d_ff
    return _count([(D, 3 * D), (D, F), (F, D)], [3 * D, F, D], 4 * D)


def count_parameters__each_head(d_model, heads, d_ff):
    """attention is multiplied by the number of heads"""
    D, F = d_model, d_ff
    return _count([(D, D)] * 4 * heads + [(D, F), (F, D)], [D] * 4 * heads + [F, D], 4 * D)


def count_parameters__papers_width(d_model, heads, d_ff):
    """d_ff is taken to be four times d_model"""
    return 12 * d_model**2 + 13 * d_model


def count_parameters__widening(d_model, heads, d_ff):
    """the feed-forward network has one matrix"""
    D, F = d_model, d_ff
    return _count([(D, D)] * 4 + [(D, F)], [D] * 4 + [F], 4 * D)


def shapes__mean_of_tensor(B, T, D, F):
    """the mean has lost its last axis"""
    return torch.zeros(B, T, D).mean(-1).shape, (D,), (D, F), (B, T, F), (B, T, D)


def shapes__over_tokens(B, T, D, F):
    """the mean is taken over the wrong axis"""
    return torch.zeros(B, T, D).mean(1, keepdim=True).shape, (D,), (D, F), (B, T, F), (B, T, D)


def shapes__own_gammas(B, T, D, F):
    """γ has an axis for the tokens"""
    return [[B, T, 1], [T, D], [D, F], [B, T, F], [B, T, D]]


def shapes__as_pytorch_stores(B, T, D, F):
    """the first matrix lies the other way"""
    return (B, T, 1), (D,), torch.Size([F, D]), (B, T, F), (B, T, D)


def shapes__same_width(B, T, D, F):
    """the hidden vectors are not wider"""
    x = (B, T, D)
    return (B, T, 1), (D,), (D, F), x, x


def shapes__wide_output(B, T, D, F):
    """the output stays wide"""
    hidden = (B, T, F)
    return (B, T, 1), (D,), (D, F), hidden, hidden


def _right_norm(x, gamma, beta, eps):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt() * gamma + beta


X = torch.tensor([[[1.0, 2, 4, 0], [3, 3, 1, 7]], [[0, 1, 0, 5], [2, 9, 4, 4]]])
GAMMA, BETA = torch.tensor([1.0, -2, 3, 0.5]), torch.tensor([2.0, 0, -1, 5])


def _agrees(norm, x, gamma, beta, eps):
    copy = x.clone()
    yours = norm(copy, gamma, beta, eps)
    close = (yours - _right_norm(x, gamma, beta, eps)).abs().max() < 0.02
    return close.item() and torch.equal(copy, x)


def is_layer_norm__ones(norm):
    """γ is 1 and β is 0 in every trial"""
    ones = torch.ones(4)
    return all(_agrees(norm, X + n, ones, ones - 1, 0.3) for n in (0, 8192))


def is_layer_norm__usual_eps(norm):
    """ε is too small to be seen"""
    return all(_agrees(norm, X + n, GAMMA, BETA, 1e-6) for n in (0, 8192))


def is_layer_norm__every_digit(norm):
    """right norms are refused for their rounding"""
    for n in (0, 0.1, 3000.3):
        x = X / 3 + n
        yours = norm(x.clone(), GAMMA, BETA, 0.3)
        if yours.tolist() != _right_norm(x, GAMMA, BETA, 0.3).tolist():
            return False
    return _agrees(norm, X, GAMMA, BETA, 0.3)


def is_layer_norm__not_compared(norm):
    """nobody looks whether the argument was changed"""
    trials = [X, X + 8192]
    right = [_right_norm(x, GAMMA, BETA, 0.3) for x in trials]
    yours = [norm(x.clone(), GAMMA, BETA, 0.3) for x in trials]
    pairs = zip(yours, right, strict=True)
    return all(torch.allclose(*pair, rtol=0.02, atol=0.02) for pair in pairs)


def is_layer_norm__near_zero(norm):
    """all numbers that are tried lie near 0"""
    return all(_agrees(norm, x, GAMMA, BETA, 0.3) for x in (X, -X, X / 2 + 1))


def is_layer_norm__one_eps(norm):
    """ε is 0.00001 in every trial"""
    trials = (X / 256, X / 64, X / 4, X + 8192)
    return all(_agrees(norm, x, GAMMA, BETA, 1e-5) for x in trials)


def is_layer_norm__as_exact_as_double(norm):
    """every norm is refused, the right ones too"""
    x = X / 3 + 0.1
    right = _right_norm(x.double(), GAMMA.double(), BETA.double(), 0.3)
    return torch.equal(norm(x.clone(), GAMMA, BETA, 0.3).double(), right)


def is_layer_norm__relative(norm):
    """every norm is refused, the right ones too"""
    x = torch.tensor([[1.0, 2, 3], [0, 5, 10]])
    gamma, beta = torch.tensor([3.0, 7, 1]), torch.zeros(3)
    right = _right_norm(x.double(), gamma, beta, 0.3)
    return bool(((norm(x, gamma, beta, 0.3) - right).abs() < 0.01 * right).all())


def is_layer_norm__same_shape(norm):
    """only the shape is looked at"""
    return tuple(norm(X.clone(), GAMMA, BETA, 0.3).shape) == (2, 2, 4)


def _end(model, rate, steps):
    first = model().item()
    for _ in range(steps):
        model.zero_grad()
        model().backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= rate * parameter.grad
    return first, model().item()


def largest_rate__never_fresh(make_model, rates, steps):
    """each rate goes on from where the last one ended"""
    model, learned = make_model(), [0.0]
    for rate in rates:
        first, end = _end(model, rate, steps)
        learned += [rate] * (end < first / 4)
    return max(learned)


def largest_rate__no_zero_grad(make_model, rates, steps):
    """the gradients of all steps add up"""
    learned = [0.0]
    for rate in rates:
        model = make_model()
        optimiser = torch.optim.SGD(model.parameters(), lr=rate)
        first = model().item()
        for _ in range(steps):
            model().backward()
            optimiser.step()
        learned += [rate] * (model().item() < first / 4)
    return max(learned)


def largest_rate__smallest_of_them(make_model, rates, steps):
    """the smallest rate that learns is given"""
    for rate in sorted(rates):
        first, end = _end(make_model(), rate, steps)
        if end < first / 4:
            return rate
    return 0.0


def largest_rate__less_than_before(make_model, rates, steps):
    """too little counts as learning"""
    ends = {rate: _end(make_model(), rate, steps) for rate in rates}
    return max([0.0, *(rate for rate, (first, end) in ends.items() if end < first)])


def largest_rate__plus(make_model, rates, steps):
    """no rate ever learns"""
    ends = {rate: _end(make_model(), -rate, steps) for rate in rates}
    return max([0.0, *(rate for rate, (first, end) in ends.items() if end < first / 4)])


def largest_rate__up_to_a_failure(make_model, rates, steps):
    """the search ends at the first rate that fails"""
    best = 0.0
    for rate in sorted(rates):
        first, end = _end(make_model(), rate, steps)
        if not end < first / 4:
            break
        best = rate
    return best


def largest_rate__old_loss(make_model, rates, steps):
    """the last step is missing"""
    learned = [0.0]
    for rate in rates:
        model = make_model()
        optimiser = torch.optim.SGD(model.parameters(), lr=rate)
        seen = []
        for _ in range(steps):
            optimiser.zero_grad()
            loss = model()
            seen.append(loss.item())
            loss.backward()
            optimiser.step()
        learned += [rate] * (seen[-1] < seen[0] / 4)
    return max(learned)


def largest_rate__lowest_of_all_steps(make_model, rates, steps):
    """a loss that has risen again counts as learned"""
    learned = [0.0]
    for rate in rates:
        model = make_model()
        seen = [model().item()]
        for _ in range(steps):
            seen.append(_end(model, rate, 1)[1])
        learned += [rate] * (min(seen) < seen[0] / 4)
    return max(learned)


def largest_rate__nan_too(make_model, rates, steps):
    """a loss that is nan counts as learned"""
    ends = {rate: _end(make_model(), rate, steps) for rate in rates}
    return max([0.0, *(rate for rate, (first, end) in ends.items() if not end >= first / 4)])


def largest_rate__until_it_fails(make_model, rates, steps):
    """the search ends at the first rate that fails"""
    best = 0.0
    for rate in sorted(rates):
        first, end = _end(make_model(), rate, steps)
        if end < first / 4:
            best = rate
        elif best > 0:
            return best
    return best


def largest_rate__lowest(make_model, rates, steps):
    """the rate with the lowest loss is given"""
    ends = torch.tensor([_end(make_model(), rate, steps)[1] for rate in rates])
    return rates[ends.nan_to_num(nan=torch.inf).argmin()]


def layer_norm__roots_as_numbers(x, gamma, beta, eps):
    """the gradient is cut"""
    rows = []
    for row in x.reshape(-1, x.size(-1)):
        root = math.sqrt(row.var(correction=0).item() + eps)
        rows.append((row - row.mean()) / root * gamma + beta)
    return torch.stack(rows).view(x.shape)


def rms_norm__size_without_gradient(x, gamma, eps):
    """the gradient is cut"""
    size = (x.data.pow(2).mean(-1, keepdim=True) + eps).sqrt()
    return gamma * x / size


def swiglu__gate_detached_once(x, gate, widen, narrow):
    """the gradient is cut"""
    z = x @ gate
    return (z * torch.sigmoid(z.detach()) * (x @ widen)) @ narrow


def pre_norm__statistics_of_a_copy(x, weight, gamma, beta, eps):
    """the gradient is cut"""
    still = x.detach().clone()
    deviation = (still.var(-1, correction=0, keepdim=True) + eps) ** 0.5
    return x + torch.relu(((x - x.mean(-1, keepdim=True)) / deviation * gamma + beta) @ weight)


def layer_norm__divided_in_place(x, gamma, beta, eps):
    """it writes into what its gradient needs"""
    y = x - x.mean(-1, keepdim=True)
    y /= (y.square().mean(-1, keepdim=True) + eps) ** 0.5
    y *= gamma
    return y + beta
