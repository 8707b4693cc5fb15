"""Choose the next token by the model's logits.

A method is a function from logits to tokens: `greedy`, or `sample` with its settings,
`partial(sample, temperature=0.8, top_p=0.9)`. A filter is a function from logits to logits, in
which -inf marks the tokens that may not be chosen.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_lab._checks import check_integers, check_logits, check_number


def greedy(logits: Float[Tensor, "B V"]) -> Int[Tensor, " B"]:
    """Return the most probable token of each row.

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

    A `generator` seeded alike draws the same tokens, on any device; without one torch's own draws.
    Raises what `apply_temperature`, `keep_top_k` and `keep_top_p` raise.
    """
    logits = apply_temperature(logits, temperature)
    if top_k is not None:
        logits = keep_top_k(logits, top_k)
    if top_p is not None:
        logits = keep_top_p(logits, top_p)
    p = logits.softmax(dim=-1)
    drawn = torch.multinomial(
        p if generator is None else p.to(generator.device), 1, generator=generator
    )
    return drawn.squeeze(-1).to(logits.device)


def apply_temperature(logits: Float[Tensor, "*B V"], temperature: float) -> Float[Tensor, "*B V"]:
    """Divide by the temperature: below 1 the likely gets likelier, above 1 all get more alike.

    Raises what `greedy` raises, and ValueError for a temperature that is not positive and finite,
    or so small that the quotients are not.
    """
    check_logits(logits)
    check_number(temperature=temperature)
    if not 0 < temperature < float("inf"):
        raise ValueError(
            f"temperature must be a positive number, but is {temperature}. For the likeliest "
            f"token, which is what a temperature of 0 would mean, pass choose=greedy."
        )
    scaled = logits / temperature
    if not scaled.amax(dim=-1).isfinite().all():
        raise ValueError(
            f"divided by a temperature of {temperature}, these logits exceed what {logits.dtype} "
            f"can hold. For such a low temperature, pass choose=greedy."
        )
    return scaled


def keep_top_k(logits: Float[Tensor, "*B V"], k: int) -> Float[Tensor, "*B V"]:
    """Keep the k most probable tokens, and those as probable as the last of them.

    Source: Fan et al. 2018, section 5.4.
    Raises what `greedy` raises, and ValueError for a k below 1 or above the number of tokens.
    """
    check_logits(logits)
    check_integers(k=k)
    if k > logits.size(-1):
        raise ValueError(f"k must be from 1 to the {logits.size(-1)} tokens there are, but is {k}.")
    least = logits.topk(k).values[..., -1:]
    return logits.masked_fill(logits < least, -torch.inf)


def keep_top_p(logits: Float[Tensor, "*B V"], p: float) -> Float[Tensor, "*B V"]:
    """Keep the fewest most probable tokens that together have probability p ("nucleus").

    So a token goes if it and all less likely ones together have no more than 1 - p.

    Source: Holtzman et al. 2020, section 3.1.
    Raises what `greedy` raises, and ValueError for a p that is not above 0 and at most 1.
    """
    check_logits(logits)
    check_number(p=p)
    if not 0 < p <= 1:
        raise ValueError(f"p must be a probability above 0 and at most 1, but is {p}.")
    ascending, order = logits.softmax(dim=-1).sort(dim=-1)
    goes = ascending.cumsum(dim=-1) <= 1 - p
    goes[..., -1] = False  # the most probable token stays, however small p is
    return logits.masked_fill(goes.scatter(-1, order, goes), -torch.inf)
