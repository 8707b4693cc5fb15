import math

import torch
import torch.nn.functional as F

# split_heads


def split_heads__reshape_only(x, heads):
    """Intended: reshapes straight to (..., heads, T, d_k): the right shape, but the numbers are not moved and heads hold pieces of the text instead of parts of each word."""
    *front, T, D = x.shape
    return x.reshape(*front, heads, T, D // heads)


def split_heads__axes_not_swapped(x, heads):
    """Intended: cuts the last axis but forgets to bring the heads before the words: (..., T, heads, d_k)."""
    return x.unflatten(-1, (heads, -1))


def split_heads__interleaved(x, heads):
    """Intended: cuts the vector as (d_k, heads), so head h gets every heads-th number instead of d_k neighbours; shape right."""
    return x.unflatten(-1, (-1, heads)).movedim(-1, -3)


def split_heads__axes_from_the_front(x, heads):
    """Intended: swaps axes 1 and 2 counted from the front, right only with exactly one leading axis."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def split_heads__heads_in_front_of_batch(x, heads):
    """Intended: stacks the pieces along a new first axis, so the heads come before the sentences as well; right only without leading axes."""
    return torch.stack(x.chunk(heads, dim=-1))


def split_heads__one_head_untouched(x, heads):
    """Intended: returns x as it is for one head, so the head axis of length 1 is missing."""
    if heads == 1:
        return x
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def split_heads__count_taken_for_width(x, heads):
    """Intended: takes `heads` for the width of a head, so it makes D / heads heads of `heads` numbers; right where both are equal, as in the text's example."""
    return x.unflatten(-1, (-1, heads)).transpose(-3, -2)


# merge_heads


def merge_heads__reshape_only(x):
    """Intended: reshapes straight to (..., T, H * d_k) without moving the axes, so a row mixes answers of one head to several words."""
    *front, H, T, d_k = x.shape
    return x.reshape(*front, T, H * d_k)


def merge_heads__interleaved(x):
    """Intended: moves the heads to the very end before joining, so the heads' numbers are interleaved instead of laid end to end."""
    return x.movedim(-3, -1).flatten(-2)


def merge_heads__axes_from_the_front(x):
    """Intended: counts the axes from the front (transpose(1, 2), flatten(2)), right only with exactly one leading axis."""
    return x.transpose(1, 2).flatten(2)


def merge_heads__view(x):
    """Intended: uses view after the transpose, which raises an error as the numbers do not lie in order."""
    moved = x.transpose(-3, -2)
    return moved.view(*moved.shape[:-2], -1)


def merge_heads__transposed_in_place(x):
    """Intended: swaps the axes in place (transpose_), so the caller's tensor has another shape afterwards; the result is right."""
    x.transpose_(-3, -2)
    return x.flatten(-2)


def merge_heads__rows_are_heads(x):
    """Intended: mixes the two roles after the swap and makes as many rows as there are heads instead of words; right where H equals T."""
    moved = x.transpose(-3, -2)
    return moved.reshape(*x.shape[:-3], x.size(-3), -1)


def merge_heads__squeezed(x):
    """Intended: an extra squeeze(0) at the end drops a batch of one sentence (or a single word without a batch)."""
    return x.transpose(-3, -2).flatten(-2).squeeze(0)


# packed_projection


def packed_projection__cuts_axis_one(x, W):
    """Intended: cuts along axis 1, which is the last only without a batch; with a batch it cuts the words into three."""
    return tuple((x @ W).chunk(3, dim=1))


def packed_projection__keys_first(x, W):
    """Intended: takes the order of the matrices to be keys, queries, values, so queries and keys change places."""
    k, q, v = (x @ W).chunk(3, dim=-1)
    return q, k, v


def packed_projection__every_third_column(x, W):
    """Intended: takes every third column instead of three blocks side by side; shapes right."""
    y = x @ W
    return y[..., 0::3], y[..., 1::3], y[..., 2::3]


def packed_projection__cuts_by_width_of_x(x, W):
    """Intended: cuts at multiples of D, the width of x, instead of a third of W's columns; right only where H * d_k equals D."""
    D = x.size(-1)
    y = x @ W
    return y[..., :D], y[..., D : 2 * D], y[..., 2 * D :]


def packed_projection__values_copied(x, W):
    """Intended: a copy/paste mistake: the values are made by the block of the keys."""
    n = W.size(-1) // 3
    q = x @ W[:, :n]
    k = x @ W[:, n : 2 * n]
    v = x @ W[:, n : 2 * n]
    return q, k, v


def packed_projection__reshaped_to_three(x, W):
    """Intended: reshapes the product to (3, ..., T, width), which cuts the numbers in the order of memory, by words, not by columns; shapes right."""
    y = (x @ W).reshape(3, *x.shape[:-1], W.size(-1) // 3)
    return y[0], y[1], y[2]


def packed_projection__queries_scaled(x, W):
    """Intended: an extra step: divides the queries by the root of their width already here."""
    q, k, v = (x @ W).chunk(3, dim=-1)
    return q / math.sqrt(q.size(-1)), k, v


# multi_head


def multi_head__mask_without_head_axis(x, W, W_o, heads, mask=None):
    """Intended: gives the mask to attention as it is, so masks of sentences are taken for masks of heads (or do not fit); right for (T, T) or none."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    output, weights = attention(q, k, v, mask)
    return merge_heads(output) @ W_o, weights


def multi_head__weights_averaged(x, W, W_o, heads, mask=None):
    """Intended: returns the mean of the weights over the heads instead of those of every head."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    output, weights = attention(q, k, v, mask)
    return merge_heads(output) @ W_o, weights.mean(dim=-3)


def multi_head__output_matrix_transposed(x, W, W_o, heads, mask=None):
    """Intended: applies W_o by F.linear, which multiplies by its transpose; square, so nothing complains."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    output, weights = attention(q, k, v, mask)
    return F.linear(merge_heads(output), W_o), weights


def multi_head__root_of_full_width(x, W, W_o, heads, mask=None):
    """Intended: scales the scores by the root of D, the whole width, instead of the width of a head; right for one head."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    q = q * math.sqrt(q.size(-1)) / math.sqrt(x.size(-1))
    output, weights = attention(q, k, v, mask)
    return merge_heads(output) @ W_o, weights


def multi_head__masked_after_softmax(x, W, W_o, heads, mask=None):
    """Intended: attends without the mask and then sets hidden weights to 0, so masked rows no longer sum to 1."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    output, weights = attention(q, k, v)
    if mask is not None:
        weights = weights.masked_fill(~mask.unsqueeze(-3), 0.0)
        output = weights @ v
    return merge_heads(output) @ W_o, weights


def multi_head__residual(x, W, W_o, heads, mask=None):
    """Intended: an extra step: adds x to the output, as the layer around the attention does later."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    output, weights = attention(q, k, v, mask)
    return x + merge_heads(output) @ W_o, weights


def multi_head__reshaped_and_no_output_matrix(x, W, W_o, heads, mask=None):
    """Intended: two mistakes: merges the heads by a mere reshape to the shape of x, and forgets W_o."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    output, weights = attention(q, k, v, mask)
    return output.reshape(x.shape), weights


# grouped_query


def grouped_query__tiled(q, k, v):
    """Intended: repeats the heads as 0, 1, 0, 1 instead of 0, 0, 1, 1, so neighbours do not share."""
    group = q.size(-3) // k.size(-3)
    k = torch.cat([k] * group, dim=-3)
    v = torch.cat([v] * group, dim=-3)
    return attention(q, k, v)


def grouped_query__axis_one(q, k, v):
    """Intended: repeats along axis 1 counted from the front, right only with exactly one leading axis; without a batch it repeats the words."""
    group = q.size(-3) // k.size(-3)
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    return attention(q, k, v)


def grouped_query__queries_averaged(q, k, v):
    """Intended: thinks that a group also shares its question: averages the queries of each group, attends once and copies the answer, so all heads of a group are equal."""
    groups = k.size(-3)
    group = q.size(-3) // groups
    shared = q.unflatten(-3, (groups, group)).mean(dim=-3)
    output, weights = attention(shared, k, v)
    return output.repeat_interleave(group, dim=-3), weights.repeat_interleave(group, dim=-3)


def grouped_query__values_tiled(q, k, v):
    """Intended: lends the keys to neighbours (right) but repeats the values as 0, 1, 0, 1: weights right, outputs from the wrong heads."""
    group = q.size(-3) // k.size(-3)
    k = k.repeat_interleave(group, dim=-3)
    v = torch.cat([v] * group, dim=-3)
    return attention(q, k, v)


def grouped_query__cache_without_gradient(q, k, v):
    """Intended: takes keys and values for a store and repeats them under no_grad, so they get no gradient; numbers right."""
    group = q.size(-3) // k.size(-3)
    with torch.no_grad():
        k = k.repeat_interleave(group, dim=-3)
        v = v.repeat_interleave(group, dim=-3)
    return attention(q, k, v)


def grouped_query__weights_left_in_groups(q, k, v):
    """Intended: groups the queries instead of repeating keys, and joins the groups again in the output but forgets it for the weights, which stay (..., G, H / G, T, S)."""
    groups = k.size(-3)
    q = q.unflatten(-3, (groups, -1))
    output, weights = attention(q, k.unsqueeze(-3), v.unsqueeze(-3))
    return output.flatten(-4, -3), weights


def grouped_query__all_read_head_zero(q, k, v):
    """Intended: all query heads read key and value head 0, as if there were one group only; right for G = 1."""
    return attention(q, k[..., :1, :, :], v[..., :1, :, :])


# talk


def talk__only_the_way_in(x, heads):
    """Intended: mends only the splitting; on the way back the reshape still mixes words and heads."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def talk__only_the_way_back(x, heads):
    """Intended: mends only the merging; the way in is still a mere reshape, so heads hold pieces of the text."""
    B, T, D = x.shape
    parts = x.reshape(B, heads, T, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.transpose(1, 2).reshape(B, T, D)


def talk__heads_meet_heads(x, heads):
    """Intended: cuts to (B, T, H, d_k) and forgets the swap, so the heads of one word attend to each other and words never meet."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def talk__interleaved_both_ways(x, heads):
    """Intended: gives each head every heads-th number and undoes it properly, so words meet but the heads hold the wrong numbers."""
    B, T, D = x.shape
    parts = x.reshape(B, T, D // heads, heads).permute(0, 3, 1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.permute(0, 2, 3, 1).reshape(B, T, D)


def talk__one_wide_head(x, heads):
    """Intended: drops the splitting, so the words meet, but in one wide head whatever `heads` says."""
    mixed, _ = attention(x, x, x)
    return mixed


def talk__causal(x, heads):
    """Intended: mends both places but adds a causal mask, so the first word still never hears from the last."""
    T = x.size(1)
    parts = split_heads(x, heads)
    mask = torch.ones(T, T, dtype=torch.bool).tril()
    mixed, _ = attention(parts, parts, parts, mask)
    return merge_heads(mixed)


def talk__interleaved_and_reshaped_back(x, heads):
    """Intended: two mistakes: heads get every heads-th number, and the way back is a mere reshape."""
    B, T, D = x.shape
    parts = x.reshape(B, T, D // heads, heads).permute(0, 3, 1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


# padded_heads


def padded_heads__queries_hidden(q, k, v, real):
    """Intended: puts the mask on the queries' axis: with S equal to T, rows of padding are emptied while padding is read; otherwise an error."""
    mask = real[:, None, :, None]
    return attention(q, k, v, mask)


def padded_heads__zeroed_keys_and_values(q, k, v, real):
    """Intended: sets keys and values of padding to 0 instead of masking, so padding still has a score of 0 and takes weight."""
    keep = real[:, None, :, None]
    return attention(q, k * keep, v * keep)


def padded_heads__masked_after_softmax(q, k, v, real):
    """Intended: sets the weights of padding to 0 after softmax, so rows do not sum to 1."""
    _, weights = attention(q, k, v)
    weights = weights.masked_fill(~real[:, None, None, :], 0.0)
    return weights @ v, weights


def padded_heads__only_the_picture(q, k, v, real):
    """Intended: returns masked weights, but an output that was made without the mask."""
    output, _ = attention(q, k, v)
    _, weights = attention(q, k, v, real[:, None, None, :])
    return output, weights


def padded_heads__shortest_for_all(q, k, v, real):
    """Intended: one mask for all sentences: only places that are words in every sentence are read, so longer sentences lose words."""
    mask = real.all(dim=0)
    return attention(q, k, v, mask)


def padded_heads__by_length(q, k, v, real):
    """Intended: only counts the words of a sentence and takes padding to stand at the end; wrong for padding in front or in between."""
    lengths = real.sum(dim=-1, keepdim=True)
    mask = torch.arange(k.size(-2)) < lengths
    return attention(q, k, v, mask[:, None, None, :])


def padded_heads__empty_sentence_opened(q, k, v, real):
    """Intended: opens a sentence that is all padding 'to prevent nan', so its padding is read; all others are right."""
    real = real | ~real.any(dim=-1, keepdim=True)
    return attention(q, k, v, real[:, None, None, :])


# probe


def probe__without_b(vectors, labels, new):
    """Intended: leaves out b, so the plane goes through the origin though the mean of the vectors is not 0."""
    wanted = 2.0 * labels.to(vectors.dtype) - 1
    w = torch.linalg.lstsq(vectors, wanted[:, None]).solution
    return ((new @ w)[:, 0] > 0).long()


def probe__zero_and_one_wanted(vectors, labels, new):
    """Intended: fits to the labels 0 and 1 instead of -1 and 1 but keeps the bound 0, so far too many get label 1."""
    x = torch.cat([vectors, vectors.new_ones(len(vectors), 1)], dim=1)
    wanted = labels.to(vectors.dtype)
    w = torch.linalg.lstsq(x, wanted[:, None]).solution
    asked = torch.cat([new, new.new_ones(len(new), 1)], dim=1)
    return ((asked @ w)[:, 0] > 0).long()


def probe__between_the_means(vectors, labels, new):
    """Intended: takes the line from the mean of one label to the mean of the other as direction, no least squares; loud other directions drown the label."""
    ones, zeros = vectors[labels == 1].mean(dim=0), vectors[labels == 0].mean(dim=0)
    w = ones - zeros
    return ((new - (ones + zeros) / 2) @ w > 0).long()


def probe__new_minus_its_own_mean(vectors, labels, new):
    """Intended: centres the new vectors by their own mean instead of that of the known ones; a single new vector becomes 0, one label alone is split."""
    wanted = 2.0 * labels.to(vectors.dtype) - 1
    centred = vectors - vectors.mean(dim=0)
    w = torch.linalg.lstsq(centred, wanted[:, None]).solution
    b = wanted.mean()
    return (((new - new.mean(dim=0)) @ w)[:, 0] + b > 0).long()


def probe__half_of_them(vectors, labels, new):
    """Intended: puts the bound at the median of the new vectors' values instead of 0, so about half get each label whatever they are."""
    x = torch.cat([vectors, vectors.new_ones(len(vectors), 1)], dim=1)
    wanted = 2.0 * labels.to(vectors.dtype) - 1
    w = torch.linalg.lstsq(x, wanted[:, None]).solution
    asked = torch.cat([new, new.new_ones(len(new), 1)], dim=1)
    said = (asked @ w)[:, 0]
    return (said > said.median()).long()


def probe__labels_overwritten(vectors, labels, new):
    """Intended: makes -1 of the 0 in the caller's labels themselves; the result is right, but the labels are changed."""
    labels[labels == 0] = -1
    x = torch.cat([vectors, vectors.new_ones(len(vectors), 1)], dim=1)
    w = torch.linalg.lstsq(x, labels.to(vectors.dtype)[:, None]).solution
    asked = torch.cat([new, new.new_ones(len(new), 1)], dim=1)
    return ((asked @ w)[:, 0] > 0).long()


def probe__five_steps_and_squeezed(vectors, labels, new):
    """Intended: two mistakes: walks downhill for only 5 steps, far from the least squares, and squeezes, so a single new vector gives a number without axis."""
    wanted = 2.0 * labels.to(vectors.dtype) - 1
    mean = vectors.mean(dim=0)
    x = vectors - mean
    b = wanted.mean()
    w = vectors.new_zeros(vectors.size(1), 1)
    for _ in range(5):
        w = w - x.T @ (x @ w + b - wanted[:, None]) / x.square().sum()
    return ((new - mean) @ w + b > 0).long().squeeze()


# which_head


def which_head__not_shifted(model, text, layers, heads):
    """Intended: compares the scores at a place with the word at that place instead of the next one."""
    losses = {}
    for layer in range(layers):
        for head in range(heads):
            scores = model(text, [(layer, head)])
            losses[layer, head] = F.cross_entropy(scores, text).item()
    return max(losses, key=losses.get)


def which_head__largest_change(model, text, layers, heads):
    """Intended: takes the head whose silence changes the loss most in either direction, so a head that does much harm wins."""
    whole = F.cross_entropy(model(text, [])[:-1], text[1:]).item()
    changes = {}
    for layer in range(layers):
        for head in range(heads):
            scores = model(text, [(layer, head)])
            loss = F.cross_entropy(scores[:-1], text[1:]).item()
            changes[layer, head] = abs(loss - whole)
    return max(changes, key=changes.get)


def which_head__silenced_one_after_another(model, text, layers, heads):
    """Intended: the list of silenced heads grows, so each head is judged with all earlier ones silenced too, and the loss itself is compared."""
    silenced, losses = [], {}
    for layer in range(layers):
        for head in range(heads):
            silenced.append((layer, head))
            scores = model(text, silenced)
            losses[layer, head] = F.cross_entropy(scores[:-1], text[1:]).item()
    return max(losses, key=losses.get)


def which_head__best_alone(model, text, layers, heads):
    """Intended: silences all others and takes the head with which alone the loss is lowest, not the one that is missed most among all."""
    every = [(layer, head) for layer in range(layers) for head in range(heads)]
    losses = {}
    for one in every:
        scores = model(text, [other for other in every if other != one])
        losses[one] = F.cross_entropy(scores[:-1], text[1:]).item()
    return min(losses, key=losses.get)


def which_head__single_word(model, text, layers, heads):
    """Intended: takes the head whose silence raises the loss of any single word most, instead of the mean over the text."""
    whole = F.cross_entropy(model(text, [])[:-1], text[1:], reduction="none")
    rises = {}
    for layer in range(layers):
        for head in range(heads):
            scores = model(text, [(layer, head)])
            loss = F.cross_entropy(scores[:-1], text[1:], reduction="none")
            rises[layer, head] = (loss - whole).max().item()
    return max(rises, key=rises.get)


def which_head__softmax_twice(model, text, layers, heads):
    """Intended: turns the scores into probabilities before cross_entropy, which does so again; losses are flattened and another head may win."""
    losses = {}
    for layer in range(layers):
        for head in range(heads):
            shares = model(text, [(layer, head)]).softmax(dim=-1)
            losses[layer, head] = F.cross_entropy(shares[:-1], text[1:]).item()
    return max(losses, key=losses.get)


def which_head__shifted_back_without_last_head(model, text, layers, heads):
    """Intended: two mistakes: compares the scores with the word before instead of after, and never tries the last head of a layer (range(heads - 1) unless there is one head)."""
    losses = {}
    for layer in range(layers):
        for head in range(max(heads - 1, 1)):
            scores = model(text, [(layer, head)])
            losses[layer, head] = F.cross_entropy(scores[1:], text[:-1]).item()
    return max(losses, key=losses.get)
