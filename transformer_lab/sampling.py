"""Choosing the next token by the model's logits.

A way to choose is a function from logits to tokens: `greedy`, or `sample` with what it needs,
`partial(sample, temperature=0.8, top_p=0.9)`. A filter is a function from logits to logits, in
which -inf marks what may not be chosen.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_lab._checks import check_floats, check_integers, check_number


def greedy(logits: Float[Tensor, "B V"]) -> Int[Tensor, " B"]:
    """Choose the likeliest token of each row.

    Raises ValueError for logits that leave no choice, such as NaN, TypeError for any but floats.
    """
    check_logits(logits)
    return logits.argmax(dim=-1)


def sample(
    logits: Float[Tensor, "B V"],
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Int[Tensor, " B"]:
    """Draw a token of each row by its probability, after temperature, top k and top p, in turn.

    The same `generator`, seeded alike, draws the same tokens; without one torch's own draws.
    Raises what `apply_temperature`, `keep_top_k` and `keep_top_p` raise; TypeError for a seed
    as generator, ValueError for logits of more than two axes.
    """
    if not (generator is None or isinstance(generator, torch.Generator)):
        raise TypeError(
            f"generator must be a torch.Generator, but is {generator!r}. A seed makes one: "
            f"torch.Generator().manual_seed(seed)."
        )
    logits = apply_temperature(logits, temperature)
    if logits.dim() > 2:
        raise ValueError(
            f"logits must be those of one place of each text, (batch, vocabulary), but have shape "
            f"{tuple(logits.shape)}. Those after the last token are logits[:, -1]."
        )
    if top_k is not None:
        logits = keep_top_k(logits, top_k)
    if top_p is not None:
        logits = keep_top_p(logits, top_p)
    return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator).squeeze(-1)


def apply_temperature(logits: Float[Tensor, "*B V"], temperature: float) -> Float[Tensor, "*B V"]:
    """Divide by the temperature: below 1 the likely gets likelier, above 1 all get more alike.

    Refuses what `greedy` refuses, and, with ValueError, a temperature not positive and finite, or
    so small that the quotients are not.
    """
    check_logits(logits)
    check_number(temperature=temperature)
    if not 0 < temperature < float("inf"):
        raise ValueError(
            f"temperature must be a positive number, but is {temperature}. For the likeliest "
            f"token, which is what a temperature of 0 would mean, choose=greedy."
        )
    tempered = logits / temperature
    if not tempered.amax(dim=-1).isfinite().all():
        raise ValueError(
            f"divided by a temperature of {temperature}, these logits lie beyond what "
            f"{logits.dtype} holds. The limit of low temperatures is choose=greedy."
        )
    return tempered


def keep_top_k(logits: Float[Tensor, "*B V"], k: int) -> Float[Tensor, "*B V"]:
    """Keep the k likeliest tokens, and what is as likely as the last of them.

    Source: Fan et al. 2018, section 5.4.
    Refuses what `greedy` refuses, and, with ValueError, a k below 1 or above the number of tokens.
    """
    check_logits(logits)
    check_integers(least=None, k=k)
    if not 1 <= k <= logits.size(-1):
        raise ValueError(f"k must be from 1 to the {logits.size(-1)} tokens there are, but is {k}.")
    least = logits.topk(k).values[..., -1:]
    return logits.masked_fill(logits < least, -torch.inf)


def keep_top_p(logits: Float[Tensor, "*B V"], p: float) -> Float[Tensor, "*B V"]:
    """Keep the fewest tokens, the likeliest ones, that together have probability p ("nucleus").

    So a token goes if it and all less likely ones together have no more than 1 - p.

    Source: Holtzman et al. 2020, section 3.1.
    Refuses what `greedy` refuses, and, with ValueError, a p that is not above 0 and at most 1.
    """
    check_logits(logits)
    check_number(p=p)
    if not 0 < p <= 1:
        raise ValueError(f"p must be a probability above 0 and at most 1, but is {p}.")
    ascending, order = logits.softmax(dim=-1).sort(dim=-1)
    goes = ascending.cumsum(dim=-1) <= 1 - p
    goes[..., -1] = False  # the likeliest stays, however small p is
    return logits.masked_fill(goes.scatter(-1, order, goes), -torch.inf)


def check_logits(logits: Tensor) -> None:
    """Refuse scores that nothing can be chosen by."""
    check_floats(logits=logits)
    if not logits.dim() or not logits.size(-1):
        raise ValueError(f"logits hold no token to choose: their shape is {tuple(logits.shape)}.")
    if logits.sum().isfinite():
        return  # as only a sum of finite numbers is: one look in place of six
    if logits.isnan().any() or (logits == torch.inf).any():
        raise ValueError(
            "logits hold NaN or infinity, so no token is likelier than another. Look for the "
            "first NaN in the model's weights: has its training diverged?"
        )
    if (logits == -torch.inf).all(dim=-1).any():
        raise ValueError("all logits of a row are -inf, so there is no token left to choose.")
