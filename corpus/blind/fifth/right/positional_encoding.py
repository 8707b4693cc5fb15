"""Right answers to the tasks on positions that are solved by experiment, from their text alone."""

import torch


def sees_only_distance__many_moves(scores, width):
    x = torch.randn(8, width)
    here = torch.arange(8)
    one = scores(x, here)
    return all((scores(x, here + n) - one).abs().max().item() < 0.001 for n in range(1, 24))


def sees_only_distance__scattered_places(scores, width):
    torch.manual_seed(0)
    x = torch.rand(3, width)
    places = torch.tensor([4, 0, 9])
    moved = [scores(x, places + n) for n in (1, 5, 22)]
    return all(torch.allclose(scores(x, places), m, rtol=0, atol=1e-3) for m in moved)


def extrapolate__halves(model, ids, trained):
    """Windows that overlap by half."""
    found = model(ids[:trained], torch.arange(len(ids[:trained]))).argmax(-1)
    back = trained // 2
    while len(found) < len(ids):
        start = len(found) - back
        window = ids[start : start + trained]
        found = torch.cat([found, model(window, torch.arange(len(window))).argmax(-1)[back:]])
    return found


def extrapolate__filled(model, ids, trained):
    """Fills a tensor from the end to the beginning."""
    found = torch.zeros_like(ids)
    for end in range(len(ids), 0, -1):
        window = ids[:end][-trained:]
        found[end - 1] = model(window, torch.arange(window.numel()))[-1].argmax()
    return found
