"""Wrong answers to the exercise on the full model, written blind."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def shift_right__float_start(targets, start_id):
    """the start column is float, so all ids become floats"""
    start = torch.ones(targets.size(0), 1) * start_id
    return torch.cat([start, targets[:, :-1]], dim=1)


def writing_task__both_shifted(ids, real, start_id):
    """the targets are shifted too, so they are two places ahead"""
    B = ids.shape[0]
    start = torch.full((B, 1), start_id, dtype=ids.dtype)
    read = torch.cat((start, ids[:, :-1]), dim=1)
    targets = ids.masked_fill(~real, -100)
    nothing = torch.full((B, 1), -100, dtype=ids.dtype)
    targets = torch.cat((targets[:, 1:], nothing), dim=1)
    return read, targets


def writing_task__same_tensor(ids, real, start_id):
    """the -100 is written into ids themselves, before they are read"""
    targets = ids
    targets[~real] = -100
    read = shift_right(ids, start_id)
    return read, targets


def masked_task__inverse_targets(ids, chosen, mask_id):
    """the targets keep what was not chosen"""
    inputs = ids.masked_fill(chosen, mask_id)
    targets = ids.masked_fill(chosen, -100)
    return inputs, targets


def translation_task__zeros_and_ones(source, target, pad_id, start_id):
    """source_real holds numbers instead of booleans"""
    source_real = (source != pad_id).long()
    start = target.new_full((len(target), 1), start_id)
    read = torch.cat([start, target[:, :-1]], dim=-1)
    goal = torch.where(target == pad_id, -100, target)
    return source_real, read, goal


def translation_task__padding_mixed_up(source, target, pad_id, start_id):
    """source_real is True at the padding
    padding stays in the targets"""
    source_real = source == pad_id
    read = torch.empty_like(target)
    read[:, 0] = start_id
    read[:, 1:] = target[:, :-1]
    return source_real, read, target.clone()


def encoder_layer__norm_first(x, weights, heads, mask):
    """pre-norm instead of post-norm"""
    y = layer_norm(x, part(weights, "around_attention.norm"))
    x = x + attention(y, y, part(weights, "attention"), heads, mask)
    y = layer_norm(x, part(weights, "around_feed_forward.norm"))
    return x + feed_forward(y, part(weights, "feed_forward"))


def encoder_layer__dropout(x, weights, heads, mask):
    """dropout is always on"""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    found = F.dropout(found, 0.1)
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    thought = F.dropout(thought, 0.1)
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder__relu_inside(x, weights, heads, layers, mask):
    """the feed-forward network bends with ReLU instead of GELU"""
    for n in range(layers):
        w = part(weights, f"layers.{n}")
        a = attention(x, x, part(w, "attention"), heads, mask)
        x = layer_norm(x + a, part(w, "around_attention.norm"))
        hidden = torch.relu(linear(x, part(w, "feed_forward.widen")))
        f = linear(hidden, part(w, "feed_forward.narrow"))
        x = layer_norm(x + f, part(w, "around_feed_forward.norm"))
    return x


def decoder_layer__asks_too_early(x, memory, weights, mask, memory_mask):
    """the x that came in asks the memory, before the norm"""
    first = weights.attention(x, x, mask)
    first = weights.attention_norm(x + first)
    asked = weights.cross_attention(x, memory, memory_mask)
    second = weights.cross_attention_norm(first + asked)
    third = weights.feed_forward(second)
    return weights.feed_forward_norm(second + third)


def decoder_layer__copied_norm(x, memory, weights, mask, memory_mask):
    """the cross-attention is followed by the self-attention's norm"""
    def add_and_norm(x, y, name):
        return weights.get_submodule(name)(x + y)

    y = weights.attention(x, x, mask)
    x = add_and_norm(x, y, "attention_norm")
    y = weights.cross_attention(x, memory, memory_mask)
    x = add_and_norm(x, y, "attention_norm")
    y = weights.feed_forward(x)
    x = add_and_norm(x, y, "feed_forward_norm")
    return x


def decoder_layer__bare_cross(x, memory, weights, mask, memory_mask):
    """the cross-attention has no residual connection
    memory_mask is not used"""
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    x = weights.cross_attention(x, memory, None)
    x = weights.cross_attention_norm(x)
    found = weights.feed_forward(x)
    return weights.feed_forward_norm(x + found)


def decoder__first_sentence(x, weights, real):
    """the first sentence's padding is used for the whole batch"""
    layers = len(weights.layers)
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real[0]
    for n in range(layers):
        x = weights.layers[n](x, mask)
    return x


def shifted_loss__real_of_the_reader(logits, ids, real):
    """real is looked up at the token read, not at the next"""
    guesses = logits[:, :-1]
    answers = ids[:, 1:].masked_fill(~real[:, :-1], -100)
    return F.cross_entropy(guesses.flatten(0, 1), answers.flatten(), ignore_index=-100)


def shifted_loss__log_of_softmax(logits, ids, real):
    """log of softmax becomes infinite for far-apart logits"""
    probs = torch.softmax(logits[:, :-1], dim=-1)
    p_next = probs.gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    nll = -torch.log(p_next)
    return nll[real[:, 1:]].mean()


def shifted_loss__sentence_by_sentence(logits, ids, real):
    """each sentence counts the same, whatever its length
    the loss is turned into plain numbers and has no gradient"""
    losses = []
    for row, text, there in zip(logits, ids, real):
        logp = row[:-1].log_softmax(dim=-1)
        picked = logp[torch.arange(len(text) - 1), text[1:]]
        losses.append(-picked[there[1:]].mean().item())
    return torch.tensor(losses).mean()


def greedy__stops_before_end(table, prompt, steps, end_id):
    """the end token is not written"""
    written = []
    last = prompt[-1]
    for _ in range(steps):
        last = table[last].argmax().item()
        if last == end_id:
            break
        written.append(last)
    return written


def top_k__one_threshold(logits, k):
    """one threshold for all rows instead of one per row"""
    smallest = logits.topk(k).values.min()
    return torch.where(logits < smallest, -torch.inf, logits)


def top_p__gather_back(logits, p):
    """gather instead of scatter: answers go to the wrong tokens"""
    probs, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    before = probs.cumsum(dim=-1) - probs
    goes = before >= p
    goes = goes.gather(-1, order)
    return logits.masked_fill(goes, -torch.inf)


def top_p__crossing_goes(logits, p):
    """the token that reaches p is cut off too"""
    values, order = torch.sort(logits, dim=-1, descending=True)
    total = torch.softmax(values, dim=-1).cumsum(dim=-1)
    goes = total > p
    back = goes.scatter(-1, order, goes)
    return logits.masked_fill(back, float("-inf"))


def beam_search__raw_logits(table, start, beams, steps):
    """the score adds up logits instead of log-probabilities"""
    beam = [(0.0, [start])]
    for _ in range(steps):
        candidates = []
        for score, text in beam:
            for token, logit in enumerate(table[text[-1]].tolist()):
                candidates.append((score + logit, text + [token]))
        beam = sorted(candidates, reverse=True)[:beams]
    score, text = beam[0]
    return text[1:], score


def beam_search__greedy_after_first(table, start, beams, steps):
    """after the first step each text keeps only its best continuation"""
    logp = table.log_softmax(dim=-1)
    if steps == 0:
        return [], 0.0
    first = logp[start].topk(min(beams, table.size(-1)))
    texts = [(s, [t]) for s, t in zip(first.values.tolist(), first.indices.tolist())]
    for _ in range(steps - 1):
        longer = []
        for score, text in texts:
            best = logp[text[-1]].max(dim=-1)
            longer.append((score + best.values.item(), text + [best.indices.item()]))
        texts = longer
    score, text = max(texts)
    return text, score


def cached_step__cannot_read_itself(x, keys, values, weights):
    """the new token does not read its own key and value"""
    q = weights.query(x)
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    found = torch.softmax(scores, dim=-1) @ values
    new_keys = torch.cat([keys, weights.key(x)], dim=1)
    new_values = torch.cat([values, weights.value(x)], dim=1)
    return weights.output(found), new_keys, new_values


def embed_new__one_place(ids, past, tokens, positions):
    """all new tokens get the place of the first new one"""
    return tokens[ids] + positions[past]


def shapes__source_asks(B, S, T, D, H, V):
    """rows and columns of the cross-attention's weights are swapped"""
    return (B, S, D), (B, H, S, T), (B, T, V), (V, D), (B, H, T, D // H)


def rename_weights__in_place(weights):
    """the dict handed in is changed instead of making a new one"""
    pieces = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    for name in list(weights):
        tensor = weights.pop(name)
        if name.startswith("pooler."):
            continue
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        weights[name] = tensor
    return weights


def sentence_embedding__mean_with_padding(weights, ids, real):
    """the mean runs over the padding too"""
    layers = len(weights.encoder.layers)
    w = weights
    T = ids.shape[1]
    x = w.tokens.weight[ids]
    x = x + w.positions.weight[:T]
    x = x + w.segments.weight[0]
    x = w.norm(x)
    mask = real[:, None, :]
    for n in range(layers):
        lw = w.encoder.layers[n]
        a = lw.attention(x, x, mask)
        x = lw.attention_norm(x + a)
        f = lw.feed_forward(x)
        x = lw.feed_forward_norm(x + f)
    mean = x.mean(dim=1)
    return mean / mean.square().sum(dim=-1, keepdim=True).sqrt()


def sentence_embedding__one_length(weights, ids, real):
    """divided by one length for the whole batch, not per sentence"""
    ours = weights
    tables = ours
    places = torch.arange(ids.size(-1))
    x = tables.tokens.weight[ids] + tables.positions.weight[places]
    x = tables.norm(x + tables.segments.weight[0])
    x = ours.encoder(x, real.unsqueeze(-2))
    there = real.unsqueeze(-1)
    mean = (x * there).sum(dim=-2) / there.sum(dim=-2)
    return mean / mean.norm()


def sentence_embedding__norm_too_early(weights, ids, real):
    """only the tokens' vectors are normalised, positions and segment come after"""
    layers = len(weights.encoder.layers)
    ours = weights
    tokens = F.embedding(ids, ours.tokens.weight)
    x = ours.norm(tokens)
    x = x + ours.positions.weight[: ids.size(1)]
    x = x + ours.segments.weight[0]
    for number in range(layers):
        weights_here = ours.encoder.layers[number]
        x = weights_here(x, real.unsqueeze(1))
    summed = torch.einsum("btd,bt->bd", x, real.to(x.dtype))
    mean = summed / real.sum(dim=1, keepdim=True)
    return F.normalize(mean, dim=-1)


def sentence_embedding__no_mask_no_segment(weights, ids, real):
    """padding is not hidden in the encoder
    the segment's vector is not added"""
    ours = weights
    e = ours
    x = e.tokens.weight[ids] + e.positions.weight[: ids.size(1)]
    x = e.norm(x)
    x = ours.encoder(x, None)
    keep = real.unsqueeze(-1).float()
    mean = (x * keep).sum(1) / keep.sum(1)
    return mean / mean.norm(dim=-1, keepdim=True)
