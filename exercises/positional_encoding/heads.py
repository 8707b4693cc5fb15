"""Heads with different kinds of positions, whose scores depend on distance alone or not."""

import torch

from tensorgrader.exercise import Draw, Inputs, Made

PLACES = 32
NAMES = {
    "none": "no positions at all",
    "sines": "sines, added to the tokens",
    "learned": "a learned table, added to the tokens",
    "rotary": "rotary positions",
    "alibi": "ALiBi",
    "buckets": "a learned bias for each distance",
    "keys": "rotary positions for the keys alone",
    "bases": "rotary positions of another base for queries than for keys",
    "cycle": "a learned table of eight rows, taken again and again",
    "two rows": "a learned table of two rows, taken in turn",
    "three rows": "a learned table of three rows, taken in turn",
    "short cycle": "a learned table of five or seven rows, taken again and again",
    "early": "a table that is 0 but for the first places",
    "middle": "a table that is 0 but for places 8 to 15",
    "late": "a table that is 0 but for the last places",
    "centred": "rotary positions for the keys alone, and tokens less their mean over the text",
    "steeper": "ALiBi beyond distance 3, steeper for later queries",
    "rises": "scores that rise with the query's place",
    "falls": "scores that fall with the query's place",
    "ahead": "ALiBi, but steeper for later queries where the key stands ahead",
    "late queries": "scores of keys behind, that fall as the query comes to the last places",
    "cancelling": "scores that rise with the query's place as much as they fall with the key's",
    "faint": "scores that change by less than a hundredth with the query's place",
    "last": "scores that change by 0.0015 where the query is at the last place",
    "still": "scores that change by less than 0.001 with the query's place",
    "large": "rotary positions and large scores",
}


def heads(draw: Draw, *names: str) -> list[Inputs]:
    """Return a head for each of these names, with fresh numbers and in random order."""
    return [_made(draw, name, turn) for turn, name in enumerate(draw.shuffled(names))]


def _made(draw: Draw, name: str, turn: int) -> Inputs:
    """Return a head of random matrices with the kind of positions of this name."""
    width, place = 4 + 2 * (turn % 3), torch.arange(PLACES)[:, None]
    slow, fast = (place * base ** (-torch.arange(0, width, 2) / width) for base in (100, 4))
    rows, still = draw.normal(PLACES, width), torch.zeros_like(slow)
    early, late = draw.ids(1, low=1, high=4), draw.ids(1, low=24, high=26)
    back = place - place.T
    tables = {
        "sines": torch.cat([slow.sin(), slow.cos()], dim=-1),
        "learned": rows,
        "cycle": rows[place[:, 0] % 8],
        "two rows": rows[place[:, 0] % 2],
        "three rows": rows[place[:, 0] % 3],
        "short cycle": rows[place[:, 0] % (5 + 2 * draw.ids(1, high=2))],
        "early": rows * (place < early),
        "middle": rows * (place // 8 == 1),
        "late": rows * (place >= late),
    }
    angles = {
        "rotary": (slow, slow),
        "large": (slow, slow),
        "bases": (fast, slow),
        "keys": (still, slow),
        "centred": (still, slow),
    }
    biases = {
        "alibi": -back.abs() / 4,
        "buckets": draw.normal(2 * PLACES)[back + PLACES],
        "steeper": (back.abs() - 3).clamp(min=0) * (place + 1) / -32,
        "rises": (place + 0 * back) / 4,
        "falls": (place + 0 * back) / -4,
        "ahead": -back.abs() / 4 - (back < 0) * place / 4,
        "late queries": (back > 0) * (late - place - 1).clamp(max=0) / 2,
        "cancelling": (place.square() - place.T.square()) / 64,
        "faint": (place + 0 * back).sin() / 250,
        "last": (place == PLACES - 1) * 0.0015 + 0 * back,
        "still": (place + 0 * back).sin() * 0.0004,
    }
    given = {
        "query": draw.normal(width, width) * (4 if name == "large" else 0.5),
        "key": draw.normal(width, width) / 2,
        "asked of all": draw.normal(width) / 2,
        "table": tables.get(name),
        "angles": angles.get(name),
        "bias": biases.get(name),
        "centred": name == "centred",
        "places": PLACES,
    }
    return Inputs((Made(NAMES[name], head, (given,), steady=True), width))


def head(given: dict) -> object:
    """Return the score function of one attention head."""

    def turned(x: torch.Tensor, radians: torch.Tensor) -> torch.Tensor:
        one, two, radians = x[:, 0::2], x[:, 1::2], radians.to(x.dtype)
        cos, sin = radians.cos(), radians.sin()
        return torch.cat([one * cos - two * sin, one * sin + two * cos], dim=1)

    def scores(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        shape = (*places.shape, len(given["query"]))
        if places.dim() != 1 or x.shape != shape:
            raise ValueError(
                f"x has shape {tuple(x.shape)}, and places {tuple(places.shape)}: give x of shape "
                f"(T, {shape[-1]}), and T places"
            )
        known = range(given["places"])
        if places.is_floating_point() or not all(place in known for place in places.tolist()):
            raise ValueError(
                f"places are integers from 0 to {known[-1]}, given were "
                f"{places.tolist()}: move by less, so that all stay within"
            )
        x = x - x.mean(dim=0) if given["centred"] else x
        x = x if given["table"] is None else x + given["table"][places]
        q, k = (x @ given[one].to(x.dtype) for one in ("query", "key"))
        q = q + given["asked of all"].to(x.dtype)
        if given["angles"] is not None:
            for_queries, for_keys = given["angles"]
            q, k = turned(q, for_queries[places]), turned(k, for_keys[places])
        bias = given["bias"]
        return q @ k.mT if bias is None else q @ k.mT + bias[places][:, places].to(x.dtype)

    return scores
