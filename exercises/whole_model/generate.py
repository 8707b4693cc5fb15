"""generate: draw one token after the other."""

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .choose import choose


def generate(model: nn.Module, ids: Tensor, count: int, temperature: float, top_p: float) -> Tensor:
    """Draw one token after the other."""
    with torch.no_grad():
        for _ in range(count):
            p = choose(model(ids)[:, -1], temperature, top_p)
            ids = torch.cat([ids, torch.multinomial(p, 1)], dim=1)
    return ids


def counted(
    answer: type,
    table: torch.Tensor,
    ids: torch.Tensor,
    count: int,
    temperature: float,
    top_p: float,
) -> tuple:
    """Generate with a small model many times, and return how often each token occurs.

    What it says depends on the last token, on the one before, and on the first.
    """

    class Table(nn.Module):
        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            first = table[ids[:, :1]].roll(1, dims=-1)
            return table[ids] + table[ids.roll(1, dims=1)].flip(-1) / 2 + first

    torch.manual_seed(0)
    times = min(4000, 40_000 // ids.size(1))
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
    times = min(4000, 40_000 // ids.size(1))
    near = (shares - right).abs() < 2.85 / times**0.5  # six times what chance makes of these draws
    possible = (right > 0) | (shares == 0)
    return shape, begun, torch.where(near & possible, right.to(shares.dtype), shares)


def _shares(table: Tensor, ids: Tensor, count: int, temperature: float, top_p: float) -> Tensor:
    """Compute how often each token comes at each step, over all that may be written."""
    size = table.size(0)
    pairs = torch.zeros(size, size)  # the probability of each last two tokens
    pairs[ids[0, -2], ids[0, -1]] = 1.0
    logits = table.unsqueeze(0) + table.flip(-1).unsqueeze(1) / 2  # [before, last, next]
    logits = logits + table[ids[0, 0]].roll(1)
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


@EXERCISE.requires(
    "It takes a count of 0, and beginnings of any length, which the model reads whole.", points=1
)
def ends(draw: Draw) -> list[Inputs]:
    """Return no token to write, and longer beginnings; how the longest begins tells most."""
    longer = _inputs(draw, 4, 1, 1.0, 0.9, begun=6)
    table, ids, *others = _inputs(draw, 5, 2, 1.0, 1.0, begun=140).args
    table[0], ids[0, 0], ids[0, 1:] = torch.tensor([9.0, 0, 0, 0, 0]), 0, ids[0, 1:].clamp(min=1)
    longest = Inputs((table, ids, *others))
    return [_inputs(draw, 3, 0, 1.0, 1.0), longer, longest, _inputs(draw, 5, 4, 0.5, 0.95, begun=3)]


def _inputs(
    draw: Draw, vocabulary: int, count: int, temperature: float, top_p: float, begun: int = 2
) -> Inputs:
    """Draw a model's table and a beginning."""
    rows = [draw.distinct(vocabulary, low=0, high=2 * vocabulary) for _ in range(vocabulary)]
    table = torch.tensor(rows) / 3 + torch.arange(vocabulary**2).cos().view(vocabulary, -1) / 20
    ids = draw.ids(1, begun, high=vocabulary)
    return Inputs((table, ids, count, temperature, top_p))


EXERCISE.edit(
    "the likeliest token is taken, and nothing is drawn",
    {"torch.multinomial(p, 1)": "p.argmax(dim=-1, keepdim=True)"},
    why="That is greedy, and it soon repeats itself.\ntorch.multinomial(p, 1) draws.",
)
EXERCISE.edit(
    "the model reads only the last token",
    {"model(ids)": "model(ids[:, -1:])"},
    why="It needs all that is written so far.\nGive it `ids`, which grow.",
)
EXERCISE.edit(
    "only the new tokens are returned",
    {"return ids": "return ids[:, ids.size(1) - count :]"},
    why="\nReturn the ids of the beginning, too, followed by the new ones.",
)
EXERCISE.edit(
    "temperature or top_p is not used",
    {"[:, -1], temperature, top_p": "[:, -1], 1.0, 1.0"},
    why="\nCall choose(logits, temperature, top_p), and draw from what it returns.",
)
EXERCISE.edit(
    "the number of new tokens is not `count`",
    {"range(count)": "range(max(count - ids.size(1), 0))"},
    why="It writes one token for each round.\n`for _ in range(count)`.",
)
