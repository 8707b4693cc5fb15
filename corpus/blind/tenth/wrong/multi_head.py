import math

import torch
import torch.nn.functional as F

from transformer_lab import check


# ---------------------------------------------------------------- split_heads


def split_heads__split_for_chunk(x, heads):
    """x.split(heads) cuts pieces that are `heads` wide, where `heads` pieces are wanted, which is the same only if d_k is the number of heads."""
    return torch.stack(x.split(heads, dim=-1), dim=-3)


def split_heads__very_front(x, heads):
    """The axis of the heads is put before everything, also before the batch."""
    return torch.stack(x.chunk(heads, dim=-1))


def split_heads__overlapping(x, heads):
    """Head h begins at number h and not at h times d_k, so the heads overlap."""
    d_k = x.size(-1) // heads
    pieces = [x[..., h : h + d_k] for h in range(heads)]
    return torch.stack(pieces, dim=-3)


def split_heads__transposed_first(x, heads):
    """Words and numbers change places before the reshape, so each head has the right numbers but not with the right words."""
    *front, T, D = x.shape
    turned = x.transpose(-2, -1)
    return turned.reshape(*front, heads, T, D // heads)


# ---------------------------------------------------------------- merge_heads


def merge_heads__first_axis(x):
    """What is laid end to end are the entries of the first axis, which are the heads only if there is no batch."""
    return torch.cat(list(x), dim=-1)


def merge_heads__two_heads(x):
    """Exactly two heads are joined, as in the example, and any others are dropped."""
    return torch.cat([x[..., 0, :, :], x[..., 1, :, :]], dim=-1)


def merge_heads__flatten_from_two(x):
    """The axes that are joined are counted from the front, which is right only with exactly one axis of batch."""
    return x.transpose(-3, -2).flatten(2)


def merge_heads__scrambled(x):
    """The heads' tables are transposed and laid below each other, and a reshape takes the place of the transpose back."""
    *front, H, T, d_k = x.shape
    columns = x.transpose(-2, -1).reshape(*front, H * d_k, T)
    return columns.reshape(*front, T, H * d_k)


# ---------------------------------------------------------- packed_projection


def packed_projection__width_of_x(x, W):
    """The product is cut at the width of x and twice that, which is a third of it only if D is H times d_k."""
    D = x.size(-1)
    y = x @ W
    return y[..., :D], y[..., D : 2 * D], y[..., 2 * D :]


def packed_projection__every_third(x, W):
    """Every third column goes to the queries, as if the three matrices were interleaved and not side by side."""
    y = torch.matmul(x, W)
    return y[..., 0::3], y[..., 1::3], y[..., 2::3]


def packed_projection__reshape(x, W):
    """A reshape to three in front cuts along the words or sentences, and not along the last axis."""
    y = x @ W
    q, k, v = y.reshape(3, *y.shape[:-1], y.size(-1) // 3)
    return q, k, v


def packed_projection__keys_twice(x, W):
    """The slice of the keys was copied for the values and not changed, so the values are the keys."""
    n = W.size(1) // 3
    q = x @ W[:, :n]
    k = x @ W[:, n : 2 * n]
    v = x @ W[:, n : 2 * n]
    return q, k, v


# ----------------------------------------------------------------- multi_head


def multi_head__heads_before_thirds(x, W, W_o, heads, mask=None):
    """The packed product is cut into heads first and each head into three, so queries, keys and values come from the wrong columns."""
    packed = split_heads(x @ W, heads)
    q, k, v = packed.chunk(3, dim=-1)
    if mask is not None:
        mask = mask.unsqueeze(-3)
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


def multi_head__guesses_by_size(x, W, W_o, heads, mask=None):
    """Whether a mask is one for each sentence is guessed from its first size, so a (T, T) mask is misread if there are T sentences."""
    q, k, v = (split_heads(p, heads) for p in packed_projection(x, W))
    if mask is not None:
        if mask.size(0) == x.size(0):
            mask = mask.unsqueeze(1)
        else:
            mask = mask.unsqueeze(-3)
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


def multi_head__causal_by_default(x, W, W_o, heads, mask=None):
    """Without a mask the future is hidden, where everything should be seen."""
    T = x.size(-2)
    if mask is None:
        mask = torch.ones(T, T, dtype=torch.bool).tril()
    q, k, v = [split_heads(part, heads) for part in packed_projection(x, W)]
    mixed, weights = attention(q, k, v, mask.unsqueeze(-3))
    return merge_heads(mixed) @ W_o, weights


def multi_head__mean_weights(x, W, W_o, heads, mask=None):
    """The weights are averaged over the heads, where those of every head are asked for."""
    q, k, v = packed_projection(x, W)
    q, k, v = split_heads(q, heads), split_heads(k, heads), split_heads(v, heads)
    if mask is not None:
        mask = mask[..., None, :, :]
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights.mean(dim=-3)


# -------------------------------------------------------------- grouped_query


def grouped_query__divided_by_groups(q, k, v):
    """The number of a query head is divided by the number of key heads and not by the size of a group, which is the same for four heads and two."""
    H, G = q.size(-3), k.size(-3)
    whose = torch.arange(H) // G
    k = k.index_select(-3, whose)
    v = v.index_select(-3, whose)
    return attention(q, k, v)


def grouped_query__values_tiled(q, k, v):
    """The keys are lent to neighbours but the values in turn, 0 1 0 1, so a head reads another head's values."""
    group = q.size(-3) // k.size(-3)
    k = torch.repeat_interleave(k, group, dim=-3)
    v = torch.cat([v] * group, dim=-3)
    return attention(q, k, v)


def grouped_query__stacked(q, k, v):
    """Keys and values are stacked into one tensor, which needs them to be of the same width."""
    group = q.size(-3) // k.size(-3)
    both = torch.stack([k, v]).repeat_interleave(group, dim=-3)
    return attention(q, both[0], both[1])


def grouped_query__no_grad(q, k, v):
    """Keys and values are lent under no_grad, so no gradient reaches them."""
    H, G = q.shape[-3], k.shape[-3]
    index = [h * G // H for h in range(H)]
    with torch.no_grad():
        k = k[..., index, :, :]
        v = v[..., index, :, :]
    return attention(q, k, v)


# ----------------------------------------------------------------------- talk


def talk__strided(x, heads):
    """A word's numbers are dealt out to the heads in turn, like cards, and not cut into pieces that stand together."""
    B, T, D = x.shape
    parts = x.reshape(B, T, D // heads, heads).permute(0, 3, 1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.permute(0, 2, 3, 1).reshape(B, T, D)


def talk__heads_talk(x, heads):
    """The transposes are missing, so that within each word the heads attend to each other and no word meets another."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def talk__whole_batch(x, heads):
    """Sentences and words are made one axis, so the words of all sentences of the batch attend to each other."""
    B, T, D = x.shape
    parts = x.reshape(B * T, heads, D // heads).transpose(0, 1)
    mixed, _ = attention(parts, parts, parts)
    return mixed.transpose(0, 1).reshape(B, T, D)


def talk__interleaved_back(x, heads):
    """On the way back the heads' numbers are interleaved and not laid end to end."""
    B, T, D = x.shape
    parts = torch.stack(x.split(D // heads, dim=2), dim=1)
    mixed, _ = attention(parts, parts, parts)
    return torch.stack(mixed.unbind(1), dim=-1).reshape(B, T, D)


# --------------------------------------------------------------- padded_heads


def padded_heads__repeated_in_turn(q, k, v, real):
    """The masks are repeated for the heads in the order 0 1 0 1 and then read as 0 0 1 1, so heads get another sentence's padding."""
    B, H = q.shape[:2]
    mask = real.repeat(H, 1).reshape(B, H, 1, -1)
    return attention(q, k, v, mask)


def padded_heads__zero_values(q, k, v, real):
    """The values of padding are set to 0, but padding still takes its share of the weights."""
    v = v.masked_fill(~real[:, None, :, None], 0.0)
    return attention(q, k, v)


def padded_heads__real_everywhere(q, k, v, real):
    """A word is seen only if no sentence of the batch has padding at its place."""
    return attention(q, k, v, real.all(dim=0))


def padded_heads__queries_too(q, k, v, real):
    """The padding is hidden as query too, which fails if queries and keys differ in number, and gives 0 to queries at padded places."""
    mask = real[:, None, :, None] & real[:, None, None, :]
    return attention(q, k, v, mask)


# ---------------------------------------------------------------------- probe


def probe__own_mean(vectors, labels, new):
    """The new vectors are centred by their own mean and not by that of the known ones, so a single one becomes 0."""
    x = vectors - vectors.mean(dim=0)
    wanted = labels * 2.0 - 1.0
    b = wanted.mean()
    w = torch.linalg.lstsq(x, (wanted - b)[:, None]).solution[:, 0]
    return ((new - new.mean(dim=0)) @ w + b > 0).long()


def probe__bound_of_half(vectors, labels, new):
    """The answers are fitted to -1 and 1 but compared with 0.5, as if they were 0 and 1."""
    ones = torch.ones(len(vectors), 1)
    wanted = torch.where(labels == 1, 1.0, -1.0)
    w = torch.linalg.lstsq(torch.cat([vectors, ones], dim=1), wanted[:, None])
    w = w.solution.squeeze(-1)
    return (new @ w[:-1] + w[-1] > 0.5).long()


def probe__few_steps(vectors, labels, new):
    """Only ten steps downhill are taken, after which the direction of a faint label is not yet found."""
    middle = vectors.mean(dim=0)
    x = vectors - middle
    wanted = 2.0 * labels - 1
    b = wanted.mean()
    w = torch.zeros(x.size(1))
    for _ in range(10):
        w = w - x.T @ (x @ w + b - wanted) / x.square().sum()
    return ((new - middle) @ w + b > 0).long()


def probe__balanced(vectors, labels, new):
    """The errors on the rarer label are weighted more, so that both labels count the same, and it is not the smallest sum of squared errors."""
    wanted = 2.0 * labels - 1
    share = labels.float().mean()
    weight = torch.where(labels == 1, 0.5 / share, 0.5 / (1 - share)).sqrt()
    x = torch.cat([vectors, torch.ones(len(vectors), 1)], dim=1)
    w = torch.linalg.lstsq(x * weight[:, None], (wanted * weight)[:, None]).solution
    new = torch.cat([new, torch.ones(len(new), 1)], dim=1)
    return (new @ w > 0).long().flatten()


# ----------------------------------------------------------------- which_head


def which_head__piles_up(model, text, layers, heads):
    """Heads that have been tried stay silenced, so each is tried without those before it."""
    silenced, losses = [], {}
    for layer in range(layers):
        for head in range(heads):
            silenced.append((layer, head))
            scores = model(text, silenced)
            losses[layer, head] = F.cross_entropy(scores[:-1], text[1:]).item()
    return max(losses, key=losses.get)


def which_head__divides_by_layers(model, text, layers, heads):
    """The number of the best head is taken apart by the number of layers and not by that of heads per layer, which is right only if both are the same."""
    losses = torch.zeros(layers * heads)
    for layer in range(layers):
        for head in range(heads):
            scores = model(text, [(layer, head)])[:-1]
            losses[layer * heads + head] = F.cross_entropy(scores, text[1:])
    best = int(losses.argmax())
    return best // layers, best % layers


def which_head__softmax_twice(model, text, layers, heads):
    """Probabilities are given to F.cross_entropy, which takes a softmax of them once more."""
    best, most = None, -math.inf
    for layer in range(layers):
        for head in range(heads):
            chances = model(text, [(layer, head)]).softmax(dim=-1)
            loss = F.cross_entropy(chances[:-1], text[1:])
            if loss > most:
                best, most = (layer, head), loss
    return best


def which_head__absolute_change(model, text, layers, heads):
    """The head that changes the loss most is taken, up or down, so a head that does harm can win."""

    def loss(silenced):
        return F.cross_entropy(model(text, silenced)[:-1], text[1:]).item()

    whole = loss([])
    pairs = [(a, b) for a in range(layers) for b in range(heads)]
    return max(pairs, key=lambda pair: abs(loss([pair]) - whole))
