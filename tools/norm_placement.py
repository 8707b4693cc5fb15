#!/usr/bin/env python3
"""Record the trainings behind the widget NormPlacement: norm_placement.json.

usage: tools/norm_placement.py      (ten minutes; only needed to change what is trained)
"""

import json
from itertools import product
from multiprocessing import Pool
from pathlib import Path

import torch

from transformer_lab.widgets.norm_placement import LAYERS, RATES, WARM_UPS, WIRINGS, train

TARGET = Path(__file__).parents[1] / "widgets/norm_placement.json"
SEEDS = 3


def losses(place: tuple[str, str, int, float]) -> list[list[float]]:
    """Return the losses of the runs of one place, a list for each seed."""
    torch.set_num_threads(1)
    warm_up, wiring, layers, rate = place
    return [train(wiring, layers, rate, warm_up, seed) for seed in range(SEEDS)]


def main() -> None:
    """Train all, and write their losses: warm-up → wiring → layers → rate → seed."""
    places = [*product(WARM_UPS, WIRINGS, LAYERS, RATES)]
    with Pool(2) as pool:
        found = iter(pool.map(losses, places, chunksize=1))
    recorded = {
        warm_up: {w: [[next(found) for _ in RATES] for _ in LAYERS] for w in WIRINGS}
        for warm_up in WARM_UPS
    }
    TARGET.write_text(json.dumps(recorded, separators=(",", ":")) + "\n", "utf8")


if __name__ == "__main__":
    main()
