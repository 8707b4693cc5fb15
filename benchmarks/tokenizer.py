"""Byte-pair training, ours beside one that recounts all pairs for each merge."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from statistics import median

from benchmarks import clock, report
from tests.test_tokenizer import count_anew
from transformer_lab.tasks.shakespeare import plays
from transformer_lab.tokenizer import learn_merges

MERGES = 250
WHAT = """\
The first {merges} merges of {characters} characters: Shakespeare's plays, as the task has them.
Counting anew is the listing of Sennrich et al. 2016, and what this package did before; both learn
the same merges, or nothing is timed. Ours counts anew only the words that a merge changes, so the
more merges, the larger the ratio. A time is the median of a run's rounds, the ratio the median of
{runs} runs, with the smallest and the largest behind it."""


def ways(text: str, merges: int) -> dict[str, Callable[[], list]]:
    """Return both ways to learn merges, after checking that they learn the same."""

    def anew() -> list[tuple[bytes, bytes]]:
        return [best for best, _ in islice(count_anew(text), merges)]

    spelled = [bytes([byte]) for byte in range(256)]
    for left, right in learn_merges(text, merges):
        spelled.append(spelled[left] + spelled[right])
    if spelled[256:] != [left + right for left, right in anew()]:
        raise AssertionError("counting anew learns other merges")
    return {"ours": partial(learn_merges, text, merges), "anew": anew}


def measure(rounds: int = 1, runs: int = 3) -> str:
    """Time both; return the report."""
    text = "".join(plays().values())
    times = clock.runs(ways(text, MERGES), rounds, runs)
    seconds = [f"{median(some) / 1000:.2f}" for some in times.values()]
    ratio = clock.ratio(times["anew"], times["ours"])
    header = ["byte-pair training", "ours, s", "counting anew, s", "anew ÷ ours"]
    what = WHAT.format(merges=MERGES, characters=f"{len(text):,}", runs=runs)
    return f"{report.table(header, [[f'{MERGES} merges', *seconds, ratio]])}\n\n{what}"
