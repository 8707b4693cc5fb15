"""Wrong answers to the exercise on the full model, written blind."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn


def writing_task__start_replaces_first(ids, real, start_id):
    """The start replaces the first token; nothing is moved along."""
    read = ids.clone()
    read[:, 0] = start_id
    said = ids.masked_fill(~real, -100)
    return read, said


def masked_task__targets_after_hiding(ids, chosen, mask_id):
    """Hides the words in ids first, so the targets hold mask_id."""
    read = ids
    read[chosen] = mask_id
    targets = torch.full_like(ids, -100)
    targets[chosen] = ids[chosen]
    return read, targets


def translation_task__padding_flipped_and_read(
    source, target, pad_id, start_id
):
    """source_real is True where the source is padding.
    Puts -100 before shifting, so the decoder reads -100.
    """
    source_real = source == pad_id
    target = target.masked_fill(target == pad_id, -100)
    start = torch.full_like(target[:, :1], start_id)
    read = torch.cat([start, target[:, :-1]], dim=1)
    return source_real, read, target


def encoder_layer__network_reads_input(x, weights, heads, mask):
    """The network reads the x that came in, not attention's result."""
    talked = attention(x, x, part(weights, "attention"), heads, mask)
    thought = feed_forward(x, part(weights, "feed_forward"))
    y = layer_norm(x + talked, part(weights, "around_attention.norm"))
    return layer_norm(y + thought, part(weights, "around_feed_forward.norm"))


def encoder__layers_in_pre_norm(x, weights, heads, layers, mask):
    """Wires the layers in pre-norm instead of post-norm."""
    for n in range(layers):
        w = part(weights, f"layers.{n}")
        h = layer_norm(x, part(w, "around_attention.norm"))
        x = x + attention(h, h, part(w, "attention"), heads, mask)
        h = layer_norm(x, part(w, "around_feed_forward.norm"))
        x = x + feed_forward(h, part(w, "feed_forward"))
    return x


def decoder_layer__no_memory_mask_no_residual(
    x, memory, weights, mask, memory_mask
):
    """Cross-attention gets no mask, so it may read the source's padding.
    Forgets to add the stream around the cross-attention.
    """
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    # the memory is all past, nothing to hide
    found = weights.cross_attention(x, memory, None)
    x = weights.cross_attention_norm(found)
    found = weights.feed_forward(x)
    return weights.feed_forward_norm(x + found)


def decoder__hides_padded_queries(x, weights, real):
    """Hides the padded queries instead of the padded keys."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-1)
    return weights(x, mask)


def shifted_loss__per_sentence_and_read_token(logits, ids, real):
    """Averages within each sentence first, then over the sentences.
    Counts guesses whose read token is real, not whose next is.
    """
    logp = logits[:, :-1].log_softmax(dim=-1)
    following = ids[:, 1:]
    picked = logp.gather(-1, following.unsqueeze(-1)).squeeze(-1)
    counts = real[:, :-1].to(picked.dtype)
    per_sentence = -(picked * counts).sum(dim=1) / counts.sum(dim=1)
    return per_sentence.mean()


def greedy__prompt_counts_as_steps(table, prompt, steps, end_id):
    """Counts the prompt's tokens among the steps."""
    text = list(prompt)
    while len(text) < steps:
        text.append(table[text[-1]].argmax().item())
        if text[-1] == end_id:
            break
    return text[len(prompt) :]


def top_k__threshold_of_first_row(logits, k):
    """Uses the first row's threshold for all rows."""
    smallest = logits.topk(k).values[0, -1]
    return logits.masked_fill(logits < smallest, -torch.inf)


def top_p__gathers_instead_of_scattering(logits, p):
    """Gathers by the order instead of scattering back to places."""
    probs, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    before = probs.cumsum(dim=-1) - probs
    goes = before >= p
    back = goes.gather(-1, order)
    return logits.masked_fill(back, -torch.inf)


def beam_search__beams_never_compete(table, start, beams, steps):
    """Each beam goes on greedily by itself; beams never compete."""
    logp = table.log_softmax(dim=-1)
    first = logp[start].topk(min(beams, logp.size(-1)))
    texts = [
        (score, [token])
        for score, token in zip(first.values.tolist(), first.indices.tolist())
    ]
    for _ in range(steps - 1):
        longer = []
        for score, text in texts:
            best = logp[text[-1]].argmax().item()
            longer.append((score + logp[text[-1], best].item(), text + [best]))
        texts = longer
    score, text = max(texts)
    return text, score


def cached_step__projects_cache_again(x, keys, values, weights):
    """Sends cached keys and values through their projections again."""
    q = weights.query(x)
    keys = weights.key(torch.cat([keys, x], dim=1))
    values = weights.value(torch.cat([values, x], dim=1))
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    found = scores.softmax(dim=-1) @ values
    return weights.output(found), keys, values


def embed_new__ends_at_length(ids, past, tokens, positions):
    """Counts from past to length instead of past plus length."""
    length = ids.size(-1)
    places = torch.arange(past, max(past, length))
    return tokens[ids] + positions[places]


def shapes__cached_keys_with_heads_joined(B, S, T, D, H, V):
    """Gives the cached keys with heads joined instead of apart."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, T, D)


def sentence_embedding__norms_swapped(weights, ids, real):
    """Swaps the names of a layer's two norms."""
    ours = copy.deepcopy(weights)
    for layer in ours.encoder.layers:
        layer.attention_norm, layer.feed_forward_norm = (
            layer.feed_forward_norm, layer.attention_norm
        )

    tables = ours
    x = tables.tokens.weight[ids]
    x = x + tables.positions.weight[: ids.size(1)]
    x = x + tables.segments.weight[0]
    x = tables.norm(x)
    x = ours.encoder(x, real.unsqueeze(-2))
    there = real.unsqueeze(-1)
    mean = (x * there).sum(dim=1) / there.sum(dim=1)
    return mean / mean.norm(dim=-1, keepdim=True)


def sentence_embedding__second_segment_and_padded_mean(
    weights, ids, real
):
    """Adds the second row of segments instead of the first.
    Takes the mean over all places, padding too.
    """
    w = weights
    e = w
    T = ids.shape[1]
    x = (
        e.tokens.weight[ids]
        + e.positions.weight[torch.arange(T)]
        + e.segments.weight[1]
    )
    x = e.norm(x)
    x = w.encoder(x, real[:, None, :])
    return F.normalize(x.mean(dim=1), dim=-1)
