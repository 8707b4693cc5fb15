import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from transformer_lab import check


def _with(model, changed):
    """Copy a model, and put other numbers into some of its parameters."""
    model = copy.deepcopy(model)
    for name, tensor in changed.items():
        model.get_parameter(name).data = tensor
    return model


# ---------------------------------------------------------------- shift_right

def shift_right__rolled_flat(targets, start_id):
    # Without an axis, roll turns the flattened tensor; the first column,
    # into which the end of the row above has come, is filled anew.
    first = torch.zeros(1, dtype=torch.long, device=targets.device)
    return targets.roll(1).index_fill(1, first, start_id)


def shift_right__looked_up(targets, start_id):
    places = torch.arange(targets.size(1), device=targets.device)
    before = targets[:, (places - 1).clamp(min=0)]
    return before.masked_fill(places == 0, start_id)


# --------------------------------------------------------------- writing_task

def writing_task__where(ids, real, start_id):
    ignored = torch.full_like(ids, -100)
    return shift_right(ids, start_id), torch.where(real, ids, ignored)


def writing_task__text_by_text(ids, real, start_id):
    # Padding stands at the end, so a text is cut at its number of tokens.
    reads, says = torch.empty_like(ids), torch.empty_like(ids)
    for row, length in enumerate(real.sum(dim=-1).tolist()):
        reads[row, :1] = start_id
        reads[row, 1:] = ids[row, :-1]
        says[row, :length] = ids[row, :length]
        says[row, length:] = -100
    return reads, says


# --------------------------------------------------------------------- greedy

# ambiguous: a prompt that ends with end_id; read here as "go on writing".
def greedy__chain_then_cut(table, prompt, steps, end_id):
    follows = table.argmax(dim=-1).tolist()
    chain = [prompt[-1]]
    for _ in range(steps):
        chain.append(follows[chain[-1]])
    written = chain[1:]
    if end_id in written:
        written = written[: written.index(end_id) + 1]
    return written


def _best_of(row):
    best, place = -math.inf, 0
    for token, logit in enumerate(row):
        if logit > best:
            best, place = logit, token
    return place


def _write(table, last, steps, end_id):
    while steps > 0:
        last = _best_of(table[last].tolist())
        yield last
        steps = 0 if last == end_id else steps - 1


def greedy__generator(table, prompt, steps, end_id):
    return list(_write(table, prompt[-1], steps, end_id))


# ---------------------------------------------------------------------- top_k

def top_k__rank_by_counting(logits, k):
    larger = logits.unsqueeze(-2) > logits.unsqueeze(-1)
    rank = larger.sum(dim=-1)
    return logits.masked_fill(rank >= k, -torch.inf)


def top_k__order_of_order(logits, k):
    rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    nothing = torch.full_like(logits, -torch.inf)
    return torch.where(rank < k, logits, nothing)


# -------------------------------------------------------------- encoder_layer

def _head_by_head(x, memory, weights, heads, mask):
    """The given attention, one head at a time, by einsum."""
    q = weights.query(x)
    k = weights.key(memory)
    v = weights.value(memory)
    width = q.size(-1) // heads
    matrix = weights.output.weight
    result = weights.output.bias
    for head in range(heads):
        cut = slice(head * width, (head + 1) * width)
        scores = torch.einsum("...tk,...sk->...ts", q[..., cut], k[..., cut])
        scores = scores / math.sqrt(width)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        found = torch.einsum(
            "...ts,...sk->...tk", scores.softmax(dim=-1), v[..., cut]
        )
        result = result + torch.einsum(
            "...tk,dk->...td", found, matrix[:, cut]
        )
    return result


def encoder_layer__head_by_head(x, weights, heads, mask):
    x = x + _head_by_head(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x, part(weights, "around_attention.norm"))
    inner = part(weights, "feed_forward")
    wide = F.gelu(x @ inner["widen.weight"].mT + inner["widen.bias"])
    x = x + wide @ inner["narrow.weight"].mT + inner["narrow.bias"]
    return layer_norm(x, part(weights, "around_feed_forward.norm"))


class _Sublayer:
    """A function with a way around it and a norm behind it."""

    def __init__(self, weights, name, function):
        self.inner = weights.get_submodule(name)
        self.norm = weights.get_submodule(f"{name}_norm")
        self.function = function

    def __call__(self, x):
        return self.norm(self.function(x, self.inner) + x)


def encoder_layer__sublayer_class(x, weights, heads, mask):
    def talk(y, inner):
        return attention(y, y, inner, heads, mask)

    talks = _Sublayer(weights, "attention", talk)
    thinks = _Sublayer(weights, "feed_forward", feed_forward)
    return thinks(talks(x))


# -------------------------------------------------------------------- encoder

def encoder__recursive(x, weights, heads, layers, mask):
    def climb(number):
        if number < 0:
            return x
        layer = part(weights, f"layers.{number}")
        return encoder_layer(climb(number - 1), layer, heads, mask)

    return climb(layers - 1)


def encoder__sorted_into_layers(x, weights, heads, layers, mask):
    stack = [{} for _ in range(layers)]
    for key, tensor in weights.items():
        pieces = key.split(".", 2)
        if len(pieces) == 3 and pieces[0] == "layers":
            number = int(pieces[1])
            if number < layers:
                stack[number][pieces[2]] = tensor
    for layer in stack:
        x = encoder_layer(x, layer, heads, mask)
    return x


# -------------------------------------------------------------- decoder_layer

def decoder_layer__sublayer_class(
    x, memory, weights, mask, memory_mask
):
    def talk(y, inner):
        return inner(y, y, mask)

    def ask(y, inner):
        return inner(y, memory, memory_mask)

    for name, function in (
        ("attention", talk),
        ("cross_attention", ask),
        ("feed_forward", (lambda y, w: w(y))),
    ):
        x = _Sublayer(weights, name, function)(x)
    return x


def decoder_layer__head_by_head(x, memory, weights, mask, memory_mask):
    heads = weights.attention.heads
    x = x + _head_by_head(x, x, weights.attention, heads, mask)
    x = weights.attention_norm(x)
    cross = weights.cross_attention
    x = x + _head_by_head(x, memory, cross, heads, memory_mask)
    x = weights.cross_attention_norm(x)
    x = x + weights.feed_forward(x)
    return weights.feed_forward_norm(x)


# -------------------------------------------------------------------- decoder

# ambiguous: what comes out at the places of padding; here they read the
# real tokens before them, as with `past & real.unsqueeze(-2)`.
def decoder__last_readable_place(x, weights, real):
    # Padding stands at the end: a token may read up to its own place, and
    # never beyond its text's last token.
    places = torch.arange(x.size(-2), device=x.device)
    end = real.sum(dim=-1, keepdim=True) - 1
    last = torch.minimum(places, end)
    mask = places <= last.unsqueeze(-1)
    return weights(x, mask)


def decoder__forbidden_places(x, weights, real):
    # De Morgan: hidden is what is in the future, or padding.
    layers = len(weights.layers)
    length = x.size(-2)
    future = torch.ones(
        length, length, dtype=torch.bool, device=x.device
    ).triu(diagonal=1)
    mask = ~(future | ~real.unsqueeze(-2))
    for number in range(layers):
        x = weights.layers[number](x, mask)
    return x


# --------------------------------------------------------------- shifted_loss

# ambiguous: no real next token at all (n = 0); here the result is nan.
def shifted_loss__logsumexp(logits, ids, real):
    guesses = logits[:, :-1].double()
    count = real[:, 1:]
    nexts = ids[:, 1:].masked_fill(~count, 0).long()
    chosen = guesses.gather(-1, nexts.unsqueeze(-1)).squeeze(-1)
    costs = guesses.logsumexp(dim=-1) - chosen
    total = costs.masked_fill(~count, 0).sum()
    return (total / count.sum()).to(logits.dtype)


def shifted_loss__picked_guesses(logits, ids, real):
    count = real[:, 1:]
    guesses = logits[:, :-1][count].double()
    nexts = ids[:, 1:][count].long()
    log_p = guesses.log_softmax(dim=-1)
    rows = torch.arange(nexts.numel(), device=nexts.device)
    return log_p[rows, nexts].mean().neg().to(logits.dtype)


# ---------------------------------------------------------------- cached_step

def cached_step__old_and_new_apart(x, keys, values, weights):
    q, k, v = (
        weights.get_submodule(name)(x) for name in ("query", "key", "value")
    )
    q = q / math.sqrt(q.size(-1))
    old = torch.einsum("btd,bsd->bts", q, keys)
    new = (q * k).sum(dim=-1, keepdim=True)
    attend = torch.cat([old, new], dim=-1).softmax(dim=-1)
    found = attend[..., :-1] @ values + attend[..., -1:] * v
    result = weights.output(found)
    return result, torch.cat([keys, k], dim=1), torch.cat([values, v], dim=1)


def _longer(old, new):
    size = old.size(1)
    both = new.repeat(1, size + 1, 1)
    both[:, :size] = old
    return both


def cached_step__as_columns(x, keys, values, weights):
    keys = _longer(keys, weights.key(x))
    values = _longer(values, weights.value(x))
    q = weights.query(x)
    scores = (keys * q).sum(dim=-1, keepdim=True) / q.size(-1) ** 0.5
    attend = scores.softmax(dim=1)
    found = (attend * values).sum(dim=1, keepdim=True)
    return weights.output(found), keys, values


# ------------------------------------------------------------------ embed_new

def embed_new__narrow(ids, past, tokens, positions):
    places = positions.narrow(0, past, ids.size(-1))
    return F.embedding(ids, tokens) + places


def embed_new__one_after_the_other(ids, past, tokens, positions):
    columns = [
        tokens[column] + positions[past + place]
        for place, column in enumerate(ids.unbind(dim=-1))
    ]
    return torch.stack(columns, dim=-2)


# --------------------------------------------------------------------- shapes

def _empty(*shape):
    return torch.empty(shape, device="meta")


def shapes__worked_out(B, S, T, D, H, V):
    # Tensors without contents know the shapes of their products.
    memory, x, table = _empty(B, S, D), _empty(B, T, D), _empty(V, D)
    asked = split_heads(memory, H)
    keys = split_heads(x, H)
    weights = keys @ asked.mT
    found = memory, weights, x @ table.mT, table, keys
    return tuple(tuple(tensor.shape) for tensor in found)


def shapes__by_names(B, S, T, D, H, V):
    size = {"B": B, "S": S, "T": T, "D": D, "H": H, "V": V, "K": D // H}
    names = "BSD BHTS BTV VD BHTK"
    return tuple(
        tuple(size[letter] for letter in name) for name in names.split()
    )


# ------------------------------------------------------------- rename_weights

_STEMS = {
    "embeddings.word_embeddings": "embeddings.tokens",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.LayerNorm": "embeddings.norm",
}
_IN_A_LAYER = {
    "attention.self.query": "attention.query",
    "attention.self.key": "attention.key",
    "attention.self.value": "attention.value",
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "around_attention.norm",
    "intermediate.dense": "feed_forward.widen",
    "output.dense": "feed_forward.narrow",
    "output.LayerNorm": "around_feed_forward.norm",
}


# ambiguous: names that the table does not have; they stay as they are.
def rename_weights__whole_names(weights):
    result = {}
    for name, tensor in weights.items():
        if name.startswith("pooler."):
            continue
        stem, dot, ending = name.rpartition(".")
        pieces = stem.split(".", 3)
        if stem in _STEMS:
            stem = _STEMS[stem]
        elif pieces[:2] == ["encoder", "layer"] and len(pieces) == 4:
            inside = _IN_A_LAYER.get(pieces[3], pieces[3])
            stem = f"encoder.layers.{pieces[2]}.{inside}"
        result[stem + dot + ending] = tensor
    return result


def rename_weights__one_pattern(weights):
    import re

    theirs = {**_STEMS, **_IN_A_LAYER}
    # The longest first; each name is matched once and as a whole.
    pieces = sorted(map(re.escape, theirs), key=len, reverse=True)
    pattern = re.compile(
        rf"(encoder\.layer\.\d+\.)?({'|'.join(pieces)})\.(weight|bias)"
    )

    def ours(match):
        layer = (match[1] or "").replace(".layer.", ".layers.")
        return f"{layer}{theirs[match[2]]}.{match[3]}"

    def renamed(name):
        match = pattern.fullmatch(name)
        return ours(match) if match else name

    return {
        renamed(name): weights[name]
        for name in weights
        if name.split(".")[0] != "pooler"
    }


# ---------------------------------------------------------------------- top_p

# ambiguous: p = 1 if the smallest probabilities vanish in the sum; all stay
# here. p = 0: the most probable stays.
def top_p__mass_of_the_larger(logits, p):
    if p >= 1:
        return logits.clone()
    probabilities = logits.double().softmax(dim=-1)
    larger = logits.unsqueeze(-2) > logits.unsqueeze(-1)
    before = torch.einsum(
        "bij,bj->bi", larger.double(), probabilities
    )
    goes = (before >= p) & larger.any(dim=-1)
    return logits.masked_fill(goes, -torch.inf)


def top_p__one_by_one(logits, p):
    result = torch.full_like(logits, -torch.inf)
    probabilities = logits.double().softmax(dim=-1).tolist()
    for row, chances in enumerate(probabilities):
        values = logits[row].tolist()
        order = sorted(range(len(values)), key=values.__getitem__)
        together = 0.0
        while order:
            token = order.pop()
            result[row, token] = logits[row, token]
            together += chances[token]
            if together >= p and p < 1:
                break
    return result


# ---------------------------------------------------------------- beam_search

def beam_search__back_pointers(table, start, beams, steps):
    logs = table.double().log_softmax(dim=-1)
    size = table.size(-1)
    last = torch.tensor([start])
    scores = torch.zeros(1, dtype=torch.double)
    history = []
    for _ in range(steps):
        total = (scores.unsqueeze(-1) + logs[last]).flatten()
        scores, places = total.topk(min(beams, total.numel()))
        last = places % size
        history.append((last.tolist(), (places // size).tolist()))
    text, beam = [], 0
    for tokens, parents in reversed(history):
        text.insert(0, tokens[beam])
        beam = parents[beam]
    return text, scores[0].item()


def beam_search__few_candidates(table, start, beams, steps):
    # Of one text no more than `beams` continuations can be among the best.
    import heapq

    logs = table.double()
    logs = logs - logs.logsumexp(dim=-1, keepdim=True)
    best = logs.topk(min(beams, table.size(-1)), dim=-1)
    gains, tokens = best.values.tolist(), best.indices.tolist()
    alive = [(0.0, (), start)]
    for _ in range(steps):
        continued = (
            (score + gain, (*text, token), token)
            for score, text, last in alive
            for gain, token in zip(gains[last], tokens[last])
        )
        alive = heapq.nlargest(beams, continued, key=lambda item: item[0])
    score, text, _ = alive[0]
    return list(text), score


# ------------------------------------------------------------------- diagnose

def _differ(a, b):
    return not bool(((a - b).abs() < 0.001).all())


def _texts(count):
    rows = [torch.randperm(12)[:8] for _ in range(count)]
    return torch.stack(rows)


def _dice(model):
    for count in (1, 1, 2, 3):
        ids = _texts(count)
        answers = [model(ids) for _ in range(5)]
        if any(_differ(answers[0], answer) for answer in answers[1:]):
            return True
    return False


def _mixed(model):
    for count in (2, 2, 3, 4, 6):
        ids = _texts(count)
        together = model(ids)
        alone = torch.cat([model(ids[n : n + 1]) for n in range(count)])
        if _differ(together, alone):
            return True
    return False


def _early(model, tries=12):
    for _ in range(tries):
        ids, other = _texts(1), _texts(1)
        said = model(ids)
        for place in range(7):
            seen = slice(None, place + 1)
            changed = torch.cat([ids[:, seen], other[:, place + 1 :]], dim=1)
            if _differ(said[:, seen], model(changed)[:, seen]):
                return True
    return False


def _same_behind(model, change, first, tries=12):
    """Whether no place notices if the tokens before it are changed."""
    for _ in range(tries):
        ids = _texts(1)
        said = model(ids)
        for place in range(first, 8):
            before = change(ids[:, :place])
            changed = torch.cat([before, ids[:, place:]], dim=1)
            if _differ(said[:, place], model(changed)[:, place]):
                return False
    return True


def _others(ids):
    return (ids + torch.randint(1, 12, ids.shape)) % 12


def _shuffled(ids):
    return ids[:, torch.randperm(ids.size(1))]


def diagnose__questions_in_turn(model):
    questions = {
        "rolls dice": _dice,
        "mixes texts": _mixed,
        "reads the future": _early,
        "reads one token": lambda m: _same_behind(m, _others, 1),
        "ignores the order": lambda m: _same_behind(m, _shuffled, 2),
    }
    with torch.no_grad():
        for answer, question in questions.items():
            if question(model):
                return answer
    return "healthy"


def diagnose__table_of_influence(model):
    """Who is heard where? One token is changed at a time."""
    with torch.no_grad():
        if _dice(model):
            return "rolls dice"
        if _mixed(model):
            return "mixes texts"
        heard = torch.zeros(8, 8, dtype=torch.bool)
        for ids in _texts(4).split(1):
            said = model(ids)
            for place in range(8):
                for step in range(1, 12):
                    changed = ids.clone()
                    changed[0, place] = (changed[0, place] + step) % 12
                    apart = (model(changed) - said).abs().amax(dim=-1)[0]
                    heard[place] |= ~(apart < 0.001)
        # Row: who was changed. Column: who noticed.
        if heard.tril(diagonal=-1).any():
            return "reads the future"
        if not heard.triu(diagonal=1).any():
            return "reads one token"
        for ids in _texts(4).split(1):
            said = model(ids)
            for one in range(7):
                for two in range(one + 1, 7):
                    order = list(range(8))
                    order[one], order[two] = two, one
                    now = model(ids[:, order])
                    behind = slice(two + 1, None)
                    if _differ(now[:, behind], said[:, behind]):
                        return "healthy"
        return "ignores the order"


# ---------------------------------------------------------------- head_losses

def _gpt_loss(weights, ids, real, heads, layers):
    x = weights.tokens.weight[ids] + weights.positions.weight[: ids.size(-1)]
    x = decoder(x, weights.encoder, real)
    return shifted_loss(x @ weights.tokens.weight.mT, ids, real)


def head_losses__values_silenced(weights, ids, real):
    # A head whose values are all zero finds zeros, wherever it looks.
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    whole = _gpt_loss(weights, ids, real, heads, layers)
    rows = []
    for layer in range(layers):
        row = []
        for head in range(heads):
            changed = _with(weights, {})
            for kind in ("weight", "bias"):
                name = f"encoder.layers.{layer}.attention.value.{kind}"
                pieces = list(weights.get_parameter(name).chunk(heads))
                pieces[head] = torch.zeros_like(pieces[head])
                changed.get_parameter(name).data = torch.cat(pieces)
            row.append(_gpt_loss(changed, ids, real, heads, layers) - whole)
        rows.append(torch.stack(row))
    return torch.stack(rows)


def head_losses__mask_of_columns(weights, ids, real):
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    with torch.no_grad():
        whole = _gpt_loss(weights, ids, real, heads, layers)
        result = whole.new_empty(layers * heads)
        for number in range(layers * heads):
            layer, head = divmod(number, heads)
            name = f"encoder.layers.{layer}.attention.output.weight"
            matrix = weights.get_parameter(name)
            width = matrix.size(1) // heads
            owner = torch.arange(matrix.size(1), device=matrix.device) // width
            silent = matrix.masked_fill(owner == head, 0)
            without = _with(weights, {name: silent})
            loss = _gpt_loss(without, ids, real, heads, layers)
            result[number] = loss - whole
        return result.view(layers, heads)


# --------------------------------------------------------- sentence_embedding

def sentence_embedding__each_alone(weights, ids, real):
    # A sentence without its padding needs no mask.
    ours = weights
    tables = ours
    stack = ours.encoder
    vectors = []
    for row, there in zip(ids, real):
        places = there.nonzero().squeeze(-1)
        x = tables.tokens.weight[row[places]]
        x = x + tables.positions.weight[places]
        x = x + tables.segments.weight[0]
        x = tables.norm(x).unsqueeze(0)
        mean = stack(x, None)[0].mean(dim=0)
        vectors.append(mean / mean.square().sum().sqrt())
    return torch.stack(vectors)


def sentence_embedding__weighted_sum(weights, ids, real):
    # Padding may be of any segment, and ask what it likes: nobody hears it.
    ours = weights
    tables = ours
    x = F.embedding(ids, tables.tokens.weight)
    x = x + tables.positions.weight[None, : ids.size(1)]
    x = x + tables.segments.weight[:1]
    x = tables.norm(x)
    mask = real.unsqueeze(1).expand(-1, ids.size(1), -1)
    x = ours.encoder(x, mask)
    share = real.to(x.dtype) / real.sum(dim=-1, keepdim=True).to(x.dtype)
    mean = torch.einsum("bt,btd->bd", share, x)
    return mean / torch.linalg.vector_norm(mean, dim=-1, keepdim=True)
