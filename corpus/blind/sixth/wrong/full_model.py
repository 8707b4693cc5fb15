"""Wrong answers to the exercise on the full model, sixth set, written from its text alone."""

import math

import torch
import torch.nn.functional as F


def shift_right__rolled(targets, start_id):
    """Rolls, so that the last target comes to the front, and the start is never read."""
    return targets.roll(1, dims=1)


def shift_right__start_overwrites(targets, start_id):
    """Writes the start over the first target and shifts nothing."""
    read = targets.clone()
    read[:, 0] = start_id
    return read


def writing_task__targets_shifted(ids, real, start_id):
    """Shifts the targets too, to the left, as if what is read had not been shifted."""
    said = torch.full_like(ids, -100)
    said[:, :-1] = ids[:, 1:].masked_fill(~real[:, 1:], -100)
    return shift_right(ids, start_id), said


def writing_task__padding_hidden_in_both(ids, real, start_id):
    """Puts -100 into what is read as well."""
    targets = torch.where(real, ids, -100)
    return shift_right(targets, start_id), targets


def greedy__with_the_prompt(table, prompt, steps, end_id):
    """Returns the prompt as well."""
    text = list(prompt)
    for _ in range(steps):
        text.append(int(table[text[-1]].argmax()))
        if text[-1] == end_id:
            break
    return text


def greedy__end_not_written(table, prompt, steps, end_id):
    """Stops before the end is written."""
    last, text = prompt[-1], []
    while len(text) < steps:
        last = int(table[last].argmax())
        if last == end_id:
            return text
        text.append(last)
    return text


def greedy__from_the_prompt_each_time(table, prompt, steps, end_id):
    """Never moves on from the prompt's last token."""
    text = []
    for _ in range(steps):
        text.append(int(table[prompt[-1]].argmax()))
        if text[-1] == end_id:
            break
    return text


def top_k__one_too_few(logits, k):
    """Drops the k-th as well."""
    least = logits.topk(k).values[:, -1:]
    return torch.where(logits > least, logits, -torch.inf)


def top_k__of_the_whole_batch(logits, k):
    """Takes the k largest of all rows together."""
    least = logits.flatten().topk(k).values[-1]
    return logits.masked_fill(logits < least, -torch.inf)


def encoder_layer__second_adds_the_first(x, weights, heads, mask):
    """Adds the network's result to the layer's input."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    middle = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(middle, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder_layer__pre_norm(x, weights, heads, mask):
    """Wires it in pre-norm."""
    y = layer_norm(x, part(weights, "around_attention.norm"))
    x = x + attention(y, y, part(weights, "attention"), heads, mask)
    y = layer_norm(x, part(weights, "around_feed_forward.norm"))
    return x + feed_forward(y, part(weights, "feed_forward"))


def encoder__every_layer_reads_x(x, weights, heads, layers, mask):
    """Gives each layer the first x, and returns what the last makes of it."""
    for n in range(layers):
        y = encoder_layer(x, part(weights, f"layers.{n}"), heads, mask)
    return y


def encoder__mask_for_the_first_only(x, weights, heads, layers, mask):
    """Hands the mask to the first layer, and thinks that will do."""
    for n in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{n}"), heads, mask if n == 0 else None)
    return x


def decoder_layer__memory_asks_itself(x, memory, weights, mask, memory_mask):
    """Takes keys and values of the cross-attention from x, under the self-attention's mask."""
    x = weights.attention_norm(x + weights.attention(x, x, mask))
    x = weights.cross_attention_norm(x + weights.cross_attention(x, x, mask))
    return weights.feed_forward_norm(x + weights.feed_forward(x))


def decoder_layer__memory_first(x, memory, weights, mask, memory_mask):
    """Asks the memory before the tokens talk."""
    x = weights.cross_attention_norm(x + weights.cross_attention(x, memory, memory_mask))
    x = weights.attention_norm(x + weights.attention(x, x, mask))
    return weights.feed_forward_norm(x + weights.feed_forward(x))


def decoder__rows_of_padding(x, weights, real):
    """Hides padding as those who ask, not as those who are asked."""
    n = x.size(-2)
    past = torch.ones(n, n, dtype=torch.bool).tril()
    mask = past & (real.unsqueeze(-1) | torch.eye(n, dtype=torch.bool))
    return weights(x, mask)


def decoder__padding_alone(x, weights, real):
    """Hides padding, and no future."""
    return weights(x, real.unsqueeze(-2))


def shifted_loss__unshifted(logits, ids, real):
    """Compares each guess with the token it has just read."""
    targets = ids.masked_fill(~real, -100)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def shifted_loss__real_of_the_reader(logits, ids, real):
    """Counts a guess where the token that was read is real, not the next one."""
    each = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")
    counted = real[:, :-1]
    return (each * counted).sum() / counted.sum()


def shifted_loss__mean_of_sentences(logits, ids, real):
    """Takes the mean for each sentence first, then the mean of these."""
    each = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")
    counted = real[:, 1:]
    return ((each * counted).sum(-1) / counted.sum(-1).clamp(min=1)).mean()


def cached_step__own_key_missing(x, keys, values, weights):
    """Asks the old keys only, and appends the new ones afterwards."""
    q = weights.query(x)
    found = (q @ keys.mT / math.sqrt(q.size(-1))).softmax(-1) @ values
    keys = torch.cat([keys, weights.key(x)], 1)
    values = torch.cat([values, weights.value(x)], 1)
    return weights.output(found), keys, values


def cached_step__new_in_front(x, keys, values, weights):
    """Puts the new key and value before the old ones."""
    q = weights.query(x)
    keys = torch.cat([weights.key(x), keys], 1)
    values = torch.cat([weights.value(x), values], 1)
    found = (q @ keys.mT / math.sqrt(q.size(-1))).softmax(-1) @ values
    return weights.output(found), keys, values


def embed_new__one_place_for_all(ids, past, tokens, positions):
    """Gives all new tokens the place behind the past."""
    return tokens[ids] + positions[past]


def embed_new__one_too_far(ids, past, tokens, positions):
    """Begins one place too late when there is a past."""
    start = past + 1 if past else 0
    return tokens[ids] + positions[torch.arange(start, start + ids.size(-1))]


def shapes__sides_of_the_weights(B, S, T, D, H, V):
    """Lets the source ask."""
    return (B, S, D), (B, H, S, T), (B, T, V), (V, D), (B, H, T, D // H)


def shapes__heads_of_full_width(B, S, T, D, H, V):
    """Gives each head the whole width."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D)


def rename_weights__with_the_pooler(weights):
    """Keeps the pooler."""
    kept = {name: w for name, w in weights.items() if name.startswith("pooler.")}
    return {**rename_weights(weights), **kept}


def rename_weights__shorter_piece_first(weights):
    """Replaces output.dense first, so the attention's output becomes a network's."""
    pieces = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.LayerNorm": "around_attention.norm",
        "output.dense": "feed_forward.narrow",
        "intermediate.dense": "feed_forward.widen",
        "output.LayerNorm": "around_feed_forward.norm",
    }
    renamed = {}
    for name, weight in weights.items():
        if name.startswith("pooler"):
            continue
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        renamed[name] = weight
    return renamed


def top_p__each_alone(logits, p):
    """Keeps the tokens that have at least p each."""
    return logits.masked_fill(logits.softmax(-1) < p, -torch.inf)


def top_p__crossing_token_goes(logits, p):
    """Drops the token that reaches p, but always keeps the likeliest."""
    chances, order = logits.softmax(-1).sort(-1, descending=True)
    goes = chances.cumsum(-1) > p
    goes[..., 0] = False
    return logits.masked_fill(torch.zeros_like(goes).scatter(-1, order, goes), -torch.inf)


def top_p__sorted_places(logits, p):
    """Forgets to put the answers back to the tokens' places."""
    chances = logits.softmax(-1).sort(-1, descending=True).values
    goes = chances.cumsum(-1) - chances >= p
    return logits.masked_fill(goes, -torch.inf)


def beam_search__each_text_its_best(table, start, beams, steps):
    """Continues each text by its own best token only, after a first step that opens the beams."""
    logs = table.log_softmax(-1)
    first = logs[start].topk(min(beams, len(logs)))
    texts = list(zip(first.values.tolist(), ([i] for i in first.indices.tolist())))
    for _ in range(steps - 1):
        texts = [(s + logs[t[-1]].max().item(), [*t, logs[t[-1]].argmax().item()]) for s, t in texts]
    score, text = max(texts)
    return text, score


def beam_search__logits_added(table, start, beams, steps):
    """Adds the logits up, and never makes probabilities of them."""
    texts = [(0.0, [start])]
    for _ in range(steps):
        texts = [
            (score + table[text[-1], n].item(), [*text, n])
            for score, text in texts
            for n in range(len(table))
        ]
        texts = sorted(texts, reverse=True)[:beams]
    return texts[0][1][1:], texts[0][0]


def beam_search__mean_score(table, start, beams, steps):
    """Gives the score divided by the number of tokens."""
    text, score = beam_search(table, start, beams, steps)
    return text, score / steps


def sentence_embedding__first_token(weights, ids, real):
    """Takes the vector of the first token, as BERT's classifiers do, not the mean."""
    table = weights
    x = table.tokens.weight[ids] + table.positions.weight[: ids.size(-1)]
    x = table.norm(x + table.segments.weight[0])
    x = weights.encoder(x, real.unsqueeze(-2))
    return F.normalize(x[:, 0], dim=-1)


def sentence_embedding__padding_counts(weights, ids, real):
    """Takes the mean over all tokens, with the padding."""
    table = weights
    x = table.tokens.weight[ids] + table.positions.weight[: ids.size(-1)]
    x = table.norm(x + table.segments.weight[0])
    x = weights.encoder(x, real.unsqueeze(-2))
    return F.normalize(x.mean(dim=1), dim=-1)


def sentence_embedding__normalised_before_the_mean(weights, ids, real):
    """Gives each token's vector length 1, takes the mean, and leaves that as it is."""
    table = weights
    x = table.tokens.weight[ids] + table.positions.weight[: ids.size(-1)]
    x = table.norm(x + table.segments.weight[0])
    x = weights.encoder(x, real.unsqueeze(-2))
    x = F.normalize(x, dim=-1) * real.unsqueeze(-1)
    return x.sum(dim=1) / real.sum(dim=1, keepdim=True)
