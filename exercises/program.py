"""What makes a file of the answers to the last exercise run: the learner's own GPT."""

from tensorgrader.exercise import Program

HEAD = '''"""A GPT of my own: `python my_gpt.py --text FILE` learns a text, then writes.

Written by `transformer-lab assemble`.{taken}
"""
'''
IMPORTS = (
    "import argparse",
    "import math",
    "from pathlib import Path",
    "import torch",
    "import torch.nn.functional as F",
    "from torch import nn",
)
MAIN = """
def main():
    parser = argparse.ArgumentParser(description="Learn a text, then write.")
    parser.add_argument("--text", type=Path, default=Path(__file__), help="this file, unless given")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--merges", type=int, default=64)
    parser.add_argument("--count", type=int, default=200, help="tokens to write")
    options = parser.parse_args()

    text = options.text.read_text(encoding="utf-8")[:200_000]
    torch.manual_seed(0)
    torch.set_num_threads(1)  # models this small are quicker on one core
    merges = learn_merges(text[:20_000], options.merges)
    ids = torch.tensor(encode(text, merges))
    held_out, data = ids[: len(ids) // 10], ids[len(ids) // 10 :]
    length = min(64, len(held_out) - 1)
    if length < 2:
        parser.error(f"{options.text} has {len(ids)} tokens: give a longer text")
    model = GPT(256 + len(merges), 96, 3, 3)
    initialise(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    texts = held_out[: len(held_out) // length * length].view(-1, length)
    for step in range(0, options.steps, 100):
        print(f"step {step}: perplexity {perplexity(model, [texts]):.1f} on held-out text")
        places = torch.randint(len(data) - length, (min(100, options.steps - step), 16, 1))
        train(model, list(data[places + torch.arange(length + 1)]), optimizer, [])
    print(f"step {options.steps}: perplexity {perplexity(model, [texts]):.1f} on held-out text")
    model.eval()
    print(decode(generate(model, ids[None, :1], options.count, 0.8, 0.95)[0].tolist(), merges))


if __name__ == "__main__":
    main()
"""

PROGRAM = Program("whole_model", HEAD, IMPORTS, MAIN)
