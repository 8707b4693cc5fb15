"""Two mistakes at once, by their names. Without a docstring none may be named."""

import math

import torch
from torch.nn import functional


def shift_right__left_and_longer(targets, start_id):
    return functional.pad(targets[:, 1:], (0, 2), value=start_id)


def writing_task__not_shifted_and_padding(ids, real, start_id):
    """padding counts in the loss
    the inputs are not shifted
    """
    return ids, ids


def _linear(x, weights, name):
    return functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _norm(x, weights, name):
    weight, bias = weights[f"{name}.norm.weight"], weights[f"{name}.norm.bias"]
    return functional.layer_norm(x, x.shape[-1:], weight, bias, 1e-12)


def _attend(x, memory, weights, name, heads):
    q, k, v = (
        _linear(source, weights, f"{name}.{part}").unflatten(-1, (heads, -1)).transpose(1, 2)
        for part, source in (("query", x), ("key", memory), ("value", memory))
    )
    found = functional.scaled_dot_product_attention(q, k, v)
    return _linear(found.transpose(1, 2).flatten(2), weights, f"{name}.output")


def _think(x, weights):
    hidden = functional.gelu(_linear(x, weights, "feed_forward.widen"))
    return _linear(hidden, weights, "feed_forward.narrow")


def encoder_layer__no_mask_and_no_sum(x, weights, heads, mask):
    """nothing is added to what attention has found
    the mask is not used
    """
    x = _norm(_attend(x, x, weights, "attention", heads), weights, "around_attention")
    return _norm(x + _think(x, weights), weights, "around_feed_forward")


def encoder__one_layer_and_too_short(x, weights, heads, layers, mask):
    own = {name.removeprefix("layers.0."): weight for name, weight in weights.items()}
    for _ in range(layers + 1):
        x = _norm(x + _attend(x, x, own, "attention", heads), own, "around_attention")
        x = _norm(x + _think(x, own), own, "around_feed_forward")
    return x


def decoder_layer__no_masks_and_no_sum(x, memory, weights, heads, mask, memory_mask):
    x = _norm(x + _attend(x, x, weights, "attention", heads), weights, "around_attention")
    found = _attend(x, memory, weights, "cross_attention", heads)
    x = _norm(found, weights, "around_cross_attention")
    return _norm(x + _think(x, weights), weights, "around_feed_forward")


def decoder__no_mask_at_all(x, weights, heads, layers, real):
    """nothing is hidden any more"""
    for number in range(layers):
        start = f"layers.{number}."
        own = {n.removeprefix(start): w for n, w in weights.items() if n.startswith(start)}
        x = _norm(x + _attend(x, x, own, "attention", heads), own, "around_attention")
        x = _norm(x + _think(x, own), own, "around_feed_forward")
    return x


def shifted_loss__not_shifted_and_padding(logits, ids, real):
    """nothing is shifted
    padding is counted
    """
    return functional.cross_entropy(logits.flatten(0, 1), ids.flatten())


def greedy__prompt_and_endless(table, prompt, steps, end_id):
    """the prompt is given back too
    it does not stop at the end symbol
    """
    ids = list(prompt)
    for _ in range(steps):
        ids.append(int(table[ids[-1]].argmax()))
    return ids


def top_k__one_more_and_zero(logits, k):
    """one token too many stays
    what is cut off becomes 0
    """
    ranks = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    return logits.masked_fill(ranks > k, 0)


def top_p__too_few_and_zero(logits, p):
    chances, order = logits.softmax(-1).sort(-1, descending=True)
    goes = chances.cumsum(-1) > p
    return logits.masked_fill(torch.zeros_like(goes).scatter(-1, order, goes), 0)


def beam_search__greedy_with_start(table, start, beams, steps):
    """that is greedy
    the start is given back too
    """
    scores, text, total = table.log_softmax(-1), [start], 0.0
    for _ in range(steps):
        best = scores[text[-1]].max(dim=-1)
        total += best.values.item()
        text.append(best.indices.item())
    return text, total


def cached_step__no_scale_and_forgets(x, keys, values, weights):
    """the cache comes back as it was
    the division by the root of the width is missing
    """
    longer = torch.cat([keys, _linear(x, weights, "key")], dim=1)
    mixed = torch.cat([values, _linear(x, weights, "value")], dim=1)
    seen = (_linear(x, weights, "query") @ longer.mT).softmax(-1)
    return _linear(seen @ mixed, weights, "output"), keys, values


def embed_new__one_place_and_near(ids, past, tokens, positions):
    return tokens[ids] + positions[past - 1]


def shapes__memory_and_table(B, S, T, D, H, V):
    """the memory is as long as what is written
    the table lies the other way
    """
    return (B, T, D), (B, H, T, S), (B, T, V), (D, V), (B, H, T, D // H)


def rename_weights__as_it_is(weights):
    return dict(weights)


def sentence_embedding__words_only(weights, ids, real, heads, layers):
    words = weights["embeddings.word_embeddings.weight"][ids]
    return words.mean(dim=1) * math.sqrt(2)


def shift_right__rolled_twice(targets, start_id):
    """it is shifted by two places
    the last token comes round to the front
    """
    return targets.roll(2, dims=-1)


def writing_task__swapped_and_not_shifted(ids, real, start_id):
    return ids.masked_fill(~real, -100), ids


def shifted_loss__softmax_twice_and_padding(logits, ids, real):
    """padding is counted
    the softmax is taken twice
    """
    p = logits.softmax(dim=-1)[:, :-1]
    return functional.cross_entropy(p.flatten(0, 1), ids[:, 1:].flatten())


def top_k__of_batch_and_zero(logits, k):
    """the rows of the batch compete
    what is cut off becomes 0
    """
    return logits.masked_fill(logits < logits.flatten().topk(k).values[-1], 0)


def cached_step__not_itself_and_in_front(x, keys, values, weights):
    """the new token does not see itself
    the newest stands in front
    """
    seen = (_linear(x, weights, "query") @ keys.mT / keys.size(-1) ** 0.5).softmax(-1)
    longer = torch.cat([_linear(x, weights, "key"), keys], dim=1)
    mixed = torch.cat([_linear(x, weights, "value"), values], dim=1)
    return _linear(seen @ values, weights, "output"), longer, mixed
