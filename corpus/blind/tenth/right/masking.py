import math

import torch

from transformer_lab import check


# --------------------------------------------------------------- causal_mask


def causal_mask__tril(length, past=0):
    return torch.ones(length, past + length, dtype=torch.bool).tril(diagonal=past)


def causal_mask__loops(length, past=0):
    # reading: length is 1 or more
    rows = []
    for i in range(length):
        row = []
        for j in range(past + length):
            row.append(j <= past + i)
        rows.append(row)
    return torch.tensor(rows)


def causal_mask__numpy(length, past=0):
    import numpy as np

    return torch.from_numpy(np.tri(length, past + length, k=past, dtype=bool))


def causal_mask__one_hot_cumsum(length, past=0):
    last = torch.nn.functional.one_hot(torch.arange(past, past + length), past + length)
    return last.flip(-1).cumsum(-1).flip(-1).bool()


def causal_mask__tril_indices(length, past=0):
    mask = torch.zeros((length, past + length), dtype=torch.bool)
    rows, columns = torch.tril_indices(length, past + length, offset=past)
    return mask.index_put((rows, columns), torch.tensor(True))


def causal_mask__unfold(length, past=0):
    ribbon = torch.arange(past + 2 * length - 1) < past + length
    return ribbon.unfold(0, past + length, 1).flip(0)


def causal_mask__cat(length, past=0):
    old = torch.ones(length, past) == 1
    new = torch.triu(torch.ones(length, length), 1) == 0
    return torch.cat((old, new), dim=1)


# ------------------------------------------------------------ sliding_window


def sliding_window__tril_triu(length, window):
    return torch.ones(length, length, dtype=torch.bool).tril().triu(1 - window)


def sliding_window__xor(length, window):
    seen, too_old = (
        torch.ones(length, length).tril(d).bool() for d in (0, -window)
    )
    return seen ^ too_old


def sliding_window__slices(length, window):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, max(0, i + 1 - window) : i + 1] = True
    return mask


def sliding_window__reduce_diagonals(length, window):
    # reading: length and window are 1 or more
    from functools import reduce
    from operator import or_

    def stripe(back):
        return torch.ones(length - back, dtype=torch.bool).diag_embed(offset=-back)

    return reduce(or_, (stripe(back) for back in range(min(window, length))))


def sliding_window__as_strided(length, window):
    """All rows are windows into one ribbon; the columns are turned round after."""
    ribbon = torch.zeros(2 * length - 1, dtype=torch.bool)
    ribbon[length - 1 : length - 1 + window] = True
    return ribbon.as_strided((length, length), (1, 1)).fliplr()


def sliding_window__causal_twice(length, window):
    return torch.stack(
        [
            torch.isin(torch.arange(length), torch.arange(i - window + 1, i + 1))
            for i in range(length)
        ]
    )


# -------------------------------------------------------------- padding_mask


def padding_mask__ne(ids, pad):
    return torch.ne(ids, pad).unsqueeze(1)


def padding_mask__lists(ids, pad):
    return torch.tensor([[[word != pad for word in row]] for row in ids.tolist()])


def padding_mask__unfold(ids, pad):
    return (ids != pad).unfold(-1, ids.size(-1), 1)


def padding_mask__numpy(ids, pad):
    import numpy as np

    return torch.from_numpy(~np.equal(ids.numpy(), pad)[:, np.newaxis])


def padding_mask__index_fill(ids, pad):
    B, S = ids.shape
    mask = torch.full((B, 1, S), True)
    sentence, place = torch.nonzero(ids == pad, as_tuple=True)
    mask[sentence, 0, place] = False
    return mask


# ------------------------------------------------------------- combined_mask
# ambiguous: "Use your causal_mask and your padding_mask": must they be called?


def combined_mask__logical_and(ids, pad):
    B, T = ids.shape
    return torch.logical_and(causal_mask(T)[None], padding_mask(ids, pad))


def combined_mask__tril_of_expanded(ids, pad):
    # reading: causal_mask need not be called
    T = ids.shape[1]
    return padding_mask(ids, pad).expand(-1, T, -1).tril()


def combined_mask__stack(ids, pad):
    T = ids.size(1)
    future = ~causal_mask(T)
    return torch.stack(
        [row.expand(T, T).masked_fill(future, False) for row in padding_mask(ids, pad)]
    )


def combined_mask__einsum(ids, pad):
    earlier = causal_mask(ids.shape[-1]).int()
    real = padding_mask(ids, pad).squeeze(1).int()
    return torch.einsum("ts,bs->bts", earlier, real) > 0


def combined_mask__loops(ids, pad):
    # reading: the two functions need not be called
    B, T = ids.shape
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for b, sentence in enumerate(ids.tolist()):
        for i in range(T):
            for j in range(i + 1):
                if sentence[j] == pad:
                    continue
                mask[b, i, j] = True
    return mask


# ------------------------------------------------------------ masked_softmax
# ambiguous: "whatever the scores are": also a seen score that is exactly the
# lowest number (the given solution then shares with what is hidden)? also hidden
# scores that are inf or nan?


def masked_softmax__infinity(scores, mask):
    sees = mask.any(dim=-1, keepdim=True)
    filled = torch.where(mask, scores, -math.inf).masked_fill(~sees, 0.0)
    return filled.softmax(-1).masked_fill(~mask, 0.0)


def masked_softmax__by_hand_double(scores, mask):
    wide = scores.double().masked_fill(~mask, -math.inf)
    top = wide.amax(-1, keepdim=True).clamp(min=torch.finfo(torch.float64).min)
    e = (wide - top).exp()
    total = e.sum(-1, keepdim=True)
    return (e / total.masked_fill(total == 0, 1.0)).to(scores.dtype)


def masked_softmax__multiplied(scores, mask):
    # reading: scores are finite, and none that is seen is the very lowest number
    hidden = mask.logical_not().to(scores.dtype)
    low = torch.finfo(scores.dtype).min
    return torch.softmax(scores * mask + hidden * low, dim=-1) * mask


def masked_softmax__row_by_row(scores, mask):
    S = scores.size(-1)
    rows = scores.reshape(-1, S)
    may = mask.expand_as(scores).reshape(-1, S)
    done = [
        torch.zeros_like(row).masked_scatter(seen, torch.softmax(row[seen], 0))
        for row, seen in zip(rows, may)
    ]
    return torch.stack(done).reshape(scores.shape)


def masked_softmax__skip_blind_rows(scores, mask):
    # reading: where nothing at all is seen, the zeros need not hang on the scores
    # (their gradient is 0 anyway)
    whole = mask.expand(scores.shape)

    def go(s, m):
        if s.dim() > 1:
            return torch.stack([go(*pair) for pair in zip(s, m)])
        if not m.any():
            return torch.zeros_like(s)
        return s.masked_fill(m.logical_not(), -math.inf).softmax(0)

    return go(scores, whole)


def masked_softmax__torch_masked(scores, mask):
    """Rows that see nothing look at everything first, and are blanked later."""
    whole = mask.broadcast_to(scores.shape)
    blind = ~whole.any(-1, keepdim=True)
    weights = torch.masked.softmax(scores, -1, mask=whole | blind)
    return torch.where(whole, weights, torch.zeros_like(weights))


def masked_softmax__segments(scores, mask):
    """Take out the seen scores, and add up by row number."""
    may = mask.expand(scores.shape)
    flat_may = may.flatten()
    S = scores.size(-1)
    row_of = torch.arange(scores.numel() // S).repeat_interleave(S)[flat_may]
    seen = scores.double().flatten()[flat_may]
    n = scores.numel() // S
    top = torch.full((n,), -math.inf, dtype=torch.float64)
    top = top.scatter_reduce(0, row_of, seen, "amax")
    e = torch.exp(seen - top[row_of])
    total = torch.zeros(n, dtype=torch.float64).index_add(0, row_of, e)
    out = torch.zeros(scores.numel(), dtype=torch.float64)
    out = out.index_put((flat_may.nonzero().squeeze(1),), e / total[row_of])
    return out.view(scores.shape).to(scores.dtype)


# ------------------------------------------------------------ causal_weights
# ambiguous: "Everywhere" promises float16, but the given cell's -1e9 cannot be
# put into float16; "exactly as many cells are 0 as should be".


def causal_weights__inverted_mask(scores):
    length = scores.size(-1)
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    return scores.masked_fill(future, -math.inf).softmax(dim=-1)


def causal_weights__where(scores):
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores = torch.where(may_attend, scores, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1)


def causal_weights__added(scores):
    length = scores.shape[-1]
    bias = torch.full((length, length), -math.inf, dtype=scores.dtype).triu(1)
    return torch.nn.functional.softmax(scores + bias, dim=-1)


def causal_weights__growing_rows(scores):
    pad, T = torch.nn.functional.pad, scores.size(-1)
    rows = (scores[..., i, : i + 1].softmax(-1) for i in range(T))
    return torch.stack([pad(row, (0, T - row.size(-1))) for row in rows], dim=-2)


def causal_weights__own_masked_softmax(scores):
    return masked_softmax(scores, causal_mask(scores.size(-1)))


# ------------------------------------------------------------ padded_weights
# ambiguous: `real` "marks tokens": the given line multiplies by it, so it could be
# 0/1 numbers as well as boolean. Gradients are not mentioned.


def padded_weights__before(scores, real):
    scores = scores.masked_fill(real[:, None, :] == 0, -math.inf)
    return scores.softmax(dim=-1)


def padded_weights__renormalised_exp(scores, real):
    keep = real.unsqueeze(1).to(scores.dtype)
    top = torch.where(keep > 0, scores, -math.inf).amax(-1, keepdim=True)
    e = torch.exp(torch.minimum(scores - top, torch.zeros_like(scores))) * keep
    return e / e.sum(dim=-1, keepdim=True)


def padded_weights__per_sentence(scores, real):
    out = torch.zeros_like(scores)
    for b in range(len(scores)):
        tokens = real[b].nonzero().flatten()
        out[b][:, tokens] = scores[b][:, tokens].softmax(dim=-1)
    return out


def padded_weights__own_masked_softmax(scores, real):
    return masked_softmax(scores, real.bool().unsqueeze(-2))


def padded_weights__added_log(scores, real):
    # log 1 = 0, log 0 = -inf
    return torch.softmax(scores + real[:, None].to(scores.dtype).log(), -1)


# ------------------------------------------------------------ keeps_promises
# ambiguous: does a function that gives float32 weights for float16 scores "work
# in float16 as in float32"? (Above, masked_softmax has to keep the precision.)
# May it change the *mask*? No promise speaks of it.


def keeps_promises__fuzz(softmax):
    # reading: the dtype of the result is not a promise
    bases = [-2000.0, -1000.0, -50.0, 0.0, 16.0, 100.0, 997.0]

    def right_row(scores, mask):
        seen = [s for s, m in zip(scores, mask) if m]
        if not seen:
            return [0.0] * len(scores)
        top = max(seen)
        e = [math.exp(s - top) if m else 0.0 for s, m in zip(scores, mask)]
        return [x / sum(e) for x in e]

    for turn in range(200):
        T = int(torch.randint(1, 5, ()))
        S = int(torch.randint(1, 6, ()))
        steps = torch.randint(0, 7, (T, S)) / 2
        pick = torch.randint(len(bases), (T, S) if turn % 2 else (T, 1))
        scores = torch.tensor(bases)[pick] + steps
        mask = torch.rand(T, S) < torch.rand(T, 1) * 1.2 - 0.1
        for dtype in (torch.float16, torch.float32):
            given = scores.to(dtype)
            before = given.clone()
            try:
                weights = softmax(given, mask.clone())
                right = torch.tensor(
                    [right_row(*p) for p in zip(before.tolist(), mask.tolist())]
                )
                if weights.shape != right.shape:
                    return False
                good = bool(
                    (given == before).all()
                    and ((weights.float() - right).abs() < 0.001).all()
                    and (weights[~mask] == 0).all()
                )
            except Exception:
                return False
            if not good:
                return False
    return True


def keeps_promises__all_masks(softmax):
    """Every mask of a 2 x 3 table, on tables chosen by hand."""
    # reading: the weights keep the dtype of the scores
    from itertools import product

    tables = [
        [[0.0, 0.0, 0.0], [1.0, 2.0, 0.0]],
        [[-2000.0, -1999.0, 1000.0], [1000.0, 999.0, -2000.0]],
        [[1000.0, -2000.0, -2000.0], [-2000.0, 1000.0, -1998.0]],
        [[-3.0, 900.0, -2.0], [-1000.0, -1001.0, -1002.0]],
        [[12.0, 13.0, 14.0], [-12.0, 95.0, 94.0]],
    ]

    def fair(scores, mask):
        hidden = scores.double().masked_fill(~mask, -math.inf)
        return hidden.softmax(-1).nan_to_num(0.0)

    def one(table, mask, dtype):
        scores = torch.tensor(table, dtype=dtype)
        copy = scores.clone()
        weights = softmax(copy, mask.clone())
        return (
            torch.equal(copy, scores)
            and weights.dtype == dtype
            and weights.shape == scores.shape
            and not weights[~mask].any()
            and torch.allclose(weights.double(), fair(scores, mask), rtol=0, atol=1e-3)
        )

    try:
        tall = torch.tensor([[True], [False], [True]])
        return all(
            one(table, torch.tensor(cells).view(2, 3), dtype)
            for dtype in (torch.float32, torch.float16)
            for table in tables
            for cells in product([False, True], repeat=6)
        ) and one([[5.0], [900.0], [-2000.0]], tall, torch.float16)
    except Exception:
        return False


def keeps_promises__class(softmax):
    # reading: the dtype of the result is not a promise
    class Broken(Exception):
        pass

    class Examiner:
        def __init__(self, candidate):
            self.candidate = candidate

        def require(self, fact):
            if not bool(fact):
                raise Broken

        def ask(self, scores, mask):
            mine = scores.clone()
            weights = self.candidate(mine, mask.clone())
            self.require(weights.shape == scores.shape)
            self.require((mine == scores).all())
            self.require((weights.masked_select(~mask) == 0).all())
            for row, seen, shares in zip(scores.double(), mask, weights.double()):
                sees = seen.any()
                want = torch.zeros_like(row)
                if sees:
                    want[seen] = row[seen].softmax(0)
                self.require(((shares - want).abs() < 1e-3).all())

        def verdict(self):
            try:
                for dtype in (torch.half, torch.float):
                    for _ in range(25):
                        T, S = torch.randint(1, 6, (2,)).tolist()
                        extremes = torch.tensor([-2000.0, -1999.0, -10.0, 0.0, 1.0, 2.0, 900.0, 999.0, 1000.0])
                        scores = extremes[torch.randint(9, (T, S))]
                        low = -2000 + torch.randint(3, (T, S)).float()
                        plain = torch.randint(-8, 9, (T, S)).float() / 4
                        some = torch.rand(T, S) < 0.5
                        rows = (torch.rand(T, 1) < 0.6).expand(T, S)
                        for table in (scores, low, plain):
                            for mask in (some, some & rows, rows, some & False, some | True):
                                self.ask(table.to(dtype), mask)
                return True
            except Exception:
                return False

    return Examiner(softmax).verdict()


def keeps_promises__own_softmax(softmax):
    """By my masked_softmax, on every table that a few rows can make."""
    # reading: the dtype of the result is not a promise
    rows = torch.tensor(
        [
            [0.0, 1.0, 900.0, 2.0],
            [-2000.0, 1000.0, -1999.0, 999.0],
            [1.0, 2.0, 3.0, 0.0],
            [-1.0, -2.0, -3.0, -1000.0],
            [1000.0, 1000.0, 1000.0, 1000.0],
            [-2000.0, -2000.0, -2000.0, -1998.0],
            [12.0, 90.0, 12.0, 11.0],
        ]
    )

    def agree(scores, mask):
        given = scores.clone()
        got = softmax(given, mask.clone())
        want = masked_softmax(scores.float(), mask)
        same = got.shape == want.shape and (got.float() - want).abs().lt(1e-3).all()
        return bool(same and given.equal(scores) and got[~mask].count_nonzero() == 0)

    patterns = torch.arange(16)[:, None].bitwise_and(torch.tensor([1, 2, 4, 8])) != 0
    for dtype in [torch.float32, torch.float16]:
        for shift in range(16):
            mask = patterns.roll(shift, 0)[: len(rows)]
            for m in (mask, mask[:, [2, 0, 3, 1]], mask.logical_not()):
                try:
                    if not (agree(rows.to(dtype), m) and agree(rows[:1].to(dtype), m[:1])):
                        return False
                    if not agree(rows[:4].to(dtype), m[:4]):
                        return False
                except Exception:
                    return False
    return True


# ----------------------------------------------------------- sees_the_future


def sees_the_future__prefixes(model):
    return any(
        bool(((model(text[:cut]) - whole[:cut]).abs() > 0.002).any())
        for text in torch.randint(0, 10, (40, 8))
        if (whole := model(text)) is not None
        for cut in range(1, 8)
    )


def sees_the_future__as_it_grows(model):
    """Read a text word by word, and remember what was said first."""
    for first in list(range(10)) * 4:
        text = torch.cat([torch.tensor([first]), torch.randint(10, (7,))])
        said = []
        for length in range(1, 9):
            now = model(text[:length].clone())
            for place, before in enumerate(said):
                if torch.dist(now[place], before, p=math.inf) > 1e-3:
                    return True
            said.append(now[-1].clone())
    return False


def sees_the_future__other_endings(model):
    """Cut it off, and put other endings on it, too."""

    def endings(begin):
        yield begin
        rest = 8 - len(begin)
        for _ in range(2):
            yield torch.cat([begin, torch.randint(10, (rest,))])
        if rest > 1:
            yield torch.cat([begin, torch.randint(10, (rest - 1,))])

    with torch.no_grad():
        for _ in range(24):
            text = torch.randint(10, (8,))
            whole = model(text)
            for n in range(1, 8):
                for other in endings(text[:n]):
                    if not torch.allclose(model(other)[:n], whole[:n], rtol=0, atol=5e-3):
                        return True
    return False


def sees_the_future__numpy(model):
    import numpy as np

    rng = np.random.default_rng()
    ask = lambda words: model(torch.from_numpy(words)).detach().numpy()
    worst = 0.0
    for text in rng.integers(0, 10, size=(30, 8)):
        whole = ask(text)
        for n in range(1, 8):
            worst = max(worst, np.abs(ask(text[:n].copy()) - whole[:n]).max())
    return bool(worst > 1e-3)
