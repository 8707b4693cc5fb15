"""Wrong answers, in other words than the bank's. The docstring is the name they must be given."""

import math

import torch
from torch.nn import functional


def shift_right__slices_all(targets, start_id):
    """nothing is shifted"""
    return targets[:, :]


def shift_right__masked_first(targets, start_id):
    """the first token is overwritten, not pushed along"""
    first = torch.arange(targets.size(1)) == 0
    return targets.masked_fill(first, start_id)


def shift_right__negative_roll(targets, start_id):
    """it is shifted to the left"""
    inputs = targets.roll(-1, dims=1)
    inputs[:, -1] = start_id
    return inputs


def shift_right__pads(targets, start_id):
    """the last token is still there"""
    return functional.pad(targets, (1, 0), value=start_id)


def shift_right__joins_ends(targets, start_id):
    """the last token comes round to the front"""
    return torch.cat([targets[:, -1:], targets[:, :-1]], dim=1)


def _shift(ids, start_id):
    return functional.pad(ids, (1, -1), value=start_id)


def writing_task__targets_first(ids, real, start_id):
    """inputs and targets have changed places"""
    return torch.where(real, ids, -100), _shift(ids, start_id)


def writing_task__reads_the_answer(ids, real, start_id):
    """the inputs are not shifted"""
    return ids, torch.where(real, ids, -100)


def writing_task__shifts_before(ids, real, start_id):
    """the targets are shifted as well"""
    targets = _shift(ids.masked_fill(~real, -100), start_id)
    return _shift(ids, start_id), targets


def writing_task__forgets_real(ids, real, start_id):
    """padding counts in the loss"""
    return _shift(ids, start_id), ids


def writing_task__pads_with_zero(ids, real, start_id):
    """what is ignored has the target 0"""
    return _shift(ids, start_id), ids.masked_fill(~real, 0)


def writing_task__fills_the_real(ids, real, start_id):
    """the tokens are ignored, and padding counts"""
    return _shift(ids, start_id), ids.masked_fill(real, -100)


def _part(weights, name):
    return {key[len(name) + 1 :]: w for key, w in weights.items() if key.startswith(name + ".")}


def _linear(x, weights, name):
    return functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _norm(x, weights, name):
    weight, bias = weights[f"{name}.norm.weight"], weights[f"{name}.norm.bias"]
    return functional.layer_norm(x, x.shape[-1:], weight, bias, 1e-12)


def _attend(x, memory, weights, name, heads, mask=None):
    weights = _part(weights, name)
    q, k, v = (
        _linear(source, weights, part).unflatten(-1, (heads, -1)).transpose(1, 2)
        for part, source in (("query", x), ("key", memory), ("value", memory))
    )
    scores = q @ k.mT / math.sqrt(k.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -math.inf)
    found = scores.softmax(dim=-1) @ v
    return _linear(found.transpose(1, 2).flatten(2), weights, "output")


def _think(x, weights):
    hidden = functional.gelu(_linear(x, weights, "feed_forward.widen"))
    return _linear(hidden, weights, "feed_forward.narrow")


def encoder_layer__overwrites_x(x, weights, heads, mask):
    """nothing is added to what attention has found"""
    x = _attend(x, x, weights, "attention", heads, mask)
    x = _norm(x, weights, "around_attention")
    return _norm(_think(x, weights) + x, weights, "around_feed_forward")


def encoder_layer__returns_the_network(x, weights, heads, mask):
    """nothing is added to what the network has made"""
    heard = _norm(_attend(x, x, weights, "attention", heads, mask) + x, weights, "around_attention")
    return _norm(_think(heard, weights), weights, "around_feed_forward")


def encoder_layer__last_norm_first(x, weights, heads, mask):
    """the two norms have changed places"""
    names = ["around_attention", "around_feed_forward"]
    x = _norm(x + _attend(x, x, weights, "attention", heads, mask), weights, names.pop())
    return _norm(x + _think(x, weights), weights, names.pop())


def encoder_layer__norm_first(x, weights, heads, mask):
    """that is pre-norm"""
    ready = _norm(x, weights, "around_attention")
    x = _attend(ready, ready, weights, "attention", heads, mask) + x
    return _think(_norm(x, weights, "around_feed_forward"), weights) + x


def encoder_layer__forgets_mask(x, weights, heads, mask):
    """the mask is not used"""
    x = _norm(x + _attend(x, x, weights, "attention", heads), weights, "around_attention")
    return _norm(x + _think(x, weights), weights, "around_feed_forward")


def encoder_layer__side_by_side(x, weights, heads, mask):
    """the network reads the layer's input"""
    thought = _think(x, weights)
    x = _norm(x + _attend(x, x, weights, "attention", heads, mask), weights, "around_attention")
    return _norm(x + thought, weights, "around_feed_forward")


def encoder_layer__residual_kept_too_long(x, weights, heads, mask):
    """the second addition is to the layer's input"""
    residual = x
    x = _norm(
        residual + _attend(x, x, weights, "attention", heads, mask), weights, "around_attention"
    )
    return _norm(residual + _think(x, weights), weights, "around_feed_forward")


def _layer(x, weights, heads, mask):
    x = _norm(x + _attend(x, x, weights, "attention", heads, mask), weights, "around_attention")
    return _norm(x + _think(x, weights), weights, "around_feed_forward")


def _layers(weights, layers):
    return [_part(weights, f"layers.{number}") for number in range(layers)]


def encoder__list_times(x, weights, heads, layers, mask):
    """every layer has the first one's weights"""
    for own in [_part(weights, "layers.0")] * layers:
        x = _layer(x, own, heads, mask)
    return x


def encoder__other_name(x, weights, heads, layers, mask):
    """every layer reads the embeddings"""
    for own in _layers(weights, layers):
        y = _layer(x, own, heads, mask)
    return y


def encoder__from_one(x, weights, heads, layers, mask):
    """the last layer is missing"""
    for number in range(1, layers):
        x = _layer(x, _part(weights, f"layers.{number - 1}"), heads, mask)
    return x


def encoder__popped(x, weights, heads, layers, mask):
    """the last layer comes first"""
    left = _layers(weights, layers)
    while left:
        x = _layer(x, left.pop(), heads, mask)
    return x


def encoder__mask_used_up(x, weights, heads, layers, mask):
    """only the first layer gets the mask"""
    for own in _layers(weights, layers):
        x, mask = _layer(x, own, heads, mask), None
    return x


def _ask(x, memory, weights, heads, memory_mask):
    return _attend(x, memory, weights, "cross_attention", heads, memory_mask)


def _decode(x, memory, weights, heads, mask, memory_mask, ask=_ask):
    x = _norm(x + _attend(x, x, weights, "attention", heads, mask), weights, "around_attention")
    x = _norm(x + ask(x, memory, weights, heads, memory_mask), weights, "around_cross_attention")
    return _norm(x + _think(x, weights), weights, "around_feed_forward")


def decoder_layer__asks_itself(x, memory, weights, heads, mask, memory_mask):
    """cross-attention does not ask the memory"""
    x = _norm(x + _attend(x, x, weights, "attention", heads, mask), weights, "around_attention")
    x = _norm(x + _ask(x, x, weights, heads, mask), weights, "around_cross_attention")
    return _norm(x + _think(x, weights), weights, "around_feed_forward")


def decoder_layer__as_gpt(x, memory, weights, heads, mask, memory_mask):
    """cross-attention is left out"""
    return _layer(x, weights, heads, mask)


def decoder_layer__cross_then_own(x, memory, weights, heads, mask, memory_mask):
    """the memory is asked first"""
    heard = _ask(x, memory, weights, heads, memory_mask)
    return _layer(_norm(heard + x, weights, "around_cross_attention"), weights, heads, mask)


def decoder_layer__all_may_be_seen(x, memory, weights, heads, mask, memory_mask):
    """self-attention sees the future"""
    return _decode(x, memory, weights, heads, torch.ones_like(mask), memory_mask)


def decoder_layer__none(x, memory, weights, heads, mask, memory_mask):
    """the memory's padding is read"""
    return _decode(x, memory, weights, heads, mask, None)


def decoder_layer__old_queries(x, memory, weights, heads, mask, memory_mask):
    """the memory is asked by the layer's input"""
    asked = _ask(x, memory, weights, heads, memory_mask)
    return _decode(x, memory, weights, heads, mask, memory_mask, ask=lambda *_: asked)


def decoder_layer__no_plus(x, memory, weights, heads, mask, memory_mask):
    """what the memory says replaces what was there"""
    x = _norm(x + _attend(x, x, weights, "attention", heads, mask), weights, "around_attention")
    x = _norm(_ask(x, memory, weights, heads, memory_mask), weights, "around_cross_attention")
    return _norm(x + _think(x, weights), weights, "around_feed_forward")


def decoder_layer__one_attention(x, memory, weights, heads, mask, memory_mask):
    """both attentions have the same weights"""
    own = _part(weights, "attention")
    own = weights | {f"cross_attention.{name}": weight for name, weight in own.items()}
    return _decode(x, memory, own, heads, mask, memory_mask)


def _stack(x, weights, heads, layers, mask):
    for own in _layers(weights, layers):
        x = _layer(x, own, heads, mask)
    return x


def decoder__maximum(x, weights, heads, layers, real):
    """the mistake is still in it"""
    past = torch.ones(x.size(1), x.size(1)).tril()
    mask = torch.maximum(past, real.float()[:, None]).bool()
    return _stack(x, weights, heads, layers, mask)


def decoder__triangle_only(x, weights, heads, layers, real):
    """padding is read now"""
    places = torch.arange(x.size(1))
    return _stack(x, weights, heads, layers, places[:, None] >= places)


def decoder__padding_only(x, weights, heads, layers, real):
    """the future is read still"""
    return _stack(x, weights, heads, layers, real[:, None].expand(-1, x.size(1), -1))


def decoder__triu(x, weights, heads, layers, real):
    """the triangle is upside down"""
    future = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu()
    return _stack(x, weights, heads, layers, future & real[:, None])


def decoder__columns(x, weights, heads, layers, real):
    """padding is kept from asking, not from being read"""
    past = torch.ones(x.size(1), x.size(1)).tril()
    return _stack(x, weights, heads, layers, (past * real[:, :, None]).bool())


def _mean_loss(logits, targets):
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def shifted_loss__side_by_side(logits, ids, real):
    """nothing is shifted"""
    return _mean_loss(logits, ids.masked_fill(~real, -100))


def shifted_loss__drops_first_logits(logits, ids, real):
    """it is shifted the wrong way"""
    return _mean_loss(logits[:, 1:], ids.masked_fill(~real, -100)[:, :-1])


def shifted_loss__forgets_real(logits, ids, real):
    """padding is counted"""
    return _mean_loss(logits[:, :-1], ids[:, 1:])


def shifted_loss__zeros_in_the_mean(logits, ids, real):
    """it is divided by all places"""
    targets = ids.masked_fill(~real, -100)[:, 1:]
    losses = functional.cross_entropy(logits[:, :-1].mT, targets, reduction="none")
    return losses.mean()


def shifted_loss__text_by_text(logits, ids, real):
    """each text weighs the same"""
    targets = ids.masked_fill(~real, -100)[:, 1:]
    losses = [functional.cross_entropy(*pair) for pair in zip(logits[:, :-1], targets, strict=True)]
    return torch.stack(losses).mean()


def shifted_loss__selects_by_inputs(logits, ids, real):
    """it asks whether the token that was read is real"""
    read = real[:, :-1]
    return functional.cross_entropy(logits[:, :-1][read], ids[:, 1:][read])


def shifted_loss__both_must_be_real(logits, ids, real):
    """it asks whether the token that was read is real"""
    counted = real[:, 1:] & real[:, :-1]
    return functional.cross_entropy(logits[:, :-1][counted], ids[:, 1:][counted])


def shifted_loss__formula_as_it_stands(logits, ids, real):
    """the exponential overflows"""
    e = torch.exp(logits)[:, :-1]
    p = (e / e.sum(dim=-1, keepdim=True)).gather(-1, ids[:, 1:, None]).squeeze(-1)
    return -p[real[:, 1:]].log().mean()


def shifted_loss__probabilities(logits, ids, real):
    """the softmax is taken twice"""
    return _mean_loss(logits.softmax(-1)[:, :-1], ids.masked_fill(~real, -100)[:, 1:])


def shifted_loss__reduction(logits, ids, real):
    """it is the sum, not the mean"""
    counted = real[:, 1:]
    return functional.cross_entropy(logits[:, :-1][counted], ids[:, 1:][counted], reduction="sum")


def greedy__grows_the_prompt(table, prompt, steps, end_id):
    """the prompt is given back too"""
    ids = prompt[:]
    while len(ids) < len(prompt) + steps:
        ids = [*ids, int(table[ids[-1]].argmax())]
        if ids[-1] == end_id:
            return ids
    return ids


def greedy__never_asks_for_the_end(table, prompt, steps, end_id):
    """it does not stop at the end symbol"""
    last, written = prompt[-1], []
    for _ in range(steps):
        last = int(table[last].argmax())
        written.append(last)
    return written


def greedy__breaks_first(table, prompt, steps, end_id):
    """the end symbol is not written"""
    last, written = prompt[-1], []
    for _ in range(steps):
        last = int(table[last].argmax())
        if last == end_id:
            break
        written.append(last)
    return written


def greedy__reads_the_prompt_again(table, prompt, steps, end_id):
    """it does not read what it has written"""
    written = []
    while len(written) < steps and end_id not in written:
        written.append(int(table[prompt][-1].argmax()))
    return written


def greedy__row_zero(table, prompt, steps, end_id):
    """it looks at the first token, not at the last"""
    ids, written = list(prompt), []
    for _ in range(steps):
        token = int(table[ids][0].argmax())
        ids.append(token)
        written.append(token)
        if token == end_id:
            break
    return written


def greedy__from_one(table, prompt, steps, end_id):
    """it writes one token too few"""
    last, written = prompt[-1], []
    for _ in range(1, steps):
        last = int(table[last].argmax())
        written.append(last)
        if last == end_id:
            break
    return written


def top_k__scattered_on_zeros(logits, k):
    """what is cut off becomes 0"""
    values, places = logits.topk(k)
    return torch.zeros_like(logits).scatter(-1, places, values)


def top_k__index_k(logits, k):
    """one token too many stays"""
    ranks = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    return logits.masked_fill(ranks > k, -torch.inf)


def top_k__ranks_from_one(logits, k):
    """one token too few stays"""
    ranks = logits.argsort(dim=-1, descending=True).argsort(dim=-1) + 1
    return torch.where(ranks < k, logits, -torch.inf)


def top_k__ascending_ranks(logits, k):
    """the least likely stay"""
    ranks = logits.argsort(dim=-1).argsort(dim=-1)
    return logits.masked_fill(ranks >= k, -torch.inf)


def top_k__one_limit(logits, k):
    """the rows of the batch compete"""
    limit = logits.reshape(-1).sort(descending=True).values[k - 1]
    return torch.where(logits >= limit, logits, -torch.inf)


def top_k__sorted_and_sliced(logits, k):
    """only the k values are given back"""
    return logits.sort(dim=-1, descending=True).values[..., :k]


def top_p__sum_with_itself(logits, p):
    """the token that reaches p is cut off"""
    chances, order = logits.softmax(-1).sort(-1, descending=True)
    goes = chances.cumsum(-1) > p
    return logits.masked_fill(torch.zeros_like(goes).scatter(-1, order, goes), -torch.inf)


def top_p__threshold(logits, p):
    """each token is compared with p by itself"""
    return torch.where(logits.softmax(-1) >= p, logits, -torch.inf)


def top_p__no_descending(logits, p):
    """it begins with the unlikely"""
    chances, order = torch.sort(logits.softmax(-1))
    goes = chances.cumsum(-1) - chances >= p
    return logits.masked_fill(torch.zeros_like(goes).scatter(-1, order, goes), -torch.inf)


def top_p__forgets_order(logits, p):
    """what was found in order is applied out of order"""
    chances = logits.softmax(-1).sort(-1, descending=True).values
    kept = logits.clone()
    kept[chances.cumsum(-1) - chances >= p] = -torch.inf
    return kept


def top_p__times(logits, p):
    """what is cut off becomes 0"""
    chances, order = logits.softmax(-1).sort(-1, descending=True)
    stays = chances.cumsum(-1) - chances < p
    return logits * torch.zeros_like(stays).scatter(-1, order, stays)


def top_p__no_softmax(logits, p):
    """logits are added up, not probabilities"""
    values, order = torch.sort(logits, descending=True)
    goes = values.cumsum(-1) - values >= p
    return logits.masked_fill(torch.zeros_like(goes).scatter(-1, order, goes), -torch.inf)


def _follow(scores, start, beams, steps, add=True, reverse=True):
    texts = [(0.0, [start])]
    for _ in range(steps):
        texts = [
            (score * add + scores[text[-1]][token], [*text, token])
            for score, text in texts
            for token in range(len(scores))
        ]
        texts = sorted(texts, reverse=True)[:beams]
    score, text = texts[0 if reverse else -1]
    return text[1:], score


def _log_p(table):
    return torch.log_softmax(table, dim=-1).tolist()


def beam_search__argmax(table, start, beams, steps):
    """that is greedy"""
    scores, text, total = table.log_softmax(-1), [start], 0.0
    for _ in range(steps):
        best = scores[text[-1]].max(dim=-1)
        total += best.values.item()
        text.append(best.indices.item())
    return text[1:], total


def beam_search__each_its_argmax(table, start, beams, steps):
    """each text goes on in one way only"""
    scores = table.log_softmax(-1)
    first = scores[start].topk(beams)
    texts = []
    for value, token in zip(first.values.tolist(), first.indices.tolist(), strict=True):
        text = [token]
        for _ in range(steps - 1):
            best = scores[text[-1]].max(dim=-1)
            value, text = value + best.values.item(), [*text, best.indices.item()]
        texts.append((value, text))
    value, text = max(texts)
    return text, value


def beam_search__raw(table, start, beams, steps):
    """logits are added, not logarithms of probabilities"""
    return _follow(table.tolist(), start, beams, steps)


def beam_search__chances(table, start, beams, steps):
    """probabilities are added"""
    return _follow(table.softmax(-1).tolist(), start, beams, steps)


def beam_search__last_step(table, start, beams, steps):
    """only the newest token counts"""
    return _follow(_log_p(table), start, beams, steps, add=False)


def beam_search__whole_text(table, start, beams, steps):
    """the start is given back too"""
    text, score = _follow(_log_p(table), start, beams, steps)
    return (start, *text), score


def beam_search__last_of_sorted(table, start, beams, steps):
    """the worst of the beams is given back"""
    return _follow(_log_p(table), start, beams, steps, reverse=False)


def beam_search__slice_forgotten(table, start, beams, steps):
    """more texts go on than there are beams"""
    return _follow(_log_p(table), start, len(table) ** steps, steps)


def _grown(x, keys, values, weights):
    keys = torch.cat([keys, _linear(x, weights, "key")], dim=1)
    return keys, torch.cat([values, _linear(x, weights, "value")], dim=1)


def _found(x, keys, values, weights):
    scores = _linear(x, weights, "query") @ keys.transpose(1, 2) / keys.size(-1) ** 0.5
    return _linear(scores.softmax(-1) @ values, weights, "output")


def cached_step__asks_before(x, keys, values, weights):
    """the new token does not see itself"""
    return (_found(x, keys, values, weights), *_grown(x, keys, values, weights))


def cached_step__old_cache(x, keys, values, weights):
    """the cache comes back as it was"""
    return _found(x, *_grown(x, keys, values, weights), weights), keys, values


def cached_step__new_first(x, keys, values, weights):
    """the newest stands in front"""
    keys = torch.cat([_linear(x, weights, "key"), keys], dim=1)
    values = torch.cat([_linear(x, weights, "value"), values], dim=1)
    return _found(x, keys, values, weights), keys, values


def cached_step__tril(x, keys, values, weights):
    """the new token sees the first one only"""
    keys, values = _grown(x, keys, values, weights)
    scores = _linear(x, weights, "query") @ keys.mT / keys.size(-1) ** 0.5
    future = torch.ones_like(scores).tril() == 0
    seen = scores.masked_fill(future, -torch.inf).softmax(-1)
    return _linear(seen @ values, weights, "output"), keys, values


def cached_step__raw_scores(x, keys, values, weights):
    """the division by the root of the width is missing"""
    keys, values = _grown(x, keys, values, weights)
    seen = (_linear(x, weights, "query") @ keys.mT).softmax(-1)
    return _linear(seen @ values, weights, "output"), keys, values


def cached_step__no_matrices(x, keys, values, weights):
    """the token's vector is kept, not its key and value"""
    keys, values = torch.hstack([keys, x]), torch.hstack([values, x])
    return _found(x, keys, values, weights), keys, values


def cached_step__three_matrices(x, keys, values, weights):
    """the output projection is missing"""
    keys, values = _grown(x, keys, values, weights)
    q = _linear(x, weights, "query")
    return functional.scaled_dot_product_attention(q, keys, values), keys, values


def embed_new__from_zero(ids, past, tokens, positions):
    """the mistake is still in it"""
    return tokens[ids] + positions[torch.arange(ids.size(1))]


def embed_new__all_at_past(ids, past, tokens, positions):
    """all new tokens stand at one place"""
    return tokens[ids] + positions[torch.full_like(ids, past)]


def embed_new__from_one(ids, past, tokens, positions):
    """they stand one place too far"""
    return tokens[ids] + positions[torch.arange(ids.size(1)) + past + 1]


def embed_new__to_past(ids, past, tokens, positions):
    """they stand one place too near"""
    return tokens[ids] + positions[past - 1 : past - 1 + ids.size(1)]


def embed_new__words_only(ids, past, tokens, positions):
    """they have no places now"""
    return functional.embedding(ids, tokens)


def _shapes(B, S, T, D, H, V, **others):
    found = {
        "memory": (B, S, D),
        "weights": (B, H, T, S),
        "logits": (B, T, V),
        "table": (V, D),
        "keys": (B, H, T, D // H),
    }
    return tuple((found | others).values())


def shapes__memory_of_target(B, S, T, D, H, V):
    """the memory is as long as what is written"""
    return _shapes(B, S, T, D, H, V, memory=[B, T, D])


def shapes__source_asks(B, S, T, D, H, V):
    """the cross-attention's weights lie the other way"""
    return _shapes(B, S, T, D, H, V, weights=[B, H, S, T])


def shapes__mean_of_heads(B, S, T, D, H, V):
    """the heads are missing"""
    return _shapes(B, S, T, D, H, V, weights=[B, T, S])


def shapes__before_the_output(B, S, T, D, H, V):
    """there is a logit for each feature, not for each word"""
    return _shapes(B, S, T, D, H, V, logits=[B, T, D])


def shapes__columns_of_words(B, S, T, D, H, V):
    """the table lies the other way"""
    return _shapes(B, S, T, D, H, V, table=[D, V])


def shapes__whole_keys(B, S, T, D, H, V):
    """the keys are as wide as the model"""
    return _shapes(B, S, T, D, H, V, keys=[B, H, T, D])


def _rename(weights, **others):
    tables = {
        "embeddings.LayerNorm": "embeddings.norm",
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
    }
    ends = {
        "attention.self.query": "attention.query",
        "attention.self.key": "attention.key",
        "attention.self.value": "attention.value",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
    } | others.get("ends", {})
    renamed = {}
    for name, weight in weights.items():
        place, _, kind = name.rpartition(".")
        if place in tables:
            renamed[f"{tables[place]}.{kind}"] = weight
        elif place.startswith("encoder"):
            number, _, end = place.removeprefix("encoder.layer.").partition(".")
            renamed[f"encoder.layers.{number}.{ends[end]}.{kind}"] = weight
    return renamed


def rename_weights__greedy_replace(weights):
    """attention's output is taken for the network's"""
    names = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer": "encoder.layers",
        "attention.self": "attention",
        "intermediate.dense": "feed_forward.widen",
        "output.dense": "feed_forward.narrow",
        "output.LayerNorm": "around_feed_forward.norm",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "around_attention.norm",
    }
    renamed = {}
    for name, weight in weights.items():
        for theirs, ours in names.items():
            name = name.replace(theirs, ours)
        if "pooler" not in name:
            renamed[name] = weight
    return renamed


def rename_weights__norms_by_order(weights):
    """the two norms have changed places"""
    ends = {
        "attention.output.LayerNorm": "around_feed_forward.norm",
        "output.LayerNorm": "around_attention.norm",
    }
    return _rename(weights, ends=ends)


def rename_weights__intermediate_narrows(weights):
    """widen and narrow have changed places"""
    ends = {
        "intermediate.dense": "feed_forward.narrow",
        "output.dense": "feed_forward.widen",
    }
    return _rename(weights, ends=ends)


def rename_weights__singular(weights):
    """the layers have kept their old name"""
    return {
        name.replace("encoder.layers.", "encoder.layer."): weight
        for name, weight in _rename(weights).items()
    }


def rename_weights__keeps_self(weights):
    """self is still in the names"""
    ends = {
        f"attention.self.{name}": f"attention.self.{name}" for name in ("query", "key", "value")
    }
    return _rename(weights, ends=ends)


def rename_weights__transposes(weights):
    """the matrices are turned"""
    return {
        name: weight.T if name.startswith("encoder") and weight.dim() == 2 else weight
        for name, weight in _rename(weights).items()
    }


def rename_weights__keeps_all(weights):
    """the pooler is still there"""
    rest = {name: weight for name, weight in weights.items() if name.startswith("pooler.")}
    return _rename(weights) | rest


def _read(weights, ids, real, heads, layers, left_out=(), mask=True):
    weights = _rename(weights)
    x = functional.embedding(ids, weights["embeddings.tokens.weight"])
    if "positions" not in left_out:
        x = x + weights["embeddings.positions.weight"][torch.arange(ids.size(1))]
    if "segments" not in left_out:
        x = x + weights["embeddings.segments.weight"][0]
    if "norm" not in left_out:
        x = _norm(x, weights, "embeddings")
    return _stack(x, _part(weights, "encoder"), heads, layers, real[:, None] if mask else None)


def _mean(x, real):
    return torch.stack([row[counted].mean(dim=0) for row, counted in zip(x, real, strict=True)])


def _unit(vectors):
    return functional.normalize(vectors, dim=-1)


def sentence_embedding__plain_mean(weights, ids, real, heads, layers):
    """the mean counts padding"""
    return _unit(_read(weights, ids, real, heads, layers).sum(dim=1))


def sentence_embedding__as_bert(weights, ids, real, heads, layers):
    """the first token stands for all"""
    return _unit(_read(weights, ids, real, heads, layers).select(1, 0))


def sentence_embedding__not_cut(weights, ids, real, heads, layers):
    """the length is not 1"""
    return _mean(_read(weights, ids, real, heads, layers), real)


def sentence_embedding__unmasked(weights, ids, real, heads, layers):
    """attention reads the padding"""
    return _unit(_mean(_read(weights, ids, real, heads, layers, mask=False), real))


def sentence_embedding__bag_of_words(weights, ids, real, heads, layers):
    """the positions are missing"""
    return _unit(_mean(_read(weights, ids, real, heads, layers, ["positions"]), real))


def sentence_embedding__no_type(weights, ids, real, heads, layers):
    """the segment's vector is missing"""
    return _unit(_mean(_read(weights, ids, real, heads, layers, ["segments"]), real))


def sentence_embedding__as_the_paper(weights, ids, real, heads, layers):
    """the embeddings are not normalised"""
    return _unit(_mean(_read(weights, ids, real, heads, layers, ["norm"]), real))


def _tested(model, ids, *, left_out=None, again=2, **replaced):
    far = lambda one, other: (one - other).abs().max().item() > 1e-3  # noqa: E731
    last, first, turned = ids.clone(), ids.clone(), ids.clone()
    last[:, -1], first[:, 0] = (ids[:, -1] + 3) % 12, (ids[:, 0] + 3) % 12
    turned[:, :-1] = ids[:, :-1].flip(1)
    said = model(ids)
    found = {
        "rolls dice": lambda: any(far(said, model(ids)) for _ in range(again)),
        "mixes texts": lambda: far(said[:1], model(ids[:1])),
        "reads the future": lambda: far(said[:, :-1], model(last)[:, :-1]),
        "reads one token": lambda: not far(said[:, -1], model(first)[:, -1]),
        "ignores the order": lambda: not far(said[:, -1], model(turned)[:, -1]),
    } | replaced
    names = [name for name, ails in found.items() if name != left_out and ails()]
    return names[0] if names else "healthy"


IDS = torch.tensor([[4, 1, 0, 7, 5], [2, 11, 8, 3, 10]])


def diagnose__once(model):
    """dice are looked for too seldom, or too late"""
    return _tested(model, IDS, left_out="rolls dice")


def diagnose__in_company(model):
    """nobody reads a text alone"""
    return _tested(model, IDS, left_out="mixes texts")


def diagnose__all_places(model):
    """the future is looked for where it is the past"""
    last = IDS.clone()
    last[:, -1] = 6
    change = lambda: (model(IDS) - model(last)).abs().max().item() > 1e-3  # noqa: E731
    return _tested(model, IDS, **{"reads the future": change})


def diagnose__same_word(model):
    """the text says one word again and again"""
    return _tested(model, torch.zeros(2, 7, dtype=torch.long))


def diagnose__in_any_order(model):
    """a model without positions passes"""
    return _tested(model, IDS, left_out="ignores the order")


def diagnose__twice(model):
    """dice are looked for too seldom, or too late"""
    return _tested(model, IDS, again=1)


def diagnose__other_company(model):
    """all batches have the same number of texts"""
    others = torch.cat([IDS[:1], 11 - IDS[:1]])
    change = lambda: (model(IDS) - model(others))[0].abs().max().item() > 1e-3  # noqa: E731
    return _tested(model, IDS, **{"mixes texts": change})


def diagnose__last_but_one(model):
    """the future is looked for at one place only"""
    last = IDS.clone()
    last[:, -1] = 6
    change = lambda: (model(IDS) - model(last))[:, 3].abs().max().item() > 1e-3  # noqa: E731
    return _tested(model, IDS, **{"reads the future": change})


def diagnose__first_place(model):
    """the future is looked for at one place only"""
    later = torch.cat([IDS[:, :3], IDS[:, 3:].flip(0)], dim=1)
    change = lambda: (model(IDS) - model(later))[:, 0].abs().max().item() > 1e-3  # noqa: E731
    return _tested(model, IDS, **{"reads the future": change})


def diagnose__neighbours_swapped(model):
    """only the nearest tokens are changed"""
    swapped = IDS[:, [0, 1, 3, 2, 4]]
    alike = lambda: (model(IDS) - model(swapped))[:, 4].abs().max().item() < 1e-3  # noqa: E731
    return _tested(model, IDS, **{"ignores the order": alike})


def diagnose__neighbour_changed(model):
    """only the nearest tokens are changed"""
    near = IDS.clone()
    near[:, 3] = 6
    alike = lambda: (model(IDS) - model(near))[:, 4].abs().max().item() < 1e-3  # noqa: E731
    return _tested(model, IDS, **{"reads one token": alike})


def diagnose__never_alone(model):
    """a model that reads one token is taken for another"""
    return _tested(model, IDS, left_out="reads one token")


def _text_loss(weights, ids, real, heads, layers):
    def through(x, name):
        return functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def normed(x, name):
        own = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return functional.layer_norm(x, x.shape[-1:], *own, 1e-12)

    x = weights["tokens"][ids] + weights["positions"][: ids.size(1)]
    length = ids.size(1)
    mask = torch.ones(length, length, dtype=torch.bool).tril() & real[:, None]
    for layer in range(layers):
        start = f"layers.{layer}"
        names = (f"{start}.attention.{name}" for name in ("query", "key", "value"))
        cut = [through(x, name).unflatten(-1, (heads, -1)).transpose(1, 2) for name in names]
        found = functional.scaled_dot_product_attention(*cut, attn_mask=mask[:, None])
        found = through(found.transpose(1, 2).flatten(2), f"{start}.attention.output")
        x = normed(x + found, f"{start}.around_attention.norm")
        hidden = functional.gelu(through(x, f"{start}.feed_forward.widen"))
        found = through(hidden, f"{start}.feed_forward.narrow")
        x = normed(x + found, f"{start}.around_feed_forward.norm")
    logits = (x @ weights["tokens"].mT)[:, :-1]
    targets = ids.masked_fill(~real, -100)[:, 1:]
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def _missed(weights, ids, real, heads, layers, silence):
    whole, found = _text_loss(weights, ids, real, heads, layers), []
    for number in range(layers * heads):
        layer, head = divmod(number, heads)
        copy = {name: weight.clone() for name, weight in weights.items()}
        start = f"layers.{layer}.attention."
        own = {name.removeprefix(start): w for name, w in copy.items() if name.startswith(start)}
        silence(own, head, copy["tokens"].size(1) // heads)
        found.append(_text_loss(copy, ids, real, heads, layers) - whole)
    return torch.stack(found).view(layers, heads)


def _columns(weights, head, size):
    weights["output.weight"][:, head * size : (head + 1) * size] = 0


def head_losses__output_rows(weights, ids, real, heads, layers):
    """the rows of W_O are silenced, not its columns"""

    def silence(weights, head, size):
        weights["output.weight"][head * size : (head + 1) * size] = 0

    return _missed(weights, ids, real, heads, layers, silence)


def head_losses__keys(weights, ids, real, heads, layers):
    """the head's queries or keys are silenced, and it goes on speaking"""

    def silence(weights, head, size):
        for name in ("key.weight", "key.bias"):
            weights[name][head * size : (head + 1) * size] = 0

    return _missed(weights, ids, real, heads, layers, silence)


def head_losses__query_matrix(weights, ids, real, heads, layers):
    """the head's queries or keys are silenced, and it goes on speaking"""

    def silence(weights, head, size):
        weights["query.weight"][head * size : (head + 1) * size] = 0

    return _missed(weights, ids, real, heads, layers, silence)


def head_losses__all_but_one(weights, ids, real, heads, layers):
    """the other heads of the layer are silenced"""

    def silence(weights, head, size):
        weights["output.weight"][:, : head * size] = 0
        weights["output.weight"][:, (head + 1) * size :] = 0

    return _missed(weights, ids, real, heads, layers, silence)


def head_losses__in_all_layers(weights, ids, real, heads, layers):
    """the head of this number is silenced in every layer"""
    copy, row = {name: weight.clone() for name, weight in weights.items()}, []
    whole = _text_loss(weights, ids, real, heads, layers)
    for head in range(heads):
        for layer in range(layers):
            matrix = weights[f"layers.{layer}.attention.output.weight"].clone()
            matrix.unflatten(1, (heads, -1))[:, head] = 0
            copy[f"layers.{layer}.attention.output.weight"] = matrix
        row.append(_text_loss(copy, ids, real, heads, layers) - whole)
    return torch.stack(row).repeat(layers, 1)


def head_losses__value_matrix(weights, ids, real, heads, layers):
    """the bias of the head's values still speaks"""

    def silence(weights, head, size):
        weights["value.weight"][head * size : (head + 1) * size] = 0

    return _missed(weights, ids, real, heads, layers, silence)


def head_losses__every_other(weights, ids, real, heads, layers):
    """the features of the heads are interleaved"""

    def silence(weights, head, size):
        weights["output.weight"][:, head::heads] = 0

    return _missed(weights, ids, real, heads, layers, silence)


def head_losses__negative(weights, ids, real, heads, layers):
    """the difference is the wrong way round"""
    return 0 - _missed(weights, ids, real, heads, layers, _columns)


def head_losses__absolute(weights, ids, real, heads, layers):
    """the loss is given, not what it grows by"""
    whole = _text_loss(weights, ids, real, heads, layers)
    return whole + _missed(weights, ids, real, heads, layers, _columns)


def shifted_loss__denominators_detached(logits, ids, real):
    """the gradient is cut"""
    logits, ids, real = logits[:, :-1], ids[:, 1:, None], real[:, 1:]
    own = logits.take_along_dim(ids, dim=-1)[..., 0]
    return (logits.detach().logsumexp(dim=-1) - own)[real].mean()
