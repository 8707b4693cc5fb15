"""Two mistakes at once: points are lost, but no single mistake explains it, so none is named."""


def scores__scaled_and_swapped(q, k):
    return k @ q.mT / q.size(-1) ** 0.5


def scale__multiplied_in_place(scores, d_k):
    scores *= d_k**0.5
    return scores


def softmax__columns_without_exponential(x):
    return x / x.sum(dim=-2, keepdim=True)


def weighted_sum__transposed_and_averaged(weights, v):
    return weights.mT @ v / v.size(-2)


def attention__unscaled_columns(q, k, v):
    w = (q @ k.mT).softmax(-2)
    return w @ v, w


def attention__by_d_k_and_weights_first(q, k, v):
    w = (q @ k.mT / q.size(-1)).softmax(-1)
    return w, w @ v


def attention__shrunk_and_by_queries(q, k, v):
    w = (q @ k.mT / q.size(-2) ** 0.5).softmax(-1) / q.size(-1) ** 0.5
    return w @ v, w


def soft_lookup__keys_without_softmax(query, keys, values):
    return keys @ query @ keys


def soft_lookup__mean_of_parts(query, keys, values):
    return ((keys @ query).softmax(0)[:, None] * values).mean(0) / 2


def head__backwards_and_unscaled(x, source, W_q, W_k, W_v):
    weights = (source @ W_q @ (x @ W_k).mT).softmax(-1)
    return weights @ x @ W_v, weights


def head__swapped_and_turned(x, source, W_q, W_k, W_v):
    weights = (x @ W_k @ (source @ W_q).mT / W_k.size(-1) ** 0.5).softmax(-1)
    return weights, weights @ source @ W_v


def read__columns_unscaled(q, k, v):
    return (q @ k.mT).softmax(-2) @ v


def head_weights__columns_and_wide(x, W_q, W_k):
    return (x @ W_q @ (x @ W_k).mT / x.size(-1) ** 0.5).softmax(-2)


def shapes__turned_and_square(B, T, S, D, d_k, d_v):
    return (d_k, D), (B, S, d_k), (B, T, T), (B, T, d_v)
