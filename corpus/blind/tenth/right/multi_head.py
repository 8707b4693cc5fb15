import math

import torch
import torch.nn.functional as F

from transformer_lab import check


# --------------------------------------------------------------- split_heads


def split_heads__chunks(x, heads):
    return torch.stack(x.chunk(heads, dim=-1), dim=-3)


def split_heads__view_movedim(x, heads):
    *front, T, D = x.shape
    return x.reshape(*front, T, heads, D // heads).movedim(-2, -3)


def split_heads__unfold(x, heads):
    d = x.size(-1) // heads
    return x.unfold(-1, d, d).swapaxes(-2, -3)


def split_heads__slices(x, heads):
    d = x.shape[-1] // heads
    out = x.new_empty(x.shape[:-2] + (heads, x.shape[-2], d))
    for h in range(heads):
        out[..., h, :, :] = x[..., h * d : (h + 1) * d]
    return out


def split_heads__einsum(x, heads):
    return torch.einsum("...thd->...htd", x.unflatten(-1, (heads, x.shape[-1] // heads)))


# --------------------------------------------------------------- merge_heads


def merge_heads__cat(x):
    return torch.cat(x.unbind(dim=-3), dim=-1)


def merge_heads__permute(x):
    *front, H, T, d = x.shape
    n = len(front)
    return x.permute(*range(n), n + 1, n, n + 2).reshape(*front, T, H * d)


def merge_heads__einsum(x):
    return torch.einsum("...htd->...thd", x).flatten(start_dim=-2)


def merge_heads__loops(x):
    H, T, d = x.shape[-3:]
    out = torch.zeros(*x.shape[:-3], T, H * d, dtype=x.dtype)
    for t in range(T):
        for h in range(H):
            for c in range(d):
                out[..., t, h * d + c] = x[..., h, t, c]
    return out


def merge_heads__recursion(x):
    def go(part):
        if part.dim() > 3:
            return torch.stack([go(inner) for inner in part])
        return torch.hstack(list(part))

    return go(x)


# --------------------------------------------------------- packed_projection
# ambiguous: is a list of three, or one stacked tensor, as good as a tuple?


def packed_projection__split(x, W):
    return torch.matmul(x, W).split(W.shape[1] // 3, dim=-1)


def packed_projection__list(x, W):
    # reading: three things that can be unpacked; a list does as well
    width = W.size(-1) // 3
    return [x @ W[:, i * width : (i + 1) * width] for i in range(3)]


def packed_projection__einsum(x, W):
    three = W.reshape(W.size(0), 3, -1)
    return torch.einsum("...td,dpk->p...tk", x, three).unbind(0)


def packed_projection__named_tuple(x, W):
    from typing import NamedTuple

    class Packed(NamedTuple):
        q: torch.Tensor
        k: torch.Tensor
        v: torch.Tensor

    y = F.linear(x, W.mT)
    third = y.size(-1) // 3
    return Packed(y[..., :third], y[..., third:-third], y[..., -third:])


# ---------------------------------------------------------------- multi_head
# ambiguous: "Use your three functions, and attention": must they be called?
# ambiguous: what a row that may attend to nothing gives (the given attention: 0);
# whether x with two leading axes may come with a mask of one.


def multi_head__named_steps(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    match mask:
        case None:
            pass
        case torch.Tensor():
            mask = mask[..., None, :, :]
    output, weights = attention(q, k, v, mask)
    return (torch.matmul(merge_heads(output), W_o), weights)


def multi_head__head_by_head(x, W, W_o, heads, mask=None):
    """Each head for itself; what it adds to the output is its slice of W_o."""
    # reading: split_heads and merge_heads need not be called
    q, k, v = packed_projection(x, W)
    d = x.size(-1) // heads
    total, tables = 0, []
    for h in range(heads):
        mine = slice(h * d, (h + 1) * d)
        mixed, weights = attention(q[..., mine], k[..., mine], v[..., mine], mask)
        total = total + mixed @ W_o[mine]
        tables.append(weights)
    return total, torch.stack(tables, dim=-3)


def multi_head__einsum(x, W, W_o, heads, mask=None):
    # reading: the functions need not be called
    D = x.size(-1)
    q, k, v = torch.einsum(
        "...td,dphk->p...htk", x, W.view(D, 3, heads, D // heads)
    )
    s = torch.einsum("...htk,...hsk->...hts", q, k) * (D // heads) ** -0.5
    if mask is None:
        w = s.softmax(-1)
    else:
        may = mask.unsqueeze(-3)
        w = torch.where(may, s, torch.finfo(s.dtype).min).softmax(-1) * may
    mixed = torch.einsum("...hts,...hsk->...thk", w, v)
    return torch.einsum("...thk,hkd->...td", mixed, W_o.view(heads, -1, D)), w


def multi_head__expanded_mask(x, W, W_o, heads, mask=None):
    T = x.size(-2)
    q, k, v = map(lambda part: split_heads(part, heads), packed_projection(x, W))
    if mask is not None:
        mask = torch.stack([mask.expand(*mask.shape[:-2], T, T)] * heads, dim=-3)
    mixed, weights = attention(q, k, v, mask)
    return F.linear(merge_heads(mixed), W_o.t()), weights


# ------------------------------------------------------------- grouped_query


def grouped_query__index(q, k, v):
    H, G = q.size(-3), k.size(-3)
    lent = torch.arange(H) // (H // G)
    return attention(q, k.index_select(-3, lent), v.index_select(-3, lent))


def grouped_query__fold_queries(q, k, v):
    """Give the queries an axis more, and let keys and values broadcast."""
    G = k.shape[-3]
    grouped = q.unflatten(-3, (G, -1))
    output, weights = attention(grouped, k.unsqueeze(-3), v.unsqueeze(-3))
    return output.flatten(-4, -3), weights.flatten(-4, -3)


def grouped_query__head_by_head(q, k, v):
    per_group = q.shape[-3] // k.shape[-3]
    answers = [
        attention(q[..., h, :, :], k[..., h // per_group, :, :], v[..., h // per_group, :, :])
        for h in range(q.shape[-3])
    ]
    output, weights = (torch.stack(parts, dim=-3) for parts in zip(*answers))
    return output, weights


def grouped_query__long_queries(q, k, v):
    """The queries of a group, one under the other, ask their one head of keys."""
    *front, H, T, d = q.shape
    G = k.size(-3)
    out, w = attention(q.reshape(*front, G, H // G * T, d), k, v)
    return out.reshape(*front, H, T, v.size(-1)), w.reshape(*front, H, T, k.size(-2))


def grouped_query__expand(q, k, v):
    lend = lambda x: (
        x.unsqueeze(-3)
        .expand(*x.shape[:-2], q.size(-3) // x.size(-3), *x.shape[-2:])
        .flatten(-4, -3)
    )
    return attention(q, lend(k), lend(v))


# ---------------------------------------------------------------------- talk


def talk__own_functions(x, heads):
    parts = split_heads(x, heads)
    return merge_heads(attention(parts, parts, parts)[0])


def talk__permute(x, heads):
    B, T, D = x.shape
    parts = x.view(B, T, heads, D // heads).permute(0, 2, 1, 3).contiguous()
    mixed, _ = attention(parts, parts, parts)
    return mixed.permute(0, 2, 1, 3).contiguous().view(B, T, D)


def talk__slices(x, heads):
    return torch.cat([attention(p, p, p)[0] for p in x.chunk(heads, -1)], dim=-1)


def talk__einsum(x, heads):
    B, T, D = x.shape
    p = x.reshape(B, T, heads, -1)
    s = torch.einsum("bihd,bjhd->bhij", p, p) / math.sqrt(D // heads)
    return torch.einsum("bhij,bjhd->bihd", F.softmax(s, -1), p).flatten(2)


# -------------------------------------------------------------- padded_heads
# ambiguous: gradients are not mentioned; a sentence without any word.


def padded_heads__unsqueeze_twice(q, k, v, real):
    """Return (output, weights) of every head, without padding."""
    return attention(q, k, v, real.unsqueeze(1).unsqueeze(1))


def padded_heads__full_mask(q, k, v, real):
    B, H, T, _ = q.shape
    mask = real.view(B, 1, 1, -1).repeat(1, H, T, 1)
    return attention(q, k, v, mask)


def padded_heads__sentence_by_sentence(q, k, v, real):
    pairs = [attention(*one) for one in zip(q, k, v, real[:, None])]
    return tuple(torch.stack(side) for side in zip(*pairs))


def padded_heads__heads_first(q, k, v, real):
    """With the heads in front, the mask of the sentences was right all along."""
    q, k, v = (part.transpose(0, 1) for part in (q, k, v))
    output, weights = attention(q, k, v, real[:, None, :])
    return output.transpose(0, 1), weights.transpose(0, 1)


# --------------------------------------------------------------------- probe
# ambiguous: which integer dtype the "whole numbers" have (int64? that of
# `labels`? is bool refused?).


def probe__lstsq(vectors, labels, new):
    ones = lambda x: F.pad(x.double(), (0, 1), value=1.0)
    wanted = labels.double() * 2 - 1
    w = torch.linalg.lstsq(ones(vectors), wanted[:, None]).solution
    return (ones(new) @ w > 0).long().squeeze(-1)


def probe__numpy(vectors, labels, new):
    import numpy as np

    X, y, Z = (np.asarray(t, dtype=float) for t in (vectors, labels, new))
    A = np.column_stack([X, np.ones(len(X))])
    w, *_ = np.linalg.lstsq(A, np.where(y == 1, 1.0, -1.0), rcond=None)
    return torch.from_numpy((Z @ w[:-1] + w[-1] > 0).astype(np.int64))


def probe__normal_equations(vectors, labels, new):
    x = vectors.double()
    middle = x.mean(0)
    x = x - middle
    y = torch.where(labels.bool(), 1.0, -1.0).double()
    b = y.mean()
    w = torch.linalg.solve(torch.einsum("ni,nj->ij", x, x), torch.einsum("ni,n->i", x, y))
    said = torch.einsum("mi,i->m", new.double() - middle, w) + b
    return said.gt(0).to(labels.dtype)


def probe__pinv_int(vectors, labels, new):
    # reading: any whole numbers will do, int32 also
    one = torch.ones(len(vectors), 1, dtype=torch.float64)
    full = torch.hstack([one, vectors.double()])
    b, *w = (torch.linalg.pinv(full) @ (2.0 * labels - 1).double()).tolist()
    answers = []
    for row in new.tolist():
        said = b + sum(a * c for a, c in zip(row, w))
        answers.append(1 if said > 0 else 0)
    return torch.tensor(answers, dtype=torch.int32)


def probe__conjugate_gradients(vectors, labels, new):
    """As many steps as there are directions, and a few for rounding."""
    A = torch.cat([vectors, torch.ones_like(vectors[:, :1])], 1).double()
    scale = A.norm(dim=0)
    A = A / scale
    y = 2 * labels.double() - 1
    w = torch.zeros(A.shape[1], dtype=torch.float64)
    r = A.T @ (y - A @ w)
    p, rr = r, r @ r
    for _ in range(20 * A.shape[1]):
        if rr < 1e-24:
            break
        Ap = A.T @ (A @ p)
        step = rr / (p @ Ap)
        w, r = w + step * p, r - step * Ap
        p, rr = r + (new_rr := r @ r) / rr * p, new_rr
    w = w / scale
    return torch.heaviside(new.double() @ w[:-1] + w[-1], torch.zeros(1).double()).long()


# ---------------------------------------------------------------- which_head
# ambiguous: may `silenced` be given by its name? Is [layer, head] as good as a
# tuple?


def which_head__divmod(model, text, layers, heads):
    losses = torch.stack(
        [
            F.cross_entropy(model(text, [divmod(i, heads)])[:-1], text[1:])
            for i in range(layers * heads)
        ]
    )
    return divmod(losses.argmax().item(), heads)


def which_head__rise(model, text, layers, heads):
    """How much does the loss rise over that of the whole model?"""
    from itertools import product

    def loss(silenced):
        said = model(text, silenced)[:-1].double().log_softmax(dim=-1)
        return -said.gather(1, text[1:, None]).mean().item()

    whole = loss([])
    best, most = None, -math.inf
    for pair in product(range(layers), range(heads)):
        if (rise := loss([pair]) - whole) > most:
            best, most = pair, rise
    return best


def which_head__keyword(model, text, layers, heads):
    # reading: the second argument is called `silenced`, so it may be named
    def badness(pair):
        logits = model(text, silenced=[pair])
        right = logits[torch.arange(len(text) - 1), text[1:]]
        return (logits[:-1].logsumexp(-1) - right).sum()

    return max(((a, b) for a in range(layers) for b in range(heads)), key=badness)


def which_head__numpy(model, text, layers, heads):
    import numpy as np

    words = text.numpy()[1:]
    table = np.empty((layers, heads))
    for where in np.ndindex(layers, heads):
        x = model(text, [where]).detach().numpy()[:-1].astype(float)
        x = x - x.max(axis=1, keepdims=True)
        logp = x - np.log(np.exp(x).sum(axis=1, keepdims=True))
        table[where] = -logp[np.arange(len(words)), words].mean()
    layer, head = np.unravel_index(table.argmax(), table.shape)
    return int(layer), int(head)
