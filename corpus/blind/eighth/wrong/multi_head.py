import math

import torch
import torch.nn.functional as F


# split_heads

def split_heads__every_other_feature(x, heads):
    """Intended: deals the features out in turn, so head 0 gets numbers 0, H, 2H and not the first d_k."""
    return x.unflatten(-1, (-1, heads)).movedim(-1, -3)


def split_heads__heads_before_batch(x, heads):
    """Intended: stacks the heads in front of all axes, so with a batch the shape is (H, B, T, d_k)."""
    return torch.stack(x.chunk(heads, dim=-1))


# merge_heads

def merge_heads__features_interleaved(x):
    """Intended: moves the heads behind the features, so the heads' numbers take turns instead of lying end to end."""
    return x.movedim(-3, -1).flatten(-2)


def merge_heads__second_axis(x):
    """Intended: takes axis 1 for the heads, which is right only with exactly one axis in front."""
    return torch.cat(x.unbind(1), dim=-1)


# packed_projection

def packed_projection__pieces_of_three(x, W):
    """Intended: split(3) makes pieces of width 3, not 3 pieces."""
    return (x @ W).split(3, dim=-1)


def packed_projection__dealt_out(x, W):
    """Intended: takes every third column for queries, keys and values, instead of thirds that lie side by side."""
    return (x @ W).unflatten(-1, (-1, 3)).unbind(-1)


def packed_projection__cut_at_word_width(x, W):
    """Intended: cuts at D and 2 D, the width of a word, instead of at thirds of the columns of W."""
    D = x.size(-1)
    y = x @ W
    return y[..., :D], y[..., D : 2 * D], y[..., 2 * D :]


# multi_head

def multi_head__mask_axis_one(x, W, W_o, heads, mask=None):
    """Intended: puts the heads' axis at place 1 of the mask, which is wrong for a mask (T, T)."""
    q, k, v = (split_heads(y, heads) for y in packed_projection(x, W))
    if mask is not None:
        mask = mask[:, None]
    found, weights = attention(q, k, v, mask)
    return merge_heads(found) @ W_o, weights


def multi_head__mean_weights(x, W, W_o, heads, mask=None):
    """Intended: returns the weights averaged over the heads, as PyTorch's module does, not those of every head."""
    q, k, v = (split_heads(y, heads) for y in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    found, weights = attention(q, k, v, mask)
    return merge_heads(found) @ W_o, weights.mean(dim=-3)


def multi_head__true_means_hidden(x, W, W_o, heads, mask=None):
    """Intended: reads the mask the other way round, True where a word must not attend."""
    q, k, v = (split_heads(y, heads) for y in packed_projection(x, W))
    if mask is not None:
        mask = ~mask.unsqueeze(-3)
    found, weights = attention(q, k, v, mask)
    return merge_heads(found) @ W_o, weights


# grouped_query

def grouped_query__values_in_turn(q, k, v):
    """Intended: lends the keys rightly, but repeats the values 0, 1, 0, 1 instead of 0, 0, 1, 1."""
    group = q.size(-3) // k.size(-3)
    keys = k.repeat_interleave(group, dim=-3)
    values = torch.cat([v] * group, dim=-3)
    return attention(q, keys, values)


def grouped_query__as_often_as_key_heads(q, k, v):
    """Intended: repeats each key head G times instead of H / G times; right only where H is the square of G."""
    G = k.size(-3)
    return attention(q, k.repeat_interleave(G, dim=-3), v.repeat_interleave(G, dim=-3))


def grouped_query__axis_one(q, k, v):
    """Intended: repeats along axis 1, which are the heads only with exactly one axis in front."""
    group = q.size(1) // k.size(1)
    return attention(q, k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1))


# talk

def talk__way_back_forgotten(x, heads):
    """Intended: moves the axes on the way in, but on the way back only reshapes."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def talk__heads_of_one_word(x, heads):
    """Intended: cuts the last axis but never moves the heads in front, so the heads of one word attend to each other."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


# padded_heads

def padded_heads__repeated_in_turn(q, k, v, real):
    """Intended: repeats the whole batch for each head and then reshapes, so head and sentence are mixed up."""
    B, H = q.shape[:2]
    mask = real.repeat(H, 1).reshape(B, H, 1, -1)
    return attention(q, k, v, mask)


def padded_heads__silent_values(q, k, v, real):
    """Intended: sets the values of padding to 0 but leaves the weights, so padding still takes its share."""
    v = v * real[:, None, :, None]
    return attention(q, k, v)


# probe

def probe__difference_of_means(vectors, labels, new):
    """Intended: takes the difference of the two classes' means for the direction, which is not least squares and drowns in the rest."""
    ones, zeros = vectors[labels == 1].mean(dim=0), vectors[labels == 0].mean(dim=0)
    w = ones - zeros
    b = -(ones + zeros) @ w / 2
    return (new @ w + b > 0).long()


def probe__new_centred_by_itself(vectors, labels, new):
    """Intended: subtracts from the new vectors their own mean, so a single vector or vectors of one label go wrong."""
    wanted = labels.to(vectors.dtype) * 2 - 1
    x = vectors - vectors.mean(dim=0)
    w = torch.linalg.lstsq(x, (wanted - wanted.mean())[:, None]).solution[:, 0]
    return ((new - new.mean(dim=0)) @ w + wanted.mean() > 0).long()


def probe__without_b(vectors, labels, new):
    """Intended: fits no b, so the direction has to pass through 0 though the mean of the vectors is not 0."""
    wanted = labels.to(vectors.dtype) * 2 - 1
    w = torch.linalg.lstsq(vectors, wanted[:, None]).solution
    return (new @ w > 0).long().squeeze(-1)


# which_head

def _loss_without(model, text, silenced):
    """Give the mean loss of the next words."""
    return F.cross_entropy(model(text, silenced)[:-1], text[1:]).item()


def which_head__alone(model, text, layers, heads):
    """Intended: silences all other heads and takes the one that does best alone, which is another question."""
    every = [(a, b) for a in range(layers) for b in range(heads)]
    losses = {one: _loss_without(model, text, [h for h in every if h != one]) for one in every}
    return min(losses, key=losses.get)


def which_head__list_grows(model, text, layers, heads):
    """Intended: never empties the list, so each head is silenced together with all those before it."""
    silenced, worst, found = [], -math.inf, None
    for layer in range(layers):
        for head in range(heads):
            silenced.append((layer, head))
            loss = _loss_without(model, text, list(silenced))
            if loss > worst:
                worst, found = loss, (layer, head)
    return found


def which_head__largest_change(model, text, layers, heads):
    """Intended: takes the largest change of the loss in either direction, so a head that does harm may win."""
    whole = _loss_without(model, text, [])
    every = [(a, b) for a in range(layers) for b in range(heads)]
    return max(every, key=lambda one: abs(_loss_without(model, text, [one]) - whole))


def which_head__place_divided_by_layers(model, text, layers, heads):
    """Intended: divides the place in the flat table by the layers and not by the heads."""
    table = torch.zeros(layers, heads)
    for layer in range(layers):
        for head in range(heads):
            table[layer, head] = _loss_without(model, text, [(layer, head)])
    return divmod(table.argmax().item(), layers)
