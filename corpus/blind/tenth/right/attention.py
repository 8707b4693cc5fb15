import math

import torch

from transformer_lab import check


# --------------------------------------------------------------- soft_lookup
# ambiguous: "right however large the scores are", but a float16 score can
# overflow in the product itself; gradients are not asked for here.


def soft_lookup__numpy(query, keys, values):
    # reading: no gradients are asked for, so .numpy() is fine
    import numpy as np

    q, k, v = (np.asarray(t.numpy(), dtype=np.float64) for t in (query, keys, values))
    s = k.dot(q)
    s -= s.max()
    w = np.exp(s)
    w /= w.sum()
    return torch.from_numpy(w.dot(v)).to(values.dtype)


def soft_lookup__loops(query, keys, values):
    # reading: no gradients are asked for, so .tolist() is fine
    fits = []
    for key in keys.tolist():
        total = 0.0
        for a, b in zip(query.tolist(), key):
            total += a * b
        fits.append(total)
    top = max(fits)
    shares = [math.exp(f - top) for f in fits]
    whole = sum(shares)
    answer = [0.0] * values.shape[1]
    for share, value in zip(shares, values.tolist()):
        for c, number in enumerate(value):
            answer[c] += share / whole * number
    return torch.tensor(answer, dtype=values.dtype)


def soft_lookup__einsum(query, keys, values):
    s = torch.einsum("d,sd->s", query, keys)
    return torch.einsum("s,sv->v", s.softmax(0), values)


def soft_lookup__double(query, keys, values):
    q, k, v = query.double(), keys.double(), values.double()
    s = (k * q).sum(-1)
    return torch.exp(s - s.logsumexp(0)).unsqueeze(0).mm(v)[0].to(values.dtype)


def soft_lookup__streaming(query, keys, values):
    """One key after the other, the way a flash kernel does it."""
    from functools import reduce

    def step(state, pair):
        top, total, mixed = state
        key, value = pair
        s = torch.dot(key.double(), query.double())
        new = torch.maximum(top, s)
        old, now = torch.exp(top - new), torch.exp(s - new)
        return new, total * old + now, mixed * old + now * value.double()

    zero = torch.zeros((), dtype=torch.float64)
    start = (zero - math.inf, zero, zero.expand(values.size(1)))
    _, total, mixed = reduce(step, zip(keys, values), start)
    return (mixed / total).to(values.dtype)


# -------------------------------------------------------------------- scores
# ambiguous: whether q and k always have the same leading axes, or leading axes
# that only broadcast; whether gradients must flow here (it is said for
# `attention`, which is chained from this one, but not here).


def scores__einsum(q, k):
    return torch.einsum("...td,...sd->...ts", q, k)


def scores__broadcast_sum(q, k):
    return (q[..., :, None, :] * k[..., None, :, :]).sum(dim=-1)


def scores__columns(q, k):
    return torch.stack(
        [(q * row.unsqueeze(-2)).sum(-1) for row in k.unbind(-2)], dim=-1
    )


def scores__plain_loops(q, k):
    # reading: same leading axes; no gradients are asked for in "Scores"
    def table(a, b):
        if isinstance(a[0][0], list):
            return [table(x, y) for x, y in zip(a, b)]
        return [[sum(x * y for x, y in zip(row, col)) for col in b] for row in a]

    return torch.tensor(table(q.tolist(), k.tolist()), dtype=q.dtype)


def scores__linear_recursion(q, k):
    # reading: same leading axes
    def go(a, b):
        if a.dim() == 2:
            return torch.nn.functional.linear(a, b)
        return torch.stack([go(x, y) for x, y in zip(a, b)])

    return go(q, k)


# --------------------------------------------------------------------- scale


def scale__power(scores, d_k):
    return scores * d_k**-0.5


def scale__numpy_root(scores, d_k):
    import numpy as np

    return scores / np.sqrt(d_k)


def scale__torch_root(scores, d_k):
    root = torch.as_tensor(d_k, dtype=scores.dtype).sqrt()
    return torch.div(scores, root)


def scale__own_copy(scores, d_k):
    mine = scores.clone()
    mine /= math.sqrt(d_k)
    return mine


def scale__log_space(scores, d_k):
    return scores.double().mul(math.exp(-0.5 * math.log(d_k))).to(scores.dtype)


# ------------------------------------------------------------------- softmax
# ambiguous: "and the logarithmic ones" is surely log_softmax, F.log_softmax and
# nn.LogSoftmax; is torch.logsumexp (not a softmax) forbidden too?
# ambiguous: ".detach() cuts the gradient", yet detaching only the maximum that
# is subtracted changes no gradient.


def softmax__max_values(x):
    top, _ = x.max(dim=-1, keepdim=True)
    e = (x - top).exp()
    return e.div(e.sum(-1, keepdim=True))


def softmax__detached_max(x):
    # reading: the number subtracted is any harmless one, so its gradient is of no
    # interest; the gradient of the result still flows (and is right)
    harmless = x.detach().amax(-1, keepdim=True)
    e = math.e ** (x - harmless)
    return torch.einsum("...i,...->...i", e, 1 / torch.einsum("...i->...", e))


def softmax__logsumexp(x):
    # reading: logsumexp is not one of "the logarithmic ones" (log_softmax)
    wide = x.double()
    return torch.exp(wide - torch.logsumexp(wide, dim=-1, keepdim=True)).to(x.dtype)


def softmax__pairwise(x):
    """1 / sum_i exp(x_i - x_j), with a cap that changes nothing."""
    wide = x.double()
    differences = wide.unsqueeze(-2) - wide.unsqueeze(-1)
    return differences.clamp(max=300.0).exp().sum(-1).reciprocal().to(x.dtype)


def softmax__columns_online(x):
    columns = x.unbind(-1)
    top = columns[0]
    for column in columns[1:]:
        top = torch.where(column > top, column, top)
    parts = [torch.exp(column - top) for column in columns]
    total = sum(parts)
    return torch.stack([part / total for part in parts], dim=-1)


def softmax__log_by_hand(x):
    peak = x.sort(dim=-1, descending=True).values[..., :1]
    y = x - peak
    log_total = y.exp().sum(-1, keepdim=True).log()
    return (y - log_total).exp()


# -------------------------------------------------------------- weighted_sum
# ambiguous: gradients not mentioned, although `attention` is chained from it.


def weighted_sum__einsum(weights, v):
    return torch.einsum("...ts,...sd->...td", weights, v)


def weighted_sum__broadcast(weights, v):
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-2)


def weighted_sum__reduce(weights, v):
    from functools import reduce
    from operator import add

    return reduce(
        add,
        (weights[..., j : j + 1] * v[..., j : j + 1, :] for j in range(v.size(-2))),
    )


def weighted_sum__flat_bmm(weights, v):
    # reading: same leading axes
    *front, T, S = weights.shape
    out = torch.bmm(weights.reshape(-1, T, S), v.reshape(-1, S, v.size(-1)))
    return out.reshape(*front, T, v.size(-1))


def weighted_sum__numpy(weights, v):
    # reading: no gradients are asked for in "Weighted sum"
    import numpy as np

    out = np.matmul(weights.numpy().astype("float64"), v.numpy().astype("float64"))
    return torch.from_numpy(out).to(v.dtype)


# ----------------------------------------------------------------- attention
# ambiguous: "Chain your four functions": must they be called, or may the result
# be computed in one go?


def attention__named_tuple(q, k, v):
    from collections import namedtuple

    Answer = namedtuple("Answer", "output weights")
    table = softmax(scale(scores(q, k), k.shape[-1]))
    return Answer(weighted_sum(table, v), table)


def attention__einsum(q, k, v):
    # reading: the four functions need not be called
    s = torch.einsum("...td,...sd->...ts", q * q.size(-1) ** -0.5, k)
    w = torch.softmax(s, -1)
    return torch.einsum("...ts,...sv->...tv", w, v), w


def attention__pipeline(q, k, v):
    from functools import reduce

    steps = [
        lambda pair: scores(*pair),
        lambda s: scale(s, q.size(-1)),
        softmax,
    ]
    weights = reduce(lambda value, step: step(value), steps, (q, k))
    return (weighted_sum(weights, v), weights)


def attention__one_query_at_a_time(q, k, v):
    # reading: the four functions need not be called
    root = math.sqrt(k.shape[-1])
    rows, reads = [], []
    for i in range(q.size(-2)):
        fit = (k * q[..., i, None, :]).sum(-1) / root
        share = torch.nn.functional.softmax(fit, dim=-1)
        rows.append(share)
        reads.append((share[..., None] * v).sum(-2))
    return torch.stack(reads, -2), torch.stack(rows, -2)


def attention__double(q, k, v):
    # reading: the four functions need not be called
    dtype = q.dtype
    q, k, v = q.double(), k.double(), v.double()
    logits = q.matmul(k.mT) / k.size(-1) ** 0.5
    weights = (logits - logits.logsumexp(-1, keepdim=True)).exp()
    return weights.matmul(v).to(dtype), weights.to(dtype)


# ---------------------------------------------------------------------- head


def head__linear(x, source, W_q, W_k, W_v):
    from torch.nn.functional import linear

    return attention(linear(x, W_q.t()), linear(source, W_k.t()), linear(source, W_v.t()))


def head__joint_kv(x, source, W_q, W_k, W_v):
    both = source @ torch.cat([W_k, W_v], dim=1)
    k, v = both.split([W_k.size(1), W_v.size(1)], dim=-1)
    return attention(x @ W_q, k, v)


def head__bilinear(x, source, W_q, W_k, W_v):
    """Only the product W_q W_k^T counts."""
    # reading: `attention` need not be called, as long as the same is returned
    form = W_q @ W_k.T
    s = x @ form @ source.transpose(-1, -2) / math.sqrt(W_k.shape[1])
    weights = softmax(s)
    return (weights @ source) @ W_v, weights


def head__einsum(x, source, W_q, W_k, W_v):
    project = lambda text, matrix: torch.einsum("...nd,dk->...nk", text, matrix)
    return attention(project(x, W_q), *[project(source, W) for W in (W_k, W_v)])


# -------------------------------------------------------------- head_weights


def head_weights__matrix_width(x, W_q, W_k):
    """Return the weights of self-attention, (..., T, T)."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(W_q.shape[1])
    return scores.softmax(dim=-1)


def head_weights__fourth_roots(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    root = q.size(-1) ** 0.25
    scores = (q / root) @ (k / root).transpose(-2, -1)
    return scores.softmax(dim=-1)


def head_weights__einsum(x, W_q, W_k):
    q = torch.einsum("...td,dk->...tk", x, W_q)
    k = torch.einsum("...td,dk->...tk", x, W_k)
    s = torch.einsum("...ik,...jk->...ij", q, k)
    return torch.nn.functional.softmax(s * len(W_k[0]) ** -0.5, dim=-1)


def head_weights__own_functions(x, W_q, W_k):
    return softmax(scale(scores(x @ W_q, x @ W_k), W_k.size(-1)))


# ------------------------------------------------------------------- divisor
# ambiguous: values may be whole numbers of an integer dtype? chances that sum to
# 1 only to rounding?


def divisor__means_and_variances(q_values, q_chances, k_values, k_chances, d_k):
    def moments(values, chances):
        values, chances = values.double(), chances.double()
        mean = (values * chances).sum()
        return mean, ((values - mean).square() * chances).sum()

    mq, vq = moments(q_values, q_chances)
    mk, vk = moments(k_values, k_chances)
    return (d_k * (vq * vk + vq * mk**2 + vk * mq**2)).sqrt().item()


def divisor__all_pairs(q_values, q_chances, k_values, k_chances, d_k):
    products = torch.outer(q_values.double(), k_values.double())
    chances = torch.outer(q_chances.double(), k_chances.double())
    mean = (products * chances).sum()
    return float(((products - mean) ** 2 * chances).sum().mul(d_k).sqrt())


def divisor__loops(q_values, q_chances, k_values, k_chances, d_k):
    from itertools import product

    pairs = [
        (a * b, p * r)
        for (a, p), (b, r) in product(
            zip(q_values.tolist(), q_chances.tolist()),
            zip(k_values.tolist(), k_chances.tolist()),
        )
    ]
    mean = math.fsum(x * chance for x, chance in pairs)
    variance = math.fsum((x - mean) ** 2 * chance for x, chance in pairs)
    return math.sqrt(variance * d_k)


def divisor__fractions(q_values, q_chances, k_values, k_chances, d_k):
    from fractions import Fraction

    def law(values, chances):
        chances = [Fraction(c) for c in chances.tolist()]
        total = sum(chances)
        return list(zip(map(Fraction, values.tolist()), (c / total for c in chances)))

    power = lambda pairs, n: sum(c * x**n for x, c in pairs)
    q, k = law(q_values, q_chances), law(k_values, k_chances)
    one = power(q, 2) * power(k, 2) - (power(q, 1) * power(k, 1)) ** 2
    return math.sqrt(Fraction(d_k) * one)


def divisor__cumulants_by_autograd(q_values, q_chances, k_values, k_chances, d_k):
    """The second derivative of log E[exp(t q k)] at t = 0 is the variance."""
    t = torch.zeros((), dtype=torch.float64, requires_grad=True)
    products = q_values.double()[:, None] * k_values.double()
    chances = q_chances.double()[:, None] * k_chances.double()
    chances = chances / chances.sum()
    shift = (products * chances).sum()
    cumulants = d_k * ((products - shift) * t).exp().mul(chances).sum().log()
    (first,) = torch.autograd.grad(cumulants, t, create_graph=True)
    (second,) = torch.autograd.grad(first, t)
    return math.sqrt(max(second.item(), 0.0))


def divisor__numpy(q_values, q_chances, k_values, k_chances, d_k):
    # reading: a NumPy float64 is a plain number (it is a Python float)
    import numpy as np

    qv, qc, kv, kc = (
        np.array(t, dtype=float) for t in (q_values, q_chances, k_values, k_chances)
    )
    mean = (qv @ qc) * (kv @ kc)
    return np.sqrt(d_k * max(0.0, (qv**2 @ qc) * (kv**2 @ kc) - mean**2))


# --------------------------------------------------------------- design_head
# ambiguous: the dtype of facts (whole numbers: int64 or float32?) and of the
# texts that the head reads; how large n may be (hint 3 speaks of 12).


def design_head__wants_in_keys(wants, facts):
    """The query is the asking word itself; the keys carry who wants them."""
    n = len(wants)
    W_q = 100.0 * torch.eye(n)
    W_k = torch.nn.functional.one_hot(wants, n).T.float()
    return W_q, W_k, facts.float()


def design_head__circle(wants, facts):
    """d_k = 2: keys stand on a circle, queries point at the one they want."""
    n = len(wants)
    angle = torch.arange(n, dtype=torch.float64) * (2 * math.pi / n)
    W_k = torch.stack([angle.cos(), angle.sin()], dim=-1)
    gap = 1 - math.cos(2 * math.pi / n) if n > 1 else 1.0
    W_q = W_k[wants] * (25 * math.sqrt(2) / gap)
    return W_q.float(), W_k.float(), facts.clone().float()


def design_head__parabola(wants, facts):
    """2 w i - i^2 is largest where i = w."""
    n = wants.numel()
    i = torch.arange(n).float()
    W_k = torch.stack([i, i * i], 1)
    w = wants.float()
    W_q = 40 * torch.stack([2 * w, -torch.ones(n)], 1)
    return W_q, W_k, facts * 1.0


def design_head__binary_code(wants, facts):
    n = len(wants)
    bits = max(1, (n - 1).bit_length())
    code = torch.tensor(
        [[1.0 if word >> b & 1 else -1.0 for b in range(bits)] for word in range(n)]
    )
    W_q = torch.zeros(n, bits)
    for word, wanted in enumerate(wants.tolist()):
        W_q[word] = 30 * math.sqrt(bits) * code[wanted]
    return W_q, code, torch.tensor(facts.tolist(), dtype=torch.float32)


def design_head__random_orthogonal(wants, facts):
    n, d_k = len(wants), 3 * len(wants)
    basis, _ = torch.linalg.qr(torch.randn(d_k, d_k))
    W_k = -basis[:n]
    return 50 * d_k**0.5 * W_k.index_select(0, wants.long()), W_k, facts.float()


def design_head__facts_dtype(wants, facts):
    # reading: the matrices have the dtype of facts, if that is a float
    dtype = facts.dtype if facts.is_floating_point() else torch.float32
    n = len(wants)
    W_q = torch.zeros(n, n, dtype=dtype)
    W_q[range(n), wants] = 15.0 * math.sqrt(n)
    return W_q, torch.eye(n, dtype=dtype), facts.to(dtype)
