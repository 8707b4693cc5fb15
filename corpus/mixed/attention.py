"""Two mistakes at once, by their names. Without a docstring none may be named."""


def scores__scaled_and_swapped(q, k):
    """queries and keys have changed places
    the scores are already scaled
    """
    return k @ q.mT / q.size(-1) ** 0.5


def scale__multiplied_in_place(scores, d_k):
    """it changes what it was given
    it multiplies by the square root of d_k
    """
    scores *= d_k**0.5
    return scores


def softmax__columns_without_exponential(x):
    """softmax runs over the queries, not the keys
    the exponential is missing
    """
    return x / x.sum(dim=-2, keepdim=True)


def weighted_sum__transposed_and_averaged(weights, v):
    """the sum is divided by the number of keys
    the weights are transposed
    """
    return weights.mT @ v / v.size(-2)


def attention__unscaled_columns(q, k, v):
    """there is no scaling
    softmax runs over the queries, not the keys
    """
    w = (q @ k.mT).softmax(-2)
    return w @ v, w


def attention__by_d_k_and_weights_first(q, k, v):
    """it divides by d_k, not by its square root
    the two results have changed places
    """
    w = (q @ k.mT / q.size(-1)).softmax(-1)
    return w, w @ v


def attention__shrunk_and_by_queries(q, k, v):
    w = (q @ k.mT / q.size(-2) ** 0.5).softmax(-1) / q.size(-1) ** 0.5
    return w @ v, w


def soft_lookup__keys_without_softmax(query, keys, values):
    """the keys are mixed, not the values
    the scores are used as they are, without softmax
    """
    return keys @ query @ keys


def soft_lookup__mean_of_parts(query, keys, values):
    return ((keys @ query).softmax(0)[:, None] * values).mean(0) / 2


def head__backwards_and_unscaled(x, source, W_q, W_k, W_v):
    """the source asks, and x is asked
    there is no scaling
    """
    weights = (source @ W_q @ (x @ W_k).mT).softmax(-1)
    return weights @ x @ W_v, weights


def head__swapped_and_turned(x, source, W_q, W_k, W_v):
    """W_q and W_k have changed places
    the two results have changed places
    """
    weights = (x @ W_k @ (source @ W_q).mT / W_k.size(-1) ** 0.5).softmax(-1)
    return weights, weights @ source @ W_v


def head_weights__columns_and_wide(x, W_q, W_k):
    """softmax runs over the queries, not the keys
    the mistake is still in it
    """
    return (x @ W_q @ (x @ W_k).mT / x.size(-1) ** 0.5).softmax(-2)
