"""Right answers to the tasks on models that are solved by experiment, from their text alone."""

import copy
import torch


def _with(model, changed):
    """Copy a model, and put other numbers into some of its parameters."""
    model = copy.deepcopy(model)
    for name, tensor in changed.items():
        model.get_parameter(name).data = tensor
    return model


def diagnose__pairs(model):
    """Two texts that differ in one place, side by side."""
    one = torch.tensor([[0, 1, 2, 3, 4]])
    alike = lambda a, b: (a - b).abs().max().item() < 0.001  # noqa: E731
    if not all(alike(model(one), model(one)) for _ in range(4)):
        return "rolls dice"
    if not alike(model(torch.cat([one, one + 5]))[0], model(one)[0]):
        return "mixes texts"
    later = torch.tensor([[0, 1, 2, 3, 9]])
    earlier = torch.tensor([[9, 1, 2, 3, 4]])
    swapped = torch.tensor([[1, 0, 3, 2, 4]])
    if not alike(model(one)[:, :4], model(later)[:, :4]):
        return "reads the future"
    if alike(model(one)[:, 4], model(earlier)[:, 4]):
        return "reads one token"
    return "ignores the order" if alike(model(one)[:, 4], model(swapped)[:, 4]) else "healthy"


def diagnose__many_texts(model):
    """Asks in another order, with dice last told and first found."""
    faults = set()
    for _ in range(5):
        ids = torch.randperm(12)[:8].repeat(3, 1)
        ids[1:] = ids[1:].roll(3, 1)
        said = model(ids)
        future, past, order = ids.clone(), ids.clone(), ids.clone()
        future[:, 7] = ids[:, 0]
        past[:, :7] = ids[:, 1:]
        order[:, 0], order[:, 6] = ids[:, 6], ids[:, 0]
        far = lambda a, b: (a - b).abs().max().item() > 0.001  # noqa: E731
        if far(said, model(ids)):
            return "rolls dice"
        if far(said[1:2], model(ids[1:2])):
            faults.add("mixes texts")
        if far(said[:, :7], model(future)[:, :7]):
            faults.add("reads the future")
        if not far(said[:, 7], model(past)[:, 7]):
            faults.add("reads one token")
        elif not far(said[:, 7], model(order)[:, 7]):
            faults.add("ignores the order")
    return faults.pop() if faults else "healthy"


def _loss(weights, ids, real, heads, layers):
    places = torch.arange(ids.size(-1))
    x = torch.nn.functional.embedding(ids, weights.tokens.weight) + weights.positions.weight[places]
    stream = decoder(x, weights.encoder, real)  # noqa: F821
    return shifted_loss(torch.einsum("btd,vd->btv", stream, weights.tokens.weight), ids, real)  # noqa: F821


def head_losses__silent_values(weights, ids, real):
    """Sets the head's values to zero, matrix and bias."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    whole, table = _loss(weights, ids, real, heads, layers), []
    for layer in range(layers):
        for head in range(heads):
            changed = _with(weights, {})
            for name in ("weight", "bias"):
                value = changed.get_parameter(f"encoder.layers.{layer}.attention.value.{name}")
                value.chunk(heads)[head].zero_()
            table.append(_loss(changed, ids, real, heads, layers) - whole)
    return torch.stack(table).view(layers, heads)


def head_losses__masked_columns(weights, ids, real):
    """Multiplies the columns by a row of zeros and ones."""
    heads = weights.encoder.layers[0].attention.heads
    layers = len(weights.encoder.layers)
    width = weights.tokens.weight.size(-1)
    owner = torch.arange(width) // (width // heads)
    rows = []
    for layer in range(layers):
        name = f"encoder.layers.{layer}.attention.output.weight"
        without = [_with(weights, {name: weights.get_parameter(name) * (owner != h)}) for h in range(heads)]
        rows.append([_loss(w, ids, real, heads, layers) for w in without])
    whole = _loss(weights, ids, real, heads, layers)
    return torch.stack([torch.stack([loss - whole for loss in row]) for row in rows])
