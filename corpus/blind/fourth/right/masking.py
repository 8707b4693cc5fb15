"""Right answers to the new tasks on masking, fourth set, in unusual styles."""

import math

import torch


def keeps_promises__drawn(softmax):
    """Draws tables and compares with an exponential of its own."""
    for number in range(40):
        scores = (torch.randn(4, 5) * 10 ** (number % 4)).clamp(-2000, 2000)
        mask = torch.rand(4, 5) < 0.5
        mask[number % 4] = False
        scores = scores.half() if number % 8 > 3 else scores
        double = scores.double().masked_fill(~mask, -math.inf)
        top = double.amax(dim=-1, keepdim=True).clamp(min=-1e5)
        e = (double - top).exp()
        right = e / e.sum(dim=-1, keepdim=True).clamp(min=1e-30)
        before = scores.clone()
        try:
            weights = softmax(scores, mask)
            wrong = (weights.double() - right).abs().max() > 0.002 or weights.isnan().any()
        except Exception:
            return False
        if wrong or (weights[~mask] != 0).any() or not torch.equal(scores, before):
            return False
    return True


def keeps_promises__by_hand(softmax):
    """Knows the weights of a few rows by heart."""
    half, inf = 0.5, 900.0
    rows = [
        ([1.0, 1.0, inf], [True, True, False], [half, half, 0.0]),
        ([-2000.0, -2000.0, inf], [True, True, False], [half, half, 0.0]),
        ([3.0, 1.0, 2.0], [False, False, False], [0.0, 0.0, 0.0]),
        ([0.0, 5.0, 0.0], [True, False, True], [half, 0.0, half]),
        ([1.0, 7.0, 2.0], [True, False, True], [0.2689, 0.0, 0.7311]),
    ]
    for dtype in (torch.float32, torch.float16):
        scores = torch.tensor([row[0] for row in rows], dtype=dtype)
        mask = torch.tensor([row[1] for row in rows])
        right = torch.tensor([row[2] for row in rows])
        try:
            kept = scores.clone()
            weights = softmax(kept, mask)
        except Exception:
            return False
        if (weights.float() - right).abs().max().item() > 0.001 or weights.isnan().any():
            return False
        if weights[~mask].abs().sum() > 0 or (kept != scores).any():
            return False
    return True


def sees_the_future__two_endings(model):
    """Goes on in two ways after the same beginning, in texts of two lengths."""
    worst = 0.0
    for _ in range(15):
        ids = torch.randint(0, 10, (8,))
        for cut in range(1, 8):
            for length in range(cut, 8):
                other = torch.cat([ids[:cut], torch.randint(0, 10, (length - cut,))])
                moved = model(other)[:cut] - model(ids)[:cut]
                worst = max(worst, moved.abs().max().item())
    return worst > 0.003


def sees_the_future__word_by_word(model):
    """Reads texts word by word, and compares each answer with the last of all."""
    texts = [torch.tensor([(a + b * n) % 10 for n in range(8)]) for a in range(5) for b in (1, 3)]
    for text in texts:
        said = [model(text[: n + 1])[-1] for n in range(8)]
        if not torch.allclose(torch.stack(said), model(text), atol=1e-3, rtol=0):
            return True
    return False
