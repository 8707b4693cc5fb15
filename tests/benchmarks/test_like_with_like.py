"""What is timed side by side does the same: a ratio of times is a claim of the book."""

import json
from functools import partial

import nbformat
import pytest
import torch
from torch import nn
from transformers import LlamaConfig

from benchmarks import attention, grading, modules, smollm2, tokenizer, training
from tests.course import CHAPTERS, grade_notebook
from transformer_lab.feed_forward import SwiGLU
from transformer_lab.model import DecoderModel, ModelConfig
from transformer_lab.multi_head import GroupedQueryAttention
from transformer_lab.norm import PreNorm, RMSNorm
from transformer_lab.parameters import initialise_normal
from transformer_lab.positional_encoding import NoPositions, RotaryPositions
from transformer_lab.tasks.symbol_tasks import REVERSE


@torch.no_grad()
def test_all_ways_of_attention_give_the_same_numbers():
    q, k, v = torch.randn(3, 2, 3, 7, 4, generator=torch.Generator().manual_seed(0))
    for ways in (attention.explicit_ways(q, k, v), attention.fused_ways(q, k, v)):
        first, *others = (way() for way in ways.values())
        for other in others:
            torch.testing.assert_close(first, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", modules.ways((1, 2, 8)))
def test_a_module_and_pytorchs_give_the_same_numbers(name):
    x = torch.randn(2, 5, 16, generator=torch.Generator().manual_seed(0)).double()
    ours, theirs = modules.ways((2, 5, 16))[name].values()
    for way in (ours, theirs):
        for p in way.module.parameters():
            p.data = p.data.double()
    torch.testing.assert_close(ours.forward(x), theirs.forward(x))
    x.requires_grad_()
    torch.testing.assert_close(ours.backward(x)[0], theirs.backward(x)[0])


def test_smollm2_and_hugging_faces_have_the_same_weights_and_write_the_same():
    positions = RotaryPositions(base=100_000.0)
    norm = partial(RMSNorm, eps=1e-5)
    config = ModelConfig(
        vocabulary=50, d_model=24, heads=6, d_ff=32, layers=2, tokens=nn.Embedding,
        positions=NoPositions, feed_forward=SwiGLU, norm=norm, final_norm=norm, residual=PreNorm,
        attention=partial(GroupedQueryAttention, kv_heads=3, bias=False, positions=positions),
        initialise=initialise_normal,
    )  # fmt: skip
    llama = smollm2.LLAMA.to_dict() | dict(
        vocab_size=50, hidden_size=24, num_attention_heads=6, num_key_value_heads=3, head_dim=4,
        intermediate_size=32, num_hidden_layers=2,
    )  # fmt: skip
    ours = DecoderModel(config).eval()
    theirs = smollm2.as_llama(ours, LlamaConfig(**llama))
    ids = torch.randint(50, (2, 9), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        torch.testing.assert_close(ours(ids), theirs(ids).logits)
    assert len({way().shape for way in smollm2.ways(ours, theirs, ids[:1], 3).values()}) == 1
    theirs.model.norm.weight.data.neg_()
    with pytest.raises(AssertionError, match="other tokens"):
        smollm2.ways(ours, theirs, ids[:1], 3)


def test_both_tokenizers_learn_the_same_or_are_not_timed(monkeypatch):
    assert len({len(way()) for way in tokenizer.ways("low lower lowest", 5).values()}) == 1
    monkeypatch.setattr(tokenizer, "count_anew", lambda text: iter([((b"l", b"o"), 1)] * 5))
    with pytest.raises(AssertionError, match="other merges"):
        tokenizer.ways("low lower lowest", 5)


def test_both_trainings_begin_alike_and_take_the_same_steps():
    ours, theirs = training.trainers(3).values()
    for trainer in (ours, theirs):
        trainer.model.double()
        trainer.run(20)
    assert ours.history.losses == pytest.approx(theirs.history.losses, rel=1e-9)
    batch = REVERSE.held_out(20)
    assert ours.model.loss(**batch).item() == pytest.approx(theirs.model.loss(**batch).item())


def test_of_the_submissions_a_third_each_is_solved_wrong_and_untouched(tmp_path):
    whole = sum(p.points for e in CHAPTERS["attention"].exercises for p in e.properties)
    earned = []
    for student, notebook in grading.submissions(3):
        nbformat.write(notebook, tmp_path / f"{student}.ipynb")
        earned.append(grade_notebook(tmp_path / f"{student}.ipynb", seed=0).earned)
    assert earned[0] == whole > earned[1] > earned[2] == 0


def test_a_tool_that_fails_is_not_measured(tmp_path):
    with pytest.raises(RuntimeError, match="code"):
        grading.run("-m", "json.tool", "nothing.json", folder=tmp_path)


def test_what_a_class_lost_is_counted(monkeypatch):
    def half(folder, results, settings, pool):
        for path in sorted(folder.iterdir())[::2]:
            json.loads(path.read_text("utf8"))
            yield {"student": path.stem, "seconds": 1.0, "failed": path.stem.startswith("hostile")}

    monkeypatch.setattr(grading, "grade_class", half)
    assert "5 lost, 1 not graded" in grading.mixed(count=10)
