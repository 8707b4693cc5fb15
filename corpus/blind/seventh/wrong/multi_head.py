"""Wrong answers to the exercise on several heads, seventh set, written from its text alone."""

import torch
import torch.nn.functional as F


def split_heads__dealt_out(x, heads):
    """Deals the numbers out in turns, as one deals cards, not in blocks of d_k."""
    x = x.unflatten(-1, (-1, heads))  # (..., T, d_k, H)
    return x.movedim(-1, -3)


def split_heads__axes_from_front(x, heads):
    """Lets axes 1 and 2 change places, which is right with one batch axis only."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads__shuffled(x):
    """Brings the heads behind the features, so their numbers take turns."""
    return x.movedim(-3, -1).flatten(-2)


def merge_heads__first_axis(x):
    """Lays the parts of the first axis end to end: with a batch, those are the sentences."""
    return torch.cat(x.unbind(0), dim=-1)


def packed_projection__every_third(x, W):
    """Takes every third column, not thirds that lie side by side."""
    q, k, v = (x @ W).unflatten(-1, (-1, 3)).unbind(-1)
    return q, k, v


def packed_projection__width_of_x(x, W):
    """Cuts at the width of x, which need not be that of the queries."""
    D = x.size(-1)
    packed = x @ W
    return packed[..., :D], packed[..., D : 2 * D], packed[..., 2 * D :]


def multi_head__heads_before_thirds(x, W, W_o, heads, mask=None):
    """Splits the packed product between the heads first, then cuts each head into thirds."""
    q, k, v = split_heads(x @ W, heads).chunk(3, dim=-1)
    if mask is not None:
        mask = mask.unsqueeze(-3)
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


def multi_head__mask_axis_and_mean(x, W, W_o, heads, mask=None):
    """Puts the mask's new axis at place 1 and returns the mean of all heads' weights."""
    q, k, v = [split_heads(part, heads) for part in packed_projection(x, W)]
    if mask is not None:
        mask = mask.unsqueeze(1)
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights.mean(dim=-3)


def grouped_query__axis_one(q, k, v):
    """Repeats along axis 1, which holds the heads only if there is one batch axis."""
    group = q.size(-3) // k.size(-3)
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    return attention(q, k, v)


def grouped_query__values_tiled(q, k, v):
    """Repeats the keys head by head, but the values as a whole."""
    group = q.size(-3) // k.size(-3)
    k = k.repeat_interleave(group, dim=-3)
    v = torch.cat([v] * group, dim=-3)
    return attention(q, k, v)


def talk__way_back(x, heads):
    """Mends the way in, but not the way back."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def talk__heads_talk(x, heads):
    """Leaves the words in front, so the heads of one word attend to each other."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def padded_heads__tiled(q, k, v, real):
    """Repeats the whole batch for each head, so sentences get the masks of others."""
    B, H = q.shape[:2]
    mask = real.repeat(H, 1).view(B, H, 1, -1)
    return attention(q, k, v, mask)


def padded_heads__inverted(q, k, v, real):
    """Takes True in a mask for hidden, so only padding is read."""
    mask = ~real[:, None, None, :]
    return attention(q, k, v, mask)


def probe__nearest_mean(vectors, labels, new):
    """Gives each vector the label whose mean is nearer, which is not least squares."""
    zero = vectors[labels == 0].mean(dim=0)
    one = vectors[labels == 1].mean(dim=0)
    return ((new - one).norm(dim=-1) < (new - zero).norm(dim=-1)).long()


def probe__centred_by_new(vectors, labels, new):
    """Subtracts from the new vectors their own mean, which is all of a single one."""
    x = vectors - vectors.mean(dim=0)
    wanted = 2.0 * labels - 1
    w = torch.zeros(x.size(1))
    for _ in range(400):
        miss = x @ w + wanted.mean() - wanted
        w = w - x.T @ miss / x.square().sum()
    return ((new - new.mean(dim=0)) @ w + wanted.mean() > 0).long()


def which_head__alone(model, text, layers, heads):
    """Silences all heads but one, looking for the one that does best alone."""
    everyone = [(layer, head) for layer in range(layers) for head in range(heads)]
    losses = {}
    for kept in everyone:
        scores = model(text, [head for head in everyone if head != kept])
        losses[kept] = F.cross_entropy(scores[:-1], text[1:])
    return min(losses, key=losses.get)


def which_head__own_word_and_any_change(model, text, layers, heads):
    """Compares each place with its own word and takes the largest change, be it up or down."""
    whole = F.cross_entropy(model(text, []), text)
    changes = {}
    for layer in range(layers):
        for head in range(heads):
            loss = F.cross_entropy(model(text, [(layer, head)]), text)
            changes[layer, head] = (loss - whole).abs()
    return max(changes, key=changes.get)
