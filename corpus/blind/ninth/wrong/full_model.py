import copy
import math
import re

import torch
import torch.nn.functional as F
from torch import nn


def _with(model, changed):
    """Copy a model, and put other numbers into some of its parameters."""
    model = copy.deepcopy(model)
    for name, tensor in changed.items():
        model.get_parameter(name).data = tensor
    return model


# shift_right
def shift_right__rolled(targets, start_id):
    """Intended: rolls the targets by one, so the last target stands in front instead of the start symbol."""
    return torch.roll(targets, 1, dims=-1)


def shift_right__first_replaced(targets, start_id):
    """Intended: puts the start in the place of the first target and moves nothing; each place reads what it must say."""
    start = torch.full_like(targets[:, :1], start_id)
    return torch.cat([start, targets[:, 1:]], dim=1)


def shift_right__zero_start(targets, start_id):
    """Intended: pads with 0 in front and ignores start_id; right only in the text's example where the start is 0."""
    return F.pad(targets[:, :-1], (1, 0))


def shift_right__across_rows(targets, start_id):
    """Intended: shifts the whole batch as one long row, so each later text begins with the last token of the text before; right for B = 1."""
    flat = targets.flatten()
    start = torch.full_like(flat[:1], start_id)
    return torch.cat([start, flat[:-1]]).view_as(targets)


def shift_right__in_place(targets, start_id):
    """Intended: moves the targets in the tensor that was given; the result is right but the caller's targets are changed."""
    targets[:, 1:] = targets[:, :-1].clone()
    targets[:, 0] = start_id
    return targets


def shift_right__one_token(targets, start_id):
    """Intended: thinks that a text of one token has nothing to shift and returns it unchanged, so it reads its own target."""
    if targets.size(1) == 1:
        return targets.clone()
    start = torch.full_like(targets[:, :1], start_id)
    return torch.cat([start, targets[:, :-1]], dim=1)


def shift_right__two_left_start_behind(targets, start_id):
    """Intended: two mistakes: drops the first target instead of the last, and puts the start symbol behind: a shift to the left."""
    start = torch.full_like(targets[:, :1], start_id)
    return torch.cat([targets[:, 1:], start], dim=1)


# writing_task
def writing_task__reads_minus_100(ids, real, start_id):
    """Intended: shifts the targets, with -100 in them, instead of the ids, so -100 is read behind the first padding."""
    targets = ids.masked_fill(~real, -100)
    return shift_right(targets, start_id), targets


def writing_task__next_tokens(ids, real, start_id):
    """Intended: moves the targets to the left as well, although the reading is shifted already: each place must say the token after the next."""
    targets = ids.masked_fill(~real, -100)
    nothing = torch.full_like(ids[:, :1], -100)
    return shift_right(ids, start_id), torch.cat([targets[:, 1:], nothing], dim=1)


def writing_task__in_place(ids, real, start_id):
    """Intended: fills -100 into the ids that were given; both results are right, the caller's ids are changed."""
    read = shift_right(ids, start_id)
    return read, ids.masked_fill_(~real, -100)


def writing_task__zero_is_padding(ids, real, start_id):
    """Intended: takes every id 0 for padding instead of looking at real; wrong where padding has another id or a real token has id 0."""
    return shift_right(ids, start_id), ids.masked_fill(ids == 0, -100)


def writing_task__mask_shifted(ids, real, start_id):
    """Intended: shifts the mask along with the reading, so the first padding of each text remains as a target."""
    shifted = torch.cat([torch.ones_like(real[:, :1]), real[:, :-1]], dim=1)
    return shift_right(ids, start_id), ids.masked_fill(~shifted, -100)


def writing_task__first_ignored(ids, real, start_id):
    """Intended: thinks the first token is guessed by nobody and puts -100 there too, although the start symbol is read for it."""
    targets = ids.masked_fill(~real, -100)
    targets[:, 0] = -100
    return shift_right(ids, start_id), targets


def writing_task__two_swapped_real_filled(ids, real, start_id):
    """Intended: two mistakes: fills -100 where there ARE tokens, and returns the targets first and what is read second."""
    return ids.masked_fill(real, -100), shift_right(ids, start_id)


# greedy
def greedy__from_the_first(table, prompt, steps, end_id):
    """Intended: goes on from the first token of the prompt instead of the last; right for prompts of one token."""
    last, written = prompt[0], []
    for _ in range(steps):
        last = table[last].argmax().item()
        written.append(last)
        if last == end_id:
            break
    return written


def greedy__at_least_one(table, prompt, steps, end_id):
    """Intended: asks for the number of steps only after writing, so with steps = 0 one token is written."""
    written = []
    last = prompt[-1]
    while True:
        last = table[last].argmax().item()
        written.append(last)
        if last == end_id or len(written) >= steps:
            return written


def greedy__stops_at_repetition(table, prompt, steps, end_id):
    """Intended: also stops when a token would be written a second time, for fear of an endless loop."""
    last, written = prompt[-1], []
    for _ in range(steps):
        last = table[last].argmax().item()
        if last in written:
            break
        written.append(last)
        if last == end_id:
            break
    return written


def greedy__prompt_counts(table, prompt, steps, end_id):
    """Intended: counts the tokens of the prompt among the steps, so fewer are written behind a long prompt."""
    text = list(prompt)
    while len(text) < steps:
        text.append(table[text[-1]].argmax().item())
        if text[-1] == end_id:
            break
    return text[len(prompt) :]


def greedy__prompt_grows(table, prompt, steps, end_id):
    """Intended: appends to the caller's prompt; what is returned is right but the given list is changed."""
    length = len(prompt)
    for _ in range(steps):
        prompt.append(table[prompt[-1]].argmax().item())
        if prompt[-1] == end_id:
            break
    return prompt[length:]


def greedy__drawn(table, prompt, steps, end_id):
    """Intended: draws the next token by its probability instead of taking the most probable."""
    last, written = prompt[-1], []
    for _ in range(steps):
        last = torch.multinomial(table[last].softmax(dim=-1), 1).item()
        written.append(last)
        if last == end_id:
            break
    return written


def greedy__two_column_end_not_written(table, prompt, steps, end_id):
    """Intended: two mistakes: reads a column of the table instead of a row (what comes before), and does not write the end."""
    last, written = prompt[-1], []
    for _ in range(steps):
        last = table[:, last].argmax().item()
        if last == end_id:
            break
        written.append(last)
    return written


# top_k
def top_k__of_the_batch(logits, k):
    """Intended: keeps the k largest of the whole batch instead of k in each row; right for B = 1."""
    border = logits.flatten().topk(k).values[-1]
    return logits.masked_fill(logits < border, -torch.inf)


def top_k__next_as_border(logits, k):
    """Intended: takes the largest that goes, number k + 1, as the border; there is none when k = V, and the function breaks."""
    ordered = logits.sort(dim=-1, descending=True).values
    border = ordered[:, k].unsqueeze(-1)
    return logits.masked_fill(logits <= border, -torch.inf)


def top_k__in_place(logits, k):
    """Intended: writes -inf into the given logits; the result is right but the caller's tensor is changed."""
    border = logits.topk(k).values[:, -1:]
    logits[logits < border] = -torch.inf
    return logits


def top_k__large_negative(logits, k):
    """Intended: gives the others -1e4 instead of -inf: no longer impossible when all logits are very low, and not what was asked."""
    border = logits.topk(k).values[:, -1:]
    return logits.masked_fill(logits < border, -1e4)


def top_k__left_sorted(logits, k):
    """Intended: returns the logits in descending order with -inf behind the first k: nobody knows any more which token is which."""
    ordered = logits.sort(dim=-1, descending=True).values
    ordered[:, k:] = -torch.inf
    return ordered


def top_k__log_probabilities(logits, k):
    """Intended: takes the log-softmax of what is left, so the kept ones are no longer the logits that were given."""
    border = logits.topk(k).values[:, -1:]
    return logits.masked_fill(logits < border, -torch.inf).log_softmax(dim=-1)


def top_k__by_size(logits, k):
    """Intended: judges by the absolute value, so that very negative logits are kept as large ones; right if all are positive."""
    size = logits.abs()
    return logits.masked_fill(size < size.topk(k).values[:, -1:], -torch.inf)


# encoder_layer
def encoder_layer__pre_norm(x, weights, heads, mask):
    """Intended: normalises before each sublayer (pre-norm) instead of behind the addition."""
    normal = layer_norm(x, part(weights, "around_attention.norm"))
    x = x + attention(normal, normal, part(weights, "attention"), heads, mask)
    normal = layer_norm(x, part(weights, "around_feed_forward.norm"))
    return x + feed_forward(normal, part(weights, "feed_forward"))


def encoder_layer__residual_from_start(x, weights, heads, mask):
    """Intended: adds the layer's input again at the second addition, instead of what came out of the first norm."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    middle = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(middle, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__norms_swapped(x, weights, heads, mask):
    """Intended: uses each norm's weights behind the other sublayer; unseen as long as both norms are alike."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, part(weights, "around_feed_forward.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_attention.norm"))


def encoder_layer__norm_then_add(x, weights, heads, mask):
    """Intended: normalises what the sublayer found and adds then, instead of adding first."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = x + layer_norm(found, part(weights, "around_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    return x + layer_norm(thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__none_is_causal(x, weights, heads, mask):
    """Intended: makes a causal mask where none is given, although None should hide nothing and be handed on."""
    if mask is None:
        mask = torch.ones(x.size(-2), x.size(-2), dtype=torch.bool).tril()
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__adds_in_place(x, weights, heads, mask):
    """Intended: adds what attention found into the caller's x in place (x += ...), which changes the given tensor (and fails if a gradient is wanted for it)."""
    x += attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x, part(weights, "around_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__residual_detached(x, weights, heads, mask):
    """Intended: treats what is carried past the sublayers as a constant (detach): values right, gradients cut on the residual path."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x.detach() + found, part(weights, "around_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    x = x.detach() + thought
    return layer_norm(x, part(weights, "around_feed_forward.norm"))


# encoder
def encoder__all_read_x(x, weights, heads, layers, mask):
    """Intended: every layer reads the original x, so only the last layer counts; right for one layer."""
    out = x
    for number in range(layers):
        out = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return out


def encoder__first_weights(x, weights, heads, layers, mask):
    """Intended: uses the weights of layer 0 for every layer."""
    shared = part(weights, "layers.0")
    for _ in range(layers):
        x = encoder_layer(x, shared, heads, mask)
    return x


def encoder__mask_once(x, weights, heads, layers, mask):
    """Intended: hands the mask to the first layer only, thinking that padding is gone afterwards."""
    for number in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
        mask = None
    return x


def encoder__cut_between(x, weights, heads, layers, mask):
    """Intended: detaches between the layers, so only the last layer learns; the values are right."""
    for number in range(layers):
        own = part(weights, f"layers.{number}")
        x = encoder_layer(x.detach(), own, heads, mask)
    return x


def encoder__sorted_as_text(x, weights, heads, layers, mask):
    """Intended: goes through the layers in the order of their names as text, so layer 10 comes before layer 2; right for up to ten layers."""
    for name in sorted(f"layers.{number}" for number in range(layers)):
        x = encoder_layer(x, part(weights, name), heads, mask)
    return x


def encoder__final_norm(x, weights, heads, layers, mask):
    """Intended: adds one more norm behind the last layer, as GPT-2 has; nobody asked for it."""
    for number in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return F.layer_norm(x, x.shape[-1:])


def encoder__two_residual_last_missing(x, weights, heads, layers, mask):
    """Intended: two mistakes: adds x once more around each whole layer, and leaves out the last layer (loop bound)."""
    for number in range(layers - 1):
        own = part(weights, f"layers.{number}")
        x = x + encoder_layer(x, own, heads, mask)
    return x


# decoder_layer
def decoder_layer__old_x_asks(x, memory, weights, mask, memory_mask):
    """Intended: in the cross-attention the x that came in asks, not the one behind the first norm; the residual is right."""
    found = weights.attention(x, x, mask)
    y = weights.attention_norm(x + found)
    own = weights.cross_attention
    found = own(x, memory, memory_mask)
    y = weights.cross_attention_norm(y + found)
    thought = weights.feed_forward(y)
    return weights.feed_forward_norm(y + thought)


def decoder_layer__memory_unmasked(x, memory, weights, mask, memory_mask):
    """Intended: hands None instead of memory_mask to the cross-attention, so the padding of the source is read."""
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    found = weights.cross_attention(x, memory, None)
    x = weights.cross_attention_norm(x + found)
    thought = weights.feed_forward(x)
    return weights.feed_forward_norm(x + thought)


def decoder_layer__same_attention(x, memory, weights, mask, memory_mask):
    """Intended: copy and paste: the cross-attention uses the weights of the self-attention."""
    own = weights.attention
    found = own(x, x, mask)
    x = weights.attention_norm(x + found)
    found = own(x, memory, memory_mask)
    x = weights.cross_attention_norm(x + found)
    thought = weights.feed_forward(x)
    return weights.feed_forward_norm(x + thought)


def decoder_layer__memory_detached(x, memory, weights, mask, memory_mask):
    """Intended: takes the memory for fixed and detaches it, so the encoder gets no gradient; the values are right."""
    memory = memory.detach()
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    own = weights.cross_attention
    found = own(x, memory, memory_mask)
    x = weights.cross_attention_norm(x + found)
    thought = weights.feed_forward(x)
    return weights.feed_forward_norm(x + thought)


def decoder_layer__thinks_first(x, memory, weights, mask, memory_mask):
    """Intended: puts the cross-attention behind the feed-forward network instead of into the middle."""
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    thought = weights.feed_forward(x)
    x = weights.feed_forward_norm(x + thought)
    own = weights.cross_attention
    found = own(x, memory, memory_mask)
    return weights.cross_attention_norm(x + found)


def decoder_layer__residual_from_start(x, memory, weights, mask, memory_mask):
    """Intended: the residual of the cross-attention adds the layer's input instead of what stands behind the first norm."""
    found = weights.attention(x, x, mask)
    y = weights.attention_norm(x + found)
    own = weights.cross_attention
    found = own(y, memory, memory_mask)
    y = weights.cross_attention_norm(x + found)
    thought = weights.feed_forward(y)
    return weights.feed_forward_norm(y + thought)


def decoder_layer__two_self_unmasked_no_residual(x, memory, weights, mask, memory_mask):
    """Intended: two mistakes: the self-attention gets no mask, and the cross-attention has no residual (what it found replaces x)."""
    found = weights.attention(x, x, None)
    x = weights.attention_norm(x + found)
    own = weights.cross_attention
    found = own(x, memory, memory_mask)
    x = weights.cross_attention_norm(found)
    thought = weights.feed_forward(x)
    return weights.feed_forward_norm(x + thought)


# decoder
def decoder__one_ahead(x, weights, real):
    """Intended: puts "and" for "or", but thinks that the diagonal should be one further (tril(1)): each token reads the next one."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril(1)
    mask = past & real.unsqueeze(-2)
    return weights(x, mask)


def decoder__padding_may_not_ask(x, weights, real):
    """Intended: hides the rows of the padding too, so they have nothing to read, become nan, and spoil the real tokens in the next layer."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-2) & real.unsqueeze(-1)
    return weights(x, mask)


def decoder__padding_of_first_text(x, weights, real):
    """Intended: uses the padding of the first text for the whole batch; right for B = 1 or equal lengths."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    return weights(x, past & real[0])


def decoder__padding_zeroed(x, weights, real):
    """Intended: sets the vectors of padding to zero instead of hiding them; zeros still get attention, so whoever stands behind padding reads it."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    return weights(x * real.unsqueeze(-1), past)


def decoder__cut(x, weights, real):
    """Intended: mends the mask but detaches x, so the embeddings below get no gradient."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-2)
    return weights(x.detach(), mask)


def decoder__padding_only(x, weights, real):
    """Intended: throws the causal mask away and hides the padding only; the future is still read."""
    return weights(x, real.unsqueeze(-2))


def decoder__two_future_queries(x, weights, real):
    """Intended: two mistakes: takes the upper triangle (only what comes later), and puts real on the axis of those who ask."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).triu()
    mask = past & real.unsqueeze(-1)
    return weights(x, mask)


# shifted_loss
def shifted_loss__real_of_guesser(logits, ids, real):
    """Intended: counts a guess if the token that guesses is real, not the one that is guessed: the first padding of each text counts."""
    targets = ids[:, 1:].masked_fill(~real[:, :-1], -100)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())


def shifted_loss__mean_of_texts(logits, ids, real):
    """Intended: takes the mean of each text first and then of the texts, so tokens of short texts count more."""
    targets = ids[:, 1:].masked_fill(~real[:, 1:], -100)
    each = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), targets, reduction="none"
    )
    count = real[:, 1:].sum(dim=1)
    return (each.sum(dim=1) / count.clamp(min=1)).mean()


def shifted_loss__all_real_counted(logits, ids, real):
    """Intended: divides by the number of all real tokens, though the first of each text is guessed by nobody: too small."""
    targets = ids[:, 1:].masked_fill(~real[:, 1:], -100)
    total = F.cross_entropy(
        logits[:, :-1].flatten(0, 1), targets.flatten(), reduction="sum"
    )
    return total / real.sum()


def shifted_loss__log_of_softmax(logits, ids, real):
    """Intended: takes the logarithm of the softmax with a small number against log 0; with large logits -ln p can never exceed 20.7 and its gradient vanishes."""
    chances = logits[:, :-1].softmax(dim=-1)
    own = chances.gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    kept = real[:, 1:]
    return (-(own + 1e-9).log() * kept).sum() / kept.sum()


def shifted_loss__across_texts(logits, ids, real):
    """Intended: flattens the batch first and shifts then, so the last place of a text is scored on the first token of the next text; right for B = 1."""
    targets = ids.masked_fill(~real, -100).flatten()
    return F.cross_entropy(logits.flatten(0, 1)[:-1], targets[1:])


def shifted_loss__reshaped(logits, ids, real):
    """Intended: reshapes the logits to (B, V, T - 1) to bring the classes to axis 1, instead of swapping the axes; the numbers get mixed up."""
    targets = ids[:, 1:].masked_fill(~real[:, 1:], -100)
    guesses = logits[:, :-1]
    return F.cross_entropy(
        guesses.reshape(guesses.size(0), guesses.size(2), guesses.size(1)),
        targets,
    )


def shifted_loss__two_unshifted_in_place(logits, ids, real):
    """Intended: two mistakes: compares each place with its own token (no shift), and writes -100 into the given ids."""
    ids[~real] = -100
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten())


# cached_step
def cached_step__own_key_missing(x, keys, values, weights):
    """Intended: asks the old keys only and appends the new one afterwards, so the new token cannot read itself."""
    q = weights.query(x)
    found = torch.softmax(q @ keys.mT / math.sqrt(q.size(-1)), dim=-1) @ values
    keys = torch.cat([keys, weights.key(x)], dim=1)
    values = torch.cat([values, weights.value(x)], dim=1)
    return weights.output(found), keys, values


def cached_step__tril_of_one_row(x, keys, values, weights):
    """Intended: puts a causal mask of one row over the scores; tril counts from the first place, so only the first key is read."""
    q = weights.query(x)
    keys = torch.cat([keys, weights.key(x)], dim=1)
    values = torch.cat([values, weights.value(x)], dim=1)
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    past = torch.ones(1, keys.size(1), dtype=torch.bool).tril()
    scores = scores.masked_fill(~past, -torch.inf)
    found = torch.softmax(scores, dim=-1) @ values
    return weights.output(found), keys, values


def cached_step__projected_again(x, keys, values, weights):
    """Intended: takes the cache for tokens and sends the old keys and values through their layers once more."""
    q = weights.query(x)
    keys = weights.key(torch.cat([keys, x], dim=1))
    values = weights.value(torch.cat([values, x], dim=1))
    found = torch.softmax(q @ keys.mT / math.sqrt(q.size(-1)), dim=-1) @ values
    return weights.output(found), keys, values


def cached_step__new_in_front(x, keys, values, weights):
    """Intended: puts the new key and value before the old ones; the result is the same, but the cache has the wrong order."""
    q = weights.query(x)
    keys = torch.cat([weights.key(x), keys], dim=1)
    values = torch.cat([weights.value(x), values], dim=1)
    found = torch.softmax(q @ keys.mT / math.sqrt(q.size(-1)), dim=-1) @ values
    return weights.output(found), keys, values


def cached_step__scaled_by_length(x, keys, values, weights):
    """Intended: divides by the root of the number of keys read so far instead of by that of the width."""
    q = weights.query(x)
    keys = torch.cat([keys, weights.key(x)], dim=1)
    values = torch.cat([values, weights.value(x)], dim=1)
    scores = q @ keys.mT
    found = torch.softmax(scores / math.sqrt(scores.size(-1)), dim=-1) @ values
    return weights.output(found), keys, values


def cached_step__softmax_over_queries(x, keys, values, weights):
    """Intended: softmax along axis 1, that of the one query: all weights are 1, and the values are simply added up."""
    q = weights.query(x)
    keys = torch.cat([keys, weights.key(x)], dim=1)
    values = torch.cat([values, weights.value(x)], dim=1)
    found = torch.softmax(q @ keys.mT / math.sqrt(q.size(-1)), dim=1) @ values
    return weights.output(found), keys, values


def cached_step__two_key_as_value_no_output(x, keys, values, weights):
    """Intended: two mistakes: the new value is made with the weights of the key, and the output layer is forgotten."""
    q = weights.query(x)
    keys = torch.cat([keys, weights.key(x)], dim=1)
    values = torch.cat([values, weights.key(x)], dim=1)
    found = torch.softmax(q @ keys.mT / math.sqrt(q.size(-1)), dim=-1) @ values
    return found, keys, values


# embed_new
def embed_new__only_for_one(ids, past, tokens, positions):
    """Intended: takes care of the past only if exactly one token is new; several new ones behind a past get the places 0, 1, ..."""
    length = ids.size(-1)
    if length == 1:
        places = torch.tensor([past])
    else:
        places = torch.arange(length)
    return tokens[ids] + positions[places]


def embed_new__one_place_for_all(ids, past, tokens, positions):
    """Intended: gives the row of place `past` to all new tokens; right if there is only one."""
    return tokens[ids] + positions[past]


def embed_new__from_one(ids, past, tokens, positions):
    """Intended: behind a past it begins one too far (three tokens read, so the new one is number four and gets row 4)."""
    length = ids.size(-1)
    first = past + 1 if past > 0 else 0
    return tokens[ids] + positions[torch.arange(first, first + length)]


def embed_new__last_of_past(ids, past, tokens, positions):
    """Intended: begins at the place of the last token read (past - 1) instead of behind it."""
    length = ids.size(-1)
    first = max(past - 1, 0)
    return tokens[ids] + positions[torch.arange(first, first + length)]


def embed_new__new_as_far_as_long(ids, past, tokens, positions):
    """Intended: counts the past in blocks as long as the new one (past * length + place); right if one token is new or none is past."""
    length = ids.size(-1)
    places = (past * length + torch.arange(length)) % positions.size(0)
    return tokens[ids] + positions[places]


def embed_new__changes_the_table(ids, past, tokens, positions):
    """Intended: adds the positions into the rows of the given table of tokens, which is changed, and a token that occurs twice gets one place only."""
    length = ids.size(-1)
    tokens[ids] += positions[past : past + length]
    return tokens[ids]


def embed_new__two_scaled_arange_to_past(ids, past, tokens, positions):
    """Intended: two mistakes: multiplies the tokens' vectors by the root of D as the paper of 2017 does, and counts the new places backwards (the newest gets the place `past`)."""
    length = ids.size(-1)
    places = past + torch.arange(length).flip(0)
    return tokens[ids] * math.sqrt(tokens.size(-1)) + positions[places]


# shapes
def shapes__source_asks(B, S, T, D, H, V):
    """Intended: the weights of the cross-attention with rows and columns swapped: the source asks."""
    return (B, S, D), (B, H, S, T), (B, T, V), (V, D), (B, H, T, D // H)


def shapes__keys_of_source(B, S, T, D, H, V):
    """Intended: takes the keys of the self-attention's cache for those of the source, S instead of T."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, S, D // H)


def shapes__heads_full_width(B, S, T, D, H, V):
    """Intended: thinks that every head's keys have the whole width D."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D)


def shapes__last_logits(B, S, T, D, H, V):
    """Intended: gives logits for the last place only, as in writing; in training every place guesses."""
    return (B, S, D), (B, H, T, S), (B, V), (V, D), (B, H, T, D // H)


def shapes__self_weights(B, S, T, D, H, V):
    """Intended: gives the weights of the self-attention, T by T, for those of the cross-attention."""
    return (B, S, D), (B, H, T, T), (B, T, V), (V, D), (B, H, T, D // H)


def shapes__table_of_positions(B, S, T, D, H, V):
    """Intended: takes the table of tokens for one row for each token of the text (T, D), not for each of the vocabulary."""
    return (B, S, D), (B, H, T, S), (B, T, V), (T, D), (B, H, T, D // H)


def shapes__two_memory_table(B, S, T, D, H, V):
    """Intended: two mistakes: the memory has the written text's length T, and the table of tokens stands as a linear layer's transpose (D, V)."""
    return (B, T, D), (B, H, T, S), (B, T, V), (D, V), (B, H, T, D // H)


# rename_weights
def rename_weights__short_piece_first(weights):
    """Intended: replaces "output.dense" before "attention.output.dense", so the attention's output becomes attention.feed_forward.narrow."""
    pieces = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    renamed = {}
    for name, tensor in weights.items():
        if name.startswith("pooler."):
            continue
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        renamed[name] = tensor
    return renamed


def rename_weights__one_digit(weights):
    """Intended: looks for layers of one digit only, so layer 10 and later keep "encoder.layer."; right for up to ten layers."""
    pieces = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "attention.self.": "attention.",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    renamed = {}
    for name, tensor in weights.items():
        if name.startswith("pooler."):
            continue
        name = re.sub(r"encoder\.layer\.(\d)\.", r"encoder.layers.\1.", name)
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        renamed[name] = tensor
    return renamed


def rename_weights__first_layer_literally(weights):
    """Intended: copies the table literally, with layer 0 in the names, so all other layers keep BERT's names."""
    theirs_0, ours_0 = "encoder.layer.0.", "encoder.layers.0."
    pieces = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        theirs_0 + "attention.self.query": ours_0 + "attention.query",
        theirs_0 + "attention.self.key": ours_0 + "attention.key",
        theirs_0 + "attention.self.value": ours_0 + "attention.value",
        theirs_0 + "attention.output.dense": ours_0 + "attention.output",
        theirs_0 + "attention.output.LayerNorm": ours_0
        + "around_attention.norm",
        theirs_0 + "intermediate.dense": ours_0 + "feed_forward.widen",
        theirs_0 + "output.dense": ours_0 + "feed_forward.narrow",
        theirs_0 + "output.LayerNorm": ours_0 + "around_feed_forward.norm",
    }
    renamed = {}
    for name, tensor in weights.items():
        if name.startswith("pooler."):
            continue
        stem, _, kind = name.rpartition(".")
        renamed[f"{pieces.get(stem, stem)}.{kind}"] = tensor
    return renamed


def rename_weights__pooler_deleted(weights):
    """Intended: deletes the pooler's entries from the dict that was given; the new dict is right but the caller's has lost them."""
    pieces = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    for name in [name for name in weights if name.startswith("pooler.")]:
        del weights[name]
    renamed = {}
    for name, tensor in weights.items():
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        renamed[name] = tensor
    return renamed


def rename_weights__transposed(weights):
    """Intended: also transposes the weights of the linear layers, thinking that ours are (inputs, outputs); the same tensors were asked for."""
    pieces = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    renamed = {}
    for name, tensor in weights.items():
        if name.startswith("pooler."):
            continue
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        if name.startswith("encoder.") and tensor.dim() == 2:
            tensor = tensor.T
        renamed[name] = tensor
    return renamed


def rename_weights__one_piece_each(weights):
    """Intended: stops at the first piece found in a name, so the names in the layers are renamed by half (encoder.layers.0.attention.self...)."""
    pieces = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    renamed = {}
    for name, tensor in weights.items():
        if name.startswith("pooler."):
            continue
        for theirs, ours in pieces.items():
            if theirs in name:
                name = name.replace(theirs, ours)
                break
        renamed[name] = tensor
    return renamed


def rename_weights__two_pooler_kept_no_bias(weights):
    """Intended: two mistakes: only the names that end with weight are taken over (the biases are lost), and the pooler stays."""
    pieces = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    renamed = {}
    for name, tensor in weights.items():
        if not name.endswith(".weight"):
            continue
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        renamed[name] = tensor
    return renamed


# top_p
def top_p__crossing_goes(logits, p):
    """Intended: drops the token that brings the sum above p (only the first always stays), so what is kept has less than p."""
    chances, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    goes = chances.cumsum(dim=-1) > p
    goes[..., 0] = False
    back = goes.scatter(-1, order, goes)
    return logits.masked_fill(back, -torch.inf)


def top_p__gathered(logits, p):
    """Intended: brings the answers back by gather instead of scatter, which is the inverse order; right only if the order is its own inverse."""
    chances, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    goes = chances.cumsum(dim=-1) - chances >= p
    return logits.masked_fill(goes.gather(-1, order), -torch.inf)


def top_p__bare_exponentials(logits, p):
    """Intended: takes the exponentials of the logits as they are; large logits overflow to nan and nothing is cut off."""
    e = logits.exp()
    chances, order = (e / e.sum(dim=-1, keepdim=True)).sort(
        dim=-1, descending=True
    )
    goes = chances.cumsum(dim=-1) - chances >= p
    back = goes.scatter(-1, order, goes)
    return logits.masked_fill(back, -torch.inf)


def top_p__share_of_the_best(logits, p):
    """Intended: keeps every token that has at least p times the probability of the best (min-p), instead of adding up."""
    chances = logits.softmax(dim=-1)
    border = p * chances.amax(dim=-1, keepdim=True)
    return logits.masked_fill(chances < border, -torch.inf)


def top_p__count_of_first_row(logits, p):
    """Intended: finds out for the first text how many tokens stay, and keeps as many in every row; right for B = 1."""
    chances = logits[0].softmax(dim=-1).sort(descending=True).values
    count = int((chances.cumsum(dim=-1) - chances < p).sum())
    border = logits.topk(max(count, 1), dim=-1).values[..., -1:]
    return logits.masked_fill(logits < border, -torch.inf)


def top_p__share_of_the_vocabulary(logits, p):
    """Intended: takes p for the share of the vocabulary that stays, so a fixed number of tokens, whatever their probabilities."""
    count = max(1, math.ceil(p * logits.size(-1)))
    border = logits.topk(min(count, logits.size(-1)), dim=-1).values[..., -1:]
    return logits.masked_fill(logits < border, -torch.inf)


def top_p__two_not_put_back_renormalised(logits, p):
    """Intended: two mistakes: applies the answers for the sorted tokens to the unsorted ones, and returns log-probabilities instead of the logits."""
    chances = logits.softmax(dim=-1).sort(dim=-1, descending=True).values
    goes = chances.cumsum(dim=-1) - chances >= p
    return logits.masked_fill(goes, -torch.inf).log_softmax(dim=-1)


# beam_search
def beam_search__copies_of_start(table, start, beams, steps):
    """Intended: begins with as many copies of the start as there are beams; they all do the same and the search is greedy."""
    logs = table.log_softmax(dim=-1).tolist()
    pairs = [(0.0, [start]) for _ in range(beams)]
    for _ in range(steps):
        new = []
        for score, text in pairs:
            for token, log in enumerate(logs[text[-1]]):
                new.append((score + log, text + [token]))
        pairs = sorted(new, reverse=True)[:beams]
    score, text = pairs[0]
    return text[1:], score


def beam_search__each_for_itself(table, start, beams, steps):
    """Intended: after the first step every text goes on with its own best token only, instead of all continuations competing."""
    logs = table.log_softmax(dim=-1).tolist()
    pairs = [(0.0, [start])]
    for step in range(steps):
        new = []
        for score, text in pairs:
            row = logs[text[-1]]
            ordered = sorted(range(len(row)), key=row.__getitem__, reverse=True)
            for token in ordered[: beams if step == 0 else 1]:
                new.append((score + row[token], text + [token]))
        pairs = new
    score, text = max(pairs)
    return text[1:], score


def beam_search__best_for_each_token(table, start, beams, steps):
    """Intended: keeps the best text for every last token (Viterbi) instead of the best `beams`, so finds better texts than the beams would."""
    logs = table.log_softmax(dim=-1).tolist()
    best = {start: (0.0, [start])}
    for _ in range(steps):
        new = {}
        for score, text in best.values():
            for token, log in enumerate(logs[text[-1]]):
                pair = (score + log, text + [token])
                if token not in new or pair > new[token]:
                    new[token] = pair
        best = new
    score, text = max(best.values())
    return text[1:], score


def beam_search__last_step_counts(table, start, beams, steps):
    """Intended: the score is that of the last token alone and does not grow over the steps."""
    logs = table.log_softmax(dim=-1).tolist()
    pairs = [(0.0, [start])]
    for _ in range(steps):
        new = []
        for _, text in pairs:
            for token, log in enumerate(logs[text[-1]]):
                new.append((log, text + [token]))
        pairs = sorted(new, reverse=True)[:beams]
    score, text = pairs[0]
    return text[1:], score


def beam_search__best_of_any_length(table, start, beams, steps):
    """Intended: returns the best text seen after any step; scores only fall, so it is the text of one token."""
    logs = table.log_softmax(dim=-1).tolist()
    pairs, seen = [(0.0, [start])], []
    for _ in range(steps):
        new = []
        for score, text in pairs:
            for token, log in enumerate(logs[text[-1]]):
                new.append((score + log, text + [token]))
        pairs = sorted(new, reverse=True)[:beams]
        seen += pairs
    score, text = max(seen) if seen else pairs[0]
    return text[1:], score


def beam_search__bare_exponentials(table, start, beams, steps):
    """Intended: makes the probabilities with bare exponentials; large logits overflow and the scores become nan."""
    e = table.exp()
    logs = (e / e.sum(dim=-1, keepdim=True)).log().tolist()
    pairs = [(0.0, [start])]
    for _ in range(steps):
        new = []
        for score, text in pairs:
            for token, log in enumerate(logs[text[-1]]):
                new.append((score + log, text + [token]))
        pairs = sorted(new, reverse=True)[:beams]
    score, text = pairs[0]
    return text[1:], score


def beam_search__two_logits_start_kept(table, start, beams, steps):
    """Intended: two mistakes: adds up the logits themselves instead of log-probabilities, and returns the text with the start."""
    logs = table.tolist()
    pairs = [(0.0, [start])]
    for _ in range(steps):
        new = []
        for score, text in pairs:
            for token, log in enumerate(logs[text[-1]]):
                new.append((score + log, text + [token]))
        pairs = sorted(new, reverse=True)[:beams]
    score, text = pairs[0]
    return text, score


# diagnose
def diagnose__asks_twice(model):
    """Intended: asks the same only twice, so a model that says the same twice by chance is not seen to roll dice."""
    def differ(a, b):
        return bool(((a - b).abs() >= 0.001).any())

    ids = torch.randint(12, (3, 8))
    if differ(model(ids), model(ids)):
        return "rolls dice"
    for _ in range(5):
        ids = torch.randint(12, (4, 8))
        whole = model(ids)
        for row in range(4):
            if differ(model(ids[row : row + 1]), whole[row : row + 1]):
                return "mixes texts"
    for _ in range(5):
        ids = torch.randint(12, (1, 8))
        said = model(ids)
        for place in range(1, 8):
            other = ids.clone()
            other[:, place:] = torch.randint(12, (1, 8 - place))
            if differ(model(other)[:, :place], said[:, :place]):
                return "reads the future"
    counts = order = False
    for _ in range(10):
        ids = torch.randperm(12)[:8].unsqueeze(0)
        said = model(ids)[:, -1]
        other = ids.clone()
        other[:, :-1] = (other[:, :-1] + torch.randint(1, 12, (1, 7))) % 12
        counts = counts or differ(model(other)[:, -1], said)
        other = ids.clone()
        other[:, :-1] = ids[:, :-1].roll(1, dims=-1)
        order = order or differ(model(other)[:, -1], said)
    if not counts:
        return "reads one token"
    return "healthy" if order else "ignores the order"


def diagnose__future_at_first_place(model):
    """Intended: changes the last token only and looks at the first place only, so a model that reads the future elsewhere is not caught."""
    def differ(a, b):
        return bool(((a - b).abs() >= 0.001).any())

    for _ in range(5):
        ids = torch.randint(12, (3, 8))
        said = model(ids)
        if any(differ(model(ids), said) for _ in range(3)):
            return "rolls dice"
    for _ in range(5):
        ids = torch.randint(12, (4, 8))
        whole = model(ids)
        for row in range(4):
            if differ(model(ids[row : row + 1]), whole[row : row + 1]):
                return "mixes texts"
    for _ in range(5):
        ids = torch.randint(12, (1, 8))
        said = model(ids)
        other = ids.clone()
        other[:, -1] = (other[:, -1] + 1) % 12
        if differ(model(other)[:, 0], said[:, 0]):
            return "reads the future"
    counts = order = False
    for _ in range(10):
        ids = torch.randperm(12)[:8].unsqueeze(0)
        said = model(ids)[:, -1]
        other = ids.clone()
        other[:, :-1] = (other[:, :-1] + torch.randint(1, 12, (1, 7))) % 12
        counts = counts or differ(model(other)[:, -1], said)
        other = ids.clone()
        other[:, :-1] = ids[:, :-1].roll(1, dims=-1)
        order = order or differ(model(other)[:, -1], said)
    if not counts:
        return "reads one token"
    return "healthy" if order else "ignores the order"


def diagnose__only_the_neighbour(model):
    """Intended: changes only the token just before the last to see whether others count; a healthy model that reads the first and its own is said to read one token."""
    def differ(a, b):
        return bool(((a - b).abs() >= 0.001).any())

    for _ in range(5):
        ids = torch.randint(12, (3, 8))
        said = model(ids)
        if any(differ(model(ids), said) for _ in range(3)):
            return "rolls dice"
    for _ in range(5):
        ids = torch.randint(12, (4, 8))
        whole = model(ids)
        for row in range(4):
            if differ(model(ids[row : row + 1]), whole[row : row + 1]):
                return "mixes texts"
    for _ in range(5):
        ids = torch.randint(12, (1, 8))
        said = model(ids)
        for place in range(1, 8):
            other = ids.clone()
            other[:, place:] = torch.randint(12, (1, 8 - place))
            if differ(model(other)[:, :place], said[:, :place]):
                return "reads the future"
    counts = order = False
    for _ in range(10):
        ids = torch.randperm(12)[:8].unsqueeze(0)
        said = model(ids)[:, -1]
        other = ids.clone()
        other[:, -2] = (other[:, -2] + 5) % 12
        counts = counts or differ(model(other)[:, -1], said)
        other = ids.clone()
        other[:, :-1] = ids[:, :-1].roll(1, dims=-1)
        order = order or differ(model(other)[:, -1], said)
    if not counts:
        return "reads one token"
    return "healthy" if order else "ignores the order"


def diagnose__own_token_moved(model):
    """Intended: turns the whole text round for the order, so the last token changes as well; a model that ignores the order is called healthy."""
    def differ(a, b):
        return bool(((a - b).abs() >= 0.001).any())

    for _ in range(5):
        ids = torch.randint(12, (3, 8))
        said = model(ids)
        if any(differ(model(ids), said) for _ in range(3)):
            return "rolls dice"
    for _ in range(5):
        ids = torch.randint(12, (4, 8))
        whole = model(ids)
        for row in range(4):
            if differ(model(ids[row : row + 1]), whole[row : row + 1]):
                return "mixes texts"
    for _ in range(5):
        ids = torch.randint(12, (1, 8))
        said = model(ids)
        for place in range(1, 8):
            other = ids.clone()
            other[:, place:] = torch.randint(12, (1, 8 - place))
            if differ(model(other)[:, :place], said[:, :place]):
                return "reads the future"
    counts = order = False
    for _ in range(10):
        ids = torch.randperm(12)[:8].unsqueeze(0)
        said = model(ids)[:, -1]
        other = ids.clone()
        other[:, :-1] = (other[:, :-1] + torch.randint(1, 12, (1, 7))) % 12
        counts = counts or differ(model(other)[:, -1], said)
        order = order or differ(model(ids.flip(-1))[:, -1], said)
    if not counts:
        return "reads one token"
    return "healthy" if order else "ignores the order"


def diagnose__twins_in_the_batch(model):
    """Intended: to see whether texts are mixed, puts copies of the same text into a batch; a mean over equal texts changes nothing and is not noticed."""
    def differ(a, b):
        return bool(((a - b).abs() >= 0.001).any())

    for _ in range(5):
        ids = torch.randint(12, (1, 8))
        said = model(ids)
        if any(differ(model(ids), said) for _ in range(3)):
            return "rolls dice"
    for _ in range(5):
        ids = torch.randint(12, (1, 8))
        if differ(model(ids.repeat(4, 1))[:1], model(ids)):
            return "mixes texts"
    for _ in range(5):
        ids = torch.randint(12, (1, 8))
        said = model(ids)
        for place in range(1, 8):
            other = ids.clone()
            other[:, place:] = torch.randint(12, (1, 8 - place))
            if differ(model(other)[:, :place], said[:, :place]):
                return "reads the future"
    counts = order = False
    for _ in range(10):
        ids = torch.randperm(12)[:8].unsqueeze(0)
        said = model(ids)[:, -1]
        other = ids.clone()
        other[:, :-1] = (other[:, :-1] + torch.randint(1, 12, (1, 7))) % 12
        counts = counts or differ(model(other)[:, -1], said)
        other = ids.clone()
        other[:, :-1] = ids[:, :-1].roll(1, dims=-1)
        order = order or differ(model(other)[:, -1], said)
    if not counts:
        return "reads one token"
    return "healthy" if order else "ignores the order"


def diagnose__dice_last(model):
    """Intended: asks about dice only after the experiments with batch and future, where dice make a difference too; a model that rolls them is said to mix texts."""
    def differ(a, b):
        return bool(((a - b).abs() >= 0.001).any())

    for _ in range(5):
        ids = torch.randint(12, (4, 8))
        whole = model(ids)
        for row in range(4):
            if differ(model(ids[row : row + 1]), whole[row : row + 1]):
                return "mixes texts"
    for _ in range(5):
        ids = torch.randint(12, (1, 8))
        said = model(ids)
        for place in range(1, 8):
            other = ids.clone()
            other[:, place:] = torch.randint(12, (1, 8 - place))
            if differ(model(other)[:, :place], said[:, :place]):
                return "reads the future"
    for _ in range(5):
        ids = torch.randint(12, (3, 8))
        said = model(ids)
        if any(differ(model(ids), said) for _ in range(3)):
            return "rolls dice"
    counts = order = False
    for _ in range(10):
        ids = torch.randperm(12)[:8].unsqueeze(0)
        said = model(ids)[:, -1]
        other = ids.clone()
        other[:, :-1] = (other[:, :-1] + torch.randint(1, 12, (1, 7))) % 12
        counts = counts or differ(model(other)[:, -1], said)
        other = ids.clone()
        other[:, :-1] = ids[:, :-1].roll(1, dims=-1)
        order = order or differ(model(other)[:, -1], said)
    if not counts:
        return "reads one token"
    return "healthy" if order else "ignores the order"


def diagnose__to_the_last_digit(model):
    """Intended: compares logits exactly instead of to within 0.001, so rounding (another batch size, another order of sums) passes for a fault."""
    def differ(a, b):
        return not torch.equal(a, b)

    for _ in range(5):
        ids = torch.randint(12, (3, 8))
        said = model(ids)
        if any(differ(model(ids), said) for _ in range(3)):
            return "rolls dice"
    for _ in range(5):
        ids = torch.randint(12, (4, 8))
        whole = model(ids)
        for row in range(4):
            if differ(model(ids[row : row + 1]), whole[row : row + 1]):
                return "mixes texts"
    for _ in range(5):
        ids = torch.randint(12, (1, 8))
        said = model(ids)
        for place in range(1, 8):
            other = ids.clone()
            other[:, place:] = torch.randint(12, (1, 8 - place))
            if differ(model(other)[:, :place], said[:, :place]):
                return "reads the future"
    counts = order = False
    for _ in range(10):
        ids = torch.randperm(12)[:8].unsqueeze(0)
        said = model(ids)[:, -1]
        other = ids.clone()
        other[:, :-1] = (other[:, :-1] + torch.randint(1, 12, (1, 7))) % 12
        counts = counts or differ(model(other)[:, -1], said)
        other = ids.clone()
        other[:, :-1] = ids[:, :-1].roll(1, dims=-1)
        order = order or differ(model(other)[:, -1], said)
    if not counts:
        return "reads one token"
    return "healthy" if order else "ignores the order"


# head_losses
def head_losses__one_after_the_other(weights, ids, real):
    """Intended: never gives a silenced head its numbers back, so each entry is the growth without this and all heads before it."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss_of(some):
        x = some.tokens.weight[ids] + some.positions.weight[: ids.size(1)]
        x = decoder(x, some.encoder, real)
        return shifted_loss(x @ some.tokens.weight.mT, ids, real)

    whole = loss_of(weights)
    table = torch.zeros(layers, heads)
    changed = _with(weights, {})
    for layer in range(layers):
        matrix = changed.get_submodule(f"encoder.layers.{layer}.attention.output").weight
        width = matrix.size(1) // heads
        for head in range(heads):
            matrix[:, head * width : (head + 1) * width] = 0
            table[layer, head] = loss_of(changed) - whole
    return table


def head_losses__bias_too(weights, ids, real):
    """Intended: silences the bias of the output projection as well, which should stay as it is."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss_of(some):
        x = some.tokens.weight[ids] + some.positions.weight[: ids.size(1)]
        x = decoder(x, some.encoder, real)
        return shifted_loss(x @ some.tokens.weight.mT, ids, real)

    whole = loss_of(weights)
    table = torch.zeros(layers, heads)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output"
        width = weights.get_submodule(name).weight.size(1) // heads
        for head in range(heads):
            matrix = weights.get_submodule(name).weight.clone()
            matrix[:, head * width : (head + 1) * width] = 0
            changed = _with(weights, {f"{name}.weight": matrix, f"{name}.bias": torch.zeros_like(weights.get_submodule(name).bias)})
            table[layer, head] = loss_of(changed) - whole
    return table


def head_losses__value_without_bias(weights, ids, real):
    """Intended: silences the head by zeros in its rows of value.weight and forgets value.bias, which the head still hands on."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss_of(some):
        x = some.tokens.weight[ids] + some.positions.weight[: ids.size(1)]
        x = decoder(x, some.encoder, real)
        return shifted_loss(x @ some.tokens.weight.mT, ids, real)

    whole = loss_of(weights)
    table = torch.zeros(layers, heads)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.value.weight"
        width = weights.get_parameter(name).size(0) // heads
        for head in range(heads):
            matrix = weights.get_parameter(name).clone()
            matrix[head * width : (head + 1) * width] = 0
            table[layer, head] = loss_of(_with(weights, {name: matrix})) - whole
    return table


def head_losses__interleaved(weights, ids, real):
    """Intended: thinks that the features of the heads take turns (every H-th column is one head's), but they stand in blocks side by side."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss_of(some):
        x = some.tokens.weight[ids] + some.positions.weight[: ids.size(1)]
        x = decoder(x, some.encoder, real)
        return shifted_loss(x @ some.tokens.weight.mT, ids, real)

    whole = loss_of(weights)
    table = torch.zeros(layers, heads)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        for head in range(heads):
            matrix = weights.get_parameter(name).clone()
            matrix[:, head::heads] = 0
            table[layer, head] = loss_of(_with(weights, {name: matrix})) - whole
    return table


def head_losses__only_this_one(weights, ids, real):
    """Intended: silences all other heads of the layer and lets this one go on, instead of the other way round."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss_of(some):
        x = some.tokens.weight[ids] + some.positions.weight[: ids.size(1)]
        x = decoder(x, some.encoder, real)
        return shifted_loss(x @ some.tokens.weight.mT, ids, real)

    whole = loss_of(weights)
    table = torch.zeros(layers, heads)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        width = weights.get_parameter(name).size(1) // heads
        for head in range(heads):
            own = slice(head * width, (head + 1) * width)
            matrix = torch.zeros_like(weights.get_parameter(name))
            matrix[:, own] = weights.get_parameter(name)[:, own]
            table[layer, head] = loss_of(_with(weights, {name: matrix})) - whole
    return table


def head_losses__rows(weights, ids, real):
    """Intended: sets rows of the output projection to zero instead of columns: its outputs are cut, not what the head hands it."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss_of(some):
        x = some.tokens.weight[ids] + some.positions.weight[: ids.size(1)]
        x = decoder(x, some.encoder, real)
        return shifted_loss(x @ some.tokens.weight.mT, ids, real)

    whole = loss_of(weights)
    table = torch.zeros(layers, heads)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        width = weights.get_parameter(name).size(0) // heads
        for head in range(heads):
            matrix = weights.get_parameter(name).clone()
            matrix[head * width : (head + 1) * width] = 0
            table[layer, head] = loss_of(_with(weights, {name: matrix})) - whole
    return table


def head_losses__two_all_layers_sign(weights, ids, real):
    """Intended: two mistakes: silences the head of this number in all layers at once, and subtracts the wrong way round."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    def loss_of(some):
        x = some.tokens.weight[ids] + some.positions.weight[: ids.size(1)]
        x = decoder(x, some.encoder, real)
        return shifted_loss(x @ some.tokens.weight.mT, ids, real)

    whole = loss_of(weights)
    table = torch.zeros(layers, heads)
    for head in range(heads):
        changed = _with(weights, {})
        for layer in range(layers):
            name = f"encoder.layers.{layer}.attention.output.weight"
            width = weights.get_parameter(name).size(1) // heads
            changed.get_parameter(name).data = weights.get_parameter(name).clone()
            changed.get_parameter(name)[:, head * width : (head + 1) * width] = 0
        table[:, head] = whole - loss_of(changed)
    return table


# sentence_embedding
def sentence_embedding__causal(weights, ids, real):
    """Intended: sends the sentence through the decoder, so no token reads what comes later; BERT's type reads both ways."""
    tables = weights
    x = tables.tokens.weight[ids]
    x = x + tables.positions.weight[: ids.size(1)]
    x = tables.norm(x + tables.segments.weight[0])
    x = decoder(x, weights.encoder, real)
    kept = real.unsqueeze(-1)
    mean = (x * kept).sum(dim=1) / kept.sum(dim=1)
    return mean / mean.norm(dim=-1, keepdim=True)


def sentence_embedding__segments_by_real(weights, ids, real):
    """Intended: takes real tokens for segment 1 and padding for segment 0; all of a sentence is the first segment, row 0."""
    tables = weights
    x = tables.tokens.weight[ids]
    x = x + tables.positions.weight[: ids.size(1)]
    x = x + tables.segments.weight[real.long()]
    x = tables.norm(x)
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    kept = real.unsqueeze(-1)
    mean = (x * kept).sum(dim=1) / kept.sum(dim=1)
    return mean / mean.norm(dim=-1, keepdim=True)


def sentence_embedding__positions_behind_norm(weights, ids, real):
    """Intended: adds the positions behind the norm of the embeddings instead of before it."""
    tables = weights
    x = tables.tokens.weight[ids] + tables.segments.weight[0]
    x = tables.norm(x)
    x = x + tables.positions.weight[: ids.size(1)]
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    kept = real.unsqueeze(-1)
    mean = (x * kept).sum(dim=1) / kept.sum(dim=1)
    return mean / mean.norm(dim=-1, keepdim=True)


def sentence_embedding__length_of_batch(weights, ids, real):
    """Intended: divides by the length of the whole batch taken together, so no vector has length 1; right for B = 1."""
    tables = weights
    x = tables.tokens.weight[ids]
    x = x + tables.positions.weight[: ids.size(1)]
    x = tables.norm(x + tables.segments.weight[0])
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    kept = real.unsqueeze(-1)
    mean = (x * kept).sum(dim=1) / kept.sum(dim=1)
    return mean / mean.norm()


def sentence_embedding__padding_in_the_mean(weights, ids, real):
    """Intended: hides padding in the encoder but takes the mean over all T places, padding too."""
    tables = weights
    x = tables.tokens.weight[ids]
    x = x + tables.positions.weight[: ids.size(1)]
    x = tables.norm(x + tables.segments.weight[0])
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    return F.normalize(x.mean(dim=1), dim=-1)


def sentence_embedding__tokens_to_length_one(weights, ids, real):
    """Intended: brings each token's vector to length 1 before the mean as well, an extra step that changes how much each token counts."""
    tables = weights
    x = tables.tokens.weight[ids]
    x = x + tables.positions.weight[: ids.size(1)]
    x = tables.norm(x + tables.segments.weight[0])
    mask = real.unsqueeze(-2)
    x = weights.encoder(x, mask)
    x = F.normalize(x, dim=-1) * real.unsqueeze(-1)
    return F.normalize(x.sum(dim=1), dim=-1)


def sentence_embedding__two_first_token_no_mask(weights, ids, real):
    """Intended: two mistakes: takes the first token's vector for the sentence instead of the mean, and does not hide the padding."""
    tables = weights
    x = tables.tokens.weight[ids]
    x = x + tables.positions.weight[: ids.size(1)]
    x = tables.norm(x + tables.segments.weight[0])
    x = weights.encoder(x, None)
    return F.normalize(x[:, 0], dim=-1)
