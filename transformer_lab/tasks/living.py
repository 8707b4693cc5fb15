"""One sentence and heads that read it, all numbers made by hand: the example of chapters 1 to 3.

"The cat sat on the mat because it was tired": a word's vector has five numbers with names, and so
has each row and column of the matrices. `W_Q` has a row for what a word is and a column for what
it looks for. Of the four heads, the first asks *who?* and the second *what about it?*; the others
are random, as heads are before training.

Queries and keys can be wider than these four numbers. In a model that has learned, what a word
means is spread over all numbers of its key, which are of comparable size, so products grow as
sqrt(d_k). So here: the numbers after the first four repeat them, more softly, with noise that
differs in each. With the division by sqrt(d_k), scores stay what they are for `d_k=4`, give or take
a little noise. Without it, scores and noise grow as sqrt(d_k), and the noise picks one winner.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.masking import causal_mask

FEATURES = ["alive", "thing", "action", "quality", "pronoun"]
#: What a query can look for, and a key be found by.
SOUGHT = FEATURES[:4]
D_K = len(SOUGHT)
D_V = 2
ENDINGS = ["tired", "soft"]
BEGINNING = ["The", "cat", "sat", "on", "the", "mat", "because", "it", "was"]
#: The numbers that are not 0.
MEANING = {
    "cat": {"alive": 2.0},
    "mat": {"thing": 2.0},
    "sat": {"action": 1.0},
    "it": {"pronoun": 1.0},
    "tired": {"alive": 1.0, "quality": 1.0},
    "soft": {"thing": 1.0, "quality": 1.0},
}
#: The widest query and key: beyond `D_K`, numbers repeat the first, with noise of such a size.
WIDEST = 64
NOISE, SEED = 0.5, 31


@dataclass(frozen=True)
class Head:
    """The matrices of a head, and the names of what it gives."""

    query: Float[Tensor, "D K"]
    key: Float[Tensor, "D K"]
    value: Float[Tensor, "D V"]
    output: Float[Tensor, "V D"]
    gives: tuple[str, str]


@dataclass(frozen=True)
class Layer:
    """All numbers of one layer: the words before it, and what each head makes of them."""

    x: Float[Tensor, "T D"]
    q: Float[Tensor, "H T K"]
    k: Float[Tensor, "H T K"]
    v: Float[Tensor, "H T V"]
    scores: Float[Tensor, "H T T"]
    weights: Float[Tensor, "H T T"]
    output: Float[Tensor, "H T V"]
    after: Float[Tensor, "T D"]


def sentence(ending: str = "tired") -> list[str]:
    """Return the ten words, of which the last is `ending`."""
    return [*BEGINNING, ending]


def vectors(words: list[str]) -> Float[Tensor, "T D"]:
    """Return a vector for each word; one that is not in `MEANING` says nothing."""
    meanings = [MEANING.get(word.lower(), {}) for word in words]
    return torch.tensor([[meaning.get(name, 0.0) for name in FEATURES] for meaning in meanings])


def _asks(**rows: dict[str, float]) -> Float[Tensor, "D K"]:
    sought = [rows.get(name, {}) for name in FEATURES]
    return torch.tensor([[row.get(name, 0.0) for name in SOUGHT] for row in sought])


def _made(query: Float[Tensor, "D K"], first: int) -> Head:
    """Make a head that finds words by what they are, and gives two features from `first` on."""
    given = torch.eye(len(FEATURES))[:, first : first + D_V]
    names = (FEATURES[first], FEATURES[first + 1])
    return Head(query, torch.eye(len(FEATURES), D_K), given, given.T, names)


def _random(seed: int) -> Head:
    generator = torch.Generator().manual_seed(seed)

    def matrix(rows: int, columns: int, size: float) -> Tensor:
        return (10 * size * torch.randn(rows, columns, generator=generator)).round() / 10

    D = len(FEATURES)
    query, key = matrix(D, D_K, 1.0), matrix(D, D_K, 1.0)
    return Head(query, key, matrix(D, D_V, 0.5), matrix(D_V, D, 0.5), ("first", "second"))


WHO = _asks(
    alive={"alive": 4.0},
    thing={"thing": 4.0},
    action={"alive": 4.0},
    pronoun={"alive": 3.0, "thing": 3.0, "quality": 3.0},
)
WHAT_ABOUT_IT = _asks(
    alive={"action": 4.0},
    thing={"quality": 4.0},
    pronoun={"quality": 8.0},
)
HEADS = [_made(WHO, 0), _made(WHAT_ABOUT_IT, 2), _random(1), _random(2)]


def noise() -> dict[str, Float[Tensor, "2 N"]]:
    """Return the noise in what fills up each word's query and key to `WIDEST` numbers.

    Over the copies of a number it adds up to 0, for each width: so it meets only other noise.
    """
    generator = torch.Generator().manual_seed(SEED)
    spoken = dict.fromkeys(word.lower() for word in [*sentence(), *ENDINGS])
    made = {}
    for word in spoken:
        copies = NOISE * torch.randn(2, WIDEST // D_K - 1, D_K, generator=generator)
        parts = copies.split([1, 2, 4, 8], dim=1)  # one more for each width
        balanced = torch.cat([part - part.mean(1, keepdim=True) for part in parts], dim=1)
        made[word] = (100 * balanced.flatten(1)).round() / 100
    return made


def projected(
    x: Float[Tensor, "T D"], words: list[str], number: int, d_k: int = D_K
) -> tuple[Float[Tensor, "T K"], Float[Tensor, "T K"], Float[Tensor, "T V"]]:
    """Return queries, keys and values of a head, with queries and keys cut or filled to `d_k`."""
    head, filling, more = HEADS[number], noise(), max(d_k - D_K, 0)
    softly = (1 + math.sqrt(d_k / D_K)) ** -0.5  # so that products grow as sqrt(d_k)
    drawn = torch.stack([filling[word.lower()] for word in words]).to(x.dtype)
    wide = []
    for i, made in enumerate((x @ head.query.to(x.dtype), x @ head.key.to(x.dtype))):
        again = softly * made.repeat(1, more // D_K) + drawn[:, i, :more]
        wide.append(torch.cat([made[:, :d_k], again], dim=-1))
    return wide[0], wide[1], x @ head.value.to(x.dtype)


def read(
    words: list[str],
    x: Float[Tensor, "T D"] | None = None,
    *,
    layers: int = 1,
    heads: int = 1,
    d_k: int = D_K,
    scaled: bool = True,
    causal: bool = False,
    attention: Callable = scaled_dot_product_attention,
) -> list[Layer]:
    """Read a sentence, and return the numbers of each layer. All layers have the same heads.

    Every head's output is *added* to the word, as in a Transformer: `after` of one layer is `x` of
    the next. `attention` is called with queries, keys, the identity for values, so that its output
    is its weights, and a mask if there is one.
    """
    x = vectors(words) if x is None else x
    mask = [causal_mask(len(words))] if causal else []
    done = []
    for _ in range(layers):
        q, k, v = (
            torch.stack(parts)
            for parts in zip(*(projected(x, words, n, d_k) for n in range(heads)), strict=True)
        )
        scores = q @ k.mT / (math.sqrt(d_k) if scaled else 1)
        undone = q if scaled else q * math.sqrt(d_k)  # undoes the division that attention makes
        identity = torch.eye(len(words), dtype=x.dtype).expand(heads, -1, -1)
        result = attention(undone, k, identity, *mask)
        weights = result[0] if isinstance(result, tuple) else result
        output = weights @ v
        writes = torch.stack([head.output for head in HEADS[:heads]]).to(x.dtype)
        after = x + (output @ writes).sum(0)
        done.append(Layer(x, q, k, v, scores, weights, output, after))
        x = after
    return done
