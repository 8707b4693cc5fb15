#!/usr/bin/env python3
"""Train the GPT of `book/gpt.py` on six plays, and write its weights in 8 bits.

usage: tools/shakespeare_gpt.py      (a minute; only needed to change gpt.py)

It is the whole model of `tools/gpt_ladder.py` after its last step.
"""

import json

import torch
from gpt_ladder import SOURCE, STEPS, module, texts
from safetensors.torch import save

from book._ext.packed_models import quantise
from transformer_lab.pretrained.shakespeare import FILE


def main() -> None:
    """Train, and write the file; the numbers that scale a norm stay float32."""
    torch.set_num_threads(1)
    vocabulary, data, val = texts()
    gpt = module(SOURCE)
    torch.manual_seed(0)
    model = gpt.GPT(len(vocabulary))
    for _ in gpt.train(model, data, STEPS):
        pass
    print(f"held-out loss {gpt.eval_loss(model, val):.3f}", flush=True)
    packed = {}
    for name, weight in model.state_dict().items():
        if weight.dim() == 2:
            packed[name], packed[f"{name}.scale"] = quantise(weight)
        else:
            packed[name] = weight
    config = {"symbols": len(vocabulary), "width": 96, "heads": 3, "layers": 3}
    about = {"config": json.dumps(config), "vocabulary": json.dumps(list(vocabulary))}
    FILE.write_bytes(save(packed, metadata=about))


if __name__ == "__main__":
    main()
