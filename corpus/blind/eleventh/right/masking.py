import math

import torch

from transformer_lab import check


def causal_mask__old_beside_new(length, past=0):
    old = torch.ones(length, past)
    new = torch.ones(length, length).tril()
    return torch.cat((old, new), dim=1).bool()


def causal_mask__ends_added_up(length, past=0):
    ends = torch.zeros(length, past + length)
    rows = torch.arange(length)
    ends[rows, rows + past] = 1
    # all that stands before a row's end
    return ends.flip(-1).cumsum(dim=-1).flip(-1) > 0


def sliding_window__diagonals(length, window):
    mask = torch.zeros(length, length)
    for back in range(min(window, length)):
        mask = mask + torch.diag(torch.ones(length - back), -back)
    return mask.bool()


def sliding_window__causal_without_the_old(length, window):
    too_old = torch.ones(length, length).tril(-window).bool()
    return causal_mask(length) & ~too_old


def padding_mask__isin(ids, pad):
    return torch.isin(ids, ids.new_tensor([int(pad)])).logical_not().unsqueeze(-2)


def padding_mask__difference(ids, pad):
    return (ids - pad).bool().unsqueeze(1)


def combined_mask__product(ids, pad):
    return causal_mask(ids.size(1)) * padding_mask(ids, pad)


def combined_mask__lower_triangle(ids, pad):
    return padding_mask(ids, pad).repeat(1, ids.size(1), 1).tril()


def masked_softmax__by_hand(scores, mask):
    hidden = ~mask
    seen = scores.double().masked_fill(hidden, -math.inf)
    top = seen.amax(dim=-1, keepdim=True)
    top = top.masked_fill(top == -math.inf, 0)
    e = (seen - top).exp()
    total = e.sum(dim=-1, keepdim=True)
    total = total.masked_fill(total == 0, 1)
    return (e / total).to(scores.dtype)


def masked_softmax__blind_rows_apart(scores, mask):
    blind = ~mask.any(dim=-1, keepdim=True)
    # a row that sees nothing is left whole, so that it gives no nan, and is struck out later
    asked = scores.masked_fill(~mask & ~blind, -math.inf)
    return asked.softmax(dim=-1).masked_fill(blind, 0)


def causal_weights__infinity_above(scores):
    length = scores.size(-1)
    wall = torch.full((length, length), -math.inf, dtype=scores.dtype).triu(1)
    return torch.softmax(scores + wall, dim=-1)


def causal_weights__row_by_row(scores):
    length = scores.size(-1)
    rows = []
    for i in range(length):
        row = scores[..., i, : i + 1].softmax(dim=-1)
        rows.append(torch.nn.functional.pad(row, (0, length - i - 1)))
    return torch.stack(rows, dim=-2)


# ambiguous: whether real is boolean or holds 0 and 1; both work.
def padded_weights__logarithm(scores, real):
    return torch.softmax(scores + real[:, None, :].to(scores.dtype).log(), dim=-1)


# ambiguous: as above. The rows of padding tokens are kept: they read the real tokens.
def padded_weights__real_columns_only(scores, real):
    results = []
    for table, row in zip(scores, real.bool()):
        weights = torch.zeros_like(table)
        weights[:, row] = table[:, row].softmax(dim=-1)
        results.append(weights)
    return torch.stack(results)


def _promise_tables():
    random = torch.Generator().manual_seed(5)

    def draw(*shape):
        return torch.rand(*shape, generator=random)

    levels = torch.tensor([-1990.0, -1000.0, -90.0, 0.0, 90.0, 990.0])
    for T, S in ((1, 1), (2, 1), (1, 5), (3, 5), (5, 3), (4, 4), (7, 9), (3, 40)):
        nothing = torch.zeros(T, S, dtype=torch.bool)
        yield torch.zeros(T, S), nothing
        yield draw(T, S) * 3000 - 2000, nothing
        yield torch.zeros(T, S), ~nothing
        yield draw(T, S) * 6 - 3, (~nothing).tril()
        for _ in range(8):
            mask = draw(T, S) < 0.2 + 0.6 * draw(1)
            if T > 1:
                mask[int(draw(1) * T)] = False
            noise = (draw(T, S) * 24).round() / 4 - 3
            seen = levels[(draw(T, 1) * 6).long()]
            hidden = levels[(draw(T, S) * 6).long()]
            yield noise + torch.where(mask, seen, hidden), mask
            yield noise + torch.where(mask, -1990.0, 990.0), mask
            yield noise + torch.where(mask, 990.0, -1990.0), mask
            yield draw(T, S) * 3000 - 2000, mask
            yield noise.round() * 0.5, mask


# ambiguous: whether weights of float16 scores have to be float16 (not promised here, so not asked).
# ambiguous: 0.001 in float16 is nearly what two roundings make; 0.002 is let through there.
def keeps_promises__many_draws(softmax):
    try:
        for table, mask in _promise_tables():
            for dtype, bound in ((torch.float32, 0.001), (torch.float16, 0.002)):
                scores = table.to(dtype)
                given = scores.clone()
                right = masked_softmax(scores.double(), mask)
                weights = softmax(given, mask.clone())
                if weights.shape != right.shape or not torch.equal(given, scores):
                    return False
                weights = weights.double()
                if not bool(((weights - right).abs() < bound).all()):
                    return False
                if not bool((weights[~mask] == 0).all()):
                    return False
    except Exception:
        return False
    return True


# rows of four cells: a number is seen, a number in brackets is hidden
_ROWS = [
    [0.0, 1.0, -1.0, 2.0],
    [0.0, 0.0, 0.0, 0.0],
    [[0.0], [0.0], [0.0], [0.0]],
    [[1000.0], [3.0], [-2000.0], [500.0]],
    [[1000.0], -2000.0, -1998.0, [0.0]],
    [-2000.0, [900.0], [1000.0], -2000.0],
    [1000.0, [1000.0], 999.0, [-2000.0]],
    [[-2000.0], [-2000.0], 1000.0, 998.0],
    [1000.0, -2000.0, 0.0, 1000.0],
    [2.0, [2.0], [2.0], [2.0]],
    [[900.0], [900.0], [900.0], -500.0],
    [[0.0], 0.0, [5.0], 0.0],
    [1.0, 2.0, [3.0], [4.0]],
    [[-7.0], 88.0, 90.0, [100.0]],
    [-104.0, [-104.0], -103.0, [0.0]],
]


def _right_row(cells):
    seen = [cell for cell in cells if not isinstance(cell, list)]
    if not seen:
        return [0.0] * len(cells)
    top = max(seen)
    total = math.fsum(math.exp(cell - top) for cell in seen)
    return [
        0.0 if isinstance(cell, list) else math.exp(cell - top) / total
        for cell in cells
    ]


def _holds_for(softmax, rows, dtype):
    flat = [[c[0] if isinstance(c, list) else c for c in row] for row in rows]
    seen = [[not isinstance(c, list) for c in row] for row in rows]
    scores = torch.tensor(flat, dtype=dtype)
    weights = softmax(scores, torch.tensor(seen))
    if scores.tolist() != flat or weights.shape != scores.shape:
        return False
    bound = 0.001 if dtype == torch.float32 else 0.002
    for got, right, may in zip(weights.tolist(), map(_right_row, rows), seen):
        for a, b, sees in zip(got, right, may):
            if not (abs(a - b) < bound if sees else a == 0):
                return False
    return True


# ambiguous: as above, the dtype of the weights, and the bound in float16.
def keeps_promises__rows_by_hand(softmax):
    tables = [[row] for row in _ROWS]
    tables += [[row, other] for row in _ROWS for other in _ROWS]
    tables += [_ROWS, _ROWS[::-1]]
    tables += [[row[:1], row[1:2], row[2:3]] for row in _ROWS]
    tables += [[row + other + row[:1]] * 2 for row, other in zip(_ROWS, _ROWS[1:])]
    for dtype in (torch.float32, torch.float16):
        for rows in tables:
            try:
                if not _holds_for(softmax, rows, dtype):
                    return False
            except Exception:
                return False
    return True


def sees_the_future__taken_away(model):
    for start in range(100):
        ids = torch.randint(10, (8,))
        ids[0], ids[1] = start // 10, start % 10
        full = model(ids.clone())
        for length in range(1, 8):
            if bool((model(ids[:length].clone()) - full[:length]).abs().max() > 0.001):
                return True
    return False


def _said(model, ids):
    """All that the model says at each place, over all lengths and two futures."""
    said = [[] for _ in ids]
    for words in [ids[:n] for n in range(1, 9)] + [(ids[:n] + ids[::-1])[:8] for n in range(1, 8)]:
        same = 0
        while same < len(words) and words[same] == ids[same]:
            same += 1
        for place, numbers in enumerate(model(torch.tensor(words)).tolist()[:same]):
            said[place].append(numbers)
    return said


def sees_the_future__how_far_apart(model):
    for start in range(100):
        ids = [start % 10] + torch.randint(10, (7,)).tolist()
        for answers in _said(model, ids):
            for numbers in zip(*answers):
                if max(numbers) - min(numbers) > 0.001:
                    return True
    return False
