"""benchmarks.attention compares like with like: every way gives the same numbers."""

import itertools

import pytest
import torch

from benchmarks import attention, clock
from benchmarks.report import table


def compare(ways):
    results = {name: way() for name, way in ways.items()}
    for a, b in itertools.combinations(results.values(), 2):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
    return list(results)


@torch.no_grad()
def test_all_ways_give_the_same_numbers():
    q, k, v = torch.randn(3, 2, 3, 7, 4)
    assert compare(attention.explicit_ways(q, k, v)) == ["ours", "plain", "Hugging Face"]
    assert compare(attention.fused_ways(q, k, v)) == ["ours", "PyTorch"]


def test_the_report_has_a_row_for_every_size(monkeypatch):
    monkeypatch.setattr(attention, "SIZES", [(1, 2, 3, 4), (2, 2, 5, 4)])
    lines = attention.measure(rounds=1, runs=2).splitlines()
    assert [line.split(" | ")[0] for line in lines[:4:]][2:] == ["| (1, 2, 3, 4)", "| (2, 2, 5, 4)"]
    assert len({line.count("|") for line in lines[:4]}) == 1


def test_every_round_takes_every_way_once_in_changing_order():
    calls = []
    ways = {name: lambda name=name: calls.append(name) for name in "abc"}
    assert list(clock.in_turn(ways, rounds=20)) == ["a", "b", "c"]
    rounds = [tuple(calls[i : i + 3]) for i in range(0, len(calls), 3)]
    assert len(rounds) == 21  # one to warm up
    assert all(sorted(some) == ["a", "b", "c"] for some in rounds)
    assert len(set(rounds)) > 1


def test_times_are_medians_in_milliseconds(monkeypatch):
    ticks = iter([0, 0.001, 5, 5.009, 6, 6.002])  # 1, 9 and 2 ms
    monkeypatch.setattr(clock.time, "perf_counter", lambda: next(ticks))
    assert clock.in_turn({"a": lambda: None}, rounds=3)["a"] == pytest.approx(2)


def test_a_ratio_is_the_median_of_the_runs_ratios_and_says_how_they_spread():
    assert clock.ratio([1.0, 6.0, 3.0], [1.0, 2.0, 2.0]) == "1.50 (1.00–3.00)"


def test_a_table_is_markdown():
    assert table(["a", "b"], [["c", "1"]]) == "| a | b |\n|---|--:|\n| c | 1 |"
