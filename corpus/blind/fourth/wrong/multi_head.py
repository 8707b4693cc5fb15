"""Wrong answers to the new tasks on several heads, fourth set, written from their text alone."""

import torch
import torch.nn.functional as F


def probe__nearest_mean(vectors, labels, new):
    """Gives the label whose mean is nearer."""
    means = torch.stack([vectors[labels == n].mean(dim=0) for n in (0, 1)])
    return torch.cdist(new, means).argmin(dim=1)


def probe__nearest_vector(vectors, labels, new):
    """Gives the label of the nearest known vector."""
    return labels[torch.cdist(new, vectors).argmin(dim=1)]


def probe__through_zero(vectors, labels, new):
    """Has no b."""
    wanted = 2.0 * labels - 1
    w = torch.linalg.lstsq(vectors, wanted[:, None]).solution[:, 0]
    return (new @ w > 0).long()


def probe__zeros_and_ones(vectors, labels, new):
    """Fits 0 and 1, and asks what lies above 0."""
    x = torch.cat([vectors, torch.ones(len(vectors), 1)], dim=1)
    w = torch.linalg.lstsq(x, labels.float()[:, None]).solution[:, 0]
    return (new @ w[:-1] + w[-1] > 0).long()


def probe__few_steps(vectors, labels, new):
    """Stops walking downhill long before the bottom."""
    middle = vectors.mean(dim=0)
    x, wanted = vectors - middle, 2.0 * labels - 1
    w = torch.zeros(x.size(1))
    for _ in range(3):
        w = w - x.T @ (x @ w + wanted.mean() - wanted) / x.square().sum()
    return ((new - middle) @ w + wanted.mean() > 0).long()


def probe__scores(vectors, labels, new):
    """Gives the scores, not the labels."""
    x = torch.cat([vectors, torch.ones(len(vectors), 1)], dim=1)
    w = torch.linalg.lstsq(x, (2.0 * labels - 1)[:, None]).solution[:, 0]
    return new @ w[:-1] + w[-1]


def probe__most_frequent(vectors, labels, new):
    """Gives every vector the commoner label."""
    common = int(labels.sum() * 2 > len(labels))
    return torch.full((len(new),), common)


def probe__labels_turned(vectors, labels, new):
    """Gives 1 for what lies below 0."""
    x = torch.cat([vectors, torch.ones(len(vectors), 1)], dim=1)
    w = torch.linalg.lstsq(x, (2.0 * labels - 1)[:, None]).solution[:, 0]
    return (new @ w[:-1] + w[-1] < 0).long()


def probe__booleans(vectors, labels, new):
    """Gives True and False."""
    x = torch.cat([vectors, torch.ones(len(vectors), 1)], dim=1)
    w = torch.linalg.lstsq(x, (2.0 * labels - 1)[:, None]).solution[:, 0]
    return new @ w[:-1] + w[-1] > 0


def probe__new_centred_by_itself(vectors, labels, new):
    """Subtracts the new vectors' own mean from them."""
    middle = vectors.mean(dim=0)
    x, wanted = vectors - middle, 2.0 * labels - 1
    w = torch.linalg.lstsq(x, (wanted - wanted.mean())[:, None]).solution[:, 0]
    return ((new - new.mean(dim=0)) @ w + wanted.mean() > 0).long()


def _losses(model, text, layers, heads):
    """Give the loss without each head."""
    every = [(layer, head) for layer in range(layers) for head in range(heads)]
    return {
        pair: F.cross_entropy(model(text, [pair])[:-1], text[1:]).item() for pair in every
    }


def which_head__least(model, text, layers, heads):
    """Gives the head without which the loss is lowest."""
    losses = _losses(model, text, layers, heads)
    return min(losses, key=losses.get)


def which_head__pair_turned(model, text, layers, heads):
    """Gives (head, layer)."""
    losses = _losses(model, text, layers, heads)
    return max(losses, key=losses.get)[::-1]


def which_head__numbered(model, text, layers, heads):
    """Gives one number for a head."""
    losses = list(_losses(model, text, layers, heads).values())
    return losses.index(max(losses))


def which_head__loudest(model, text, layers, heads):
    """Gives the head without which the scores change most."""
    whole, best, most = model(text, []), None, -1.0
    for layer in range(layers):
        for head in range(heads):
            moved = (model(text, [(layer, head)]) - whole).abs().mean().item()
            if moved > most:
                best, most = (layer, head), moved
    return best


def which_head__same_place(model, text, layers, heads):
    """Compares the scores with the word that is there, not with the next."""
    best, most = None, -1.0
    for layer in range(layers):
        for head in range(heads):
            loss = F.cross_entropy(model(text, [(layer, head)]), text).item()
            if loss > most:
                best, most = (layer, head), loss
    return best


def which_head__one_after_the_other(model, text, layers, heads):
    """Does not switch the heads on again."""
    silenced, before, best, most = [], None, None, float("-inf")
    before = F.cross_entropy(model(text, [])[:-1], text[1:]).item()
    for layer in range(layers):
        for head in range(heads):
            silenced.append((layer, head))
            loss = F.cross_entropy(model(text, silenced)[:-1], text[1:]).item()
            if loss - before > most:
                best, most = (layer, head), loss - before
            before = loss
    return best


def which_head__first_layer(model, text, layers, heads):
    """Looks at the first layer only."""
    losses = [F.cross_entropy(model(text, [(0, h)])[:-1], text[1:]) for h in range(heads)]
    return 0, max(range(heads), key=losses.__getitem__)


def which_head__alone(model, text, layers, heads):
    """Silences all but one, and takes the highest loss."""
    every = [(layer, head) for layer in range(layers) for head in range(heads)]
    losses = {}
    for pair in every:
        others = [other for other in every if other != pair]
        losses[pair] = F.cross_entropy(model(text, others)[:-1], text[1:]).item()
    return max(losses, key=losses.get)
