"""A GPT on one page, with only PyTorch: python gpt.py --text FILE."""

import argparse
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

block_size = 64  # a prediction reads at most this many tokens


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        mean_square = x.square().mean(dim=-1, keepdim=True)
        return self.weight * x / torch.sqrt(mean_square + 1e-6)


def rotate(x):  # turn each pair of features, further at each position
    T, K = x.shape[-2:]
    speed = 10_000 ** (-torch.arange(0, K, 2) / K)  # angle per position
    angle = torch.arange(T)[:, None] * speed  # (T, K/2)
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    turned = a * cos - b * sin, a * sin + b * cos
    return torch.stack(turned, dim=-1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def split(self, x):  # (B, T, D) → (B, H, T, K)
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        q = rotate(self.split(self.query(x)))
        k = rotate(self.split(self.key(x)))
        v = self.split(self.value(x))
        scores = q @ k.mT / math.sqrt(q.size(-1))  # (B, H, T, T)
        causal_mask = torch.ones_like(scores).tril().bool()  # True: may see
        weights = scores.masked_fill(~causal_mask, -torch.inf).softmax(-1)
        heads = weights @ v  # (B, H, T, K); side by side again: (B, T, D)
        return self.output(heads.transpose(1, 2).flatten(-2))


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention_norm = RMSNorm(width)
        self.attention = Attention(width, heads)
        self.feed_forward_norm = RMSNorm(width)
        self.feed_forward = FeedForward(width, 4 * width // 3)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        x = x + self.feed_forward(self.feed_forward_norm(x))
        return x


class GPT(nn.Module):
    def __init__(self, vocabulary, width=96, heads=3, layers=3):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        blocks = [Block(width, heads) for _ in range(layers)]
        self.blocks = nn.Sequential(*blocks)
        self.norm = RMSNorm(width)
        self.output = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):  # (B, T) → (B, T, V)
        x = self.blocks(self.tokens(ids))
        return self.output(self.norm(x))

    def loss(self, ids):  # predict each token from those before it
        logits = self(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())

    @torch.no_grad()
    def generate(self, ids, count, generator=None, temperature=0.8):
        for _ in range(count):
            logits = self(ids[:, -block_size:])[:, -1]
            p = (logits / temperature).softmax(-1)
            next_ids = torch.multinomial(p, 1, generator=generator)
            ids = torch.cat([ids, next_ids], dim=1)
        return ids


def get_batch(data, size, generator=None):
    places = len(data) - block_size
    start = torch.randint(places, (size, 1), generator=generator)
    return data[start + torch.arange(block_size + 1)]


@torch.no_grad()
def eval_loss(model, data):
    generator = torch.Generator().manual_seed(1)  # the same passages always
    return model.loss(get_batch(data, 200, generator)).item()


def learning_rate(step, steps, peak=4e-3, warm_up=50):
    done = max(0, step - warm_up) / max(1, steps - warm_up)
    return peak * min(1, step / warm_up) * (1 + math.cos(math.pi * done)) / 2


def train(model, data, steps):
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98))
    for step in range(1, steps + 1):
        optimizer.param_groups[0]["lr"] = learning_rate(step, steps)
        loss = model.loss(get_batch(data, 16))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        yield step


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Learn a text, then write.")
    parser.add_argument("--text", type=Path, default="play.txt")
    parser.add_argument("--steps", type=int, default=800)
    args = parser.parse_args()
    text = args.text.read_text(encoding="utf-8")
    if len(text) < 1000:  # the held-out tenth must have a passage
        parser.error(f"{args.text} has {len(text)} characters; give 1,000")

    vocabulary = sorted({*text})
    ids = torch.tensor([vocabulary.index(character) for character in text])
    data, val = ids.tensor_split([len(ids) * 9 // 10])  # val is held out

    torch.manual_seed(0)
    model = GPT(len(vocabulary))
    for step in train(model, data, args.steps):
        if step % 100 == 0:
            print(f"step {step}: held-out loss {eval_loss(model, val):.2f}")
    written = model.generate(ids[None, :1], 500)
    print("".join(vocabulary[i] for i in written[0]))
