"""Wrong answers, in other words than the bank's. The docstring is the name they must be given."""

import torch
import torch.nn.functional as F


def split_heads__view(x, heads):
    """it is reshaped straight to the shape, and no axis is moved"""
    *lead, T, D = x.shape
    return x.view(*lead, heads, T, D // heads)


def split_heads__cut_words(x, heads):
    """it is reshaped straight to the shape, and no axis is moved"""
    return x.flatten(-2).reshape(*x.shape[:-2], heads, x.shape[-2], -1)


def split_heads__sizes(x, heads):
    """it is reshaped straight to the shape, and no axis is moved"""
    batch, words, width = x.size()
    return x.contiguous().view(batch, heads, words, width // heads)


def split_heads__sizes_in_order(x, heads):
    """the heads stay behind the words"""
    batch, words, width = x.size()
    return x.contiguous().view(batch, words, heads, width // heads)


def split_heads__sizes_of_turns(x, heads):
    """the numbers are dealt out to the heads in turn"""
    batch, words, _ = x.size()
    return x.contiguous().view(batch, words, -1, heads).transpose(2, 3).transpose(1, 2)


def split_heads__only_cut(x, heads):
    """the heads stay behind the words"""
    return torch.stack(torch.chunk(x, heads, dim=-1), dim=-2)


def split_heads__strides(x, heads):
    """the numbers are dealt out to the heads in turn"""
    return torch.stack([x[..., head::heads] for head in range(heads)], dim=-3)


def split_heads__many(x, heads):
    """`heads` is taken for the width of a head"""
    return torch.stack(x.split(heads, dim=-1), dim=-3)


def split_heads__lying(x, heads):
    """words and numbers have changed places as well"""
    T, d_k = x.shape[-2], x.shape[-1] // heads
    return x.mT.reshape(*x.shape[:-2], heads, d_k, T)


def split_heads__permuted(x, heads):
    """the axes are counted from the front"""
    cut = x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads)
    order = [*range(cut.dim())]
    order[1:3] = 2, 1
    return cut.permute(order)


def merge_heads__view(x):
    """the heads are not moved back before they are joined"""
    *lead, H, T, K = x.shape
    return x.contiguous().view(*lead, T, H * K)


def merge_heads__sizes(x):
    """the heads are not moved back before they are joined"""
    batch, heads, words, width = x.size()
    return x.contiguous().view(batch, words, heads * width)


def merge_heads__one_below_the_other(x):
    """heads and words are joined, not heads and numbers"""
    return torch.cat(x.unbind(dim=-3), dim=-2)


def merge_heads__stacked_last(x):
    """the heads are dealt in turn"""
    return torch.stack(x.unbind(-3), dim=-1).flatten(start_dim=-2)


def merge_heads__total(x):
    """the heads are added up or averaged"""
    return sum(x.unbind(dim=-3))


def merge_heads__average(x):
    """the heads are added up or averaged"""
    return x.sum(-3) / x.shape[-3]


def merge_heads__stacked(x):
    """the axes are moved, but nothing is joined"""
    return torch.stack(list(x.unbind(-3)), dim=-2)


def merge_heads__swapped_in_front(x):
    """the axes are counted from the front"""
    moved = x.swapaxes(1, 2).contiguous()
    return moved.reshape(*moved.shape[:-2], -1)


def packed_projection__strides(x, W):
    """queries, keys and values are dealt out in turn"""
    return tuple(x @ W[:, first::3] for first in range(3))


def packed_projection__as_linear(x, W):
    """the matrix is transposed"""
    return torch.nn.functional.linear(x, W).tensor_split(3, dim=-1)


def packed_projection__from_the_end(x, W):
    """the three come in another order"""
    v, k, q = torch.split(x @ W, W.shape[1] // 3, dim=-1)
    return q, k, v


def packed_projection__keys_first(x, W):
    """the three come in another order"""
    k, q, v = (x @ part for part in W.chunk(3, dim=1))
    return q, k, v


def packed_projection__along_the_words(x, W):
    """the words are cut into three, not their numbers"""
    return torch.chunk(x @ W, 3, dim=-2)


def packed_projection__only_the_first(x, W):
    """all three are the same third"""
    third = x @ W[:, : W.shape[1] // 3]
    return third, third.clone(), third.clone()


def packed_projection__at_once(x, W):
    """the product is not cut"""
    return torch.einsum("...td,dm->...tm", x, W)


def _attend(q, k, v, mask=None, width=None):
    scores = torch.einsum("...td,...sd->...ts", q, k) * (width or q.shape[-1]) ** -0.5
    scores = scores if mask is None else torch.where(mask, scores, -1e30)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...ts,...sd->...td", weights, v), weights


def _cut(x, heads):
    return torch.stack(x.chunk(heads, dim=-1), dim=-3)


def _join(x):
    return torch.cat(x.unbind(dim=-3), dim=-1)


def multi_head__views(x, W, W_o, heads, mask=None):
    """the heads are reshaped, not transposed"""
    *lead, T, D = x.shape
    q, k, v = (p.reshape(*lead, heads, T, D // heads) for p in (x @ W).chunk(3, dim=-1))
    mixed, weights = _attend(q, k, v, None if mask is None else mask[..., None, :, :])
    return torch.matmul(mixed.reshape(*lead, T, D), W_o), weights


def multi_head__sizes(x, W, W_o, heads, mask=None):
    """the heads are reshaped, not transposed"""
    batch, words, width = x.size()
    packed = torch.matmul(x, W).split(width, dim=2)
    q, k, v = (p.contiguous().view(batch, heads, words, width // heads) for p in packed)
    mixed, weights = _attend(q, k, v, None if mask is None else mask[..., None, :, :])
    return torch.matmul(mixed.contiguous().view(batch, words, width), W_o), weights


def multi_head__sizes_at_the_end(x, W, W_o, heads, mask=None):
    """the heads are merged by a reshape alone"""
    batch, words, width = x.size()
    packed = torch.matmul(x, W).split(width, dim=2)
    q, k, v = (p.contiguous().view(batch, words, heads, -1).transpose(1, 2) for p in packed)
    mixed, weights = _attend(q, k, v, None if mask is None else mask[..., None, :, :])
    return torch.matmul(mixed.contiguous().view(batch, words, width), W_o), weights


def multi_head__view_at_the_end(x, W, W_o, heads, mask=None):
    """the heads are merged by a reshape alone"""
    q, k, v = (_cut(part, heads) for part in (x @ W).chunk(3, dim=-1))
    mixed, weights = _attend(q, k, v, None if mask is None else mask[..., None, :, :])
    return mixed.contiguous().view(x.shape) @ W_o, weights


def multi_head__end_to_end(x, W, W_o, heads, mask=None):
    """the last product, with W_O, is missing"""
    pieces = zip(*(part.chunk(heads, dim=-1) for part in (x @ W).chunk(3, dim=-1)), strict=True)
    found = [_attend(*piece, mask) for piece in pieces]
    return torch.cat([o for o, _ in found], -1), torch.stack([w for _, w in found], -3)


def multi_head__linear(x, W, W_o, heads, mask=None):
    """W_O is transposed"""
    q, k, v = (_cut(part, heads) for part in (x @ W).chunk(3, dim=-1))
    mixed, weights = _attend(q, k, v, None if mask is None else mask[..., None, :, :])
    return torch.nn.functional.linear(_join(mixed), W_o), weights


def multi_head__root_of_d_model(x, W, W_o, heads, mask=None):
    """the scores are divided by the root of the whole width"""
    q, k, v = (_cut(part, heads) for part in (x @ W).chunk(3, dim=-1))
    mask = None if mask is None else mask.unsqueeze(-3)
    mixed, weights = _attend(q, k, v, mask, width=x.shape[-1])
    return _join(mixed) @ W_o, weights


def multi_head__axis_in_front(x, W, W_o, heads, mask=None):
    """the mask has no axis for the heads"""
    q, k, v = (_cut(part, heads) for part in (x @ W).chunk(3, dim=-1))
    mixed, weights = _attend(q, k, v, None if mask is None else mask.unsqueeze(0))
    return _join(mixed) @ W_o, weights


def multi_head__sees_all(x, W, W_o, heads, mask=None):
    """the mask is left out"""
    q, k, v = (_cut(part, heads) for part in (x @ W).chunk(3, dim=-1))
    mixed, weights = _attend(q, k, v, torch.ones(1, 1, dtype=torch.bool))
    return _join(mixed) @ W_o, weights


def multi_head__wide(x, W, W_o, heads, mask=None):
    """there is only one head"""
    D = x.shape[-1]
    q, k, v = x @ W[:, :D], x @ W[:, D : 2 * D], x @ W[:, 2 * D :]
    mixed, weights = _attend(q, k, v, mask)
    return mixed @ W_o, weights


def multi_head__like_pytorch(x, W, W_o, heads, mask=None):
    """the weights are averaged over the heads"""
    pieces = zip(*(part.chunk(heads, dim=-1) for part in (x @ W).chunk(3, dim=-1)), strict=True)
    found = [_attend(*piece, mask) for piece in pieces]
    return torch.cat([o for o, _ in found], -1) @ W_o, sum(w for _, w in found) / heads


def multi_head__reversed(x, W, W_o, heads, mask=None):
    """the two results have changed places"""
    pieces = zip(*(part.chunk(heads, dim=-1) for part in (x @ W).chunk(3, dim=-1)), strict=True)
    found = [_attend(*piece, mask) for piece in pieces]
    return torch.stack([w for _, w in found], -3), torch.cat([o for o, _ in found], -1) @ W_o


def multi_head__alone(x, W, W_o, heads, mask=None):
    """only the output is returned"""
    pieces = zip(*(part.chunk(heads, dim=-1) for part in (x @ W).chunk(3, dim=-1)), strict=True)
    return torch.cat([_attend(*piece, mask)[0] for piece in pieces], -1) @ W_o


def grouped_query__cat(q, k, v):
    """the heads are lent in turn (repeat), not in groups"""
    group = q.shape[-3] // k.shape[-3]
    return _attend(q, torch.cat([k] * group, dim=-3), torch.cat([v] * group, dim=-3))


def grouped_query__modulo(q, k, v):
    """the heads are lent in turn (repeat), not in groups"""
    owner = torch.arange(q.shape[-3]) % k.shape[-3]
    return _attend(q, k[..., owner, :, :], v[..., owner, :, :])


def grouped_query__two_ways(q, k, v):
    """keys and values are lent in different orders"""
    heads = torch.arange(q.shape[-3])
    G = k.shape[-3]
    return _attend(q, k[..., heads // (len(heads) // G), :, :], v[..., heads % G, :, :])


def grouped_query__multi_query(q, k, v):
    """all query heads read the first head of keys and values"""
    return _attend(q, k.select(-3, 0).unsqueeze(-3), v.select(-3, 0).unsqueeze(-3))


def grouped_query__as_many(q, k, v):
    """only some of the query heads ask"""
    return _attend(q.narrow(-3, 0, k.shape[-3]), k, v)


def grouped_query__mean_query(q, k, v):
    """the queries of a group are averaged"""
    groups = q.chunk(k.shape[-3], dim=-3)
    return _attend(torch.cat([g.mean(dim=-3, keepdim=True) for g in groups], dim=-3), k, v)


def grouped_query__mean_key(q, k, v):
    """the keys of all groups are averaged"""
    return _attend(q, k.sum(-3, keepdim=True) / k.shape[-3], v.sum(-3, keepdim=True) / v.shape[-3])


def grouped_query__wrong_axis(q, k, v):
    """the words are repeated, not the heads"""
    index = torch.arange(k.shape[-2]).repeat_interleave(q.shape[-3] // k.shape[-3])
    return _attend(q, k[..., index, :], v[..., index, :])


def talk__view(x, heads):
    """the mistake is still in it"""
    q = x.view(x.shape[0], heads, x.shape[1], -1)
    return _attend(q, q, q)[0].contiguous().view(x.shape)


def talk__one_way(x, heads):
    """the way in is mended, the way back is not"""
    q = _cut(x, heads)
    return _attend(q, q, q)[0].reshape(*x.shape)


def talk__the_other_way(x, heads):
    """the way back is mended, the way in is not"""
    q = x.view(x.shape[0], heads, x.shape[1], -1)
    return _join(_attend(q, q, q)[0])


def talk__not_in_front(x, heads):
    """the heads of one word attend to each other"""
    q = torch.stack(x.chunk(heads, dim=-1), dim=2)
    return _attend(q, q, q)[0].reshape(x.shape)


def talk__whole(x, heads):
    """the heads are gone"""
    q = x.unsqueeze(1)
    return _attend(q, q, q)[0].squeeze(1)


def talk__strides(x, heads):
    """the numbers are dealt out to the heads in turn"""
    result = torch.empty_like(x)
    for head in range(heads):
        q = x[:, :, head::heads]
        result[:, :, head::heads] = _attend(q, q, q)[0]
    return result


def padded_heads__unsqueezed_once(q, k, v, real):
    """the mistake is still in it"""
    return _attend(q, k, v, real.unsqueeze(-2).unsqueeze(0))


def padded_heads__rows(q, k, v, real):
    """queries are hidden, not keys"""
    scores = q @ k.mT / q.shape[-1] ** 0.5
    weights = scores.masked_fill(~real[:, None, :, None], -1e9).softmax(-1)
    weights = weights * real[:, None, :, None]
    return weights @ v, weights


def padded_heads__two_in_front(q, k, v, real):
    """sentences meet queries"""
    return _attend(q, k, v, real[None, None])


def padded_heads__of_the_first(q, k, v, real):
    """one sentence's padding serves for all"""
    return _attend(q, k, v, real[0])


def padded_heads__common(q, k, v, real):
    """a key is hidden from all sentences if it is padding in one"""
    weights = (q @ k.mT / q.shape[-1] ** 0.5).exp() * real.all(0)
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)
    return weights @ v, weights


def padded_heads__inverted(q, k, v, real):
    """the mask is turned round"""
    return _attend(q, k, v, real.logical_not().view(len(real), 1, 1, -1))


def padded_heads__without(q, k, v, real):
    """nothing is hidden any more"""
    return _attend(q, k, v)


def probe__means(vectors, labels, new):
    """the nearer mean decides"""
    one, nought = vectors[labels == 1].mean(dim=0), vectors[labels == 0].mean(dim=0)
    middle = (one + nought) / 2
    return ((new - middle) @ (one - nought) > 0).long()


def probe__neighbour(vectors, labels, new):
    """the nearest vector decides"""
    found = [((vectors - x) ** 2).sum(dim=1).argmin() for x in new]
    return torch.stack([labels[n] for n in found])


def probe__without_b(vectors, labels, new):
    """there is no b"""
    x, y = vectors.double(), (2.0 * labels - 1).double()
    w = torch.linalg.solve(x.T @ x, x.T @ y)
    return (new.double() @ w > 0).long()


def probe__above_nought(vectors, labels, new):
    """0 and 1 are fitted, and 0 is the border"""
    middle, share = vectors.mean(dim=0), labels.float().mean()
    w = torch.linalg.lstsq(vectors - middle, (labels - share)[:, None]).solution[:, 0]
    return ((new - middle) @ w + share > 0).long()


def probe__below(vectors, labels, new):
    """the labels have changed places"""
    x = torch.nn.functional.pad(vectors, (1, 0), value=1.0)
    w = torch.linalg.pinv(x) @ (2.0 * labels - 1)
    return (new @ w[1:] + w[0] < 0).long()


def _without(model, text, silenced):
    logs = model(text, silenced).log_softmax(dim=-1)[:-1]
    return -logs[torch.arange(len(text) - 1), text[1:]].mean().item()


def which_head__lowest(model, text, layers, heads):
    """the head is taken without which the loss is lowest"""
    pairs = [(a, b) for a in range(layers) for b in range(heads)]
    return sorted(pairs, key=lambda pair: _without(model, text, [pair]))[0]


def which_head__head_first(model, text, layers, heads):
    """layer and head have changed places"""
    pairs = [(a, b) for b in range(heads) for a in range(layers)]
    a, b = max(pairs, key=lambda pair: _without(model, text, [pair]))
    return b, a


def which_head__loud(model, text, layers, heads):
    """the loudest head is taken, not the one that is needed"""
    whole = model(text, [])
    table = torch.zeros(layers, heads)
    for a in range(layers):
        for b in range(heads):
            table[a, b] = (whole - model(text, [(a, b)])).abs().mean()
    return divmod(table.argmax().item(), heads)


def which_head__this_word(model, text, layers, heads):
    """the scores are compared with the word that is there"""
    losses = []
    for a in range(layers):
        for b in range(heads):
            logs = model(text, [(a, b)]).log_softmax(dim=-1)
            losses.append(-logs.gather(1, text[:, None]).sum().item())
    return divmod(losses.index(max(losses)), heads)


def which_head__layer_nought(model, text, layers, heads):
    """only one layer is searched"""
    losses = [_without(model, text, [(0, b)]) for b in range(heads)]
    return 0, losses.index(max(losses))


def probe__own_mean(vectors, labels, new):
    """the new vectors are centred by their own mean"""
    w = torch.linalg.lstsq(vectors - vectors.mean(0), (2.0 * labels - 1)[:, None]).solution[:, 0]
    return ((new - new.mean(0)) @ w > 0).long()


def probe__no_mean_of_labels(vectors, labels, new):
    """the vectors are centred, and the mean of the labels is forgotten"""
    middle = vectors.mean(dim=0)
    w = torch.linalg.pinv(vectors - middle) @ (labels.float() - 0.5)
    return ((new - middle) @ w > 0).long()


def probe__sign(vectors, labels, new):
    """the fit is given as -1 and 1"""
    x = torch.cat([vectors, torch.ones(len(vectors), 1)], dim=1)
    w = torch.linalg.lstsq(x, (2.0 * labels - 1)[:, None]).solution[:, 0]
    return torch.sign(new @ w[:-1] + w[-1]).long()


def probe__round(vectors, labels, new):
    """the fit is rounded, not held against the border"""
    x = torch.cat([vectors, torch.ones(len(vectors), 1)], dim=1)
    w = torch.linalg.lstsq(x, labels.float()[:, None]).solution[:, 0]
    return torch.round(new @ w[:-1] + w[-1]).to(torch.long)


def probe__upper_half(vectors, labels, new):
    """half of the new vectors get each label"""
    x = torch.cat([vectors, torch.ones(len(vectors), 1)], dim=1)
    w = torch.linalg.lstsq(x, (2.0 * labels - 1)[:, None]).solution[:, 0]
    along = new @ w[:-1] + w[-1]
    return (along > torch.median(along)).long()


def which_head__largest_change(model, text, layers, heads):
    """a loss that falls counts as much as one that rises"""
    whole = _without(model, text, [])
    pairs = [(a, b) for a in range(layers) for b in range(heads)]
    return max(pairs, key=lambda pair: (_without(model, text, [pair]) - whole) ** 2)


def which_head__all_others(model, text, layers, heads):
    """all heads but one are silenced"""
    pairs = [(a, b) for a in range(layers) for b in range(heads)]
    return min(pairs, key=lambda p: _without(model, text, [q for q in pairs if q != p]))


def which_head__mean_probability(model, text, layers, heads):
    """a word that becomes impossible counts too little"""
    pairs = [(a, b) for a in range(layers) for b in range(heads)]

    def sure(pair):
        chances = model(text, [pair]).softmax(dim=-1)
        return sum(chances[t, text[t + 1]].item() for t in range(len(text) - 1))

    return min(pairs, key=sure)


def which_head__scores_as_they_are(model, text, layers, heads):
    """the scores of the right words are averaged, without a softmax"""
    pairs = [(a, b) for a in range(layers) for b in range(heads)]
    return max(pairs, key=lambda p: F.nll_loss(model(text, [p])[:-1], text[1:]).item())


def which_head__hits(model, text, layers, heads):
    """wrong guesses are counted, not the loss"""
    pairs = [(a, b) for a in range(layers) for b in range(heads)]
    return min(pairs, key=lambda p: (model(text, [p]).argmax(-1)[:-1] == text[1:]).sum().item())


def which_head__rolled(model, text, layers, heads):
    """the last word is taken to be followed by the first"""
    pairs = [(a, b) for a in range(layers) for b in range(heads)]
    following = torch.cat([text[1:], text[:1]])
    return max(pairs, key=lambda p: F.cross_entropy(model(text, [p]), following).item())


def which_head__word_before(model, text, layers, heads):
    """the scores are compared with the word before"""
    pairs = [(a, b) for a in range(layers) for b in range(heads)]
    return max(pairs, key=lambda p: F.cross_entropy(model(text, [p])[1:], text[:-1]).item())
