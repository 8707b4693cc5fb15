import math

import torch
import torch.nn.functional as F
from torch import nn


def merge_pair__right_recursive_pop(ids, pair, new):
    """A stack of what is left, read backwards."""
    left, out = list(reversed(ids)), []
    while left:
        head = left.pop()
        if left and (head, left[-1]) == tuple(pair):
            left.pop()
            head = new
        out += [head]
    return out


def decode__right_unfold_bytearray(ids, merges):
    """No table: each id is opened with a stack."""
    data = bytearray()
    todo = list(ids)[::-1]
    while todo:
        i = todo.pop()
        if i < 256:
            data.append(i)
        else:
            first, second = merges[i - 256]
            todo += [second, first]
    return str(data, "utf-8", "replace")


class Attention__right_loop_over_heads(nn.Module):
    """One head after the other, an additive mask, and exp by hand."""

    def __init__(self, width, heads, kv_heads=None, base=10_000):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.size = width // heads

    def forward(self, x):
        q, k, v, = (layer(x).split(self.size, dim=-1) for layer in self.layers[:3])
        T = x.size(1)
        future = torch.full((T, T), -torch.inf, device=x.device).triu(1)
        heads = []
        for one_q, one_k, one_v in zip(q, k, v):
            scores = torch.einsum("bik,bjk->bij", rotate(one_q), rotate(one_k))
            scores = scores * self.size**-0.5 + future
            scores = scores - scores.amax(-1, keepdim=True)
            weights = scores.exp()
            heads.append(weights @ one_v / weights.sum(-1, keepdim=True))
        return self.layers[3](torch.cat(heads, -1))


class GPT__right_sequential(nn.Sequential):
    """The model is nothing but a chain of its parts."""

    def __init__(
        self, vocabulary, width, heads, layers, kv_heads=None, hidden=None, base=10_000
    ):
        super().__init__(
            nn.Embedding(vocabulary, width),
            *[Block(width, heads, kv_heads, hidden, base) for _ in range(layers)],
            RMSNorm(width),
            nn.Linear(width, vocabulary, bias=False),
        )


def loss__right_logsumexp(model, ids):
    """Cross-entropy by hand: log of the sum of exponentials minus the logit."""
    logits = model(ids)[:, :-1]
    asked = ids[:, 1:, None]
    return (logits.logsumexp(-1) - logits.gather(-1, asked)[..., 0]).mean()


def perplexity__right_generator(model, texts):
    """Weights first, in a try that gives the mode back."""
    mode = model.training
    try:
        model.eval()
        with torch.inference_mode():
            counts = [len(ids) * (ids.shape[1] - 1) for ids in texts]
            return math.prod(
                math.exp(float(loss(model, ids)) * n / sum(counts))
                for ids, n in zip(texts, counts)
            )
    finally:
        model.train(mode)


def choose__right_row_by_row(logits, temperature, top_p):
    """A loop over texts and tokens, without cumsum or scatter."""
    rows = []
    for p in (logits / temperature).softmax(-1):
        kept = torch.zeros_like(p)
        reached = 0.0
        for n, i in enumerate(p.argsort(descending=True).tolist()):
            if n and reached >= top_p:
                break
            kept[i] = p[i]
            reached += p[i].item()
        rows.append(kept / kept.sum())
    return torch.stack(rows)


def generate__right_filled_in_place(model, ids, count, temperature, top_p):
    """All room is made first, then filled column by column."""
    B, T = ids.shape
    whole = ids.new_zeros(B, T + count)
    whole[:, :T] = ids
    for t in range(T, T + count):
        with torch.no_grad():
            logits = model(whole[:, :t])
        p = choose(logits[:, -1, :], temperature, top_p)
        whole[:, t] = torch.multinomial(p, num_samples=1).squeeze(1)
    return whole
