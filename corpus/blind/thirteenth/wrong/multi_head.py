import math

import torch
import torch.nn.functional as F


# One reshape to the final shape, no transpose: the shape is right, but no number has
# moved, so heads get whole words. The line with reshape.
def split_heads__reshape_only(x, heads):
    *front, T, D = x.shape
    return x.reshape(*front, heads, T, D // heads)


# Cuts the last axis into d_k groups of `heads` numbers: head h gets the numbers h,
# h + H, h + 2H ..., not neighbours. unflatten should have (heads, -1).
def split_heads__every_other_number(x, heads):
    parts = x.unflatten(-1, (-1, heads))
    return parts.movedim(-1, -3)


# Swaps axes 1 and 2, counted from the front: right for (B, T, D) alone, wrong without
# a batch or with more axes in front. transpose(1, 2) should be (-3, -2).
def split_heads__axes_one_and_two(x, heads):
    x = x.view(*x.shape[:-1], heads, x.shape[-1] // heads)
    return x.transpose(1, 2)


# view after transpose: the numbers do not lie in order in memory, so it raises an
# error. Last line, view for reshape.
def merge_heads__view_after_transpose(x):
    *front, H, T, d_k = x.shape
    x = x.transpose(-3, -2)
    return x.view(*front, T, H * d_k)


# Puts the heads' axis last, behind d_k: the heads' numbers alternate instead of
# standing end to end. movedim(-3, -1) should be (-3, -2).
def merge_heads__heads_alternate(x):
    return x.movedim(-3, -1).flatten(-2)


# Takes axis 1 for the heads: right for (B, H, T, d_k), but without a batch axis 1 is
# the words, with more axes something else. x[:, h] should be x[..., h, :, :].
def merge_heads__heads_at_axis_one(x):
    answers = [x[:, h] for h in range(x.size(1))]
    return torch.cat(answers, dim=-1)


# split(3) makes pieces of width 3, not three pieces: chunk was meant. Line split.
def packed_projection__split_of_width_three(x, W):
    y = x @ W
    q, k, v = y.split(3, dim=-1)
    return q, k, v


# Takes every third column for the queries, as if the columns alternated q, k, v;
# they lie side by side in three blocks.
def packed_projection__every_third_column(x, W):
    y = torch.matmul(x, W)
    return y[..., 0::3], y[..., 1::3], y[..., 2::3]


# Cuts at the width of the words D, not at a third of W's columns: wrong where
# H * d_k is not D. Line D = x.size(-1).
def packed_projection__cut_at_word_width(x, W):
    D = x.size(-1)
    y = x @ W
    return y[..., :D], y[..., D : 2 * D], y[..., 2 * D :]


# unsqueeze(1) is right for masks (B, T, T), but a mask (T, T) becomes (T, 1, T), whose
# rows meet the heads. Should be unsqueeze(-3).
def multi_head__mask_axis_from_front(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(1)
    output, weights = attention(q, k, v, mask)
    return merge_heads(output) @ W_o, weights


# Scales twice: attention already divides by the root of d_k. Line q = q / ...
def multi_head__scaled_twice(x, W, W_o, heads, mask=None):
    q, k, v = packed_projection(x, W)
    q, k, v = split_heads(q, heads), split_heads(k, heads), split_heads(v, heads)
    q = q / math.sqrt(q.size(-1))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


# Multiplies by the transposed W_o, as nn.Linear does with its weight. F.linear in
# the return line should be `@ W_o`.
def multi_head__output_matrix_transposed(x, W, W_o, heads, mask=None):
    q, k, v = packed_projection(x, W)
    if mask is not None:
        mask = mask.unsqueeze(-3)
    mixed, weights = attention(
        split_heads(q, heads), split_heads(k, heads), split_heads(v, heads), mask
    )
    return F.linear(merge_heads(mixed), W_o), weights


# Splits the packed product into heads first, and cuts q, k, v from each head's part
# then: W's columns are q of all heads, then k, then v, so the numbers are mixed up.
def multi_head__heads_before_thirds(x, W, W_o, heads, mask=None):
    q, k, v = split_heads(x @ W, heads).chunk(3, dim=-1)
    if mask is not None:
        mask = mask.unsqueeze(-3)
    output, weights = attention(q, k, v, mask)
    return merge_heads(output) @ W_o, weights


# The new axis stands before the G heads, so the heads come 0 1 0 1 0 1, not
# 0 0 0 1 1 1 (as repeat does). unsqueeze(-4) should be unsqueeze(-3).
def grouped_query__heads_in_turn(q, k, v):
    H, G = q.size(-3), k.size(-3)
    group = H // G

    def lend(t):
        *front, _, S, d = t.shape
        return t.unsqueeze(-4).expand(*front, group, G, S, d).reshape(*front, H, S, d)

    return attention(q, lend(k), lend(v))


# Repeats each head G times instead of H / G times: right only where H = G * G (or
# G = 1 broadcasts). Line group = k.size(-3).
def grouped_query__repeats_g_times(q, k, v):
    group = k.size(-3)
    k = k.repeat_interleave(group, dim=-3)
    v = v.repeat_interleave(group, dim=-3)
    return attention(q, k, v)


# Takes axis 1 for the heads: right for one batch axis in front, wrong for none or two.
# dim=1 should be dim=-3, and the sizes too.
def grouped_query__heads_at_axis_one(q, k, v):
    times = q.shape[1] // k.shape[1]
    keys = torch.repeat_interleave(k, times, dim=1)
    values = torch.repeat_interleave(v, times, dim=1)
    return attention(q, keys, values)


# Only the way in is corrected: on the way back the heads are not moved behind the
# words before reshape. Last line.
def talk__way_back_forgotten(x, heads):
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


# Cuts the last axis, but does not move the heads before the words: attention runs
# among the heads of one word, and no word hears from another. Missing transpose.
def talk__heads_of_one_word(x, heads):
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


# Transposes first and then reshapes (B, D, T) to (B, H, T, d_k): the head gets its own
# numbers, but mixed up between words. Line parts (and the way back accordingly).
def talk__transposed_before_cut(x, heads):
    B, T, D = x.shape
    parts = x.transpose(1, 2).reshape(B, heads, T, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, D, T).transpose(1, 2)


# The two axes of length 1 stand around S, (B, 1, S, 1): hides the queries, not the keys,
# and fails when T is not S. Should be real[:, None, None, :].
def padded_heads__padding_on_queries(q, k, v, real):
    mask = real[:, None, :, None]
    return attention(q, k, v, mask)


# Sets the keys and values of padding to 0 instead of masking: a score of 0 still has
# the exponential 1, so padding keeps weight.
def padded_heads__zero_keys(q, k, v, real):
    keep = real[:, None, :, None].to(k.dtype)
    return attention(q, k * keep, v * keep)


# repeat copies the sentences in turn (0 1 2 0 1 2), so after view the heads of a
# sentence have other sentences' masks. Should be repeat_interleave(H, dim=0).
def padded_heads__sentences_in_turn(q, k, v, real):
    B, H = q.shape[:2]
    mask = real.repeat(H, 1).view(B, H, 1, -1)
    return attention(q, k, v, mask)


# Takes the largest change of the loss in either direction (abs): a head that does much
# harm is chosen. The line with abs.
def which_head__change_either_way(model, text, layers, heads):
    def loss(silenced):
        return F.cross_entropy(model(text, silenced)[:-1], text[1:]).item()

    whole = loss([])
    best, answer = -1.0, None
    for layer in range(layers):
        for head in range(heads):
            change = abs(loss([(layer, head)]) - whole)
            if change > best:
                best, answer = change, (layer, head)
    return answer


# The place in the flat list is taken apart by the number of layers, not of heads: the
# pair is wrong unless there are as many layers as heads. divmod(..., layers).
def which_head__divided_by_layers(model, text, layers, heads):
    losses = []
    for i in range(layers):
        for j in range(heads):
            logits = model(text, [(i, j)])
            losses.append(F.cross_entropy(logits[:-1], text[1:]))
    best = int(torch.stack(losses).argmax())
    return divmod(best, layers)


# The list of silenced heads grows: each head is silenced along with all those before
# it. append in the loop, the list is never emptied.
def which_head__silenced_list_grows(model, text, layers, heads):
    silenced = []
    worst, needed = -math.inf, (0, 0)
    for layer in range(layers):
        for number in range(heads):
            silenced.append((layer, number))
            scores = model(text, silenced)
            loss = F.cross_entropy(scores[:-1], text[1:]).item()
            if loss > worst:
                worst, needed = loss, (layer, number)
    return needed


# Two mistakes: the scores are compared with the words at the same place, not the next
# (no shift), and the head with the lowest loss is taken (min for max).
def which_head__same_word_lowest(model, text, layers, heads):
    losses = {}
    for layer in range(layers):
        for head in range(heads):
            scores = model(text, [(layer, head)])
            losses[(layer, head)] = F.cross_entropy(scores, text).item()
    return min(losses, key=losses.get)


import math

import torch
import torch.nn.functional as F


# split(heads) makes pieces *of* `heads` numbers, not `heads` pieces: right only
# if d_k equals heads, as in the example with 4 numbers and 2 heads.
def split_heads__pieces_of_heads(x, heads):
    return torch.stack(x.split(heads, dim=-1), dim=-3)


# For one head it returns x as it is, without the axis of length 1 for the head.
def split_heads__one_head_unchanged(x, heads):
    if heads == 1:
        return x
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


# transpose(1, 2) counts from the front: right for (B, T, D), wrong for (T, D)
# and for more axes in front.
def split_heads__axes_one_and_two_too(x, heads):
    d_k = x.size(-1) // heads
    return x.reshape(*x.shape[:-1], heads, d_k).transpose(1, 2)


# The result is copied into torch.zeros without a dtype: float32 always.
def split_heads__into_float32(x, heads):
    T, D = x.shape[-2:]
    d_k = D // heads
    parts = torch.zeros(*x.shape[:-2], heads, T, d_k)
    for h in range(heads):
        parts[..., h, :, :] = x[..., h * d_k:(h + 1) * d_k]
    return parts


# squeeze() of each head drops every axis of length 1: a batch of one, a single
# word, or d_k = 1 comes out wrong or raises an error.
def merge_heads__squeezes_all(x):
    answers = [part.squeeze() for part in x.split(1, dim=-3)]
    return torch.cat(answers, dim=-1)


# transpose_ with the underscore swaps the axes of the caller's own tensor.
def merge_heads__swaps_callers_axes(x):
    x.transpose_(-3, -2)
    return x.flatten(-2)


# Axes counted from the front, for exactly (B, H, T, d_k): for (H, T, d_k) or
# five axes the result is wrong or an error.
def merge_heads__four_axes_only(x):
    return torch.cat(x.unbind(dim=1), dim=2)


# Cuts the product by D, the width of x, not into thirds: right only if
# H * d_k equals D. Otherwise there are too many or too few pieces, or wrong ones.
def packed_projection__cuts_by_word_width(x, W):
    y = x @ W
    D = x.size(-1)
    return y[..., :D], y[..., D:2 * D], y[..., 2 * D:]


# x.view(-1, D) raises an error for an x whose axes were transposed (numbers not
# in order in memory).
def packed_projection__views_rows(x, W):
    rows = x.view(-1, x.size(-1)) @ W
    y = rows.view(*x.shape[:-1], W.size(-1))
    q, k, v = y.chunk(3, dim=-1)
    return q, k, v


# chunk(3, dim=2) counts from the front: right for (B, T, D), an error for
# (T, D), and with more axes in front it cuts the words.
def packed_projection__third_axis(x, W):
    return tuple(torch.matmul(x, W).chunk(3, dim=2))


# Tells a mask of sentences by its first length: a mask (T, T) with B = T is
# taken for one mask a sentence and gets its axis in the wrong place. (An x
# without a batch, too.)
def multi_head__mask_by_first_length(x, W, W_o, heads, mask=None):
    q, k, v = [split_heads(t, heads) for t in packed_projection(x, W)]
    if mask is not None and mask.size(0) == x.size(0):
        mask = mask[:, None]
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


# Batch and heads are laid together, sentence by sentence, but the masks are
# repeated as a whole (repeat, not repeat_interleave): with two or more
# sentences of different masks, heads obey the mask of another sentence.
def multi_head__repeats_masks(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(t, heads) for t in packed_projection(x, W))
    front = q.shape[:-2]
    q, k, v = q.flatten(0, -3), k.flatten(0, -3), v.flatten(0, -3)
    if mask is not None and mask.dim() == 3:
        mask = mask.repeat(heads, 1, 1)
    mixed, weights = attention(q, k, v, mask)
    mixed = mixed.reshape(*front, *mixed.shape[-2:])
    weights = weights.reshape(*front, *weights.shape[-2:])
    return merge_heads(mixed) @ W_o, weights


# unsqueeze_ changes the caller's mask: it has one axis more after the call, and
# a second call with the same (B, T, T) mask goes wrong.
def multi_head__unsqueezes_callers_mask(x, W, W_o, heads, mask=None):
    q, k, v = packed_projection(x, W)
    if mask is not None:
        mask.unsqueeze_(-3)
    mixed, weights = attention(
        split_heads(q, heads), split_heads(k, heads), split_heads(v, heads), mask
    )
    return merge_heads(mixed) @ W_o, weights


# Attention written out with -inf: a word that may attend to nothing has weights
# and output of nan, where the given attention gives 0.
def multi_head__nan_for_empty_rows(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(t, heads) for t in packed_projection(x, W))
    s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(~mask.unsqueeze(-3), -math.inf)
    weights = F.softmax(s, dim=-1)
    return merge_heads(weights @ v) @ W_o, weights


# Head by head; the weights are stacked at dim=1, which is the heads' axis only
# with exactly one axis in front: (T, D) gives (T, heads, T).
def multi_head__stacks_at_one(x, W, W_o, heads, mask=None):
    q, k, v = (t.chunk(heads, dim=-1) for t in packed_projection(x, W))
    outputs, tables = [], []
    for h in range(heads):
        out, w = attention(q[h], k[h], v[h], mask)
        outputs.append(out)
        tables.append(w)
    return torch.cat(outputs, dim=-1) @ W_o, torch.stack(tables, dim=1)


# dim=1 counts from the front: right for (B, H, T, d_k), wrong without a batch
# or with more axes in front.
def grouped_query__dim_one(q, k, v):
    group = q.size(1) // k.size(1)
    k = torch.repeat_interleave(k, group, dim=1)
    v = torch.repeat_interleave(v, group, dim=1)
    return attention(q, k, v)


# The values are expanded to the width of the keys: an error if d_v differs from
# d_k (and if d_v is 1, the values are silently made d_k wide).
def grouped_query__values_as_wide_as_keys(q, k, v):
    H, (G, S, d) = q.size(-3), k.shape[-3:]
    front = k.shape[:-3]

    def lend(t):
        t = t.unsqueeze(-3).expand(*front, G, H // G, S, d)
        return t.reshape(*front, H, S, d)

    return attention(q, lend(k), lend(v))


# Keys and values are copied under no_grad: they get no gradient (q does).
def grouped_query__copies_without_gradient(q, k, v):
    group = q.size(-3) // k.size(-3)
    with torch.no_grad():
        keys = k.repeat_interleave(group, dim=-3)
        values = v.repeat_interleave(group, dim=-3)
    return attention(q, keys, values)


# Two mistakes: all axes are counted from the front, for exactly one axis before
# the heads; and keys and values are reshaped with T, the number of queries, for
# S: an error where S is not T.
def grouped_query__T_for_S_from_front(q, k, v):
    B, H, T, d_k = q.shape
    G = k.size(1)
    q = q.reshape(B, G, H // G, T, d_k)
    k = k.reshape(B, G, 1, T, d_k)
    v = v.reshape(B, G, 1, T, -1)
    output, weights = attention(q, k, v)
    return output.flatten(1, 2), weights.flatten(1, 2)


# The answers are gathered in torch.empty without a dtype: float32 for every
# other precision.
def talk__empty_float32(x, heads):
    B, T, D = x.shape
    d = D // heads
    out = torch.empty(B, T, D)
    for h in range(heads):
        part = x[:, :, h * d:(h + 1) * d]
        out[:, :, h * d:(h + 1) * d] = attention(part, part, part)[0]
    return out


# Each head's answer is written back into the caller's x.
def talk__writes_into_x(x, heads):
    d = x.size(-1) // heads
    for start in range(0, x.size(-1), d):
        part = x[..., start:start + d]
        mixed, _ = attention(part, part, part)
        x[..., start:start + d] = mixed
    return x


# split(heads) cuts into pieces of `heads` numbers, not into `heads` pieces:
# right for 4 numbers and 2 heads, wrong where D is not heads * heads.
def talk__pieces_of_heads(x, heads):
    answers = []
    for part in x.split(heads, dim=2):
        mixed, _ = attention(part, part, part)
        answers.append(mixed)
    return torch.cat(answers, dim=2)


# The padding is hidden as query, too: for T = S the rows of padded words become
# 0, and for T other than S it is an error. Only the keys are padding.
def padded_heads__hides_queries_too(q, k, v, real):
    mask = real[:, None, :, None] & real[:, None, None, :]
    return attention(q, k, v, mask)


# Counts the real words and cuts the keys behind them: wrong if the padding
# stands in front or in between.
def padded_heads__cuts_by_count(q, k, v, real):
    outputs, tables = [], []
    for b in range(q.size(0)):
        n = int(real[b].sum())
        out, w = attention(q[b], k[b, :, :n], v[b, :, :n])
        outputs.append(out)
        tables.append(F.pad(w, (0, k.size(-2) - n)))
    return torch.stack(outputs), torch.stack(tables)


# Output and weights are gathered in torch.zeros without a dtype: float32 for
# every other precision (or an error in `weights[b][:, :, words] = w`).
def padded_heads__zeros_float32(q, k, v, real):
    B, H, T, _ = q.shape
    output = torch.zeros(B, H, T, v.size(-1))
    weights = torch.zeros(B, H, T, k.size(-2))
    for b in range(B):
        words = real[b]
        out, w = attention(q[b], k[b][:, words], v[b][:, words])
        output[b] = out
        weights[b][:, :, words] = w
    return output, weights


# Starts from a rise of 0 and (0, 0): if silencing any head lowers the loss,
# head (0, 0) is returned and not the one whose loss is the highest.
def which_head__rise_must_be_positive(model, text, layers, heads):
    whole = F.cross_entropy(model(text, [])[:-1], text[1:]).item()
    best, most = (0, 0), 0.0
    for layer in range(layers):
        for head in range(heads):
            logits = model(text, [(layer, head)])
            rise = F.cross_entropy(logits[:-1], text[1:]).item() - whole
            if rise > most:
                best, most = (layer, head), rise
    return best


# abs(): a head that does much harm, so that the loss falls a lot without it,
# counts as needed.
def which_head__absolute_change(model, text, layers, heads):
    whole = F.cross_entropy(model(text, [])[:-1], text[1:])
    change = {}
    for layer in range(layers):
        for head in range(heads):
            loss = F.cross_entropy(model(text, [(layer, head)])[:-1], text[1:])
            change[layer, head] = abs((loss - whole).item())
    return max(change, key=change.get)


# divmod by the number of layers, not of heads: right only if the two are equal.
def which_head__divided_by_layers_too(model, text, layers, heads):
    losses = torch.tensor([
        F.cross_entropy(model(text, [(l, h)])[:-1], text[1:]).item()
        for l in range(layers)
        for h in range(heads)
    ])
    return divmod(int(losses.argmax()), layers)


# Returns tensors of one number, not plain numbers (no int() or .item()).
def which_head__tensor_pair(model, text, layers, heads):
    losses = torch.zeros(layers, heads)
    for l in range(layers):
        for h in range(heads):
            losses[l, h] = F.cross_entropy(model(text, [(l, h)])[:-1], text[1:])
    place = losses.argmax()
    return place // heads, place % heads


# Counts the words that are guessed right, not the cross-entropy: a head whose
# loss makes all guesses less sure without changing the best one is overlooked.
def which_head__counts_hits(model, text, layers, heads):
    fewest, found = len(text) + 1, None
    for layer in range(layers):
        for head in range(heads):
            guess = model(text, [(layer, head)])[:-1].argmax(dim=-1)
            hits = int((guess == text[1:]).sum())
            if hits < fewest:
                fewest, found = hits, (layer, head)
    return found
