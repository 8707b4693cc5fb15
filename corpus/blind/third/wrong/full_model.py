"""Wrong answers to the exercise on the full model, third set, written from its text alone."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def shift_right__to_the_left(targets, start_id):
    """Shifts to the left and puts the start at the end."""
    return F.pad(targets[:, 1:], (0, 1), value=start_id)


def shift_right__one_longer(targets, start_id):
    """Keeps the last target, so the result is one too long."""
    return torch.cat([torch.full((len(targets), 1), start_id), targets], dim=1)


def shift_right__wraps(targets, start_id):
    """Rolls the last target round to the front, without a start."""
    return targets.roll(1, dims=-1)


def shift_right__overwrites_first(targets, start_id):
    """Writes the start over the first target without moving anything."""
    read = targets.clone()
    read[:, 0] = start_id
    return read


def shift_right__down_the_batch(targets, start_id):
    """Shifts the sentences instead of the tokens."""
    start = torch.full_like(targets[:1], start_id)
    return torch.cat([start, targets[:-1]], dim=0)


def shift_right__drops_first(targets, start_id):
    """Drops the first target instead of the last."""
    start = targets.new_full((targets.size(0), 1), start_id)
    return torch.cat([start, targets[:, 1:]], dim=1)


def writing_task__tokens_ignored(ids, real, start_id):
    """Puts -100 in the place of the tokens instead of the padding."""
    return shift_right(ids, start_id), ids.masked_fill(real, -100)


def writing_task__padding_zero(ids, real, start_id):
    """Puts 0 in the place of padding, which the loss does not ignore."""
    return shift_right(ids, start_id), ids * real


def writing_task__targets_shifted(ids, real, start_id):
    """Shifts the targets instead of what is read."""
    following = torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], -100)], dim=1)
    return ids, following.masked_fill(~real, -100)


def writing_task__minus_hundred_read(ids, real, start_id):
    """Shifts the targets after filling, so -100 is read."""
    said = torch.where(real, ids, -100)
    return shift_right(said, start_id), said


def writing_task__real_shifted_too(ids, real, start_id):
    """Ignores the places whose predecessor is padding, not the padding itself.
    Returns the targets before what is read.
    """
    before = torch.cat([torch.ones_like(real[:, :1]), real[:, :-1]], 1)
    return ids.masked_fill(~before, -100), shift_right(ids, start_id)


def masked_task__all_targets(ids, chosen, mask_id):
    """Leaves all ids in the targets."""
    return ids.masked_fill(chosen, mask_id), ids.clone()


def masked_task__chosen_ignored(ids, chosen, mask_id):
    """Ignores in the targets exactly what was hidden."""
    return ids.masked_fill(chosen, mask_id), ids.masked_fill(chosen, -100)


def masked_task__others_hidden(ids, chosen, mask_id):
    """Hides all but the chosen."""
    return torch.where(chosen, ids, mask_id), torch.where(chosen, ids, -100)


def masked_task__mask_as_target(ids, chosen, mask_id):
    """Takes the targets from the ids with the gaps, so the mask is the target."""
    gaps = ids.masked_fill(chosen, mask_id)
    return gaps, gaps.masked_fill(~chosen, -100)


def masked_task__gap_id_in_targets(ids, chosen, mask_id):
    """Fills the targets with the mask's id instead of -100.
    Returns the two in the wrong order.
    """
    return ids.masked_fill(~chosen, mask_id), ids.masked_fill(chosen, mask_id)


def translation_task__marks_padding(source, target, pad_id, start_id):
    """Marks the padding of the source with True."""
    read, said = writing_task(target, target != pad_id, start_id)
    return source == pad_id, read, said


def translation_task__reads_source(source, target, pad_id, start_id):
    """Lets the decoder read the source."""
    said = target.masked_fill(target == pad_id, -100)
    return source != pad_id, shift_right(source, start_id), said


def translation_task__padding_kept(source, target, pad_id, start_id):
    """Leaves the padding in the targets."""
    return source.ne(pad_id), shift_right(target, start_id), target


def translation_task__targets_shifted_too(source, target, pad_id, start_id):
    """Shifts the targets to the left although what is read is shifted already."""
    said = torch.cat([target[:, 1:], torch.full_like(target[:, :1], -100)], 1)
    said = said.masked_fill(said == pad_id, -100)
    return source != pad_id, shift_right(target, start_id), said


def translation_task__real_of_target(source, target, pad_id, start_id):
    """Marks the tokens of the target instead of the source."""
    real = target != pad_id
    return real, *writing_task(target, real, start_id)


def translation_task__unshifted_and_unfilled(source, target, pad_id, start_id):
    """Lets the decoder read the targets unshifted.
    Leaves the padding in the targets.
    """
    return source != pad_id, target, target.clone()


def encoder_layer__pre_norm(x, weights, heads, mask):
    """Normalises before each sublayer instead of behind it."""
    y = layer_norm(x, part(weights, "around_attention.norm"))
    x = x + attention(y, y, part(weights, "attention"), heads, mask)
    y = layer_norm(x, part(weights, "around_feed_forward.norm"))
    return x + feed_forward(y, part(weights, "feed_forward"))


def encoder_layer__no_residual(x, weights, heads, mask):
    """Forgets both additions."""
    p = lambda name: part(weights, name)
    x = layer_norm(attention(x, x, p("attention"), heads, mask), p("around_attention.norm"))
    return layer_norm(feed_forward(x, p("feed_forward")), p("around_feed_forward.norm"))


def encoder_layer__norms_swapped(x, weights, heads, mask):
    """Swaps the two norms."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, part(weights, "around_feed_forward.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_attention.norm"))


def encoder_layer__mask_dropped(x, weights, heads, mask):
    """Does not hand the mask on."""
    found = attention(x, x, part(weights, "attention"), heads, None)
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__old_stream_added(x, weights, heads, mask):
    """Adds the network's result to the stream from before attention."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    middle = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(middle, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__side_by_side(x, weights, heads, mask):
    """Lets both sublayers read the same x, side by side.
    Forgets the norm behind attention.
    """
    found = attention(x, x, part(weights, "attention"), heads, mask)
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + found + thought, part(weights, "around_feed_forward.norm"))


def encoder__first_layer_again(x, weights, heads, layers, mask):
    """Uses the weights of layer 0 in all layers."""
    for _ in range(layers):
        x = encoder_layer(x, part(weights, "layers.0"), heads, mask)
    return x


def encoder__last_first(x, weights, heads, layers, mask):
    """Goes through the layers from the last to the first."""
    for n in reversed(range(layers)):
        x = encoder_layer(x, part(weights, f"layers.{n}"), heads, mask)
    return x


def encoder__all_read_the_same(x, weights, heads, layers, mask):
    """Lets each layer read the first x."""
    out = x
    for n in range(layers):
        out = encoder_layer(x, part(weights, f"layers.{n}"), heads, mask)
    return out


def encoder__one_too_few(x, weights, heads, layers, mask):
    """Begins with layer 1, so leaves layer 0 out."""
    n = 1
    while n < layers:
        x = encoder_layer(x, part(weights, f"layers.{n}"), heads, mask)
        n += 1
    return x


def encoder__mask_in_first_layer_only(x, weights, heads, layers, mask):
    """Uses the mask in the first layer only."""
    for n in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{n}"), heads, mask if n == 0 else None)
    return x


def decoder_layer__asks_itself(x, memory, weights, mask, memory_mask):
    """Lets the cross-attention ask x itself instead of the memory."""
    w = lambda n: weights.get_submodule(n)
    x = w("attention_norm")(x + w("attention")(x, x, mask))
    x = w("cross_attention_norm")(x + w("cross_attention")(x, x, mask))
    return w("feed_forward_norm")(x + w("feed_forward")(x))


def decoder_layer__masks_swapped(x, memory, weights, mask, memory_mask):
    """Swaps the two masks."""
    w = lambda n: weights.get_submodule(n)
    x = w("attention_norm")(x + w("attention")(x, x, memory_mask))
    x = w("cross_attention_norm")(x + w("cross_attention")(x, memory, mask))
    return w("feed_forward_norm")(x + w("feed_forward")(x))


def decoder_layer__memory_first(x, memory, weights, mask, memory_mask):
    """Asks the memory before it asks itself."""
    w = lambda n: weights.get_submodule(n)
    x = w("cross_attention_norm")(x + w("cross_attention")(x, memory, memory_mask))
    x = w("attention_norm")(x + w("attention")(x, x, mask))
    return w("feed_forward_norm")(x + w("feed_forward")(x))


def decoder_layer__old_x_asks(x, memory, weights, mask, memory_mask):
    """Lets the x that came in ask the memory, not the one behind the first norm."""
    w = lambda n: weights.get_submodule(n)
    y = w("attention_norm")(x + w("attention")(x, x, mask))
    y = w("cross_attention_norm")(y + w("cross_attention")(x, memory, memory_mask))
    return w("feed_forward_norm")(y + w("feed_forward")(y))


def decoder_layer__memory_asks(x, memory, weights, mask, memory_mask):
    """Lets the memory ask and x be asked."""
    w = lambda n: weights.get_submodule(n)
    x = w("attention_norm")(x + w("attention")(x, x, mask))
    found = w("cross_attention")(memory, x, memory_mask)
    x = w("cross_attention_norm")(x + found)
    return w("feed_forward_norm")(x + w("feed_forward")(x))


def decoder_layer__wrong_norm_no_mask(x, memory, weights, mask, memory_mask):
    """Uses the norm of the self-attention for the cross-attention too.
    Does not hide anything of the memory.
    """
    norm = weights.attention_norm
    x = norm(x + weights.attention(x, x, mask))
    x = norm(x + weights.cross_attention(x, memory, None))
    return weights.feed_forward_norm(x + weights.feed_forward(x))


def decoder__future_only(x, weights, real):
    """Mends by dropping the padding mask."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    return weights(x, past)


def decoder__rows_hidden(x, weights, real):
    """Joins with and, but hides the padding's rows instead of its columns."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-1)
    return weights(x, mask)


def decoder__padding_shown(x, weights, real):
    """Keeps the or, and shows the padding instead."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    return weights(x, past | ~real.unsqueeze(-2))


def decoder__upper_triangle(x, weights, real):
    """Joins with and, but turns the triangle so that it shows the future."""
    T = x.size(-2)
    later = torch.ones(T, T, dtype=torch.bool).triu()
    return weights(x, later & real[:, None, :])


def shifted_loss__not_shifted(logits, ids, real):
    """Compares each guess with the token that was just read."""
    targets = ids.masked_fill(~real, -100)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def shifted_loss__other_way(logits, ids, real):
    """Shifts the other way: scores each guess by the token before."""
    targets = ids.masked_fill(~real, -100)[:, :-1]
    return F.cross_entropy(logits[:, 1:].flatten(0, 1), targets.flatten())


def shifted_loss__padding_counted(logits, ids, real):
    """Counts the guesses at padding in the number it divides by."""
    logp = logits[:, :-1].log_softmax(-1)
    picked = logp.gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -(picked * real[:, 1:]).mean()


def shifted_loss__reads_real(logits, ids, real):
    """Asks whether the token read is real, not the next one."""
    logp = F.log_softmax(logits[:, :-1], dim=-1)
    picked = logp.gather(-1, ids[:, 1:].unsqueeze(-1))[..., 0]
    return -picked[real[:, :-1]].mean()


def shifted_loss__mean_of_means(logits, ids, real):
    """Takes the mean for each sentence first, so short ones count as much as long ones."""
    losses = []
    for row, tokens, keep in zip(logits, ids, real):
        keep = keep[1:]
        if keep.any():
            losses.append(F.cross_entropy(row[:-1][keep], tokens[1:][keep]))
    return torch.stack(losses).mean()


def shifted_loss__probabilities(logits, ids, real):
    """Gives probabilities to cross_entropy, which takes softmax again."""
    p = logits[:, :-1].softmax(-1)
    t = ids[:, 1:].masked_fill(~real[:, 1:], -100)
    return F.cross_entropy(p.transpose(1, 2), t)


def shifted_loss__summed(logits, ids, real):
    """Adds up without dividing by the number."""
    t = ids[:, 1:].masked_fill(~real[:, 1:], -100)
    return F.cross_entropy(logits[:, :-1].mT, t, reduction="sum")


def shifted_loss__probability_averaged(logits, ids, real):
    """Averages the probabilities and takes the logarithm then."""
    p = logits[:, :-1].softmax(-1)
    picked = p.gather(-1, ids[:, 1:, None])[..., 0]
    return -picked[real[:, 1:]].mean().log()


def shifted_loss__padding_and_base_two(logits, ids, real):
    """Scores the guesses at padding too.
    Takes the logarithm to base two.
    """
    p = logits[:, :-1].softmax(-1).gather(-1, ids[:, 1:, None])
    return -p.log2().mean()


def greedy__end_left_out(table, prompt, steps, end_id):
    """Stops before the end is written."""
    last, out = prompt[-1], []
    for _ in range(steps):
        last = table[last].argmax().item()
        if last == end_id:
            break
        out.append(last)
    return out


def greedy__prompt_too(table, prompt, steps, end_id):
    """Returns the prompt too."""
    text = list(prompt)
    for _ in range(steps):
        text.append(int(table[text[-1]].argmax()))
        if text[-1] == end_id:
            break
    return text


def greedy__never_reads_on(table, prompt, steps, end_id):
    """Looks at the prompt's last token in each step."""
    out = []
    for _ in range(steps):
        out.append(table[prompt[-1]].argmax().item())
        if out[-1] == end_id:
            break
    return out


def greedy__one_too_many(table, prompt, steps, end_id):
    """Writes one token more than allowed."""
    out, last = [], prompt[-1]
    while len(out) <= steps and last != end_id:
        last = table[last].argmax().item()
        out.append(last)
    return out


def greedy__column(table, prompt, steps, end_id):
    """Looks into the column of the last token, not into its row."""
    out, last = [], prompt[-1]
    for _ in range(steps):
        last = torch.argmax(table[:, last]).item()
        out.append(last)
        if last == end_id:
            break
    return out


def greedy__never_ends(table, prompt, steps, end_id):
    """Writes on after the end."""
    best = table.argmax(dim=-1).tolist()
    out = [best[prompt[-1]]]
    while len(out) < steps:
        out.append(best[out[-1]])
    return out[:steps]


def greedy__first_of_prompt_no_end(table, prompt, steps, end_id):
    """Begins at the first token of the prompt.
    Leaves out the end.
    """
    out, last = [], prompt[0]
    for _ in range(steps):
        last = table[last].argmax().item()
        if last == end_id:
            return out
        out.append(last)
    return out


def top_k__zero(logits, k):
    """Gives the others 0 instead of minus infinity."""
    least = logits.topk(k).values[..., -1:]
    return torch.where(logits >= least, logits, 0.0)


def top_k__smallest(logits, k):
    """Keeps the k smallest."""
    least = logits.topk(k, largest=False).values[..., -1:]
    return logits.masked_fill(logits > least, -torch.inf)


def top_k__one_less(logits, k):
    """Cuts off the k-th too."""
    least = logits.sort(descending=True).values[:, k - 1 : k]
    return logits.masked_fill(logits <= least, -math.inf)


def top_k__whole_batch(logits, k):
    """Keeps the k largest of the whole batch."""
    least = logits.flatten().topk(k).values[-1]
    return logits.masked_fill(logits < least, -math.inf)


def top_k__down_the_batch(logits, k):
    """Takes the largest of each column."""
    k = min(k, logits.size(0))
    least = logits.topk(k, dim=0).values[-1:]
    return logits.masked_fill(logits < least, float("-inf"))


def top_k__first_row_for_all(logits, k):
    """Takes the bound of the first row for all rows.
    Cuts off the k-th too.
    """
    bound = logits.topk(k).values[0, -1]
    return logits.masked_fill(logits <= bound, float("-inf"))


def top_p__last_one_missing(logits, p):
    """Drops the token that reaches p."""
    order = logits.argsort(-1, descending=True)
    total = logits.softmax(-1).gather(-1, order).cumsum(-1)
    goes = total >= p
    return logits.masked_fill(torch.zeros_like(goes).scatter(-1, order, goes), -torch.inf)


def top_p__not_put_back(logits, p):
    """Applies what was found for the sorted tokens to the unsorted ones."""
    chances = logits.softmax(-1).sort(-1, descending=True).values
    goes = chances.cumsum(-1) - chances >= p
    return logits.masked_fill(goes, -torch.inf)


def top_p__least_likely_first(logits, p):
    """Adds up from the least likely."""
    chances, order = logits.softmax(-1).sort(-1)
    goes = chances.cumsum(-1) - chances >= p
    return logits.masked_fill(goes.scatter(-1, order, goes), -torch.inf)


def top_p__one_too_many(logits, p):
    """Keeps one token too many."""
    chances, order = logits.softmax(-1).sort(-1, descending=True)
    stays = (chances.cumsum(-1) < p).sum(-1, keepdim=True) + 2
    goes = torch.arange(logits.size(-1)).expand_as(order) >= stays
    return logits.masked_fill(goes.scatter(-1, order, goes), -torch.inf)


def top_p__share_of_the_best(logits, p):
    """Keeps what has at least p of the likeliest's probability."""
    chances = logits.softmax(-1)
    return logits.masked_fill(chances < p * chances.amax(-1, keepdim=True), -torch.inf)


def top_p__each_alone(logits, p):
    """Asks each token alone for p, apart from the likeliest."""
    chances = logits.softmax(-1)
    best = chances == chances.amax(-1, keepdim=True)
    return torch.where((chances >= p) | best, logits, -torch.inf)


def top_p__order_inverted(logits, p):
    """Puts the answers back with gather, the wrong way round."""
    chances, order = logits.softmax(-1).sort(-1, descending=True)
    goes = chances.cumsum(-1) - chances >= p
    return logits.masked_fill(goes.gather(-1, order), -torch.inf)


def top_p__softmax_of_batch_and_last_missing(logits, p):
    """Takes softmax down the batch.
    Drops the token that reaches p.
    """
    chances, order = logits.softmax(0).sort(-1, descending=True)
    goes = chances.cumsum(-1) > p
    return logits.masked_fill(goes.scatter(-1, order, goes), -torch.inf)


def beam_search__each_its_own(table, start, beams, steps):
    """Lets each text go on by its own best token after the first step, without comparing them."""
    logp = table.log_softmax(-1)
    first = logp[start].topk(min(beams, len(table)))
    texts = [(s, [t]) for s, t in zip(first.values.tolist(), first.indices.tolist())]
    for _ in range(steps - 1):
        new = []
        for score, text in texts:
            gain, token = logp[text[-1]].max(0)
            new.append((score + gain.item(), text + [token.item()]))
        texts = new
    score, text = max(texts)
    return text, score


def beam_search__raw_logits(table, start, beams, steps):
    """Adds up the logits instead of the logarithms of the probabilities."""
    texts = [(0.0, [start])]
    for _ in range(steps):
        new = [
            (score + table[text[-1], token].item(), [*text, token])
            for score, text in texts
            for token in range(len(table))
        ]
        texts = sorted(new, reverse=True)[:beams]
    score, text = texts[0]
    return text[1:], score


def beam_search__start_too(table, start, beams, steps):
    """Returns the start too."""
    logp = table.log_softmax(-1)
    texts = [(0.0, [start])]
    for _ in range(steps):
        new = []
        for score, text in texts:
            for token, gain in enumerate(logp[text[-1]].tolist()):
                new.append((score + gain, text + [token]))
        texts = sorted(new, reverse=True)[:beams]
    return texts[0][1], texts[0][0]


def beam_search__probability(table, start, beams, steps):
    """Returns the probability instead of its logarithm."""
    p = table.softmax(-1).tolist()
    texts = [(1.0, [start])]
    for _ in range(steps):
        new = [(s * q, t + [i]) for s, t in texts for i, q in enumerate(p[t[-1]])]
        texts = sorted(new, key=lambda pair: pair[0], reverse=True)[:beams]
    score, text = texts[0]
    return text[1:], score


def beam_search__worst_kept(table, start, beams, steps):
    """Sorts the wrong way and keeps the worst."""
    logp = table.log_softmax(-1).tolist()
    texts = [(0.0, [start])]
    for _ in range(steps):
        texts = sorted((s + g, t + [i]) for s, t in texts for i, g in enumerate(logp[t[-1]]))[:beams]
    return texts[0][1][1:], texts[0][0]


def beam_search__greedy(table, start, beams, steps):
    """Follows one text only, whatever the number of beams."""
    logp = table.log_softmax(-1)
    text, score = [start], 0.0
    for _ in range(steps):
        best, token = logp[text[-1]].max(-1)
        text.append(token.item())
        score += best.item()
    return text[1:], score


def beam_search__mean_score(table, start, beams, steps):
    """Divides the score by the length."""
    logp = table.log_softmax(-1).tolist()
    texts = [(0.0, [start])]
    for _ in range(steps):
        texts = sorted(((s + g, t + [i]) for s, t in texts for i, g in enumerate(logp[t[-1]])), reverse=True)[:beams]
    return texts[0][1][1:], texts[0][0] / steps


def beam_search__latest_and_columns(table, start, beams, steps):
    """Chooses by the latest token's probability alone, not by the sum.
    Takes softmax down the columns.
    """
    logp = table.log_softmax(0).tolist()
    texts = [(0.0, 0.0, [start])]
    for _ in range(steps):
        new = [(g, s + g, t + [i]) for _, s, t in texts for i, g in enumerate(logp[t[-1]])]
        texts = sorted(new, reverse=True)[:beams]
    return texts[0][2][1:], texts[0][1]


def cached_step__not_itself(x, keys, values, weights):
    """Asks only the old keys, not its own."""
    q, k, v = (weights.get_submodule(n)(x) for n in ("query", "key", "value"))
    w = (q @ keys.mT / math.sqrt(q.size(-1))).softmax(-1)
    out = weights.output(w @ values)
    return out, torch.cat([keys, k], 1), torch.cat([values, v], 1)


def cached_step__new_in_front(x, keys, values, weights):
    """Puts the new key and value in front of the old ones."""
    q = weights.query(x)
    keys = torch.cat([weights.key(x), keys], dim=1)
    values = torch.cat([weights.value(x), values], dim=1)
    w = torch.softmax(q @ keys.mT / math.sqrt(x.size(-1)), -1)
    return weights.output(w @ values), keys, values


def cached_step__unscaled(x, keys, values, weights):
    """Forgets to scale the scores."""
    q, k, v = (weights.get_submodule(n)(x) for n in ("query", "key", "value"))
    keys, values = torch.cat([keys, k], 1), torch.cat([values, v], 1)
    w = torch.einsum("bqd,bkd->bqk", q, keys).softmax(-1)
    return weights.output(w @ values), keys, values


def cached_step__cache_not_kept(x, keys, values, weights):
    """Returns the old keys and values, without the new ones."""
    q, k, v = (weights.get_submodule(n)(x) for n in ("query", "key", "value"))
    k, v = torch.cat([keys, k], 1), torch.cat([values, v], 1)
    out = F.scaled_dot_product_attention(q, k, v)
    return weights.output(out), keys, values


def cached_step__no_output(x, keys, values, weights):
    """Forgets the output layer."""
    q, k, v = (weights.get_submodule(n)(x) for n in ("query", "key", "value"))
    k, v = torch.cat([keys, k], 1), torch.cat([values, v], 1)
    return F.scaled_dot_product_attention(q, k, v), k, v


def cached_step__x_as_key(x, keys, values, weights):
    """Keeps x itself as key and value, without the layers."""
    q = weights.query(x)
    k, v = torch.cat([keys, x], 1), torch.cat([values, x], 1)
    w = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    return weights.output(w @ v), k, v


def cached_step__oldest_overwritten(x, keys, values, weights):
    """Writes the new key and value into the caller's tensors, over the oldest."""
    q, k, v = (weights.get_submodule(n)(x) for n in ("query", "key", "value"))
    keys[:, :1], values[:, :1] = k, v
    w = (q @ keys.mT / math.sqrt(q.size(-1))).softmax(-1)
    return weights.output(w @ values), keys, values


def cached_step__axis_and_swapped(x, keys, values, weights):
    """Takes softmax over the one query, so all weights are one.
    Swaps the layers of key and value.
    """
    q, v, k = (weights.get_submodule(n)(x) for n in ("query", "key", "value"))
    keys, values = torch.cat([keys, k], 1), torch.cat([values, v], 1)
    w = (q @ keys.mT / math.sqrt(q.size(-1))).softmax(dim=1)
    return weights.output(w @ values), keys, values


def embed_new__as_if_length_were_end(ids, past, tokens, positions):
    """Counts from past to the number of new tokens."""
    places = torch.arange(past, max(ids.size(-1), past + 1))
    return tokens[ids] + positions[places]


def embed_new__one_too_far(ids, past, tokens, positions):
    """Counts on from one behind the past."""
    places = torch.arange(ids.size(-1)) + past + (past > 0)
    return tokens[ids] + positions[places]


def embed_new__all_the_same_place(ids, past, tokens, positions):
    """Gives all new tokens the same place, that of the first."""
    return tokens[ids] + positions[past]


def embed_new__counts_back(ids, past, tokens, positions):
    """Takes the last rows of the past instead of those behind it."""
    length = ids.size(-1)
    begin = max(past - length, 0)
    return F.embedding(ids, tokens) + positions[begin : begin + length]


def embed_new__batch_as_length(ids, past, tokens, positions):
    """Counts the sentences instead of the tokens."""
    places = past + torch.arange(ids.size(0))
    return tokens[ids] + positions[places][:, None]


def shapes__memory_long_as_written(B, S, T, D, H, V):
    """Makes the memory as long as what is written."""
    return (B, T, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D // H)


def shapes__source_asks(B, S, T, D, H, V):
    """Lets the source ask in the cross-attention."""
    return (B, S, D), (B, H, S, T), (B, T, V), (V, D), (B, H, T, D // H)


def shapes__table_turned(B, S, T, D, H, V):
    """Turns the table of tokens."""
    return (B, S, D), (B, H, T, S), (B, T, V), (D, V), (B, H, T, D // H)


def shapes__wide_keys_source_logits(B, S, T, D, H, V):
    """Gives each head keys of the full width.
    Gives logits for the source.
    """
    return (B, S, D), (B, H, T, S), (B, S, V), (V, D), (B, H, T, D)


def rename_weights__short_piece_first(weights):
    """Replaces the short piece before the longer one that contains it."""
    pieces = {
        "output.dense": "feed_forward.narrow",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "output.LayerNorm": "around_feed_forward.norm",
        "intermediate.dense": "feed_forward.widen",
        "attention.self": "attention",
        "encoder.layer.": "encoder.layers.",
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "embeddings.LayerNorm": "embeddings.norm",
    }
    out = {}
    for name, tensor in weights.items():
        if name.startswith("pooler."):
            continue
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        out[name] = tensor
    return out


def rename_weights__pooler_kept(weights):
    """Keeps the pooler."""
    pieces = [
        ("word_embeddings", "tokens"), ("position_embeddings", "positions"),
        ("token_type_embeddings", "segments"), ("embeddings.LayerNorm", "embeddings.norm"),
        ("encoder.layer.", "encoder.layers."), ("attention.self.", "attention."),
        ("attention.output.dense", "attention.OUT"), ("attention.output.LayerNorm", "around_attention.norm"),
        ("intermediate.dense", "feed_forward.widen"), ("output.dense", "feed_forward.narrow"),
        ("output.LayerNorm", "around_feed_forward.norm"), ("OUT", "output"),
    ]
    out = {}
    for name, tensor in weights.items():
        for old, new in pieces:
            name = name.replace(old, new)
        out[name] = tensor
    return out


def rename_weights__weights_only(weights):
    """Renames the weights and leaves the biases behind."""
    def rename(name):
        for old, new in [
            ("word_embeddings", "tokens"), ("position_embeddings", "positions"),
            ("token_type_embeddings", "segments"), ("embeddings.LayerNorm", "embeddings.norm"),
            ("encoder.layer.", "encoder.layers."), ("attention.self.", "attention."),
            ("attention.output.dense", "attention.OUT"), ("attention.output.LayerNorm", "around_attention.norm"),
            ("intermediate.dense", "feed_forward.widen"), ("output.dense", "feed_forward.narrow"),
            ("output.LayerNorm", "around_feed_forward.norm"), ("OUT", "output"),
        ]:
            name = name.replace(old, new)
        return name

    return {
        rename(n): t
        for n, t in weights.items()
        if n.endswith(".weight") and not n.startswith("pooler.")
    }


def rename_weights__layer_not_plural(weights):
    """Leaves "encoder.layer" in the singular."""
    pieces = {
        "word_embeddings": "tokens", "position_embeddings": "positions",
        "token_type_embeddings": "segments", "embeddings.LayerNorm": "embeddings.norm",
        "attention.self.": "attention.", "attention.output.LayerNorm": "around_attention.norm",
        "attention.output.dense": "attention.OUT", "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow", "output.LayerNorm": "around_feed_forward.norm",
        "OUT": "output",
    }
    out = {}
    for key in weights:
        if not key.startswith("pooler"):
            name = key
            for a, b in pieces.items():
                name = name.replace(a, b)
            out[name] = weights[key]
    return out


def rename_weights__norms_and_query_swapped(weights):
    """Swaps the two norms of a layer.
    Swaps query and key.
    """
    pieces = {
        "word_embeddings": "tokens", "position_embeddings": "positions",
        "token_type_embeddings": "segments", "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.query": "attention.KEY", "attention.self.key": "attention.query",
        "attention.self.value": "attention.value", "KEY": "key",
        "attention.output.LayerNorm": "around_feed_forward.norm",
        "attention.output.dense": "attention.OUT", "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow", "output.LayerNorm": "around_attention.norm",
        "OUT": "output",
    }
    out = {}
    for key in weights:
        if not key.startswith("pooler."):
            name = key
            for a, b in pieces.items():
                name = name.replace(a, b)
            out[name] = weights[key]
    return out


def rename_weights__single_digit_layers(weights):
    """Reads one digit for the layer's number, so layers from ten on collide."""
    inner = {
        "attention.self.query": "attention.query", "attention.self.key": "attention.key",
        "attention.self.value": "attention.value", "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm", "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow", "output.LayerNorm": "around_feed_forward.norm",
    }
    outer = {"word_embeddings": "tokens", "position_embeddings": "positions", "token_type_embeddings": "segments", "LayerNorm": "norm"}
    out = {}
    for key, value in weights.items():
        body, kind = key.rsplit(".", 1)
        if body.startswith("encoder.layer."):
            digit = body[len("encoder.layer.")]
            piece = ".".join(body.split(".")[3:])
            out[f"encoder.layers.{digit}.{inner[piece]}.{kind}"] = value
        elif body.startswith("embeddings."):
            out[f"embeddings.{outer[body.split('.')[1]]}.{kind}"] = value
    return out


def sentence_embedding__mean_of_all(weights, ids, real):
    """Takes the mean over padding too."""
    w = weights
    e = w
    x = e.tokens.weight[ids] + e.positions.weight[: ids.size(1)] + e.segments.weight[0]
    x = e.norm(x)
    x = w.encoder(x, real[:, None, :])
    return F.normalize(x.mean(1), dim=-1)


def sentence_embedding__length_left(weights, ids, real):
    """Leaves the vectors at the length they have."""
    w = weights
    e = w
    x = e.tokens.weight[ids] + e.positions.weight[: ids.size(1)] + e.segments.weight[0]
    x = w.encoder(e.norm(x), real[:, None, :])
    x = x * real[..., None]
    return x.sum(1) / real.sum(1, keepdim=True)


def sentence_embedding__padding_read(weights, ids, real):
    """Hides no padding in the encoder."""
    w = weights
    e = w
    x = e.tokens.weight[ids] + e.positions.weight[: ids.size(1)] + e.segments.weight[0]
    x = w.encoder(e.norm(x), None)
    return F.normalize((x * real[..., None]).sum(1), dim=-1)


def sentence_embedding__first_token(weights, ids, real):
    """Takes the first token's vector instead of the mean."""
    w = weights
    e = w
    x = e.tokens.weight[ids] + e.positions.weight[: ids.size(1)] + e.segments.weight[0]
    x = w.encoder(e.norm(x), real[:, None, :])
    return F.normalize(x[:, 0], dim=-1)


def sentence_embedding__segments_forgotten(weights, ids, real):
    """Forgets to add the segment."""
    w = weights
    e = w
    x = F.embedding(ids, e.tokens.weight) + e.positions.weight[None, : ids.shape[1]]
    x = w.encoder(e.norm(x), real[:, None, :])
    return F.normalize(torch.einsum("btd,bt->bd", x, real.to(x.dtype)), dim=-1)


def sentence_embedding__times_root(weights, ids, real):
    """Multiplies the tokens' vectors by the root of the width."""
    w = weights
    e = w
    tokens = e.tokens.weight
    x = tokens[ids] * math.sqrt(tokens.size(1)) + e.positions.weight[: ids.size(1)] + e.segments.weight[0]
    x = w.encoder(e.norm(x), real[:, None, :])
    return F.normalize((x * real[..., None]).sum(1), dim=-1)


def sentence_embedding__norm_forgotten(weights, ids, real):
    """Forgets the norm of the embeddings."""
    w = weights
    e = w
    x = e.tokens.weight[ids] + e.positions.weight[: ids.size(1)] + e.segments.weight[0]
    x = w.encoder(x, real[:, None, :])
    return F.normalize((x * real[..., None]).sum(1), dim=-1)


def sentence_embedding__length_over_batch(weights, ids, real):
    """Divides by the length along the batch, not along the features."""
    w = weights
    e = w
    x = e.tokens.weight[ids] + e.positions.weight[: ids.size(1)] + e.segments.weight[0]
    x = w.encoder(e.norm(x), real[:, None, :])
    mean = (x * real[..., None]).sum(1) / real.sum(1, keepdim=True)
    return mean / mean.norm(dim=0, keepdim=True)


def sentence_embedding__largest_and_all_segments(weights, ids, real):
    """Takes the largest number of each feature instead of the mean.
    Adds all segments instead of the first.
    """
    w = weights
    e = w
    x = e.tokens.weight[ids] + e.positions.weight[: ids.size(1)] + e.segments.weight.sum(0)
    x = w.encoder(e.norm(x), real[:, None, :])
    x = x.masked_fill(~real[..., None], -torch.inf).amax(1)
    return x / x.square().sum(-1, keepdim=True).sqrt()


def sentence_embedding__one_layer_short(weights, ids, real):
    """Sends the sentences through one layer too few."""
    w = weights
    e = w
    x = e.tokens.weight[ids] + e.positions.weight[: ids.size(1)] + e.segments.weight[0]
    x = e.norm(x)
    for layer in w.encoder.layers[:-1]:
        x = layer(x, real[:, None, :])
    return F.normalize((x * real[..., None]).sum(1), dim=-1)
