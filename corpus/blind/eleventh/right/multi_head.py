import math

import torch
import torch.nn.functional as F


# --- split_heads -----------------------------------------------------------


def _peel(x, width):
    first, rest = x.tensor_split([width], dim=-1)
    return [first] if rest.size(-1) == 0 else [first, *_peel(rest, width)]


def split_heads__peeled_off(x, heads):
    return torch.stack(_peel(x, x.size(-1) // heads), dim=-3)


def split_heads__by_numbers_of_columns(x, heads):
    columns = torch.arange(x.size(-1)).reshape(heads, -1)
    return x[..., columns].movedim(-2, -3)


# --- merge_heads -----------------------------------------------------------


def merge_heads__end_to_end(x):
    return torch.cat(x.unbind(dim=-3), dim=-1)


def merge_heads__einsum(x):
    return torch.einsum("...htk->...thk", x).flatten(-2)


# --- packed_projection -----------------------------------------------------


def packed_projection__einsum(x, W):
    three = W.unflatten(-1, (3, -1))
    return torch.einsum("...td,dpk->p...tk", x, three).unbind(0)


def packed_projection__unfold(x, W):
    width = W.size(-1) // 3
    q, k, v = F.linear(x, W.T).unfold(-1, width, width).unbind(dim=-2)
    return q, k, v


# --- multi_head ------------------------------------------------------------


# ambiguous: "Use your three functions, and `attention`" is taken for advice, not for an order.
def multi_head__einsum(x, W, W_o, heads, mask=None):
    D = x.size(-1)
    width = D // heads
    cut = W.reshape(D, 3, heads, width)
    q, k, v = torch.einsum("...td,dphk->p...htk", x, cut).unbind(0)
    scores = torch.einsum("...hqk,...hsk->...hqs", q, k) / math.sqrt(width)
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        hidden = ~mask.unsqueeze(-3)
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1).masked_fill(hidden, 0.0)
    mixed = torch.einsum("...hqs,...hsk->...hqk", weights, v)
    back = W_o.reshape(heads, width, D)
    return torch.einsum("...hqk,hkd->...qd", mixed, back), weights


def multi_head__head_by_head(x, W, W_o, heads, mask=None):
    three = [split_heads(part, heads) for part in packed_projection(x, W)]
    answers, pictures = [], []
    for head in zip(*(part.unbind(dim=-3) for part in three)):
        # one head has scores (..., T, T): the mask of the words fits as it is
        answer, picture = attention(*head, mask)
        answers.append(answer)
        pictures.append(picture)
    output = merge_heads(torch.stack(answers, dim=-3)) @ W_o
    return output, torch.stack(pictures, dim=-3)


# --- grouped_query ---------------------------------------------------------


def grouped_query__axis_for_members(q, k, v):
    q = q.unflatten(-3, (k.size(-3), -1))
    output, weights = attention(q, k.unsqueeze(-3), v.unsqueeze(-3))
    return output.flatten(-4, -3), weights.flatten(-4, -3)


def grouped_query__members_as_words(q, k, v):
    *front, H, T, width = q.shape
    G = k.size(-3)
    asked = q.reshape(*front, G, H // G * T, width)
    output, weights = attention(asked, k, v)
    return (
        output.reshape(*front, H, T, v.size(-1)),
        weights.reshape(*front, H, T, k.size(-2)),
    )


# --- talk ------------------------------------------------------------------


# ambiguous: "the words of a batch attend to each other" is taken as: within their own sentence, as in the given function.
def talk__head_by_head(x, heads):
    return torch.cat(
        [attention(part, part, part)[0] for part in x.chunk(heads, dim=-1)],
        dim=-1,
    )


def talk__einsum(x, heads):
    parts = x.unflatten(-1, (heads, -1))
    scores = torch.einsum("bthk,bshk->bhts", parts, parts)
    weights = (scores / math.sqrt(parts.size(-1))).softmax(dim=-1)
    return torch.einsum("bhts,bshk->bthk", weights, parts).flatten(-2)


# --- padded_heads ----------------------------------------------------------


def padded_heads__head_by_head(q, k, v, real):
    mask = real.unsqueeze(1)
    pairs = [
        attention(*head, mask)
        for head in zip(q.unbind(1), k.unbind(1), v.unbind(1))
    ]
    outputs, weights = zip(*pairs)
    return torch.stack(outputs, dim=1), torch.stack(weights, dim=1)


# ambiguous: a sentence of nothing but padding is not mentioned; it gets zeros, as `attention` gives them.
def padded_heads__words_picked_out(q, k, v, real):
    outputs, pictures = [], []
    for b in range(q.size(0)):
        words = real[b].nonzero()[:, 0]
        output, found = attention(q[b], k[b][:, words], v[b][:, words])
        picture = found.new_zeros(*found.shape[:-1], real.size(-1))
        picture[..., words] = found
        pictures.append(picture)
        outputs.append(output)
    return torch.stack(outputs), torch.stack(pictures)


# --- probe -----------------------------------------------------------------


# ambiguous: which kind of whole numbers (int64 here), and whether vectors may be float16 (they may here).
def probe__pseudoinverse(vectors, labels, new):
    known = F.pad(vectors.double(), (0, 1), value=1.0)
    wanted = labels.double() * 2 - 1
    w = torch.linalg.pinv(known) @ wanted
    return (F.pad(new.double(), (0, 1), value=1.0) @ w > 0).long()


def probe__centred_then_triangle(vectors, labels, new):
    x = vectors.double()
    wanted = labels.double().mul(2).sub(1)
    mean, middle = x.mean(dim=0), wanted.mean()
    both = torch.column_stack([x - mean, wanted - middle])
    triangle = torch.linalg.qr(both).R
    w = torch.linalg.lstsq(triangle[:, :-1], triangle[:, -1:]).solution
    answers = (new.double() - mean) @ w + middle
    return torch.where(answers > 0, 1, 0).flatten()


# --- which_head ------------------------------------------------------------


def which_head__dictionary(model, text, layers, heads):
    following = text[1:, None]
    losses = {}
    for layer in range(layers):
        for head in range(heads):
            scores = model(text, [(layer, head)])[:-1].double()
            chances = scores.log_softmax(dim=-1).gather(1, following)
            losses[layer, head] = -chances.mean().item()
    return max(losses, key=losses.get)


def _later_of(model, text, first, second):
    # compare two candidates by the rise of the loss over the whole model
    def rise(head):
        whole = model(text, [])[:-1].double()
        without = model(text, [head])[:-1].double()
        words = text[1:]
        return (
            F.cross_entropy(without, words) - F.cross_entropy(whole, words)
        ).item()

    return second if rise(second) > rise(first) else first


def which_head__tournament(model, text, layers, heads):
    best = (0, 0)
    for number in range(1, layers * heads):
        best = _later_of(model, text, best, divmod(number, heads))
    return best
