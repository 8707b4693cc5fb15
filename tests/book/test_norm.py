"""The chapter on normalisation: what its own cells cannot check."""

import pytest
import torch
from torch import nn

from tests.book.chapters import Chapter
from transformer_lab import (
    EncoderLayer,
    FeedForward,
    PostNorm,
    PreNorm,
    Stack,
    initialise_xavier,
    layer_norm,
    rms_norm,
    show,
)

CHAPTER = Chapter("norm")


def cell_with(words):
    (cell,) = [cell for cell in CHAPTER.code if words in cell.source]
    return cell


@pytest.mark.parametrize("shown", [layer_norm, rms_norm, PostNorm, PreNorm, FeedForward])
def test_the_source_that_is_shown_fits_a_screen(shown):
    assert cell_with(f"show.source({shown.__name__})")
    assert [
        line for line in show.source(shown).data.splitlines() if len(line) > 76 and line[0] != "["
    ] == []


@pytest.mark.parametrize("seed", [3, 4, 5])
@pytest.mark.parametrize(("residual", "grows"), [(PostNorm, False), (PreNorm, True)])
def test_only_the_stream_of_pre_norm_grows_whatever_the_seed(seed, residual, grows):
    torch.manual_seed(seed)
    layers = [EncoderLayer(d_model=64, heads=4, d_ff=256, residual=residual) for _ in range(32)]
    stack = Stack(layers, nn.Identity()).apply(initialise_xavier)
    with torch.no_grad():
        size = stack(torch.randn(8, 10, 64)).square().mean().sqrt().item()
    assert 4 < size < 9 if grows else size == pytest.approx(1, abs=1e-3)


@pytest.mark.slow  # trains with other seeds than the chapter, whose own cells assert it
@pytest.mark.parametrize("seed", [1, 2])
def test_which_runs_learn_does_not_hang_on_the_seed(seed):
    setting = "import math\nfrom functools import partial\nimport torch\nfrom torch import nn\n"
    setting += "import transformer_lab as lab\nfrom transformer_lab import LayerNorm, PreNorm\n"
    setting += "from transformer_lab.train import Trainer, cosine_schedule\n"
    page = {}
    threads = torch.get_num_threads()
    try:
        exec(setting + cell_with("def trained(").source, page)
        trained, final = page["trained"], page["final"]
        assert final(trained(4, PostNorm, warm_up=1, seed=seed)) > 1.7
        assert final(trained(4, PostNorm, warm_up=40, seed=seed)) < 0.2
        assert final(trained(4, PreNorm, warm_up=1, seed=seed)) < 0.2
    finally:
        torch.set_num_threads(threads)
