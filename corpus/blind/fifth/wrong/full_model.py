"""Wrong answers to the tasks on models that are solved by experiment, from their text alone."""

import copy
import torch


def _with(model, changed):
    """Copy a model, and put other numbers into some of its parameters."""
    model = copy.deepcopy(model)
    for name, tensor in changed.items():
        model.get_parameter(name).data = tensor
    return model


def _same(one, other):
    return torch.allclose(one, other, atol=1e-3)


def _diagnosis(model, ids, dice=True, mixes=True, future=None, alone=None, order=None):
    """Go through all experiments, but those that are left out or replaced."""
    said = model(ids)
    last, first, turned = ids.clone(), ids.clone(), ids.clone()
    last[:, -1] = (last[:, -1] + 1) % 12
    first[:, 0] = (first[:, 0] + 1) % 12
    turned[:, :-1] = turned[:, :-1].flip(1)
    if dice and not _same(said, model(ids)):
        return "rolls dice"
    if mixes and not _same(said[:1], model(ids[:1])):
        return "mixes texts"
    sees = not _same(said[:, :-1], model(last)[:, :-1])
    if sees if future is None else future(said, last, first):
        return "reads the future"
    if _same(said[:, -1], model(first)[:, -1]) if alone is None else alone(said):
        return "reads one token"
    if _same(said[:, -1], model(turned)[:, -1]) if order is None else order(said):
        return "ignores the order"
    return "healthy"


def diagnose__no_dice(model):
    """Never asks the same twice."""
    return _diagnosis(model, torch.randperm(12).view(2, 6), dice=False)


def diagnose__no_batch(model):
    """Never reads a text alone."""
    return _diagnosis(model, torch.randperm(12).view(2, 6), mixes=False)


def diagnose__single_text(model):
    """Has one text only, so that no text is there to be mixed with."""
    return _diagnosis(model, torch.randperm(12)[:6].view(1, 6))


def diagnose__future_at_the_last_place(model):
    """Looks at all places after the last token was changed."""
    ids = torch.randperm(12).view(2, 6)
    return _diagnosis(model, ids, future=lambda said, last, first: not _same(said, model(last)))


def diagnose__past_for_future(model):
    """Changes the first token and calls it the future."""
    ids = torch.randperm(12).view(2, 6)
    future = lambda said, last, first: not _same(said[:, 1:], model(first)[:, 1:])  # noqa: E731
    return _diagnosis(model, ids, future=future)


def diagnose__all_turned(model):
    """Turns the whole text round, with the last token."""
    ids = torch.randperm(12).view(2, 6)
    return _diagnosis(model, ids, order=lambda said: _same(said[:, -1], model(ids.flip(1))[:, -1]))


def diagnose__ones(model):
    """Tries it on a text of one word."""
    return _diagnosis(model, torch.ones(2, 6, dtype=torch.long))


def diagnose__no_order(model):
    """Has no experiment for the order."""
    return _diagnosis(model, torch.randperm(12).view(2, 6), order=lambda said: False)


def diagnose__not_alone(model):
    """Has no experiment for the one token."""
    return _diagnosis(model, torch.randperm(12).view(2, 6), alone=lambda said: False)


def diagnose__equal(model):
    """Counts the last digit as a difference."""
    ids = torch.randperm(12).view(2, 6)
    if not torch.equal(model(ids)[:1], model(ids[:1])):
        return "mixes texts"
    return _diagnosis(model, ids)


def diagnose__other_words(model):
    """Says what is missing in words of its own."""
    found = _diagnosis(model, torch.randperm(12).view(2, 6))
    return {"reads the future": "no mask", "ignores the order": "no positions"}.get(found, found)


def _loss(weights, ids, real, heads, layers):
    x = weights.tokens.weight[ids] + weights.positions.weight[: ids.size(1)]
    x = decoder(x, weights.encoder, real)  # noqa: F821
    return shifted_loss(x @ weights.tokens.weight.T, ids, real)  # noqa: F821


def _table(weights, ids, real, heads, layers, silence):
    whole = _loss(weights, ids, real, heads, layers)
    rows = []
    for n in range(layers):
        row = []
        for h in range(heads):
            changed = _with(weights, {})
            silence(changed, f"encoder.layers.{n}.attention.", h)
            row.append(_loss(changed, ids, real, heads, layers) - whole)
        rows.append(torch.stack(row))
    return torch.stack(rows)


def head_losses__rows(weights, ids, real):
    """Silences rows of the output projection."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads

    def silence(w, start, h):
        w.get_parameter(start + "output.weight")[h * size : (h + 1) * size] = 0

    return _table(weights, ids, real, heads, layers, silence)


def head_losses__queries(weights, ids, real):
    """Sets the head's queries to zero, so that it averages."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads

    def silence(w, start, h):
        w.get_parameter(start + "query.weight")[h * size : (h + 1) * size] = 0
        w.get_parameter(start + "query.bias")[h * size : (h + 1) * size] = 0

    return _table(weights, ids, real, heads, layers, silence)


def head_losses__values_without_bias(weights, ids, real):
    """Sets the matrix of the values to zero, and not their bias."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads

    def silence(w, start, h):
        w.get_parameter(start + "value.weight")[h * size : (h + 1) * size] = 0

    return _table(weights, ids, real, heads, layers, silence)


def head_losses__value_columns(weights, ids, real):
    """Takes columns of the values' matrix, where rows make the head."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads

    def silence(w, start, h):
        w.get_parameter(start + "value.weight")[:, h * size : (h + 1) * size] = 0
        w.get_parameter(start + "value.bias")[h * size : (h + 1) * size] = 0

    return _table(weights, ids, real, heads, layers, silence)


def head_losses__in_place(weights, ids, real):
    """Writes into the weights it was given, so heads stay silent."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads
    whole = _loss(weights, ids, real, heads, layers)
    table = torch.zeros(layers, heads)
    for n in range(layers):
        for h in range(heads):
            weights.get_submodule(f"encoder.layers.{n}.attention.output").weight[:, h * size : (h + 1) * size] = 0
            table[n, h] = _loss(weights, ids, real, heads, layers) - whole
    return table


def head_losses__losses(weights, ids, real):
    """Gives the losses themselves."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads

    def silence(w, start, h):
        w.get_parameter(start + "output.weight")[:, h * size : (h + 1) * size] = 0

    table = _table(weights, ids, real, heads, layers, silence)
    return table + _loss(weights, ids, real, heads, layers)


def head_losses__falls(weights, ids, real):
    """Gives what the loss falls by."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads

    def silence(w, start, h):
        w.get_parameter(start + "output.weight")[:, h * size : (h + 1) * size] = 0

    return -_table(weights, ids, real, heads, layers, silence)


def head_losses__turned_table(weights, ids, real):
    """Gives (heads, layers)."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads

    def silence(w, start, h):
        w.get_parameter(start + "output.weight")[:, h * size : (h + 1) * size] = 0

    return _table(weights, ids, real, heads, layers, silence).T


def head_losses__taking_turns(weights, ids, real):
    """Thinks that the heads' features take turns."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)

    def silence(w, start, h):
        w.get_parameter(start + "output.weight")[:, h::heads] = 0

    return _table(weights, ids, real, heads, layers, silence)


def head_losses__whole_layer(weights, ids, real):
    """Silences the whole layer's attention for each of its heads."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)

    def silence(w, start, h):
        w.get_parameter(start + "output.weight")[:] = 0

    return _table(weights, ids, real, heads, layers, silence)


def head_losses__no_positions(weights, ids, real):
    """Forgets the positions."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads
    without = _with(weights, {"positions.weight": weights.positions.weight * 0})

    def silence(w, start, h):
        w.get_parameter(start + "output.weight")[:, h * size : (h + 1) * size] = 0

    return _table(without, ids, real, heads, layers, silence)


def head_losses__bias_too(weights, ids, real):
    """Silences the output's bias with the head."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    size = weights.tokens.weight.size(1) // heads

    def silence(w, start, h):
        w.get_parameter(start + "output.weight")[:, h * size : (h + 1) * size] = 0
        w.get_parameter(start + "output.bias")[:] = 0

    return _table(weights, ids, real, heads, layers, silence)
