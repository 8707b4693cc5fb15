"""generate: draw one token after the other."""

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .choose import choose


def generate(model: nn.Module, ids: Tensor, count: int, temperature: float, top_p: float) -> Tensor:
    """Draw one token after the other."""
    with torch.no_grad():
        for _ in range(count):
            p = choose(said(model, ids), temperature, top_p)
            ids = torch.cat([ids, drawn(p)], dim=1)
    return ids


def said(model: nn.Module, ids: Tensor) -> Tensor:
    """Return the logits of what comes next."""
    return model(ids)[:, -1]


def drawn(p: Tensor) -> Tensor:
    """Draw a token for each text."""
    return torch.multinomial(p, 1)


def counted(
    answer: type,
    table: torch.Tensor,
    ids: torch.Tensor,
    count: int,
    temperature: float,
    top_p: float,
) -> tuple:
    """Generate with a small model many times, and return how often each token occurs.

    What it says depends on the last token and on the one before.
    """

    class Table(nn.Module):
        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return table[ids] + table[ids.roll(1, dims=1)].flip(-1) / 2

    torch.manual_seed(0)
    times = 4000
    many = ids.repeat(times, 1)
    written = answer(Table(), many.clone(), count, temperature, top_p)
    if not isinstance(written, torch.Tensor) or written.shape != (times, ids.size(1) + count):
        is_tensor = isinstance(written, torch.Tensor)
        return list(written.shape) if is_tensor else written, None, None
    begun, new = written[:, : ids.size(1)], written[:, ids.size(1) :]
    shares = (new[..., None] == torch.arange(table.size(0))).to(table.dtype).mean(dim=0)
    return list(written.shape), torch.equal(begun, many), shares


def _unless_unlikely(
    result: tuple, table: Tensor, ids: Tensor, count: int, temperature: float, top_p: float
) -> tuple:
    """Replace shares by the true ones if they differ no more than chance explains."""
    shape, begun, shares = result
    right = _shares(table, ids, count, temperature, top_p)
    if not isinstance(shares, Tensor) or shares.shape != right.shape:
        return result
    near = (shares - right).abs() < 0.045  # six times what chance makes of 4000 draws
    possible = (right > 0) | (shares == 0)
    return shape, begun, torch.where(near & possible, right.to(shares.dtype), shares)


def _shares(table: Tensor, ids: Tensor, count: int, temperature: float, top_p: float) -> Tensor:
    """Compute how often each token comes at each step, over all that may be written."""
    size = table.size(0)
    pairs = torch.zeros(size, size)  # the probability of each last two tokens
    pairs[ids[0, -2], ids[0, -1]] = 1.0
    logits = table.unsqueeze(0) + table.flip(-1).unsqueeze(1) / 2  # [before, last, next]
    p = choose(logits.flatten(0, 1), temperature, top_p).unflatten(0, (size, size)).float()
    found = [torch.zeros(0, size)]
    for _ in range(count):
        following = (pairs.unsqueeze(-1) * p).sum(dim=0)
        found.append(following.sum(dim=0, keepdim=True))
        pairs = following
    return torch.cat(found)


EXERCISE = Exercise(
    __name__,
    generate,
    results={
        "shape": "",
        "beginning kept": "",
        "share of each token at each step": "tokens, vocabulary",
    },
    section="book/training_and_writing#Writing, step by step",
    effect=_unless_unlikely,
    driver=counted,
    seconds=10.0,
)


@EXERCISE.requires(
    "It draws each token by the probabilities of `choose`, and reads all that is written so far.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return a few models, temperatures and lengths."""
    cases = ((3, 1, 1.0, 1.0), (4, 2, 0.7, 0.9), (5, 3, 1.5, 0.8), (4, 2, 1.0, 0.6))
    return [_inputs(draw, *case) for case in cases]


@EXERCISE.requires("It takes a count of 0, and beginnings of any length.", points=1)
def ends(draw: Draw) -> list[Inputs]:
    """Return no token to write, and a longer beginning."""
    longer = _inputs(draw, 4, 1, 1.0, 0.9, begun=6)
    return [_inputs(draw, 3, 0, 1.0, 1.0), longer, _inputs(draw, 5, 4, 0.5, 0.95, begun=3)]


def _inputs(
    draw: Draw, vocabulary: int, count: int, temperature: float, top_p: float, begun: int = 2
) -> Inputs:
    """Draw a model's table and a beginning."""
    rows = [draw.distinct(vocabulary, low=0, high=2 * vocabulary) for _ in range(vocabulary)]
    table = torch.tensor(rows) / 3 + torch.arange(vocabulary**2).cos().view(vocabulary, -1) / 20
    ids = draw.ids(1, begun, high=vocabulary)
    return Inputs((table, ids, count, temperature, top_p))


@EXERCISE.mistake(
    "the likeliest token is taken, and nothing is drawn",
    why="That is greedy, and it soon repeats itself. torch.multinomial(p, 1) draws.",
    of=drawn,
)
def greedy(p: Tensor) -> Tensor:
    return p.argmax(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "the logits of the first position are used",
    why="The prediction of the next token is at the last position: logits[:, -1].",
    of=said,
)
def first_position(model: nn.Module, ids: Tensor) -> Tensor:
    return model(ids)[:, 0]


@EXERCISE.mistake(
    "the model reads only the last token",
    why="It needs all that is written so far: give it `ids`, which grow.",
    of=said,
)
def last_token(model: nn.Module, ids: Tensor) -> Tensor:
    return model(ids[:, -1:])[:, -1]


@EXERCISE.mistake(
    "the model reads the beginning only",
    why="Each new token is appended to what the model reads next.",
)
def beginning_only(
    model: nn.Module, ids: Tensor, count: int, temperature: float, top_p: float
) -> Tensor:
    p = choose(said(model, ids), temperature, top_p)
    return torch.cat([ids, *(drawn(p) for _ in range(count))], dim=1)


@EXERCISE.mistake(
    "only the new tokens are returned",
    why="Return the ids of the beginning, too, followed by the new ones.",
)
def new_only(model: nn.Module, ids: Tensor, count: int, temperature: float, top_p: float) -> Tensor:
    return generate(model, ids, count, temperature, top_p)[:, ids.size(1) :]


@EXERCISE.mistake(
    "temperature or top_p is not used",
    why="Call choose(logits, temperature, top_p), and draw from what it returns.",
)
def without_choice(
    model: nn.Module, ids: Tensor, count: int, temperature: float, top_p: float
) -> Tensor:
    return generate(model, ids, count, 1.0, 1.0)


@EXERCISE.mistake(
    "the number of new tokens is not `count`",
    why="It writes one token for each round: `for _ in range(count)`.",
)
def up_to_count(
    model: nn.Module, ids: Tensor, count: int, temperature: float, top_p: float
) -> Tensor:
    return generate(model, ids, max(count - ids.size(1), 0), temperature, top_p)
