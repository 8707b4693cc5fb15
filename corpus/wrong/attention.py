"""Wrong answers, in other words than the bank's. The docstring is the name they must be given."""

import math

import torch


def scores__queries_last(q, k):
    """queries and keys have changed places"""
    return torch.einsum("...sd,...td->...st", k, q)


def scores__view(q, k):
    """the keys are reshaped, not transposed"""
    return torch.matmul(q, k.contiguous().view(*k.shape[:-2], k.shape[-1], k.shape[-2]))


def scores__diagonal(q, k):
    """each query meets only the key at its own place"""
    return torch.einsum("...nd,...nd->...n", q, k)


def scores__scaled(q, k):
    """the scores are already scaled"""
    return torch.matmul(q * k.shape[-1] ** -0.5, k.swapaxes(-1, -2))


def scores__untransposed(q, k):
    """the keys are not transposed"""
    return torch.matmul(q, k)


def scores__shares(q, k):
    """softmax is already applied"""
    e = torch.einsum("...td,...sd->...ts", q, k).exp()
    return e / e.sum(-1, keepdim=True)


def scores__products(q, k):
    """the products are not summed"""
    return torch.mul(k, q)


def scores__cosine(q, k):
    """vectors are normalised first (cosine similarity)"""
    lengths = q.norm(dim=-1)[..., None] * k.norm(dim=-1)[..., None, :]
    return torch.einsum("...td,...sd->...ts", q, k) / lengths


def scores__swaps_the_front(q, k):
    """the transpose names fixed axes from the front (0, 1)"""
    return torch.matmul(q, k.permute(1, 0, *range(2, k.dim())))


def scores__permutes_behind_the_batch(q, k):
    """the transpose names fixed axes from the front (1, 2)"""
    return q @ (k.t() if k.dim() == 2 else k.permute(0, 2, 1, *range(3, k.dim())))


def scale__identity(scores, d_k):
    """there is no scaling"""
    return scores * 1.0


def scale__width(scores, d_k):
    """it divides by d_k, not by its square root"""
    return scores * (1 / d_k)


def scale__of_keys(scores, d_k):
    """it scales by the number of keys"""
    return scores / scores.shape[-1] ** 0.5


def scale__in_place(scores, d_k):
    """it changes what it was given"""
    return scores.div_(d_k**0.5)


def scale__up(scores, d_k):
    """it multiplies by the square root of d_k"""
    return scores * d_k**0.5


def scale__of_queries(scores, d_k):
    """it scales by the number of queries"""
    return scores * scores.shape[-2] ** -0.5


def scale__power_of_minus_a_half(scores, d_k):
    """the power binds before the division"""
    return d_k ** (-1) / 2 * scores


def scale__rounded(scores, d_k):
    """it divides with //, which drops the fraction"""
    return torch.div(scores, d_k**0.5, rounding_mode="floor")


def softmax__columns(x):
    """softmax runs over the queries, not the keys"""
    e = torch.exp(x - x.amax(dim=-2, keepdim=True))
    return e / e.sum(dim=-2, keepdim=True)


def softmax__naive(x):
    """the exponential overflows"""
    powers = math.e**x
    return powers / powers.sum(-1)[..., None]


def softmax__total(x):
    """softmax runs over all entries at once"""
    e = torch.exp(x - torch.max(x))
    return e / torch.sum(e)


def softmax__shares(x):
    """the exponential is missing"""
    total = x.sum(dim=-1)
    return x / total[..., None]


def softmax__lost_axis(x):
    """the row sums lost their axis (keepdim)"""
    e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return e / torch.sum(e, -1)


def softmax__down_the_first(x):
    """softmax runs over the first axis"""
    e = torch.exp(x - x.amax(dim=0))
    return e / e.sum(dim=0)


def softmax__second_axis(x):
    """softmax runs over axis 1, which is the last only for a matrix"""
    return torch.softmax(x, dim=min(1, x.dim() - 1))


def softmax__global_maximum(x):
    """one maximum is subtracted from all rows"""
    powers = torch.exp(x - torch.max(x))
    return powers / powers.sum(-1).unsqueeze(-1)


def softmax__centred(x):
    """the mean is subtracted, not the maximum"""
    powers = torch.exp(x - x.sum(-1, keepdim=True) / x.size(-1))
    return powers / powers.sum(-1, keepdim=True)


def softmax__unfinished(x):
    """the weights are not normalised"""
    return torch.exp(x - x.max(dim=-1, keepdim=True).values)


def softmax__largest_is_one(x):
    """it divides by the maximum, not by the sum"""
    powers = torch.exp(x)
    return powers / powers.max(dim=-1, keepdim=True).values


def softmax__winner(x):
    """it is a maximum, not a soft one"""
    return torch.zeros_like(x).scatter(-1, x.argmax(dim=-1, keepdim=True), 1.0)


def softmax__log(x):
    """it is the logarithm of softmax"""
    return x - torch.logsumexp(x, dim=-1, keepdim=True)


def softmax__logistic(x):
    """it is a sigmoid: every score for itself"""
    return 1 / (1 + torch.exp(-x))


def softmax__smallest_first(x):
    """the sign is turned round"""
    e = torch.exp(x.amin(-1, keepdim=True) - x)
    return e / e.sum(-1, keepdim=True)


def softmax__in_place(x):
    """it changes what it was given"""
    e = x.sub_(x.max(dim=-1, keepdim=True).values).exp()
    return e / e.sum(-1, keepdim=True)


def weighted_sum__average(weights, v):
    """the sum is divided by the number of keys"""
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).mean(dim=-2)


def weighted_sum__from_the_left(weights, v):
    """the weights are transposed"""
    return torch.einsum("...st,...sd->...td", weights, v)


def weighted_sum__strongest(weights, v):
    """only the strongest value is read"""
    best = weights.max(dim=-1).indices
    return torch.gather(v, -2, best[..., None].expand(*best.shape, v.size(-1)))


def weighted_sum__even_shares(weights, v):
    """every value counts the same"""
    return torch.full_like(weights, 1 / weights.size(-1)) @ v


def weighted_sum__right_to_left(weights, v):
    """the values are on the wrong side"""
    return torch.matmul(v, weights)


def weighted_sum__values_as_keys(weights, v):
    """the values are transposed"""
    return torch.matmul(weights, v.swapaxes(-2, -1))


def weighted_sum__place_by_place(weights, v):
    """the products are not summed"""
    return torch.mul(v, weights)


def weighted_sum__twice_shared(weights, v):
    """softmax is applied to the weights once more"""
    e = torch.exp(weights)
    return torch.einsum("...ts,...sd->...td", e / e.sum(-1, keepdim=True), v)


def _finish(s, v):
    w = s.softmax(-1)
    return w @ v, w


def attention__unscaled(q, k, v):
    """there is no scaling"""
    return _finish(torch.einsum("...td,...sd->...ts", q, k), v)


def attention__wrong_length(q, k, v):
    """it scales by the number of keys"""
    return _finish(q @ k.swapaxes(-1, -2) * k.shape[-2] ** -0.5, v)


def attention__weights_shrunk(q, k, v):
    """the scaling comes after softmax"""
    w = _finish(q @ k.mT, v)[1] / q.shape[-1] ** 0.5
    return w @ v, w


def attention__weights_first(q, k, v):
    """the two results have changed places"""
    output, weights = _finish(q @ k.mT / q.shape[-1] ** 0.5, v)
    return weights, output


def attention__alone(q, k, v):
    """only the output is returned"""
    output, _ = _finish(q @ k.mT / q.shape[-1] ** 0.5, v)
    return output


def attention__by_the_width(q, k, v):
    """it divides by d_k, not by its square root"""
    return _finish(torch.matmul(q / k.shape[-1], k.mT), v)


def attention__scaled_up(q, k, v):
    """it multiplies by the square root of d_k"""
    return _finish(torch.matmul(q, k.mT) * k.shape[-1] ** 0.5, v)


def attention__of_queries(q, k, v):
    """it scales by the number of queries"""
    return _finish(torch.matmul(q, k.mT) * q.shape[-2] ** -0.5, v)


def attention__of_values(q, k, v):
    """it scales by the width of the values"""
    return _finish(torch.matmul(q, k.mT) / math.sqrt(v.shape[-1]), v)


def attention__columns(q, k, v):
    """softmax runs over the queries, not the keys"""
    s = q @ k.mT / q.shape[-1] ** 0.5
    e = torch.exp(s - s.amax(-2, keepdim=True))
    w = e / e.sum(-2, keepdim=True)
    return w @ v, w


def attention__bare_exponential(q, k, v):
    """the exponential overflows"""
    e = torch.exp(q @ k.mT * q.shape[-1] ** -0.5)
    w = e / e.sum(-1)[..., None]
    return w @ v, w


def attention__sharp(q, k, v):
    """it is a maximum, not a soft one"""
    s = torch.matmul(q, k.mT)
    w = torch.zeros_like(s).scatter(-1, s.max(dim=-1, keepdim=True).indices, 1.0)
    return w @ v, w


def attention__flat(q, k, v):
    """every value counts the same"""
    return _finish(torch.zeros_like(q @ k.mT), v)


def attention__keys_ask(q, k, v):
    """queries and keys have changed places"""
    return _finish(torch.einsum("...sd,...td->...st", k, q) / k.shape[-1] ** 0.5, v)


def attention__viewed(q, k, v):
    """the keys are reshaped, not transposed"""
    turned = k.flatten(-2).unflatten(-1, (k.size(-1), k.size(-2)))
    return _finish(q @ turned / q.shape[-1] ** 0.5, v)


def attention__read_by(q, k, v):
    """the weights are transposed"""
    _, w = _finish(q @ k.mT / q.shape[-1] ** 0.5, v)
    return torch.einsum("...ts,...td->...sd", w, v), w


def attention__raw(q, k, v):
    """scores are returned in place of weights"""
    s = torch.einsum("...td,...sd->...ts", q, k) * q.shape[-1] ** -0.5
    return _finish(s, v)[0], s


def attention__returns_in_the_loop(q, k, v):
    """only the first item of the batch is computed"""
    if q.dim() > 2:
        for i in range(len(q)):
            return _finish(q[i] @ k[i].mT / q.shape[-1] ** 0.5, v[i])
    return _finish(q @ k.mT / q.shape[-1] ** 0.5, v)


def attention__writes(q, k, v):
    """it changes what it was given"""
    return _finish(q.div_(q.shape[-1] ** 0.5) @ k.mT, v)


def soft_lookup__winner(query, keys, values):
    """only the value of the best key is returned"""
    scores = [float(query @ key) for key in keys]
    return values[scores.index(max(scores))]


def soft_lookup__products(query, keys, values):
    """the scores are used as they are, without softmax"""
    return ((keys * query).sum(1, keepdim=True) * values).sum(0)


def soft_lookup__powers(query, keys, values):
    """the weights do not add up to 1"""
    return sum(math.exp(query @ key) * value for key, value in zip(keys, values, strict=True))


def soft_lookup__average(query, keys, values):
    """every value counts the same"""
    return values.sum(0) / len(values)


def soft_lookup__mixes_keys(query, keys, values):
    """the keys are mixed, not the values"""
    e = torch.exp(torch.einsum("k,sk->s", query, keys))
    return e / e.sum() @ keys


def soft_lookup__shares(query, keys, values):
    """the weights are returned, not the answer"""
    e = torch.exp(keys @ query)
    return e / e.sum()


def soft_lookup__formula(query, keys, values):
    """the exponential overflows"""
    shares = [math.e ** (key @ query) for key in keys]
    return sum(share * value for share, value in zip(shares, values, strict=True)) / sum(shares)


def soft_lookup__each(query, keys, values):
    """the weighted values are not added up"""
    weights = torch.softmax(query @ keys.T, dim=-1)
    return torch.stack([weight * value for weight, value in zip(weights, values, strict=True)])


def soft_lookup__root(query, keys, values):
    """the scores are already scaled"""
    return torch.softmax(keys @ query * len(query) ** -0.5, dim=-1) @ values


def head__asked(x, source, W_q, W_k, W_v):
    """the source asks, and x is asked"""
    return _finish(source @ W_q @ (x @ W_k).mT / W_q.shape[1] ** 0.5, x @ W_v)


def head__alone(x, source, W_q, W_k, W_v):
    """x asks itself, and the source is not read"""
    return _finish(x @ W_q @ (x @ W_k).mT / W_q.shape[1] ** 0.5, x @ W_v)


def head__source_alone(x, source, W_q, W_k, W_v):
    """the source asks itself, and x is not read"""
    s = torch.einsum("...td,...sd->...ts", source @ W_q, source @ W_k) / W_q.shape[1] ** 0.5
    return _finish(s, source @ W_v)


def head__gives_itself(x, source, W_q, W_k, W_v):
    """the values come from x"""
    return _finish(x @ W_q @ (source @ W_k).mT / W_q.shape[1] ** 0.5, x @ W_v)


def head__found_by_itself(x, source, W_q, W_k, W_v):
    """the keys come from x"""
    return _finish(x @ W_q @ (x @ W_k).mT / W_q.shape[1] ** 0.5, source @ W_v)


def head__crossed(x, source, W_q, W_k, W_v):
    """W_q and W_k have changed places"""
    return _finish(x @ W_k @ W_q.T @ source.mT / W_q.shape[1] ** 0.5, source @ W_v)


def head__words_meet(x, source, W_q, W_k, W_v):
    """the matrices are not used"""
    return _finish(torch.matmul(x, source.mT) / x.shape[-1] ** 0.5, source)


def head__gives_all(x, source, W_q, W_k, W_v):
    """the values go in as they are, without W_v"""
    return _finish(x @ W_q @ (source @ W_k).mT / W_q.shape[1] ** 0.5, source)


def head__undivided(x, source, W_q, W_k, W_v):
    """there is no scaling"""
    return _finish(x @ (W_q @ W_k.T) @ source.mT, source @ W_v)


def head__reversed(x, source, W_q, W_k, W_v):
    """the two results have changed places"""
    output, weights = _finish(x @ W_q @ (source @ W_k).mT / W_q.shape[1] ** 0.5, source @ W_v)
    return weights, output


def head_weights__of_words(x, W_q, W_k):
    """the mistake is still in it"""
    return torch.softmax(x @ W_q @ W_k.T @ x.mT / W_q.shape[0] ** 0.5, dim=-1)


def head_weights__raw(x, W_q, W_k):
    """the scores are not divided any more"""
    return torch.softmax(x @ W_q @ W_k.T @ x.mT, dim=-1)


def head_weights__no_root(x, W_q, W_k):
    """it divides by d_k, not by its square root"""
    return torch.softmax((x @ W_q / W_q.shape[1]) @ (x @ W_k).mT, dim=-1)


def head_weights__length(x, W_q, W_k):
    """it divides by the root of the number of words"""
    s = x @ W_q @ (x @ W_k).mT
    return torch.softmax(s * s.shape[-1] ** -0.5, dim=-1)


def head_weights__after(x, W_q, W_k):
    """the weights are divided, not the scores"""
    return torch.softmax(x @ W_q @ W_k.T @ x.mT, dim=-1) * W_k.shape[1] ** -0.5


def attention__second_axis(q, k, v):
    """softmax runs over axis 1, which is the last only for a matrix"""
    s = torch.einsum("...td,...sd->...ts", q, k) / k.shape[-1] ** 0.5
    w = torch.softmax(s, dim=1)
    return w @ v, w


def attention__first_axis(q, k, v):
    """softmax runs over the first axis"""
    s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    w = torch.softmax(s, dim=0)
    return w @ v, w


def divisor__variances_multiplied(q_values, q_chances, k_values, k_chances, d_k):
    """the means are taken to be 0"""
    q = q_values - (q_values * q_chances).sum()
    k = k_values - (k_values * k_chances).sum()
    return (d_k * (q**2 * q_chances).sum() * (k**2 * k_chances).sum()).sqrt().item()


def divisor__squares(q_values, q_chances, k_values, k_chances, d_k):
    """the square of the mean is not subtracted"""
    return math.sqrt(d_k * torch.dot(q_values**2, q_chances) * torch.dot(k_values**2, k_chances))


def divisor__plain_means(q_values, q_chances, k_values, k_chances, d_k):
    """the chances are not used"""
    products = torch.outer(q_values, k_values)
    return math.sqrt(d_k * products.var(unbiased=False).item())


def divisor__of_one(q_values, q_chances, k_values, k_chances, d_k):
    """one product is counted, not d_k of them"""
    products, chances = torch.outer(q_values, k_values), torch.outer(q_chances, k_chances)
    return ((products - (products * chances).sum()) ** 2 * chances).sum().sqrt().item()


def divisor__root_of_the_width(q_values, q_chances, k_values, k_chances, d_k):
    """it is the root of the width, whatever the numbers are"""
    return d_k**0.5


def divisor__weighted_means(q_values, q_chances, k_values, k_chances, d_k):
    """the mean is divided by the number of values"""
    q, k = torch.mean(q_values * q_chances), torch.mean(k_values * k_chances)
    qq, kk = torch.mean(q_values**2 * q_chances), torch.mean(k_values**2 * k_chances)
    return (d_k * (qq * kk - (q * k) ** 2)).sqrt().item()


def divisor__mean_of_the_score(q_values, q_chances, k_values, k_chances, d_k):
    """the square of the score's mean is taken off squares of products"""
    score = d_k * (q_values @ q_chances) * (k_values @ k_chances)
    squares = d_k * (q_values**2 @ q_chances) * (k_values**2 @ k_chances)
    return math.sqrt(squares - score**2)


def divisor__one_of_them_centred(q_values, q_chances, k_values, k_chances, d_k):
    """one of the two means is taken to be 0"""
    around = q_values - q_values @ q_chances
    return math.sqrt(d_k * (around**2 @ q_chances) * (k_values**2 @ k_chances))


def design_head__ones(wants, facts):
    """the scores are too near each other"""
    W_q = torch.nn.functional.one_hot(wants, len(wants)).to(facts.dtype)
    return W_q, torch.eye(len(wants)), facts


def design_head__wanted_keys(wants, facts):
    """each word reads those who want it"""
    n = len(wants)
    W_k = torch.zeros(n, n)
    W_k[torch.arange(n), wants] = 90.0
    return torch.eye(n), W_k, facts


def design_head__facts_of_the_wanted(wants, facts):
    """the facts are moved to those who want them"""
    one = torch.eye(len(wants))
    return 200 * one[wants], one, torch.stack([facts[w] for w in wants])


def design_head__least(wants, facts):
    """the wanted word gets the lowest score"""
    one = torch.eye(len(wants))
    return 200 * one[wants], -one, facts


def design_head__own_key(wants, facts):
    """every word reads itself"""
    one = torch.eye(len(wants)) * 30
    return one, one, facts


def design_head__ten_times(wants, facts):
    """the scores are too near each other"""
    one = torch.eye(len(wants))
    return 10 * one[wants], one, facts


def design_head__alike_in_facts(wants, facts):
    """words are told apart by what they know"""
    return 60 * facts.index_select(0, wants), facts.clone(), facts.clone()


def design_head__not_oneself(wants, facts):
    """no word may read itself"""
    n = len(wants)
    queries = 300 * torch.eye(n)[wants]
    return queries.masked_fill(torch.eye(n) == 1, -300.0), torch.eye(n), facts


def divisor__two_of_three_parts(q_values, q_chances, k_values, k_chances, d_k):
    """one of the two means is taken to be 0"""
    q_mean, k_mean = q_values @ q_chances, k_values @ k_chances
    q, k = (q_values - q_mean) ** 2 @ q_chances, (k_values - k_mean) ** 2 @ k_chances
    return math.sqrt(d_k * (q * k + q_mean**2 * k))


def soft_lookup__less_the_first(query, keys, values):
    """one number of the row is subtracted, not its maximum"""
    s = keys @ query
    e = torch.exp(s - s[0])
    return (e / e.sum()) @ values


def soft_lookup__less_the_last(query, keys, values):
    """one number of the row is subtracted, not its maximum"""
    s = torch.mv(keys, query)
    e = torch.exp(s - s[-1])
    return torch.mv(values.mT, e) / e.sum()


def soft_lookup__less_the_mean(query, keys, values):
    """the mean is subtracted, not the maximum"""
    s = keys @ query
    e = torch.exp(s - s.mean())
    return (e / e.sum()) @ values


def soft_lookup__single_precision(query, keys, values):
    """the dtype is not the one asked for"""
    return (keys @ query).float().softmax(0) @ values.float()


def softmax__less_the_first(x):
    """one number of the row is subtracted, not its maximum"""
    e = torch.exp(x - x.select(-1, 0).unsqueeze(-1))
    return e / e.sum(-1, keepdim=True)


def weighted_sum__averages(weights, v):
    """the weights are divided by their sum"""
    return torch.matmul(weights, v) / weights.sum(-1)[..., None]


def weighted_sum__single_precision(weights, v):
    """the dtype is not the one asked for"""
    return torch.einsum("...ts,...sd->...td", weights.float(), v.float())


def softmax__by_a_sum_without_gradient(x):
    """the gradient is cut"""
    e = torch.exp(x - x.amax(-1, keepdim=True))
    with torch.no_grad():
        total = e.sum(-1, keepdim=True)
    return e / total


def attention__sum_of_the_weights_detached(q, k, v, mask=None):
    """the gradient is cut"""
    s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    s = s if mask is None else torch.where(mask, s, -1e9)
    e = torch.exp(s - s.amax(-1, keepdim=True)) * (1 if mask is None else mask)
    w = e / e.detach().sum(-1, keepdim=True).clamp(min=1e-9)
    return w @ v, w


def scale__root_of_64(scores, d_k):
    """the width of an example is written in"""
    return scores / math.sqrt(64)


def head_weights__root_of_64(x, W_q, W_k):
    """the width of an example is written in"""
    products = torch.einsum("...td,...sd->...ts", x @ W_q, x @ W_k)
    return products.div(8).softmax(-1)
