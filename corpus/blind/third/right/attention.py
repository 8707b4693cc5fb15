"""Right answers to the exercise on attention, third set, in unusual styles."""

import math

import torch


def soft_lookup__loop(query, keys, values):
    """Adds up one value after the other in a loop."""
    shares = torch.stack([key.dot(query) for key in keys]).softmax(0)
    answer = torch.zeros_like(values[0])
    for share, value in zip(shares, values):
        answer = answer + share * value
    return answer


def soft_lookup__class(query, keys, values):
    """Makes a class of it, with a call."""

    class SoftDict:
        def __init__(self, keys, values):
            self.keys, self.values = keys, values

        def __getitem__(self, question):
            fit = torch.einsum("sd,d->s", self.keys, question)
            return torch.einsum("s,sd->d", torch.softmax(fit, 0), self.values)

    return SoftDict(keys, values)[query]


def scores__broadcast_and_sum(q, k):
    """Multiplies by broadcasting and sums the last axis."""
    return (q[..., :, None, :] * k[..., None, :, :]).sum(-1)


def scores__column_by_column(q, k):
    """Works out one column for each key and stacks them."""
    columns = [(q * k[..., j, None, :]).sum(dim=-1) for j in range(k.size(-2))]
    return torch.stack(columns, dim=-1)


def scores__swapped_product(q, k):
    """Takes the product the other way round and transposes the result."""
    return torch.matmul(k, q.mT).mT


def scale__power(scores, d_k):
    """Multiplies by the power minus one half."""
    return scores * d_k**-0.5


def scale__logarithm(scores, d_k):
    """Divides by the exponential of half the logarithm, in a copy."""
    out = scores.clone()
    out /= math.exp(0.5 * math.log(d_k))
    return out


def softmax__differences(x):
    """Divides one by the sum of exponentials of differences, without a maximum."""
    apart = x.unsqueeze(-2) - x.unsqueeze(-1)  # [..., j, i] = x_i - x_j
    return 1 / apart.exp().sum(dim=-1)


def softmax__row_by_row(x):
    """Flattens what stands in front, loops over rows, and puts the shape back."""

    def one(row):
        e = (row - max(row.tolist())).exp()
        return e / e.sum()

    rows = x.reshape(-1, x.size(-1))
    return torch.stack([one(row) for row in rows]).reshape(x.shape)


def softmax__powers_of_two(x):
    """Uses powers of two instead of e."""
    top, _ = torch.max(x, dim=-1, keepdim=True)
    powers = torch.exp2((x - top) * math.log2(math.e))
    return powers / powers.sum(-1, True)


def weighted_sum__outer_products(weights, v):
    """Adds up outer products, one for each key."""
    total = 0
    for j in range(v.size(-2)):
        total = total + weights[..., :, j, None] * v[..., j, None, :]
    return total


def weighted_sum__sizes_kept(weights, v):
    """Multiplies by broadcasting and sums over the keys."""
    return torch.sum(weights.unsqueeze(-1) * v.unsqueeze(-3), dim=-2)


def attention__scaled_before(q, k, v):
    """Scales queries and keys by the fourth root each, before the product."""
    fourth = k.size(-1) ** 0.25
    s = (q / fourth) @ (k / fourth).mT
    e = torch.exp(s - s.detach().amax(dim=-1, keepdim=True))
    w = e / e.sum(dim=-1, keepdim=True)
    return w @ v, w


def attention__normalised_last(q, k, v):
    """Mixes the values with unnormalised weights and divides at the end."""
    s = torch.einsum("...td,...sd->...ts", q, k).div(math.sqrt(k.shape[-1]))
    e = (s - s.max(-1, keepdim=True).values).exp()
    total = e.sum(-1, keepdim=True)
    return (e @ v) / total, e / total


def attention__query_by_query(q, k, v):
    """Answers one query after the other."""
    outputs, weights = [], []
    for i in range(q.size(-2)):
        one = q[..., i : i + 1, :]
        w = softmax(scale(scores(one, k), k.size(-1)))
        weights.append(w)
        outputs.append(weighted_sum(w, v))
    return torch.cat(outputs, -2), torch.cat(weights, -2)


def head__matrices_joined_first(x, source, W_q, W_k, W_v):
    """Joins the matrices of query and key before any word meets them."""
    s = x @ (W_q @ W_k.mT) @ source.mT / math.sqrt(W_q.size(1))
    w = s.softmax(dim=-1)
    return (w @ source) @ W_v, w


def head__einsum(x, source, W_q, W_k, W_v):
    """Projects with einsum and calls attention."""
    project = lambda t, W: torch.einsum("...td,dk->...tk", t, W)
    return attention(project(x, W_q), project(source, W_k), project(source, W_v))


def head__packed_keys_and_values(x, source, W_q, W_k, W_v):
    """Makes keys and values by one product and splits them."""
    kv = source @ torch.cat([W_k, W_v], dim=1)
    k, v = kv.split([W_k.size(1), W_v.size(1)], dim=-1)
    return attention(x @ W_q, k, v)


def read__keys_as_rows(q, k, v):
    """Makes keys the rows, takes softmax down the columns, and turns the weights round."""
    table = k @ q.transpose(-2, -1) / math.sqrt(k.size(-1))
    return table.softmax(dim=-2).transpose(-2, -1) @ v


def read__from_own_function(q, k, v):
    """Calls the function of before and takes the first of the two."""
    return attention(q, k, v)[0]


def head_weights__width_of_matrix(x, W_q, W_k):
    """Takes the width from the matrix and scales the matrix."""
    q = x @ (W_q / W_q.shape[1] ** 0.5)
    return torch.softmax(torch.einsum("...td,...sd->...ts", q, x @ W_k), dim=-1)


def shapes__dictionary(B, T, S, D, d_k, d_v):
    """Looks the shapes up in a dictionary."""
    named = {
        "matrix": (D, d_k),
        "keys": (B, S, d_k),
        "weights": (B, T, S),
        "output": (B, T, d_v),
    }
    return tuple(named[n] for n in ("matrix", "keys", "weights", "output"))


def shapes__measured(B, T, S, D, d_k, d_v):
    """Runs the thing on empty tensors and measures."""
    empty = lambda *size: torch.empty(*size, device="meta")
    W_q = empty(D, d_k)
    q, k, v = empty(B, T, D) @ W_q, empty(B, S, D) @ empty(D, d_k), empty(B, S, D) @ empty(D, d_v)
    w = q @ k.mT
    return tuple(tuple(t.shape) for t in (W_q, k, w, w @ v))
