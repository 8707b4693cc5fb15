"""Wrong answers to the exercise on several heads, third set, written from its text alone."""

import math

import torch


def split_heads__reshaped_only(x, heads):
    """Reshapes to the right shape without moving any axis."""
    *front, T, D = x.shape
    return x.reshape(*front, heads, T, D // heads)


def split_heads__dealt_out(x, heads):
    """Deals the features out in turn, so that each head gets every heads-th one."""
    return torch.stack([x[..., h::heads] for h in range(heads)], dim=-3)


def split_heads__heads_in_front_of_batch(x, heads):
    """Puts the heads before the batch instead of before the words."""
    return torch.stack(x.chunk(heads, dim=-1), dim=0)


def split_heads__words_stay_in_front(x, heads):
    """Cuts the width, but does not let heads and words change places."""
    return x.unflatten(-1, (heads, x.size(-1) // heads))


def split_heads__three_axes_only(x, heads):
    """Counts the axes from the front, so needs exactly one batch axis."""
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def split_heads__wrong_axes_swapped(x, heads):
    """Lets the wrong axes change places: words with the width of a head."""
    return x.unflatten(-1, (heads, -1)).transpose(-1, -3)


def merge_heads__reshaped_only(x):
    """Reshapes without moving heads behind words."""
    *front, H, T, d = x.shape
    return x.reshape(*front, T, H * d)


def merge_heads__viewed(x):
    """Views after the transpose, which the order in memory does not allow."""
    y = x.transpose(-3, -2)
    return y.view(*y.shape[:-2], y.size(-2) * y.size(-1))


def merge_heads__interleaved(x):
    """Interleaves the heads' numbers instead of laying them end to end."""
    return x.movedim(-3, -1).flatten(-2)


def merge_heads__added(x):
    """Adds the heads up instead of laying them end to end."""
    return sum(x.unbind(dim=-3))


def merge_heads__one_under_the_other(x):
    """Lays the heads one under the other, along the words."""
    return torch.cat(list(x.unbind(-3)), dim=-2)


def merge_heads__last_head_first(x):
    """Lays the last head first."""
    parts = x.flip(-3).unbind(-3)
    return torch.cat(parts, dim=-1)


def packed_projection__first_axis(x, W):
    """Cuts the product along its first axis."""
    return (x @ W).chunk(3)


def packed_projection__keys_first(x, W):
    """Returns the keys before the queries."""
    first, second, third = torch.matmul(x, W).chunk(3, dim=-1)
    return second, first, third


def packed_projection__every_third_column(x, W):
    """Takes every third column instead of three blocks."""
    y = x @ W
    return y[..., 0::3], y[..., 1::3], y[..., 2::3]


def packed_projection__chunks_of_three(x, W):
    """Cuts pieces three wide instead of three pieces, so gives too many or too narrow ones."""
    pieces = torch.split(x @ W, 3, dim=-1)
    return pieces[0], pieces[1], pieces[-1]


def packed_projection__overlapping(x, W):
    """Cuts by the width of the words, which is not always a third."""
    D = x.size(-1)
    y = x @ W
    return y[..., :D], y[..., D : 2 * D], y[..., 2 * D :]


def multi_head__mask_without_axis(x, W, W_o, heads, mask=None):
    """Gives the mask no axis for the heads."""
    q, k, v = (split_heads(t, heads) for t in packed_projection(x, W))
    out, w = attention(q, k, v, mask)
    return merge_heads(out) @ W_o, w


def multi_head__mask_axis_from_front(x, W, W_o, heads, mask=None):
    """Puts the mask's axis for the heads at place 1, wrong for a mask without a batch axis."""
    q, k, v = (split_heads(t, heads) for t in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(1)
    out, w = attention(q, k, v, mask)
    return merge_heads(out) @ W_o, w


def multi_head__no_output_matrix(x, W, W_o, heads, mask=None):
    """Forgets the output matrix."""
    q, k, v = [split_heads(t, heads) for t in packed_projection(x, W)]
    out, w = attention(q, k, v, None if mask is None else mask.unsqueeze(-3))
    return merge_heads(out), w


def multi_head__scaled_twice(x, W, W_o, heads, mask=None):
    """Scales the queries although attention scales too."""
    q, k, v = [split_heads(t, heads) for t in packed_projection(x, W)]
    q = q / math.sqrt(q.shape[-1])
    out, w = attention(q, k, v, None if mask is None else mask[..., None, :, :])
    return merge_heads(out) @ W_o, w


def multi_head__output_matrix_turned(x, W, W_o, heads, mask=None):
    """Multiplies by the transposed output matrix."""
    q, k, v = [split_heads(t, heads) for t in packed_projection(x, W)]
    out, w = attention(q, k, v, None if mask is None else mask.unsqueeze(-3))
    return torch.nn.functional.linear(merge_heads(out), W_o), w


def multi_head__weights_averaged(x, W, W_o, heads, mask=None):
    """Returns the weights averaged over the heads."""
    q, k, v = [split_heads(t, heads) for t in packed_projection(x, W)]
    out, w = attention(q, k, v, None if mask is None else mask.unsqueeze(-3))
    return merge_heads(out) @ W_o, w.mean(dim=-3)


def multi_head__mask_inverted(x, W, W_o, heads, mask=None):
    """Inverts the mask before attention."""
    q, k, v = [split_heads(t, heads) for t in packed_projection(x, W)]
    if mask is not None:
        mask = ~mask.unsqueeze(-3)
    out, w = attention(q, k, v, mask)
    return merge_heads(out) @ W_o, w


def multi_head__merged_by_reshape(x, W, W_o, heads, mask=None):
    """Merges the heads by a reshape, without moving them behind the words."""
    q, k, v = [split_heads(t, heads) for t in packed_projection(x, W)]
    out, w = attention(q, k, v, None if mask is None else mask.unsqueeze(-3))
    return out.reshape(x.shape) @ W_o, w


def multi_head__heads_before_thirds(x, W, W_o, heads, mask=None):
    """Cuts the product into heads first and each head into queries, keys and values."""
    packed = split_heads(x @ W, heads)
    q, k, v = packed.chunk(3, dim=-1)
    out, w = attention(q, k, v, None if mask is None else mask.unsqueeze(-3))
    return merge_heads(out) @ W_o, w


def multi_head__one_wide_head(x, W, W_o, heads, mask=None):
    """Lets one head of the full width attend and repeats its weights."""
    q, k, v = packed_projection(x, W)
    out, w = attention(q, k, v, mask)
    w = torch.stack([w] * heads, dim=-3)
    return out @ W_o, w


def multi_head__full_width_and_no_mask(x, W, W_o, heads, mask=None):
    """Scales by the root of the whole width instead of a head's.
    Never uses the mask.
    """
    q, k, v = (t.unflatten(-1, (heads, -1)) for t in (x @ W).chunk(3, -1))
    s = torch.einsum("...thd,...shd->...hts", q, k) / x.size(-1) ** 0.5
    w = s.softmax(-1)
    o = torch.einsum("...hts,...shd->...thd", w, v)
    return o.flatten(-2) @ W_o, w


def multi_head__swapped_and_no_output(x, W, W_o, heads, mask=None):
    """Mixes up queries and keys.
    Forgets the output matrix.
    """
    k, q, v = (split_heads(t, heads) for t in packed_projection(x, W))
    out, w = attention(q, k, v, None if mask is None else mask.unsqueeze(-3))
    return merge_heads(out), w


def multi_head__answers_added(x, W, W_o, heads, mask=None):
    """Loops over the heads but adds up their answers before the output matrix."""
    q, k, v = packed_projection(x, W)
    d = q.size(-1) // heads
    total, kept = 0, []
    for h in range(heads):
        cut = slice(h * d, (h + 1) * d)
        o, w = attention(q[..., cut], k[..., cut], v[..., cut], mask)
        total = total + o
        kept.append(w)
    return total.repeat_interleave(heads, -1) @ W_o, torch.stack(kept, -3)


def grouped_query__tiled(q, k, v):
    """Repeats keys and values in turn, so that neighbours do not share."""
    times = q.size(-3) // k.size(-3)
    return attention(q, torch.cat([k] * times, -3), torch.cat([v] * times, -3))


def grouped_query__values_tiled(q, k, v):
    """Lends the keys to neighbours but the values in turn."""
    n = q.size(-3) // k.size(-3)
    return attention(q, k.repeat_interleave(n, -3), torch.cat([v] * n, dim=-3))


def grouped_query__axis_one(q, k, v):
    """Counts the axis of the heads from the front."""
    n = q.size(1) // k.size(1)
    return attention(q, k.repeat_interleave(n, dim=1), v.repeat_interleave(n, dim=1))


def grouped_query__times_groups(q, k, v):
    """Repeats as often as there are heads of keys, not as a group is large."""
    G = k.size(-3)
    return attention(q, k.repeat_interleave(G, dim=-3), v.repeat_interleave(G, dim=-3))


def grouped_query__queries_averaged(q, k, v):
    """Averages the queries of a group instead of lending them keys."""
    G = k.size(-3)
    q = q.unflatten(-3, (G, -1)).mean(dim=-3)
    return attention(q, k, v)


def grouped_query__first_head_for_all(q, k, v):
    """Gives all query heads the first head of keys and values."""
    H = q.size(-3)
    k, v = (t.narrow(-3, 0, 1).expand(*t.shape[:-3], H, *t.shape[-2:]) for t in (k, v))
    return attention(q, k, v)


def count_parameters__no_output(d_model, heads, kv_heads, bias):
    """Forgets the output matrix."""
    columns = d_model + 2 * kv_heads * (d_model // heads)
    return columns * (d_model + bool(bias))


def count_parameters__never_grouped(d_model, heads, kv_heads, bias):
    """Counts as many heads of keys as of queries."""
    return 4 * d_model * d_model + (4 * d_model if bias else 0)


def count_parameters__wide_biases(d_model, heads, kv_heads, bias):
    """Gives the keys and values biases as wide as the model."""
    kv = kv_heads * d_model // heads
    n = 2 * d_model**2 + 2 * d_model * kv
    if bias:
        n += 4 * d_model
    return n


def count_parameters__one_bias_each(d_model, heads, kv_heads, bias):
    """Counts one number of bias for each matrix."""
    kv = kv_heads * (d_model // heads)
    return 2 * d_model * (d_model + kv) + 4 * int(bias)


def count_parameters__one_head_of_keys(d_model, heads, kv_heads, bias):
    """Counts one head of keys and values, however many there are.
    Forgets the biases.
    """
    d_k = d_model // heads
    return 2 * d_model * d_model + 2 * d_model * d_k


def talk__only_there(x, heads):
    """Mends the way in and leaves the way out as it was."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def talk__only_back(x, heads):
    """Mends the way out and leaves the way in as it was."""
    B, T, D = x.shape
    parts = x.reshape(B, heads, T, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.transpose(1, 2).reshape(B, T, D)


def talk__dealt_out(x, heads):
    """Deals the features out to the heads in turn."""
    B, T, D = x.shape
    parts = x.reshape(B, T, D // heads, heads).permute(0, 3, 1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.permute(0, 2, 3, 1).reshape(B, T, D)


def talk__heads_attend_to_heads(x, heads):
    """Cuts the width but leaves the heads behind the words, so heads attend to heads."""
    parts = x.unflatten(-1, (heads, -1))
    mixed, _ = attention(parts, parts, parts)
    return mixed.flatten(-2)


def padded_heads__queries_hidden(q, k, v, real):
    """Puts the mask along the queries instead of the keys."""
    return attention(q, k, v, real[:, None, :, None])


def padded_heads__inverted(q, k, v, real):
    """Gives the mask the right axes but turns it round."""
    return attention(q, k, v, real.logical_not()[:, None, None])


def padded_heads__repeated_in_wrong_order(q, k, v, real):
    """Repeats the sentences for the heads in the wrong order."""
    B, H = q.shape[:2]
    return attention(q, k, v, real.repeat(H, 1).view(B, H, 1, -1))


def padded_heads__only_values(q, k, v, real):
    """Blanks the padding's values only, while its weights still count."""
    return attention(q, k, v * real[:, None, :, None])


def padded_heads__first_sentence(q, k, v, real):
    """Uses the first sentence's padding for all."""
    return attention(q, k, v, real[0][None, None, None, :])


def shapes__keys_of_asker(B, T, S, D, H):
    """Makes as many keys as there are words that ask."""
    d = D // H
    return (D, 3 * D), (B, H, T, d), (B, H, T, S), (B, 1, 1, S), (B, T, D)


def shapes__mask_one_axis_short(B, T, S, D, H):
    """Gives the padding mask three axes, one too few."""
    d = D // H
    return (D, 3 * D), (B, H, S, d), (B, H, T, S), (B, 1, S), (B, T, D)


def shapes__turned_and_without_heads(B, T, S, D, H):
    """Turns the packed matrix.
    Leaves the heads out of the weights.
    """
    return (3 * D, D), (B, H, S, D // H), (B, T, S), (B, 1, 1, S), (B, T, D)


def shapes__words_before_heads(B, T, S, D, H):
    """Puts the words before the heads in the keys."""
    return (D, 3 * D), (B, S, H, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)
