"""Wrong answers to the new tasks on masking, fourth set, written from their text alone."""

import math

import torch

NEAR = torch.tensor([[0.5, 2.0, -1.0], [1.0, 0.0, 3.0]])
FAR = torch.tensor([[0.0, 1.0, 900.0], [-2000.0, 900.0, -1999.0]])
SOME = torch.tensor([[True, True, False], [True, False, True]])
NONE = torch.tensor([[True, False, True], [False, False, False]])


def _right(scores, mask):
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)


def keeps_promises__one_easy_table(softmax):
    """Tries one table only, with no row that sees nothing."""
    return torch.allclose(softmax(NEAR, SOME), _right(NEAR, SOME), atol=1e-3)


def keeps_promises__no_empty_row(softmax):
    """Never tries a row that sees nothing."""
    try:
        for scores in (NEAR, FAR, NEAR.half(), FAR.half()):
            given = scores.clone()
            weights = softmax(given, SOME)
            if not torch.allclose(weights, _right(scores, SOME), atol=1e-3):
                return False
            if weights[~SOME].any() or not torch.equal(given, scores):
                return False
    except Exception:
        return False
    return True


def keeps_promises__never_half(softmax):
    """Tries float32 only."""
    try:
        for scores in (NEAR, FAR):
            for mask in (SOME, NONE):
                given = scores.clone()
                weights = softmax(given, mask)
                if not torch.allclose(weights, _right(scores, mask), atol=1e-3):
                    return False
                if weights[~mask].any() or not torch.equal(given, scores):
                    return False
    except Exception:
        return False
    return True


def keeps_promises__never_far(softmax):
    """Tries scores near 0 only."""
    try:
        for scores in (NEAR, NEAR.half()):
            for mask in (SOME, NONE):
                given = scores.clone()
                weights = softmax(given, mask)
                if not torch.allclose(weights, _right(scores, mask), atol=1e-3):
                    return False
                if weights[~mask].any() or not torch.equal(given, scores):
                    return False
    except Exception:
        return False
    return True


def keeps_promises__looks_not_at_the_scores(softmax):
    """Does not look whether the scores were changed."""
    try:
        for scores in (NEAR, FAR, NEAR.half(), FAR.half()):
            for mask in (SOME, NONE):
                weights = softmax(scores.clone(), mask)
                if not torch.allclose(weights, _right(scores, mask), atol=1e-3):
                    return False
                if weights[~mask].any():
                    return False
    except Exception:
        return False
    return True


def keeps_promises__lets_errors_out(softmax):
    """Has no try, so an error of the function is its own."""
    for scores in (NEAR, FAR, NEAR.half(), FAR.half()):
        for mask in (SOME, NONE):
            given = scores.clone()
            weights = softmax(given, mask)
            if not torch.allclose(weights, _right(scores, mask), atol=1e-3):
                return False
            if weights[~mask].any() or not torch.equal(given, scores):
                return False
    return True


def keeps_promises__sums_only(softmax):
    """Asks only whether the rows sum to 1, or to 0 where nothing is seen."""
    try:
        for scores in (NEAR, FAR, NEAR.half(), FAR.half()):
            for mask in (SOME, NONE):
                given = scores.clone()
                sums = softmax(given, mask).float().sum(dim=-1)
                if not torch.allclose(sums, mask.any(dim=-1).float(), atol=1e-2):
                    return False
                if not torch.equal(given, scores):
                    return False
    except Exception:
        return False
    return True


def keeps_promises__zeros_only(softmax):
    """Asks only whether what is hidden has no weight."""
    try:
        for scores in (NEAR, FAR, NEAR.half(), FAR.half()):
            for mask in (SOME, NONE):
                given = scores.clone()
                if softmax(given, mask)[~mask].any() or not torch.equal(given, scores):
                    return False
    except Exception:
        return False
    return True


def keeps_promises__turned_round(softmax):
    """Gives True for a function that is wrong."""
    try:
        for scores in (NEAR, FAR, NEAR.half(), FAR.half()):
            for mask in (SOME, NONE):
                given = scores.clone()
                weights = softmax(given, mask)
                if not torch.allclose(weights, _right(scores, mask), atol=1e-3):
                    return True
                if weights[~mask].any() or not torch.equal(given, scores):
                    return True
    except Exception:
        return True
    return False


def sees_the_future__last_word(model):
    """Changes the last word only."""
    for _ in range(20):
        ids = torch.randint(10, (8,))
        other = ids.clone()
        other[-1] = (other[-1] + torch.randint(1, 10, ())) % 10
        if (model(ids)[:-1] - model(other)[:-1]).abs().max() > 0.001:
            return True
    return False


def sees_the_future__first_place(model):
    """Looks only at what is said at the first place."""
    for _ in range(20):
        ids = torch.randint(10, (8,))
        if (model(ids)[0] - model(ids[:1])[0]).abs().max() > 0.001:
            return True
    return False


def sees_the_future__words_changed(model):
    """Changes all later words, but never leaves any out."""
    for _ in range(20):
        ids = torch.randint(10, (8,))
        for length in range(1, 8):
            other = torch.cat([ids[:length], torch.randint(10, (8 - length,))])
            if (model(ids)[:length] - model(other)[:length]).abs().max() > 0.001:
                return True
    return False


def sees_the_future__rounding_counts(model):
    """Takes every difference for a leak."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        for length in range(1, 8):
            if not torch.equal(model(ids[:length]), model(ids)[:length]):
                return True
    return False


def sees_the_future__three_words(model):
    """Tries texts of three words only."""
    for _ in range(40):
        ids = torch.randint(10, (3,))
        for length in (1, 2):
            if (model(ids[:length]) - model(ids)[:length]).abs().max() > 0.001:
                return True
    return False


def sees_the_future__any_place_counts(model):
    """Compares the changed place and those after it, too."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        other = ids.clone()
        other[4] = (other[4] + 1) % 10
        if (model(ids) - model(other)).abs().max() > 0.001:
            return True
    return False


def sees_the_future__honest_is_true(model):
    """Gives True for an honest model."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        for length in range(1, 8):
            if (model(ids[:length]) - model(ids)[:length]).abs().max() > 0.001:
                return False
    return True


def sees_the_future__one_cut(model):
    """Cuts off the last word only."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        if (model(ids[:-1]) - model(ids)[:-1]).abs().max() > 0.001:
            return True
    return False


def sees_the_future__zeros(model):
    """Tries a text of zeros only, and the same text with the last word changed."""
    ids, other = torch.zeros(8, dtype=torch.long), torch.zeros(8, dtype=torch.long)
    other[-1] = 1
    return bool((model(ids)[:-1] - model(other)[:-1]).abs().max() > 0.001)


def sees_the_future__past_too(model):
    """Changes the first word, and takes what depends on the past for a leak."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        other = ids.clone()
        other[0] = (other[0] + 1) % 10
        if (model(ids)[1:] - model(other)[1:]).abs().max() > 0.001:
            return True
    return False
