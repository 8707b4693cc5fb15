"""The picture of a page on other sites that link to it: the title, beside attention."""

import io
import textwrap
from hashlib import sha256
from pathlib import Path

WIDTH, HEIGHT = 1200, 630  # pixels
TOKENS = ("The", "cat", "eats", "fish")


def card(title: str, book: str) -> bytes:
    """Draw a page's card; return it as PNG of a few colours, always the same bytes."""
    import matplotlib.pyplot as plt
    import torch
    from PIL import Image

    from transformer_lab import causal_mask, plots, scaled_dot_product_attention

    plots.use_book_style()
    q, k, v = torch.randn(3, 4, 8, generator=torch.Generator().manual_seed(0))
    _, weights = scaled_dot_product_attention(q, k, v, causal_mask(4))
    with plt.rc_context({"figure.constrained_layout.use": False, "font.size": 20}):
        figure = plt.figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, facecolor="white")
        figure.text(0.06, 0.82, book, size=26, color=plots.INDIGO, weight="bold")
        lines = textwrap.fill(title, 16)
        figure.text(0.06, 0.68, lines, size=40, color=plots.INK, va="top", linespacing=1.25)
        plots.weights(weights, TOKENS, TOKENS, figure.add_axes((0.62, 0.18, 0.32, 0.61)))
        drawn = io.BytesIO()
        figure.savefig(drawn, dpi=100)
        plt.close(figure)
    packed = io.BytesIO()
    Image.open(drawn).convert("RGB").quantize(128).save(packed, "png", optimize=True)
    return packed.getvalue()


def kept_card(folder: Path, title: str, book: str) -> bytes:
    """Return a page's card from the folder; draw it if it doesn't exist yet."""
    kept = folder / f"{sha256(repr((title, book)).encode()).hexdigest()[:16]}.png"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(card(title, book))
    return kept.read_bytes()
