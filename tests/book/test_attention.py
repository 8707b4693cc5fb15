"""The attention chapter: what its own cells cannot check."""

import math
import re
from pathlib import Path

import jupytext
import pytest
import torch

from transformer_lab import scaled_dot_product_attention

BOOK = Path(__file__).parents[2] / "book"
CELLS = jupytext.read(BOOK / "attention.md").cells
CODE = [cell for cell in CELLS if cell.cell_type == "code"]
PROSE = "\n\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
FIGURES = [n for n, cell in enumerate(CELLS) if re.search(r"plots\.(?!use_)", cell.source)]


def alt(cell):
    return cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")


@pytest.mark.parametrize("number", FIGURES)
def test_every_figure_has_alternative_text_and_a_caption(number):
    assert len(alt(CELLS[number])) > 60
    assert CELLS[number + 1].source.startswith("*Figure: ")


def test_alternative_texts_differ_and_stand_only_at_figures():
    texts = [alt(cell) for cell in CELLS if alt(cell)]
    assert len(set(texts)) == len(texts) == len(FIGURES) >= 7


def test_the_heat_map_says_in_words_what_it_shows():
    scores = torch.tensor([[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    (text,) = [alt(cell) for cell in CODE if "three queries by three keys" in alt(cell)]
    told = [float(number) for number in re.findall(r"0\.\d\d", text)]
    torch.testing.assert_close(torch.tensor(told), scores.softmax(-1).flatten(), atol=0.006, rtol=0)


def test_readers_are_asked_to_predict_and_every_answer_can_be_opened():
    blocks = re.findall(r'<details class="predict"><summary>(.+?)</summary>\n\n', PROSE)
    assert len(blocks) >= 3
    assert PROSE.count("<details") == PROSE.count("\n\n</details>") == len(blocks)
    assert all(question.startswith("Predict: ") and "?" in question for question in blocks)


def test_the_page_fits_a_screen():
    assert [line for cell in CODE for line in cell.source.splitlines() if len(line) > 75] == []


def test_cells_are_shown_folded_or_hidden_but_never_removed():
    tags = {tag for cell in CODE for tag in cell.metadata.get("tags", [])}
    assert tags <= {"hide-input", "hide-cell"}


def test_what_is_cited_is_in_the_bibliography_with_an_address():
    entries = re.findall(r"@\w+\{(\w+),(.*?)\n\}", (BOOK / "references.bib").read_text(), re.S)
    cited = {
        key for keys in re.findall(r"\{cite:[tp]\}`([^`]+)`", PROSE) for key in keys.split(",")
    }
    assert cited
    assert cited <= {key for key, _ in entries}
    assert all(re.search(r"\b(doi|url) = \{.+\}", fields) for _, fields in entries)
    assert len({key for key, _ in entries}) == len(entries)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_said_about_scaling_does_not_hang_on_the_seed(seed):
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(4000, 1, 512, generator=generator)
    k = torch.randn(4000, 10, 512, generator=generator)
    _, scaled = scaled_dot_product_attention(q, k, k)
    _, raw = scaled_dot_product_attention(q * math.sqrt(512), k, k)

    def response(a):
        return (torch.diag_embed(a) - a[..., :, None] * a[..., None, :]).flatten(1).norm(dim=1)

    assert raw.amax(-1).mean().item() == pytest.approx(0.95, abs=0.01)
    assert scaled.amax(-1).mean().item() == pytest.approx(0.32, abs=0.01)
    assert response(raw[:, 0]).mean().item() == pytest.approx(0.06, abs=0.006)
    assert response(scaled[:, 0]).mean().item() == pytest.approx(0.35, abs=0.005)
    assert 0.64 < (response(raw[:, 0]) < 0.01).float().mean() < 0.72
    assert not (response(scaled[:, 0]) < 0.01).any()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_raw_words_look_at_themselves_whatever_the_seed(seed):
    x = torch.randn(10, 64, generator=torch.Generator().manual_seed(seed))
    _, weights = scaled_dot_product_attention(x, x, x)
    assert weights.diagonal().mean() > 0.95
