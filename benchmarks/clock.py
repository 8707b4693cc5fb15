"""Time several ways to do the same thing in turn, so that other load slows all of them."""

import random
import time
from collections.abc import Callable, Mapping
from statistics import median

Ways = Mapping[str, Callable[[], object]]


def in_turn(ways: Ways, rounds: int) -> dict[str, float]:
    """Return the median milliseconds of each way; every round takes them in another order."""
    dice = random.Random(0)
    times: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way()  # the first call also allocates and loads
    for _ in range(rounds):
        for name in dice.sample(list(ways), len(ways)):
            start = time.perf_counter()
            ways[name]()
            times[name].append(1000 * (time.perf_counter() - start))
    return {name: median(some) for name, some in times.items()}


def runs(ways: Ways, rounds: int, runs: int) -> dict[str, list[float]]:
    """Return each way's median milliseconds in each of several runs."""
    every = [in_turn(ways, rounds) for _ in range(runs)]
    return {name: [run[name] for run in every] for name in ways}


def ratio(ours: list[float], theirs: list[float]) -> str:
    """Return the median of the runs' ratios, with the smallest and largest: "1.02 (0.98–1.05)"."""
    ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
    return f"{median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})"
