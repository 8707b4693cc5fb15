"""Our ways of writing against Hugging Face's: greedy, beams, top k and top p."""

from functools import partial

import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MarianConfig,
    MarianMTModel,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from tests.parity import test_gpt2, test_llama, test_marian
from tests.parity.problems import few, problems, rename
from transformer_lab.beam_search import beam_search
from transformer_lab.generate import GivenSource, generate
from transformer_lab.model import DecoderModel, EncoderDecoderModel
from transformer_lab.pretrained.bergamot import HalfSplitSinusoidalPositions
from transformer_lab.sampling import apply_temperature, keep_top_k, keep_top_p

PAD, EOS, NEW = 2, 1, 8  # Hugging Face fills beams up with EOS where PAD is 0
seeds = st.integers(0, 2**16)


def gpt2(problem):
    config = GPT2Config(
        vocab_size=problem.vocabulary,
        n_embd=problem.d_model,
        n_head=problem.heads,
        n_inner=problem.d_ff,
        n_layer=problem.layers,
        n_positions=12 + NEW,
        bos_token_id=0,
        eos_token_id=EOS,
    )
    theirs = problem.random_weights(GPT2LMHeadModel(config))
    ours = DecoderModel(test_gpt2.gpt2_config(config))
    return theirs, ours, test_gpt2.gpt2_weights(theirs.state_dict())


def llama(problem):
    config = LlamaConfig(
        vocab_size=problem.vocabulary,
        hidden_size=2 * problem.d_model,
        num_attention_heads=2 * problem.heads,
        num_key_value_heads=problem.heads,
        intermediate_size=problem.d_ff,
        num_hidden_layers=problem.layers,
    )
    theirs = problem.random_weights(LlamaForCausalLM(config))
    ours = DecoderModel(test_llama.llama_config(config))
    return theirs, ours, rename(theirs.state_dict(), test_llama.NAMES)


def marian(problem):
    config = test_marian.theirs_config(MarianConfig, problem, "relu", True)
    config.forced_eos_token_id = None
    theirs = test_marian.random_weights(problem, MarianMTModel(config))
    ours = EncoderDecoderModel(
        test_marian.common_config(config, positions=HalfSplitSinusoidalPositions)
    )
    without = ["shared", "embed_positions"]
    return theirs, ours, test_marian.weights(theirs.state_dict(), without)


@pytest.mark.parametrize("kind", [gpt2, llama, marian])
@given(problem=problems(paddings=["none", "left"]), beams=st.integers(1, 4))
@settings(few, phases=[Phase.explicit, Phase.generate])
def test_texts_are_those_of_hugging_face(kind, problem, beams):
    theirs, ours, weights = kind(problem)
    ours = ours.to(problem.dtype).eval()
    ours.load_state_dict(weights)
    prompt, real = problem.ids(problem.length), problem.real(problem.length)
    if kind is marian:  # whose sources are padded on the right
        prompt, real = prompt.flip(-1), real.flip(-1)
    write = partial(
        theirs.generate,
        prompt,
        attention_mask=real.long(),
        max_new_tokens=NEW,
        eos_token_id=EOS,
        pad_token_id=PAD,
        do_sample=False,
        return_dict_in_generate=True,
        output_scores=True,
    )
    if kind is marian:
        ours, start = GivenSource(ours, prompt, real), torch.zeros(len(prompt), 1).long()
        given = (ours, start, None)
    else:
        given = (ours, prompt, real)
    read = given[1].size(1)
    written = generate(*given, max_new_tokens=NEW, eos_id=EOS, pad_id=PAD)
    assert torch.equal(written, write(num_beams=1).sequences[:, read:])

    beams = min(beams, problem.vocabulary)
    if beams == 1:
        return
    options = dict(penalty=lambda length: length**0.7, eos_id=EOS, pad_id=PAD)
    found = beam_search(*given, beams=beams, max_new_tokens=NEW, **options)
    expected = write(num_beams=beams, length_penalty=0.7, early_stopping="never")
    torch.testing.assert_close(
        found.scores[:, 0].float(), expected.sequences_scores, atol=1e-4, rtol=1e-4
    )
    best = expected.sequences[:, read:]
    assert torch.equal(found.tokens[:, 0, : best.size(1)], best)
    assert (found.tokens[:, 0, best.size(1) :] == PAD).all()


@given(seeds, st.integers(2, 30), st.floats(0.05, 5), st.floats(0.01, 1))
@few
def test_filters_are_those_of_hugging_face(seed, vocabulary, temperature, p):
    torch.manual_seed(seed)
    logits, k = 2 * torch.randn(3, vocabulary).double(), 1 + seed % vocabulary
    for ours, theirs in [
        (apply_temperature(logits, temperature), TemperatureLogitsWarper(temperature)),
        (keep_top_k(logits, k), TopKLogitsWarper(k)),
        (keep_top_p(logits, p), TopPLogitsWarper(p)),
    ]:
        torch.testing.assert_close(ours, theirs(None, logits.clone()), rtol=1e-12, atol=0)
