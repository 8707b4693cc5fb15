"""Right answers, written in many ways: none may lose a point. Before __ stands the function."""

import math
import sys
import warnings

import torch
import torch.nn.functional as F


def split_heads__unflatten(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def split_heads__view_and_swap(x, heads):
    return x.view(*x.shape[:-1], heads, x.shape[-1] // heads).swapaxes(-2, -3)


def split_heads__chunks_stacked(x, heads):
    return torch.stack(x.chunk(heads, dim=-1), dim=-3)


def split_heads__slices(x, heads):
    d_k = x.size(-1) // heads
    pieces = [x[..., head * d_k : (head + 1) * d_k].unsqueeze(-3) for head in range(heads)]
    return torch.cat(pieces, dim=-3)


def split_heads__filled_in(x, heads):
    print("splitting" * 100)
    *lead, length, width = x.shape
    result = torch.empty(*lead, heads, length, width // heads, dtype=x.dtype)
    for head, piece in enumerate(x.split(width // heads, dim=-1)):
        result[..., head, :, :] = piece
    return result


def split_heads__flat_batch(x, heads):
    flat = x.reshape(-1, x.size(-2), heads, x.size(-1) // heads)
    return flat.permute(0, 2, 1, 3).reshape(*x.shape[:-2], heads, x.size(-2), -1)


def split_heads__by_way_of_columns(tokens, n):
    columns = tokens.mT.unflatten(-2, (n, -1))
    return columns.mT.contiguous()


def merge_heads__transpose_flatten(x):
    return x.transpose(-3, -2).flatten(start_dim=-2)


def merge_heads__contiguous_view(x):
    moved = x.transpose(-2, -3).contiguous()
    return moved.view(*moved.shape[:-2], -1)


def merge_heads__concatenated(x):
    return torch.cat(x.unbind(dim=-3), dim=-1)


def merge_heads__loop(x):
    heads = [x[..., head, :, :] for head in range(x.shape[-3])]
    return torch.concat(heads, -1)


def merge_heads__movedim(x):
    return x.movedim(-3, -2).reshape(*x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1])


def merge_heads__float64_inside(x):
    warnings.warn("slow", stacklevel=1)
    return torch.cat([*x.double().unbind(-3)], dim=-1).to(x.dtype)


def packed_projection__chunk(x, W):
    return torch.matmul(x, W).chunk(3, dim=-1)


def packed_projection__split(x, W):
    product = x @ W
    return product.split(product.size(-1) // 3, dim=-1)


def packed_projection__three_products(x, W):
    W_q, W_k, W_v = W.tensor_split(3, dim=1)
    return x @ W_q, x @ W_k, x @ W_v


def packed_projection__unflatten(x, W):
    return list((x @ W).unflatten(-1, (3, -1)).unbind(-2))


def packed_projection__linear(x, W):
    product, third = F.linear(x, W.T), W.shape[1] // 3
    return product[..., :third], product[..., third : 2 * third], product[..., 2 * third :]


def packed_projection__einsum_in_float64(x, W):
    product = torch.einsum("...td,dm->...tm", x.double(), W.double()).to(x.dtype)
    return tuple(product.chunk(3, -1))


def _attend(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    scores = scores if mask is None else torch.where(mask, scores, -1e30)
    weights = scores.softmax(-1)
    return weights @ v, weights


def multi_head__steps(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads__unflatten(part, heads) for part in (x @ W).chunk(3, -1))
    mixed, weights = _attend(q, k, v, None if mask is None else mask.unsqueeze(-3))
    return merge_heads__concatenated(mixed) @ W_o, weights


def multi_head__head_by_head(x, W, W_o, heads, mask=None):
    outputs, tables = [], []
    parts = [part.chunk(heads, dim=-1) for part in (x @ W).chunk(3, dim=-1)]
    for q, k, v in zip(*parts, strict=True):
        output, weights = _attend(q, k, v, mask)
        outputs.append(output)
        tables.append(weights)
    return torch.cat(outputs, dim=-1) @ W_o, torch.stack(tables, dim=-3)


def multi_head__sum_over_heads(x, W, W_o, heads, mask=None):
    mask = mask if mask is None else mask[..., None, :, :]
    q, k, v = (x @ W).unflatten(-1, (3, heads, -1)).movedim(-3, 0).transpose(-2, -3)
    mixed, weights = _attend(q, k, v, mask)
    slices = W_o.unflatten(0, (heads, -1))
    return (mixed @ slices).sum(dim=-3), weights


def multi_head__einsum(x, W, W_o, heads, mask=None):
    d_k = x.size(-1) // heads
    q, k, v = (x @ W).unflatten(-1, (3, heads, d_k)).unbind(-3)
    scores = torch.einsum("...thk,...shk->...hts", q, k) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not().unsqueeze(-3), -math.inf)
    weights = torch.softmax(scores, dim=-1)
    mixed = torch.einsum("...hts,...shk->...thk", weights, v)
    return mixed.flatten(-2) @ W_o, weights


def multi_head__repeated_mask(x, W, W_o, heads, mask=None):
    print("working", file=sys.stderr)
    q, k, v = (split_heads__slices(part, heads) for part in packed_projection__split(x, W))
    if mask is not None:
        mask = torch.stack([mask] * heads, dim=-3)
    mixed, weights = _attend(q, k, v, mask)
    return F.linear(merge_heads__loop(mixed), W_o.mT), weights


def multi_head__float64_inside(x, W, W_o, heads, mask=None):
    wide = (part.double() for part in (x, W, W_o))
    output, weights = multi_head__head_by_head(*wide, heads, mask)
    return output.to(x.dtype), weights.to(x.dtype)


def grouped_query__repeat_interleave(q, k, v):
    group = q.size(-3) // k.size(-3)
    return _attend(q, k.repeat_interleave(group, -3), v.repeat_interleave(group, -3))


def grouped_query__grouped_queries(q, k, v):
    in_groups = q.unflatten(-3, (k.size(-3), -1))
    output, weights = _attend(in_groups, k.unsqueeze(-3), v.unsqueeze(-3))
    return output.flatten(-4, -3), weights.flatten(-4, -3)


def grouped_query__expand(q, k, v):
    group = q.size(-3) // k.size(-3)

    def lend(x):
        return x.unsqueeze(-3).expand(*x.shape[:-2], group, *x.shape[-2:]).flatten(-4, -3)

    return _attend(q, lend(k), lend(v))


def grouped_query__indices(q, k, v):
    owner = torch.arange(q.size(-3)) // (q.size(-3) // k.size(-3))
    return _attend(q, k[..., owner, :, :], v[..., owner, :, :])


def grouped_query__group_by_group(q, k, v):
    groups = q.chunk(k.size(-3), dim=-3)
    found = [
        _attend(queries, k[..., i : i + 1, :, :], v[..., i : i + 1, :, :])
        for i, queries in enumerate(groups)
    ]
    outputs, weights = zip(*found, strict=True)
    return torch.cat(outputs, dim=-3), torch.cat(weights, dim=-3)


def grouped_query__head_by_head(q, k, v):
    group = q.shape[-3] // k.shape[-3]
    heads = range(q.shape[-3])
    pick = [(q[..., h, :, :], k[..., h // group, :, :], v[..., h // group, :, :]) for h in heads]
    found = [_attend(*parts) for parts in pick]
    return [torch.stack(parts, -3) for parts in zip(*found, strict=True)]


def talk__transposed(x, heads):
    B, T, D = x.shape
    q = x.view(B, T, heads, D // heads).transpose(1, 2)
    return _attend(q, q, q)[0].transpose(1, 2).reshape(B, T, D)


def talk__permuted(x, heads):
    B, T, D = x.shape
    q = x.reshape(B, T, heads, -1).permute(0, 2, 1, 3)
    mixed, _ = _attend(q, q, q)
    return mixed.permute(0, 2, 1, 3).contiguous().view(B, T, D)


def talk__from_the_back(x, heads):
    parts = x.unflatten(-1, (heads, -1)).transpose(-2, -3)
    return _attend(parts, parts, parts)[0].transpose(-2, -3).flatten(-2)


def talk__slices(x, heads):
    return torch.cat([_attend(part, part, part)[0] for part in x.chunk(heads, dim=-1)], dim=-1)


def talk__sentence_by_sentence(x, heads):
    return torch.stack([talk__slices(sentence, heads) for sentence in x])


def talk__einsum(x, heads):
    parts = x.unflatten(-1, (heads, -1))
    scores = torch.einsum("bthk,bshk->bhts", parts, parts) / parts.size(-1) ** 0.5
    return torch.einsum("bhts,bshk->bthk", scores.softmax(-1), parts).flatten(-2)


def padded_heads__two_axes(q, k, v, real):
    return _attend(q, k, v, real[:, None, None, :])


def padded_heads__one_more(q, k, v, real):
    return _attend(q, k, v, real[:, None, :].unsqueeze(1))


def padded_heads__expanded(q, k, v, real):
    B, H, T, _ = q.shape
    return _attend(q, k, v, real.view(B, 1, 1, -1).expand(B, H, T, k.size(-2)))


def padded_heads__sentence_by_sentence(q, k, v, real):
    found = [_attend(*parts) for parts in zip(q, k, v, real, strict=True)]
    outputs, weights = zip(*found, strict=True)
    return torch.stack(outputs), torch.stack(weights)


def padded_heads__heads_first(q, k, v, real):
    heads_first = (part.transpose(0, 1) for part in (q, k, v))
    output, weights = _attend(*heads_first, real[:, None])
    return output.transpose(0, 1), weights.transpose(0, 1)


def padded_heads__added(q, k, v, real):
    bias = torch.zeros(real.shape).masked_fill(~real, -math.inf)
    weights = (q @ k.mT / math.sqrt(q.size(-1)) + bias[:, None, None]).softmax(dim=-1)
    return weights @ v, weights


def which_head__as_hinted(model, text, layers, heads):
    losses = {}
    for layer in range(layers):
        for head in range(heads):
            scores = model(text, [(layer, head)])[:-1]
            losses[layer, head] = F.cross_entropy(scores, text[1:])
    return max(losses, key=losses.get)


def which_head__rises(model, text, layers, heads):
    def loss(silenced):
        logs = model(text, silenced).log_softmax(dim=-1)
        return -logs[:-1].gather(1, text[1:, None]).mean().item()

    whole, best = loss([]), (0.0, (0, 0))
    for pair in ((a, b) for a in range(layers) for b in range(heads)):
        best = max(best, (loss([pair]) - whole, pair))
    return best[1]


def which_head__last_is_first(model, text, layers, heads):
    found, most = None, -1.0
    for number in reversed(range(layers * heads)):
        pair = divmod(number, heads)
        each = F.cross_entropy(model(text, [pair])[:-1], text[1:], reduction="none")
        if each.sum() > most:
            found, most = pair, each.sum()
    return found


def which_head__by_likelihood(model, text, layers, heads):
    def likelihood(pair):
        chances = model(text, [list(pair)]).softmax(dim=-1)
        return math.prod(chances[t, text[t + 1]].item() for t in range(len(text) - 1))

    return list(min(((a, b) for a in range(layers) for b in range(heads)), key=likelihood))
