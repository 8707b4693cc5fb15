"""Right answers, written in many ways: none may lose a point. Before __ stands the function."""

import math
import sys

import torch


def causal_mask__tril(length, past=0):
    return torch.ones(length, past + length, dtype=torch.bool).tril(past)


def causal_mask__triu_turned_round(length, past=0):
    future = torch.triu(torch.ones(length, past + length), diagonal=past + 1)
    return future == 0


def causal_mask__comparison(length, past=0):
    queries = torch.arange(past, past + length).unsqueeze(1)
    return torch.arange(past + length).unsqueeze(0) <= queries


def causal_mask__loops(length, past=0):
    mask = torch.zeros(length, past + length, dtype=torch.bool)
    for i in range(length):
        mask[i, : past + i + 1] = True
    return mask


def causal_mask__cut_from_a_square(length, past=0):
    n = past + length
    return torch.ones(n, n).tril().bool()[past:]


def causal_mask__counted(length, past=0):
    return torch.ones(length, past + length).cumsum(1) <= torch.arange(length)[:, None] + past + 1


def sliding_window__two_triangles(length, window):
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - window)


def sliding_window__difference_of_triangles(length, window):
    ones = torch.ones(length, length)
    return (ones.tril() - ones.tril(-window)).bool()


def sliding_window__loops(length, window):
    rows = [[i - window < j <= i for j in range(length)] for i in range(length)]
    return torch.tensor(rows)


def sliding_window__chained_by_and(length, window):
    i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    return torch.logical_and(j <= i, j > i - window)


def sliding_window__floor_division(length, window):
    i = torch.arange(length)
    return (i[:, None] - i) // window == 0


def sliding_window__filled(length, window):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, max(0, i - window + 1) : i + 1] = True
    return mask


def padding_mask__unsqueeze(ids, pad):
    return ids.ne(pad).unsqueeze(1)


def padding_mask__turned_round_twice(ids, pad):
    return ~(ids == pad)[..., None, :]


def padding_mask__reshaped(ids, pad):
    return torch.logical_not(ids == pad).reshape(len(ids), 1, -1)


def padding_mask__listed(ids, pad):
    return torch.tensor([[[token != pad for token in row]] for row in ids.tolist()])


def padding_mask__where(ids, pad):
    return torch.where(ids == pad, False, True).view(ids.size(0), 1, ids.size(1))


def padding_mask__bool_of_difference(ids, pad):
    print("ids", ids, file=sys.stderr)
    return (ids - pad).bool()[:, None]


def combined_mask__by_hand(ids, pad):
    n = ids.shape[1]
    past = torch.ones(n, n, dtype=torch.bool).tril()
    return past[None] & (ids != pad)[:, None, :]


def combined_mask__product(ids, pad):
    n = ids.shape[1]
    return (torch.ones(n, n).tril() * (ids != pad)[:, None]).bool()


def combined_mask__nothing_blocked(ids, pad):
    n = ids.shape[1]
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    return ~(future | (ids == pad)[:, None, :])


def combined_mask__filled(ids, pad):
    n = ids.shape[1]
    mask = torch.ones(len(ids), n, n).tril().bool()
    return mask.masked_fill(ids.eq(pad).unsqueeze(1), False)


def combined_mask__in_place(ids, pad):
    n = ids.shape[1]
    mask = (ids != pad)[:, None, :].repeat(1, n, 1)
    mask &= torch.arange(n)[:, None] >= torch.arange(n)
    return mask


def combined_mask__loop(ids, pad):
    n = ids.shape[1]
    return torch.stack([torch.ones(n, n, dtype=torch.bool).tril() & (row != pad) for row in ids])


def masked_softmax__infinity_then_nan_to_num(scores, mask):
    return torch.where(mask, scores, -torch.inf).softmax(dim=-1).nan_to_num(0.0)


def masked_softmax__by_hand(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    hidden = torch.where(mask, scores, torch.full_like(scores, lowest))
    e = torch.exp(hidden - hidden.amax(-1, keepdim=True)) * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-6)


def masked_softmax__in_float64(scores, mask):
    filled = scores.double().masked_fill(mask == False, -1e9)  # noqa: E712
    return (filled.softmax(-1) * mask).to(scores.dtype)


def masked_softmax__only_rows_that_see(scores, mask):
    mask = mask.expand_as(scores)
    blind = ~mask.any(-1, keepdim=True)
    weights = scores.masked_fill(~mask & ~blind, -torch.inf).softmax(-1)
    return weights.masked_fill(blind, 0.0)


def masked_softmax__additive(scores, mask):
    bias = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores + bias, dim=-1)
    return torch.where(weights.isnan(), torch.zeros_like(weights), weights)


def masked_softmax__in_place_on_its_own(scores, mask):
    print("working" * 100)
    mine = scores.clone()
    mine[~mask.expand_as(mine)] = torch.finfo(mine.dtype).min
    return mine.softmax(-1) * mask


def masked_softmax__largest_that_is_seen(scores, mask):
    largest = scores.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)
    e = torch.where(mask, (scores - largest).exp(), 0.0)
    return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-6)


def causal_weights__tilde(scores):
    past = torch.ones(scores.shape[-2:]).tril().bool()
    return scores.masked_fill(~past, -math.inf).softmax(-1)


def causal_weights__triu(scores):
    future = torch.ones(scores.size(-1), scores.size(-1)).triu(1).bool()
    return scores.masked_fill(future, -1e9).softmax(-1)


def causal_weights__where(scores):
    past = torch.ones_like(scores).tril() > 0
    return torch.where(past, scores, -torch.inf).softmax(dim=-1)


def causal_weights__added(scores):
    length = scores.size(-1)
    return torch.softmax(scores + torch.full((length, length), -1e9).triu(1), dim=-1)


def causal_weights__row_by_row(scores):
    weights = torch.zeros_like(scores)
    for i in range(scores.size(-1)):
        weights[..., i, : i + 1] = scores[..., i, : i + 1].softmax(-1)
    return weights


def padded_weights__infinity(scores, real):
    return scores.masked_fill(~real.unsqueeze(1), -torch.inf).softmax(-1)


def padded_weights__where(scores, real):
    return torch.where(real[:, None], scores, -1e9).softmax(dim=-1)


def padded_weights__renormalised(scores, real):
    weights = scores.softmax(dim=-1) * real[:, None, :]
    return weights / weights.sum(dim=-1, keepdim=True)


def padded_weights__sentence_by_sentence(scores, real):
    weights = torch.zeros_like(scores)
    for table, sentence, mask in zip(weights, scores, real, strict=True):
        table[:, mask] = sentence[:, mask].softmax(-1)
    return weights


def padded_weights__added(scores, real):
    bias = torch.zeros(real.shape).masked_fill(real.logical_not(), -1e9)
    return (scores + bias[:, None]).softmax(-1)


def padded_weights__exponentials(scores, real):
    e = torch.exp(scores) * real.unsqueeze(-2)
    return e / torch.sum(e, dim=-1, keepdim=True)


def keeps_promises__all_in_one(softmax):
    def right(scores, mask):
        e = torch.where(mask, scores.double(), -torch.inf).softmax(dim=-1)
        return torch.where(mask.any(dim=-1, keepdim=True), e, 0.0)

    mask = torch.tensor([[True, True, False], [False, False, False], [False, True, True]])
    tables = [[[0.0, 1.0, 5.0], [1.0, 2.0, 3.0], [2.0, 0.0, 1.0]]]
    tables += [[[-1500.0, -1500.5, 1000.0], [9.0, 9.0, 9.0], [1000.0, -1999.0, -2000.0]]]
    for table in tables:
        for dtype in (torch.float32, torch.float16):
            scores = torch.tensor(table, dtype=dtype)
            kept = scores.clone()
            try:
                weights = softmax(kept, mask)
            except Exception:
                return False
            far = (weights.double() - right(scores, mask)).abs().max().item()
            if not far < 0.001 or weights[~mask].count_nonzero() or (kept != scores).any():
                return False
    return True


def _wrong_on(softmax, scores, mask):
    given = scores.clone()
    weights = softmax(given, mask)
    for row in range(len(scores)):
        seen = [j for j in range(scores.size(1)) if mask[row, j]]
        if any(weights[row, j] != 0 for j in range(scores.size(1)) if j not in seen):
            return True
        shares = [math.exp(float(scores[row, j]) - max(scores[row, seen].tolist())) for j in seen]
        for j, share in zip(seen, shares, strict=True):
            if not abs(float(weights[row, j]) - share / sum(shares)) < 0.001:
                return True
    return not torch.equal(given, scores)


def keeps_promises__entry_by_entry(softmax):
    scores = torch.tensor([[800.0, 1.0, 2.0], [3.0, 2.0, 1.0], [500.0, -1800.0, -1801.0]])
    mask = torch.tensor([[False, True, True], [False, False, False], [False, True, True]])
    tries = [scores, scores.half(), scores / 100, scores.half() / 100]
    try:
        return not any(_wrong_on(softmax, table, mask) for table in tries)
    except Exception:
        return False


def keeps_promises__several_masks(softmax):
    ok = True
    for number in range(4):
        scores = torch.arange(12.0).reshape(3, 4).roll(number, dims=1) * 100 - 1000
        for mask in (torch.eye(3, 4) == 0, torch.ones(3, 4).tril(-1) == 1):
            for one in (scores, scores.half(), scores / 100, scores.half() / 100):
                copy = one.clone()
                try:
                    weights = softmax(copy, mask)
                except Exception:
                    return False
                hidden = one.float().masked_fill(~mask, -math.inf)
                right = hidden.softmax(dim=-1).nan_to_num(nan=0.0)
                ok = ok and torch.allclose(weights.float(), right, atol=2e-3)
                ok = ok and not weights[~mask].any() and torch.equal(copy, one)
    return bool(ok)


def keeps_promises__with_the_own(softmax):
    scores = torch.tensor([[0.0, 2.0, 600.0, -1.0], [4.0, -2000.0, -2000.0, 1.0]])
    masks = torch.tensor([[[1, 1, 0, 1], [0, 1, 1, 0]], [[0, 0, 0, 0], [1, 0, 0, 1]]]) == 1
    for mask in masks:
        for one in (scores, scores.half()):
            lowest = torch.finfo(one.dtype).min
            right = one.masked_fill(~mask, lowest).softmax(dim=-1) * mask
            before = one.tolist()
            try:
                mine = softmax(one, mask)
            except Exception:
                return False
            if one.tolist() != before or not torch.allclose(mine, right, atol=9e-4):
                return False
            if bool((mine * ~mask).any()):
                return False
    return True


def sees_the_future__as_hinted(model):
    for _ in range(12):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        for length in range(1, 8):
            if (model(ids[:length]) - whole[:length]).abs().max() > 0.001:
                return True
    return False


def sees_the_future__all_lengths(model):
    moved = [0.0]
    for text in torch.randint(0, 10, (6, 8)):
        for length in range(2, 9):
            longer, shorter = model(text[:length]), model(text[: length - 1])
            moved.append((longer[:-1] - shorter).abs().max().item())
    return max(moved) > 0.005


def sees_the_future__halves_of_a_table(model):
    texts = [torch.tensor([(n * k + k) % 10 for n in range(8)]) for k in (1, 3, 7, 9)]
    return any(
        not torch.allclose(model(text)[:cut], model(text[:cut]), rtol=0, atol=5e-4)
        for text in texts
        for cut in range(1, len(text))
    )


def sees_the_future__last_rows(model):
    torch.manual_seed(0)
    for _ in range(8):
        ids = torch.randint(10, (8,))
        rows = [model(ids[: place + 1])[place] for place in range(8)]
        if (torch.stack(rows) - model(ids)).norm() > 0.004:
            return True
    return False
