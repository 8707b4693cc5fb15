"""Right answers to the exercise on several heads, third set, in unusual styles."""

import math

import torch


def split_heads__slices(x, heads):
    """Cuts slices out and stacks them before the words."""
    d = x.size(-1) // heads
    return torch.stack([x[..., h * d : (h + 1) * d] for h in range(heads)], dim=-3)


def split_heads__movedim(x, heads):
    """Reshapes and moves one axis."""
    cut = x.reshape(*x.shape[:-1], heads, -1)
    return cut.movedim(-2, -3)


def split_heads__einsum(x, heads):
    """Renames the axes with einsum."""
    return torch.einsum("...thd->...htd", x.unflatten(-1, (heads, -1)))


def merge_heads__cat(x):
    """Lays the heads end to end with cat."""
    return torch.cat(x.unbind(-3), dim=-1)


def merge_heads__contiguous_view(x):
    """Transposes, copies, and views."""
    y = x.transpose(-2, -3).contiguous()
    return y.view(*y.shape[:-2], -1)


def merge_heads__written_into_place(x):
    """Writes each head into its columns."""
    *front, H, T, d = x.shape
    out = x.new_empty(*front, T, H * d)
    for h in range(H):
        out[..., h * d : (h + 1) * d] = x[..., h, :, :]
    return out


def packed_projection__three_products(x, W):
    """Cuts the matrix and makes three products."""
    return tuple(x @ part for part in W.chunk(3, dim=1))


def packed_projection__unflattened(x, W):
    """Makes an axis of three and unbinds it."""
    y = torch.matmul(x, W)
    q, k, v = y.unflatten(-1, (3, -1)).unbind(dim=-2)
    return q, k, v


def packed_projection__tensor_split(x, W):
    """Splits with tensor_split and returns a list as a tuple."""
    return torch.tensor_split(torch.einsum("...d,dc->...c", x, W), 3, dim=-1)


def multi_head__head_by_head(x, W, W_o, heads, mask=None):
    """Loops over the heads and adds each one's share of the output."""
    q, k, v = packed_projection(x, W)
    d = q.size(-1) // heads
    output, weights = 0, []
    for h in range(heads):
        cut = slice(h * d, (h + 1) * d)
        answer, w = attention(q[..., cut], k[..., cut], v[..., cut], mask)
        output = output + answer @ W_o[cut]
        weights.append(w)
    return output, torch.stack(weights, dim=-3)


def multi_head__einsum(x, W, W_o, heads, mask=None):
    """Never moves the heads, and writes attention with einsum."""
    q, k, v = (t.unflatten(-1, (heads, -1)) for t in (x @ W).chunk(3, dim=-1))
    s = torch.einsum("...thd,...shd->...hts", q, k) / math.sqrt(q.size(-1))
    if mask is not None:
        hidden = ~mask[..., None, :, :]
        s = s.masked_fill(hidden, torch.finfo(s.dtype).min)
    w = torch.softmax(s, dim=-1)
    if mask is not None:
        w = torch.where(hidden, torch.zeros_like(w), w)
    mixed = torch.einsum("...hts,...shd->...thd", w, v)
    W_o = W_o.unflatten(0, (heads, -1))
    return torch.einsum("...thd,hdc->...tc", mixed, W_o), w


def multi_head__class(x, W, W_o, heads, mask=None):
    """Makes a class whose methods are the steps."""

    class Layer:
        def project(self, x):
            return [split_heads(t, heads) for t in packed_projection(x, W)]

        def mask(self, mask):
            return mask if mask is None else mask.unsqueeze(-3)

        def __call__(self, x, mask):
            found, w = attention(*self.project(x), mask=self.mask(mask))
            return torch.matmul(merge_heads(found), W_o), w

    return Layer()(x, mask)


def grouped_query__groups_as_axis(q, k, v):
    """Gives the queries an axis for groups and lets broadcasting share."""
    G = k.size(-3)
    q = q.unflatten(-3, (G, -1))
    out, w = attention(q, k.unsqueeze(-3), v.unsqueeze(-3))
    return out.flatten(-4, -3), w.flatten(-4, -3)


def grouped_query__index(q, k, v):
    """Looks up for each query head which key head it reads."""
    H, G = q.size(-3), k.size(-3)
    lender = torch.arange(H) * G // H
    return attention(q, k[..., lender, :, :], v[..., lender, :, :])


def grouped_query__loop(q, k, v):
    """Loops over the query heads."""
    H, G = q.size(-3), k.size(-3)
    pairs = []
    for h in range(H):
        g = h // (H // G)
        pairs.append(attention(q[..., h, :, :], k[..., g, :, :], v[..., g, :, :]))
    outputs, weights = zip(*pairs)
    return torch.stack(outputs, -3), torch.stack(weights, -3)


def count_parameters__matrices(d_model, heads, kv_heads, bias):
    """Lists the columns of the four matrices and sums over them."""
    d_k = d_model // heads
    columns = {"q": heads * d_k, "k": kv_heads * d_k, "v": kv_heads * d_k, "o": d_model}
    return sum(n * d_model + (n if bias else 0) for n in columns.values())


def count_parameters__measured(d_model, heads, kv_heads, bias):
    """Builds the layers and counts what they hold."""
    narrow = kv_heads * d_model // heads
    layers = [torch.nn.Linear(d_model, n, bias=bias, device="meta") for n in (d_model, narrow, narrow, d_model)]
    return sum(p.numel() for layer in layers for p in layer.parameters())


def talk__own_functions(x, heads):
    """Calls the two functions of before."""
    parts = split_heads(x, heads)
    return merge_heads(attention(parts, parts, parts)[0])


def talk__permuted(x, heads):
    """Permutes there and back."""
    B, T, D = x.shape
    parts = x.view(B, T, heads, D // heads).permute(0, 2, 1, 3)
    mixed, _ = attention(parts, parts, parts)
    return mixed.permute(0, 2, 1, 3).reshape(B, T, D)


def padded_heads__expanded(q, k, v, real):
    """Expands the mask to the whole table of scores."""
    B, H, T, _ = q.shape
    mask = real.view(B, 1, 1, -1).expand(B, H, T, -1)
    return attention(q, k, v, mask)


def padded_heads__sentence_by_sentence(q, k, v, real):
    """Works sentence by sentence, where the mask has one axis only."""
    done = [attention(*parts) for parts in zip(q, k, v, real)]
    return tuple(torch.stack(list(column)) for column in zip(*done))


def shapes__steps(B, T, S, D, H):
    """Names the width of a head and builds the rest from it."""
    width, left = divmod(D, H)
    per_head = (B, H)
    return ((D, D + D + D), per_head + (S, width), per_head + (T, S), (B,) + 2 * (1,) + (S,), (B, T, H * width))
