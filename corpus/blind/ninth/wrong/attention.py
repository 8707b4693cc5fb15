import math

import torch
import torch.nn.functional as F


# soft_lookup
def soft_lookup__scaled(query, keys, values):
    """Intended: divides the scores by the root of d_k as attention does, although the text says no scaling yet; the weights come out too even."""
    weights = torch.softmax(keys @ query / math.sqrt(query.size(-1)), dim=-1)
    return weights @ values


def soft_lookup__hard(query, keys, values):
    """Intended: takes the value of the best key alone, as a dictionary does, instead of a mixture of all values."""
    return values[(keys @ query).argmax()]


def soft_lookup__clamped(query, keys, values):
    """Intended: clamps the scores at 80 for fear of overflow, so that several scores above 80 all count alike."""
    found = (keys @ query).clamp(max=80.0)
    shares = found.exp()
    return (shares / shares.sum()) @ values


def soft_lookup__relu_scores(query, keys, values):
    """Intended: thinks that a negative dot product means no fit at all and sets it to 0 before softmax; negative scores get too much weight."""
    weights = torch.softmax(F.relu(keys @ query), dim=-1)
    return weights @ values


def soft_lookup__cosine(query, keys, values):
    """Intended: makes query and keys unit vectors first (cosine instead of dot product), so lengths no longer count."""
    fit = F.normalize(keys, dim=-1) @ F.normalize(query, dim=-1)
    return torch.softmax(fit, dim=-1) @ values


def soft_lookup__divided_by_count(query, keys, values):
    """Intended: takes the mean of the weighted values instead of their sum, so the answer is smaller by the number of keys."""
    weights = torch.softmax(keys @ query, dim=-1)
    return (weights.unsqueeze(-1) * values).mean(dim=0)


def soft_lookup__overwrites_keys(query, keys, values):
    """Intended: multiplies the query into the caller's keys in place; the answer is right but the given keys are changed."""
    keys *= query
    return torch.softmax(keys.sum(dim=-1), dim=-1) @ values


# scores
def scores__dot_t(q, k):
    """Intended: uses k.T, which reverses all axes; right for two axes, breaks (or mixes batch and width) as soon as there are axes in front."""
    return q @ k.T


def scores__reshaped(q, k):
    """Intended: reshapes the keys to (d_k, S) instead of transposing them; the shape is right, the numbers stand in the wrong places."""
    return q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))


def scores__keys_ask(q, k):
    """Intended: mixes the roles up, a row for each key and a column for each query: the table comes out transposed."""
    return k @ q.transpose(-2, -1)


def scores__mean(q, k):
    """Intended: takes the mean over the width instead of the sum, so every score is too small by d_k."""
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).mean(dim=-1)


def scores__tensordot(q, k):
    """Intended: dots every query with every key of all texts of the batch (tensordot); right for two axes only, with a batch the result has the batch twice."""
    return torch.tensordot(q, k, dims=([-1], [-1]))


def scores__distance(q, k):
    """Intended: takes minus the distance of query and key as the match instead of their dot product."""
    return -(q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(dim=-1).sqrt()


def scores__already_scaled(q, k):
    """Intended: divides by the root of d_k here already, which is the next task's; all scores are too small."""
    return q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))


# scale
def scale__in_place(scores, d_k):
    """Intended: divides in place, so the caller's scores are overwritten."""
    scores /= math.sqrt(d_k)
    return scores


def scale__no_root(scores, d_k):
    """Intended: divides by d_k and not by its root (variance taken for standard deviation)."""
    return scores / d_k


def scale__number_of_keys(scores, d_k):
    """Intended: takes the last axis of the scores for the width, so divides by the root of the number of keys S and ignores d_k."""
    return scores / math.sqrt(scores.size(-1))


def scale__measured(scores, d_k):
    """Intended: divides by the measured standard deviation of these scores, to make the variance 1, instead of by the root of d_k."""
    return scores / scores.std()


def scale__whole_root(scores, d_k):
    """Intended: uses the whole-number root isqrt; right for 64 and other square numbers, wrong for all other widths."""
    return scores / math.isqrt(d_k)


def scale__precedence(scores, d_k):
    """Intended: writes d_k ** 1 / 2 for the root: divides by d_k and then by 2."""
    return scores / d_k**1 / 2


# softmax
def softmax__global_max(x):
    """Intended: subtracts the largest number of the whole tensor, not of each row; rows far below it underflow to 0 / 0."""
    e = (x - x.max()).exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax__row_mean(x):
    """Intended: subtracts each row's mean instead of its maximum; a number far above the mean still overflows."""
    e = (x - x.mean(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax__detached_sum(x):
    """Intended: treats the denominator as a constant (detach); the weights are right but the gradient is wrong."""
    e = (x - x.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True).detach()


def softmax__nan_is_one(x):
    """Intended: lets the exponential overflow and replaces nan by 1; right for one huge number alone, wrong for several, and for rows that are very negative."""
    e = x.exp()
    return (e / e.sum(dim=-1, keepdim=True)).nan_to_num(nan=1.0)


def softmax__axis_one(x):
    """Intended: normalises along axis 1 instead of the last; right for two axes, with three the columns sum to one instead of the rows."""
    e = (x - x.amax(dim=1, keepdim=True)).exp()
    return e / e.sum(dim=1, keepdim=True)


def softmax__divided_by_max(x):
    """Intended: divides each row by its largest size instead of subtracting the maximum; nothing overflows but the weights are too even."""
    e = (x / x.abs().amax(dim=-1, keepdim=True).clamp(min=1.0)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax__two_in_place_columns(x):
    """Intended: two mistakes: subtracts the maximum in place (changes the given x), and sums down the columns instead of along the rows."""
    x -= x.amax(dim=-1, keepdim=True)
    e = x.exp()
    return e / e.sum(dim=-2, keepdim=True)


# weighted_sum
def weighted_sum__hard(weights, v):
    """Intended: each query takes only the value with the largest weight instead of a mixture."""
    best = F.one_hot(weights.argmax(dim=-1), weights.size(-1))
    return best.to(v.dtype) @ v


def weighted_sum__softmax_again(weights, v):
    """Intended: applies softmax to the weights once more before mixing; the mixture is too even."""
    return torch.softmax(weights, dim=-1) @ v


def weighted_sum__mean(weights, v):
    """Intended: takes the mean over the S weighted values instead of their sum; too small by S."""
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).mean(dim=-2)


def weighted_sum__over_queries(weights, v):
    """Intended: sums over the queries instead of the keys: each value gets multiplied by the sum of its column of weights, shape (..., S, d_v)."""
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-3)


def weighted_sum__last_forgotten(weights, v):
    """Intended: loop bound off by one, the last value is never added."""
    total = torch.zeros_like(weights[..., :1] * v[..., :1, :])
    for j in range(v.size(-2) - 1):
        total = total + weights[..., j : j + 1] * v[..., j : j + 1, :]
    return total


def weighted_sum__small_dropped(weights, v):
    """Intended: leaves out what has a weight of 0.1 or less, as if it did not count."""
    return (weights * (weights > 0.1)) @ v


def weighted_sum__tensordot(weights, v):
    """Intended: sums over S by tensordot, which pairs every text with every other; right for two axes only."""
    return torch.tensordot(weights, v, dims=([-1], [-2]))


# attention
def attention__value_width(q, k, v):
    """Intended: scales by the width of the values instead of the keys; right only if both are equally wide."""
    weights = softmax(scale(scores(q, k), v.size(-1)))
    return weighted_sum(weights, v), weights


def attention__scaled_after(q, k, v):
    """Intended: scales after softmax instead of before, so the rows of weights do not sum to one and are too sharp."""
    weights = scale(softmax(scores(q, k)), k.size(-1))
    return weighted_sum(weights, v), weights


def attention__causal(q, k, v):
    """Intended: adds a causal mask, which is the next chapter's; every query should read all keys."""
    table = scale(scores(q, k), k.size(-1))
    past = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    weights = softmax(table.masked_fill(~past, -torch.inf))
    return weighted_sum(weights, v), weights


def attention__scaled_twice(q, k, v):
    """Intended: scales the queries and the keys by the root of d_k each, so the scores are divided by d_k."""
    d_k = k.size(-1)
    weights = softmax(scores(scale(q, d_k), scale(k, d_k)))
    return weighted_sum(weights, v), weights


def attention__detached_weights(q, k, v):
    """Intended: mixes the values by detached weights: the numbers are right, but no gradient reaches queries and keys from the output."""
    weights = softmax(scale(scores(q, k), k.size(-1)))
    return weighted_sum(weights.detach(), v), weights


def attention__returns_scores(q, k, v):
    """Intended: returns the scaled scores in the place of the weights; the output is right."""
    table = scale(scores(q, k), k.size(-1))
    return weighted_sum(softmax(table), v), table


def attention__two_unscaled_swapped(q, k, v):
    """Intended: two mistakes: forgets the scaling, and returns the weights first and the output second."""
    weights = softmax(scores(q, k))
    return weights, weighted_sum(weights, v)


# head
def head__self_only(x, source, W_q, W_k, W_v):
    """Intended: ignores the source and makes queries, keys and values all from x; right for self-attention only."""
    return attention(x @ W_q, x @ W_k, x @ W_v)


def head__source_asks(x, source, W_q, W_k, W_v):
    """Intended: roles mixed up, the source asks and x is asked; one row for each word of the source."""
    return attention(source @ W_q, x @ W_k, x @ W_v)


def head__matrices_swapped(x, source, W_q, W_k, W_v):
    """Intended: uses W_k for the queries and W_q for the keys; the shapes fit but the scores are others."""
    return attention(x @ W_k, source @ W_q, source @ W_v)


def head__source_detached(x, source, W_q, W_k, W_v):
    """Intended: thinks of the source as fixed and detaches it: values right, but no gradient reaches the source (the encoder would not learn)."""
    source = source.detach()
    return attention(x @ W_q, source @ W_k, source @ W_v)


def head__same_shape_is_self(x, source, W_q, W_k, W_v):
    """Intended: decides by the shapes whether it is self-attention; another text that is as long as x is ignored."""
    if x.shape == source.shape:
        source = x
    return attention(x @ W_q, source @ W_k, source @ W_v)


def head__asks_both(x, source, W_q, W_k, W_v):
    """Intended: lets x ask itself and the source together (both texts concatenated), so there are T + S weights in a row."""
    both = torch.cat([x, source], dim=-2)
    return attention(x @ W_q, both @ W_k, both @ W_v)


def head__two_unscaled_scores(x, source, W_q, W_k, W_v):
    """Intended: two mistakes: chains the steps by hand and forgets the scaling, and returns the raw scores instead of the weights."""
    table = scores(x @ W_q, source @ W_k)
    return weighted_sum(softmax(table), source @ W_v), table


# head_weights
def head_weights__no_division(x, W_q, W_k):
    """Intended: takes the division for the mistake and removes it altogether; now the rows are too sharp."""
    q, k = x @ W_q, x @ W_k
    return (q @ k.transpose(-2, -1)).softmax(dim=-1)


def head_weights__eighth(x, W_q, W_k):
    """Intended: takes an eighth of the width of the words for that of the keys, which holds in the text's example (512 and 64) only."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1) / 8)
    return scores.softmax(dim=-1)


def head_weights__first_axis(x, W_q, W_k):
    """Intended: reads the width off the first axis of W_k, which is the words' width D again; nothing is mended."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(W_k.size(0))
    return scores.softmax(dim=-1)


def head_weights__root_forgotten(x, W_q, W_k):
    """Intended: takes the right width, that of the keys, but drops the root."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / k.size(-1)
    return scores.softmax(dim=-1)


def head_weights__both_widths(x, W_q, W_k):
    """Intended: divides by the root of the width of queries and keys added up, 2 d_k instead of d_k."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1) + k.size(-1))
    return scores.softmax(dim=-1)


def head_weights__length(x, W_q, W_k):
    """Intended: divides by the root of the number of words, counted on the axis of the tokens of k, instead of by that of the width."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-2))
    return scores.softmax(dim=-1)


def head_weights__two_unscaled_columns(x, W_q, W_k):
    """Intended: two mistakes: removes the division, and lets the columns sum to one instead of the rows."""
    q, k = x @ W_q, x @ W_k
    return (q @ k.transpose(-2, -1)).softmax(dim=-2)


# divisor
def divisor__variances_only(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: multiplies the two variances and forgets that means other than 0 make a product vary more."""
    def variance(values, chances):
        mean = (values * chances).sum()
        return (values**2 * chances).sum() - mean**2

    one = variance(q_values, q_chances) * variance(k_values, k_chances)
    return math.sqrt(d_k * one.item())


def divisor__sum_of_deviations(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: adds up standard deviations instead of variances: d_k times the deviation of one product, not root of d_k times."""
    mean = (q_values * q_chances).sum() * (k_values * k_chances).sum()
    square = (q_values**2 * q_chances).sum() * (k_values**2 * k_chances).sum()
    return d_k * math.sqrt(max((square - mean**2).item(), 0.0))


def divisor__mean_not_subtracted(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: takes the mean of the square for the variance and forgets to subtract the square of the mean; right only if one mean is 0."""
    square = (q_values**2 * q_chances).sum() * (k_values**2 * k_chances).sum()
    return math.sqrt(d_k * square.item())


def divisor__mean_of_whole_score(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: subtracts the squared mean of the whole score (d_k times as large, squared) from d_k times the mean square of one product."""
    mean = d_k * (q_values * q_chances).sum() * (k_values * k_chances).sum()
    square = (q_values**2 * q_chances).sum() * (k_values**2 * k_chances).sum()
    return math.sqrt(max((d_k * square - mean**2).item(), 0.0))


def divisor__variances_added(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: takes the variance of a product for the sum of the two variances."""
    def variance(values, chances):
        mean = (values * chances).sum()
        return (values**2 * chances).sum() - mean**2

    one = variance(q_values, q_chances) + variance(k_values, k_chances)
    return math.sqrt(d_k * one.item())


def divisor__drawn(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: draws ten thousand products and measures their deviation, although it must be computed exactly; only roughly right."""
    q = q_values[torch.multinomial(q_chances, 10_000, replacement=True)]
    k = k_values[torch.multinomial(k_chances, 10_000, replacement=True)]
    return math.sqrt(d_k) * (q * k).std().item()


def divisor__two_equal_chances_no_root(q_values, q_chances, k_values, k_chances, d_k):
    """Intended: two mistakes: ignores the chances (all values equally likely), and returns the variance without its root."""
    mean = q_values.mean() * k_values.mean()
    square = q_values.square().mean() * k_values.square().mean()
    return (d_k * (square - mean**2)).item()


# design_head
def design_head__fixed_length(wants, facts):
    """Intended: queries of the fixed length 20 whatever n, forgetting that the scores are divided by the root of d_k = n; too weak from about 10 words on."""
    eye = torch.eye(len(wants))
    return 20 * eye[wants], eye, facts.float()


def design_head__transposed(wants, facts):
    """Intended: W_q transposed: word wants[i] asks for word i; right only where two words want each other or themselves."""
    n = len(wants)
    eye = torch.eye(n)
    return 20 * n * eye[wants].T, eye, facts.float()


def design_head__facts_moved(wants, facts):
    """Intended: moves the facts to who wants them in W_v too, so that the wanted word gives the facts of the word that itself wants."""
    n = len(wants)
    eye = torch.eye(n)
    return 20 * n * eye[wants], eye, facts[wants].float()


def design_head__one_number(wants, facts):
    """Intended: takes the words' numbers themselves as queries and keys (d_k = 1), thinking that equal numbers have the largest product; the last word wins always."""
    n = len(wants)
    keys = torch.arange(n, dtype=torch.float32).unsqueeze(-1)
    return 100 * wants.float().unsqueeze(-1), keys, facts.float()


def design_head__only_permutations(wants, facts):
    """Intended: marks each key by the one word that wants it (argsort); right for permutations, wrong if two words want the same one."""
    n = len(wants)
    eye = torch.eye(n)
    return 20 * n * eye, eye[wants.argsort()], facts.float()


def design_head__itself_too(wants, facts):
    """Intended: lets each word look for the wanted word and for itself with equal strength; half of the attention goes to itself."""
    n = len(wants)
    eye = torch.eye(n)
    return 20 * n * (eye + eye[wants]), eye, facts.float()


def design_head__infinite(wants, facts):
    """Intended: puts infinity in the place of a large number; a word's zeros times infinity make nan."""
    n = len(wants)
    eye = torch.eye(n)
    W_q = torch.zeros(n, n).masked_fill(eye[wants] == 1, torch.inf)
    return W_q, eye, facts.float()
