"""Wrong answers to the exercise on the full model, seventh set, written from its text alone."""

import copy
import math

import torch
import torch.nn.functional as F


def _with(model, changed):
    """Copy a model, and put other numbers into some of its parameters."""
    model = copy.deepcopy(model)
    for name, tensor in changed.items():
        model.get_parameter(name).data = tensor
    return model


def shift_right__float_start(targets, start_id):
    """Makes the start a float, so all ids become floats."""
    start = torch.zeros(targets.size(0), 1) + start_id
    return torch.cat([start, targets[:, :-1]], dim=1)


def shift_right__writes_into_targets(targets, start_id):
    """Moves the ids within the caller's tensor."""
    targets[:, 1:] = targets[:, :-1].clone()
    targets[:, 0] = start_id
    return targets


def writing_task__filled_before_reading(ids, real, start_id):
    """Shifts the targets after they were filled, so -100 is read."""
    targets = ids.masked_fill(~real, -100)
    return shift_right(targets, start_id), targets


def writing_task__padding_by_what_is_read(ids, real, start_id):
    """Leaves out the targets where padding is read, not those that are padding."""
    seen = torch.cat([torch.ones_like(real[:, :1]), real[:, :-1]], dim=1)
    return shift_right(ids, start_id), ids.masked_fill(~seen, -100)


def greedy__columns(table, prompt, steps, end_id):
    """Looks into the column of the last token, not into its row."""
    last, written = prompt[-1], []
    for _ in range(steps):
        last = table[:, last].argmax().item()
        written.append(last)
        if last == end_id:
            break
    return written


def greedy__prompt_kept_end_lost(table, prompt, steps, end_id):
    """Returns the prompt, too, and does not write the end."""
    text = list(prompt)
    for _ in range(steps):
        token = table[text[-1]].argmax().item()
        if token == end_id:
            break
        text.append(token)
    return text


def top_k__whole_batch(logits, k):
    """Keeps the k largest of the whole batch, not of each row."""
    least = logits.flatten().topk(k).values[-1]
    return logits.masked_fill(logits < least, -torch.inf)


def top_k__least_goes_too(logits, k):
    """Cuts off the k-th largest as well."""
    least = logits.topk(k).values[..., -1:]
    return logits.masked_fill(logits <= least, -torch.inf)


def encoder_layer__one_norm_twice(x, weights, heads, mask):
    """Uses the norm around the attention twice."""
    norm = part(weights, "around_attention.norm")
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, norm)
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, norm)


def encoder_layer__network_reads_input(x, weights, heads, mask):
    """Gives the network what came into the layer, not what the first norm made."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    thought = feed_forward(x, part(weights, "feed_forward"))
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder__all_read_the_input(x, weights, heads, layers, mask):
    """Lets each layer read x, so only the last layer counts."""
    for number in range(layers):
        own = part(weights, f"layers.{number}")
        out = encoder_layer(x, own, heads, mask)
    return out


def encoder__mask_in_first_layer(x, weights, heads, layers, mask):
    """Hands the mask to the first layer only."""
    for number in range(layers):
        own = part(weights, f"layers.{number}")
        x = encoder_layer(x, own, heads, mask if number == 0 else None)
    return x


def decoder_layer__memory_without_stream(x, memory, weights, mask, memory_mask):
    """Does not add the stream to what was heard of the memory."""
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    heard = weights.cross_attention(x, memory, memory_mask)
    x = weights.cross_attention_norm(heard)
    thought = weights.feed_forward(x)
    return weights.feed_forward_norm(x + thought)


def decoder_layer__memory_first(x, memory, weights, mask, memory_mask):
    """Asks the memory before the tokens talk to each other."""
    heard = weights.cross_attention(x, memory, memory_mask)
    x = weights.cross_attention_norm(x + heard)
    found = weights.attention(x, x, mask)
    x = weights.attention_norm(x + found)
    thought = weights.feed_forward(x)
    return weights.feed_forward_norm(x + thought)


def decoder__padding_does_not_ask(x, weights, real):
    """Hides the rows of padding, so padding asks nobody, but is still read."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.unsqueeze(-1)
    return weights(x, mask)


def decoder__one_mask_for_all(x, weights, real):
    """Hides a place from all texts where any of them has padding."""
    length = x.size(-2)
    past = torch.ones(length, length, dtype=torch.bool).tril()
    mask = past & real.all(dim=0)
    return weights(x, mask)


def shifted_loss__mask_of_who_guesses(logits, ids, real):
    """Leaves out the guesses made at padding, not the guesses of padding."""
    targets = ids[:, 1:].masked_fill(~real[:, :-1], -100)
    guesses = logits[:, :-1]
    return F.cross_entropy(guesses.flatten(0, 1), targets.flatten())


def shifted_loss__mean_of_texts(logits, ids, real):
    """Takes the mean of each text, then the mean of these, so short texts count more."""
    targets, counted = ids[:, 1:], real[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].mT, targets, reduction="none")
    of_texts = (losses * counted).sum(dim=-1) / counted.sum(dim=-1).clamp(min=1)
    return of_texts.mean()


def cached_step__new_in_front(x, keys, values, weights):
    """Puts what is new in front of the old, in keys as in values."""
    q = weights.query(x)
    keys = torch.cat([weights.key(x), keys], dim=-2)
    values = torch.cat([weights.value(x), values], dim=-2)
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    found = scores.softmax(dim=-1) @ values
    return weights.output(found), keys, values


def cached_step__only_old_and_no_output(x, keys, values, weights):
    """Asks the old tokens only and forgets the output projection."""
    q = weights.query(x)
    scores = q @ keys.mT / math.sqrt(q.size(-1))
    found = scores.softmax(dim=-1) @ values
    keys = torch.cat([keys, weights.key(x)], dim=-2)
    values = torch.cat([values, weights.value(x)], dim=-2)
    return found, keys, values


def embed_new__all_at_past(ids, past, tokens, positions):
    """Puts all new tokens at the same place, which is right for a single one."""
    length = ids.size(-1)
    places = torch.full((length,), past)
    return tokens[ids] + positions[places]


def embed_new__one_late(ids, past, tokens, positions):
    """Counts from 1, so each token gets the row behind its own."""
    length = ids.size(-1)
    places = torch.arange(past + 1, past + length + 1)
    return tokens[ids] + positions[places]


def shapes__source_asks(B, S, T, D, H, V):
    """Lets the source ask in the cross-attention."""
    return (B, S, D), (B, H, S, T), (B, T, V), (V, D), (B, H, T, D // H)


def shapes__full_width_keys(B, S, T, D, H, V):
    """Makes each head's keys as wide as the model."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D)


def rename_weights__first_layer(weights):
    """Renames the layer of the table only, layer 0, so all others keep their names."""
    pieces = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
    }
    theirs, ours = "encoder.layer.0.", "encoder.layers.0."
    for name in ("query", "key", "value"):
        pieces[f"{theirs}attention.self.{name}"] = f"{ours}attention.{name}"
    pieces[f"{theirs}attention.output.dense"] = f"{ours}attention.output"
    pieces[f"{theirs}attention.output.LayerNorm"] = f"{ours}around_attention.norm"
    pieces[f"{theirs}intermediate.dense"] = f"{ours}feed_forward.widen"
    pieces[f"{theirs}output.dense"] = f"{ours}feed_forward.narrow"
    pieces[f"{theirs}output.LayerNorm"] = f"{ours}around_feed_forward.norm"
    renamed = {}
    for name, weight in weights.items():
        if not name.startswith("pooler."):
            start, kind = name.rsplit(".", 1)
            renamed[f"{pieces.get(start, start)}.{kind}"] = weight
    return renamed


def rename_weights__takes_them_away(weights):
    """Takes the tensors out of the caller's dict, which is empty afterwards."""
    pieces = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer.": "encoder.layers.",
        "attention.self.": "attention.",
        "attention.output.LayerNorm": "around_attention.norm",
        "attention.output.dense": "attention.out",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
        "attention.out.": "attention.output.",
    }
    renamed = {}
    for old in list(weights):
        weight, name = weights.pop(old), old
        for theirs, ours in pieces.items():
            name = name.replace(theirs, ours)
        if not name.startswith("pooler."):
            renamed[name] = weight
    return renamed


def top_p__gathered(logits, p):
    """Puts the answers back by gather with the order, which sorts them once more."""
    chances, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    before = chances.cumsum(dim=-1) - chances
    goes = (before >= p).gather(-1, order)
    return logits.masked_fill(goes, -torch.inf)


def top_p__share_of_largest(logits, p):
    """Keeps what has at least p times the largest probability, which is another method, min p."""
    chances = logits.softmax(dim=-1)
    goes = chances < p * chances.amax(dim=-1, keepdim=True)
    return logits.masked_fill(goes, -torch.inf)


def beam_search__best_of_each(table, start, beams, steps):
    """Continues each text after the first step by its own best token only."""
    scores = table.log_softmax(dim=-1)
    first = scores[start].topk(min(beams, len(scores)))
    texts = []
    for score, token in zip(first.values.tolist(), first.indices.tolist()):
        text = [token]
        for _ in range(steps - 1):
            best = scores[text[-1]].max(dim=-1)
            score += best.values.item()
            text.append(best.indices.item())
        texts.append((score, text))
    score, text = max(texts)
    return text, score


def beam_search__raw_logits(table, start, beams, steps):
    """Adds up the logits themselves, not the logarithms of probabilities."""
    scores = table.tolist()
    texts = [(0.0, [start])]
    for _ in range(steps):
        longer = [
            (score + scores[text[-1]][token], [*text, token])
            for score, text in texts
            for token in range(len(scores))
        ]
        texts = sorted(longer, reverse=True)[:beams]
    score, text = texts[0]
    return text[1:], score


def diagnose__order_first(model):
    """Asks for the order before it asks whether earlier tokens count at all."""

    def same(one, other):
        return torch.allclose(one, other, rtol=0, atol=0.001)

    ids = torch.randperm(12).view(2, 6)
    said = model(ids)
    last, first, turned = ids.clone(), ids.clone(), ids.clone()
    last[:, -1] = ids[:, 0]
    first[:, 0] = ids[:, -1]
    turned[:, :-1] = ids[:, :-1].flip(-1)
    if not all(same(said, model(ids)) for _ in range(4)):
        return "rolls dice"
    if not same(said[:1], model(ids[:1])):
        return "mixes texts"
    if not same(said[:, :-1], model(last)[:, :-1]):
        return "reads the future"
    if same(said[:, -1], model(turned)[:, -1]):
        return "ignores the order"
    if same(said[:, -1], model(first)[:, -1]):
        return "reads one token"
    return "healthy"


def diagnose__middle_swapped(model):
    """Lets two tokens of the middle change places, which a healthy model need not read."""

    def same(one, other):
        return torch.allclose(one, other, rtol=0, atol=0.001)

    ids = torch.randperm(12).view(2, 6)
    said = model(ids)
    last, first = ids.clone(), ids.clone()
    last[:, -1] = ids[:, 0]
    first[:, 0] = ids[:, -1]
    swapped = ids[:, [0, 1, 3, 2, 4, 5]]
    if not all(same(said, model(ids)) for _ in range(4)):
        return "rolls dice"
    if not same(said[:1], model(ids[:1])):
        return "mixes texts"
    if not same(said[:, :-1], model(last)[:, :-1]):
        return "reads the future"
    if same(said[:, -1], model(first)[:, -1]):
        return "reads one token"
    if same(said[:, -1], model(swapped)[:, -1]):
        return "ignores the order"
    return "healthy"


def head_losses__rows(weights, ids, real):
    """Silences the rows of the output projection, which are its outputs, not the head's numbers."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)

    def loss(weights):
        x = weights.tokens.weight[ids]
        x = x + weights.positions.weight[: ids.size(-1)]
        x = decoder(x, weights.encoder, real)
        return shifted_loss(x @ weights.tokens.weight.mT, ids, real)

    whole = loss(weights)
    table = torch.zeros(layers, heads, dtype=whole.dtype)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        for head in range(heads):
            silenced = weights.get_parameter(name).clone()
            width = silenced.size(-1) // heads
            silenced[head * width : (head + 1) * width] = 0
            table[layer, head] = loss(_with(weights, {name: silenced})) - whole
    return table


def head_losses__stays_silent(weights, ids, real):
    """Copies the weights once for each layer, so the heads before stay silent."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)

    def loss(weights):
        x = weights.tokens.weight[ids]
        x = x + weights.positions.weight[: ids.size(-1)]
        x = decoder(x, weights.encoder, real)
        return shifted_loss(x @ weights.tokens.weight.mT, ids, real)

    whole = loss(weights)
    table = torch.zeros(layers, heads, dtype=whole.dtype)
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        silenced = weights.get_parameter(name).clone()
        width = silenced.size(-1) // heads
        for head in range(heads):
            silenced[:, head * width : (head + 1) * width] = 0
            table[layer, head] = loss(_with(weights, {name: silenced})) - whole
    return table


def sentence_embedding__first_token(weights, ids, real):
    """Takes the vector of the first token, as one does for BERT, not the mean."""
    table = weights
    x = table.tokens.weight[ids]
    x = x + table.positions.weight[: ids.size(-1)]
    x = x + table.segments.weight[0]
    x = table.norm(x)
    x = weights.encoder(x, real.unsqueeze(-2))
    return x[:, 0] / x[:, 0].norm(dim=-1, keepdim=True)


def sentence_embedding__norm_too_early(weights, ids, real):
    """Normalises the tokens' vectors before positions or segments are added."""
    table = weights
    x = table.norm(table.tokens.weight[ids])
    x = x + table.positions.weight[: ids.size(-1)]
    x = x + table.segments.weight[0]
    x = weights.encoder(x, real.unsqueeze(-2))
    counted = real.unsqueeze(-1)
    mean = (x * counted).sum(dim=-2) / counted.sum(dim=-2)
    return mean / mean.norm(dim=-1, keepdim=True)
