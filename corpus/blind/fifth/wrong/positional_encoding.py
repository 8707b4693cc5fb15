"""Wrong answers to the tasks on positions that are solved by experiment, from their text alone."""

import torch


def sees_only_distance__exact(scores, width):
    """Compares for equality, so that rounding counts."""
    x = torch.randn(4, width)
    places = torch.arange(4)
    return bool((scores(x, places) == scores(x, places + 5)).all())


def sees_only_distance__scaled_places(scores, width):
    """Multiplies the places instead of adding to them."""
    x = torch.randn(4, width)
    places = torch.arange(4)
    return (scores(x, places) - scores(x, places * 3)).abs().max().item() < 0.001


def sees_only_distance__rolled_tokens(scores, width):
    """Moves the tokens round in the text, and not the places."""
    x = torch.randn(5, width)
    places = torch.arange(5)
    return torch.allclose(scores(x, places), scores(x.roll(1, 0), places), atol=1e-3)


def sees_only_distance__diagonals(scores, width):
    """Looks whether the table is constant along its diagonals, with different tokens."""
    table = scores(torch.randn(6, width), torch.arange(6))
    return all((table.diagonal(n) - table.diagonal(n)[0]).abs().max() < 0.001 for n in range(-5, 6))


def sees_only_distance__zeros(scores, width):
    """Tries it on zeros."""
    x = torch.zeros(5, width)
    places = torch.arange(5)
    one = scores(x, places)
    return all(torch.allclose(one, scores(x, places + n), atol=1e-3) for n in (1, 2, 5))


def sees_only_distance__any_change(scores, width):
    """Asks whether the places matter at all."""
    x = torch.randn(5, width)
    one = scores(x, torch.arange(5))
    other = scores(x, torch.randperm(5))
    return torch.allclose(one, other, atol=1e-3)


def sees_only_distance__opposite(scores, width):
    """Says True where the scores change."""
    x = torch.randn(5, width)
    places = torch.arange(5)
    moved = [scores(x, places + n) for n in (1, 4, 9)]
    return any((scores(x, places) - m).abs().max().item() > 0.001 for m in moved)


def sees_only_distance__symmetry(scores, width):
    """Takes symmetry for distance."""
    x = torch.randn(5, width)
    table = scores(x, torch.arange(5))
    return torch.allclose(table, table.T, atol=1e-3)


def extrapolate__as_it_is(model, ids, trained):
    """Reads the whole text at once."""
    return model(ids, torch.arange(ids.numel())).argmax(-1)


def extrapolate__modulo(model, ids, trained):
    """Counts the places modulo trained."""
    places = torch.arange(len(ids)).remainder(trained)
    return model(ids, places).argmax(dim=-1)


def extrapolate__interpolated(model, ids, trained):
    """Squeezes the places into those that are known."""
    length = len(ids)
    factor = min(1.0, trained / length)
    places = (torch.arange(length) * factor).long()
    return model(ids, places).argmax(dim=-1)


def extrapolate__chunks(model, ids, trained):
    """Cuts the text into pieces without overlap."""
    found = []
    for start in range(0, len(ids), trained):
        piece = ids[start : start + trained]
        found.append(model(piece, torch.arange(len(piece))).argmax(dim=-1))
    return torch.cat(found)


def extrapolate__places_go_on(model, ids, trained):
    """Reads windows, but at the places they have in the text."""
    found = []
    for t in range(len(ids)):
        start = max(0, t + 1 - trained)
        found.append(model(ids[start : t + 1], torch.arange(start, t + 1))[-1].argmax())
    return torch.stack(found)


def extrapolate__one_more(model, ids, trained):
    """Takes one token too many into each window."""
    found = []
    for t in range(len(ids)):
        window = ids[max(0, t - trained) : t + 1]
        found.append(model(window, torch.arange(len(window)))[-1].argmax())
    return torch.stack(found)


def extrapolate__half_windows(model, ids, trained):
    """Gives each token only half of the places, itself among them."""
    half = max(trained // 2, 1)
    found = []
    for t in range(len(ids)):
        start = 0 if t < trained else t + 1 - half
        window = ids[start : t + 1]
        found.append(model(window, torch.arange(len(window)))[-1].argmax())
    return torch.stack(found)


def extrapolate__last_window(model, ids, trained):
    """Guesses for the last window alone."""
    window = ids[-trained:]
    return model(window, torch.arange(len(window))).argmax(dim=-1)


def extrapolate__logits(model, ids, trained):
    """Gives back the logits, not the guesses."""
    found = []
    for t in range(len(ids)):
        window = ids[max(0, t + 1 - trained) : t + 1]
        found.append(model(window, torch.arange(len(window)))[-1])
    return torch.stack(found)


def extrapolate__own_token(model, ids, trained):
    """Leaves the token itself out of its window."""
    found = [model(ids[:1], torch.arange(1))[-1].argmax()]
    for t in range(1, len(ids)):
        window = ids[max(0, t - trained) : t]
        found.append(model(window, torch.arange(len(window)))[-1].argmax())
    return torch.stack(found)
