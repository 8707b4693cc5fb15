import math

import torch


# soft_lookup

def soft_lookup__exponentials_by_hand(query, keys, values):
    """Intended: takes plain exponentials of the scores, so large scores overflow to nan."""
    shares = torch.exp(keys @ query)
    return (shares / shares.sum()) @ values


def soft_lookup__nearest_key_wins(query, keys, values):
    """Intended: gives the value of the best key alone, as a hard dictionary does, not a mixture."""
    best = (keys @ query).argmax()
    return values[best]


# scores

def scores__first_two_axes(q, k):
    """Intended: swaps axes 0 and 1 of the keys, which is right only when there are no axes in front."""
    return q @ k.transpose(0, 1)


def scores__cosine(q, k):
    """Intended: normalises queries and keys to length 1, so gives cosines and not dot products."""
    q = q / q.norm(dim=-1, keepdim=True)
    k = k / k.norm(dim=-1, keepdim=True)
    return q @ k.transpose(-2, -1)


# scale

def scale__whole_root(scores, d_k):
    """Intended: takes the whole-number root, so a d_k that is no square is divided by too little."""
    return scores / math.isqrt(int(d_k))


def scale__by_number_of_keys(scores, d_k):
    """Intended: divides by the root of the number of keys (the last axis of the table), not of d_k."""
    return scores / math.sqrt(scores.size(-1))


def scale__multiplies_in_place(scores, d_k):
    """Intended: the right numbers, but written into the tensor that the caller gave."""
    return scores.mul_(d_k ** -0.5)


# softmax

def softmax__largest_magnitude(x):
    """Intended: subtracts the row's largest absolute value, so a row of very negative numbers gives 0 / 0."""
    shifted = torch.exp(x - x.abs().amax(dim=-1, keepdim=True))
    return shifted / shifted.sum(dim=-1, keepdim=True)


def softmax__centred_on_mean(x):
    """Intended: subtracts the row's mean and not its maximum, so one number far above the rest overflows."""
    e = torch.exp(x - x.mean(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def softmax__constant_denominator(x):
    """Intended: right numbers, but the sum is detached, so the gradient lacks the part through the denominator."""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    total = e.sum(dim=-1, keepdim=True).detach()
    return e / total


# weighted_sum

def weighted_sum__averages_the_terms(weights, v):
    """Intended: takes the mean over the keys instead of the sum, so everything is S times too small."""
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).mean(dim=-2)


def weighted_sum__tensordot(weights, v):
    """Intended: tensordot mixes every batch's weights with every batch's values; right without axes in front only."""
    return torch.tensordot(weights, v, dims=([-1], [-2]))


# attention

def attention__value_width(q, k, v):
    """Intended: divides by the root of the width of the values, not of the keys."""
    weights = softmax(scale(scores(q, k), v.size(-1)))
    return weighted_sum(weights, v), weights


def attention__scales_the_weights(q, k, v):
    """Intended: divides by the root of d_k after softmax, so the weights do not sum to 1."""
    weights = scale(softmax(scores(q, k)), k.size(-1))
    return weighted_sum(weights, v), weights


def attention__frozen_pattern(q, k, v):
    """Intended: right numbers, but the weights are detached before the sum, so no gradient of the output reaches q and k."""
    weights = softmax(scale(scores(q, k), k.size(-1)))
    return weighted_sum(weights.detach(), v), weights


# head

def head__source_asks(x, source, W_q, W_k, W_v):
    """Intended: the roles are exchanged: the source asks, and x is asked."""
    return attention(source @ W_q, x @ W_k, x @ W_v)


def head__same_matrix_for_keys(x, source, W_q, W_k, W_v):
    """Intended: makes the keys with W_q instead of W_k."""
    return attention(x @ W_q, source @ W_q, source @ W_v)


def head__frozen_source(x, source, W_q, W_k, W_v):
    """Intended: detaches the source, so whatever made the source learns nothing."""
    memory = source.detach()
    return attention(x @ W_q, memory @ W_k, memory @ W_v)


# head_weights

def head_weights__number_of_words(x, W_q, W_k):
    """Intended: divides by the root of the number of words (axis -2 of the keys)."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-2))
    return scores.softmax(dim=-1)


def head_weights__first_axis_of_matrix(x, W_q, W_k):
    """Intended: takes the width from axis 0 of W_k, which is the word's width again, so nothing is mended."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(W_k.size(0))
    return scores.softmax(dim=-1)


# divisor

def divisor__product_of_variances(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: takes the variance of a product for the product of the variances, which needs means of 0."""
    q_mean = (q_values * q_chances).sum()
    k_mean = (k_values * k_chances).sum()
    q_var = ((q_values - q_mean) ** 2 * q_chances).sum()
    k_var = ((k_values - k_mean) ** 2 * k_chances).sum()
    return math.sqrt((d_k * q_var * k_var).item())


def divisor__equal_chances(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: takes plain means of the values, as if all of them were equally likely."""
    square = (q_values**2).mean() * (k_values**2).mean()
    mean = q_values.mean() * k_values.mean()
    return math.sqrt(d_k) * math.sqrt(max((square - mean**2).item(), 0.0))


def divisor__one_draw_times_width(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: multiplies the deviation of one product by d_k, as if the d_k products were all the same one."""
    square = (q_values**2 * q_chances).sum() * (k_values**2 * k_chances).sum()
    mean = (q_values * q_chances).sum() * (k_values * k_chances).sum()
    return d_k * math.sqrt(max((square - mean**2).item(), 0.0))


# design_head

def design_head__root_forgotten(wants, facts):
    """Intended: lets the wanted score lie 8 above the others before the division by the root of n, too little for n of 3 and more."""
    n = len(wants)
    return 8.0 * torch.eye(n)[wants], torch.eye(n), facts.float()


def design_head__who_wants_me(wants, facts):
    """Intended: puts the wishes into the keys, so each word finds those who want it, not the one it wants."""
    n = len(wants)
    return 100.0 * torch.eye(n), torch.eye(n)[wants], facts.float()


def design_head__facts_fetched_twice(wants, facts):
    """Intended: W_v holds the facts of the wanted words already, so the head reads what the wanted word wants."""
    n = len(wants)
    return 100.0 * torch.eye(n)[wants], torch.eye(n), facts[wants].float()


def design_head__numbers_as_names(wants, facts):
    """Intended: uses the words' numbers as queries and keys of width 1, so the word with the largest number always wins."""
    n = len(wants)
    W_q = 20.0 * wants.float()[:, None]
    W_k = torch.arange(n).float()[:, None]
    return W_q, W_k, facts.float()
