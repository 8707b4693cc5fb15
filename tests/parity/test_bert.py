"""Our encoder against Hugging Face's BERT: post-norm, learned positions, normalised embeddings."""

from functools import partial

import torch
import torch.nn.functional as F
from hypothesis import given
from torch import nn
from transformers import BertConfig, BertForMaskedLM

from tests.parity.problems import assert_same, few, problems, rename
from transformer_lab.embedding import TiedOutput
from transformer_lab.feed_forward import FeedForward
from transformer_lab.model import EncoderModel, ModelConfig
from transformer_lab.norm import LayerNorm, PostNorm
from transformer_lab.parameters import initialise_normal
from transformer_lab.positional_encoding import LearnedPositions

NAMES = {
    "bert.embeddings.word_embeddings": "embeddings.tokens",
    "bert.embeddings.position_embeddings": "embeddings.positions.table",
    "bert.embeddings.LayerNorm": "embeddings.norm",
    "bert.encoder.layer": "encoder.layers",
    "attention.self": "attention",
    "attention.output.dense": "attention_output",
    "attention.output.LayerNorm": "attention_residual.norm",
    "intermediate.dense": "feed_forward.up",
    "output.dense": "feed_forward.down",
    "output.LayerNorm": "feed_forward_residual.norm",
    "attention_output": "attention.output",
    "cls.predictions.transform.dense": "output.0",
    "cls.predictions.transform.LayerNorm": "output.2",
    "cls.predictions.decoder": "output.3",
}


def bert_weights(theirs):
    """Of BERT's two kinds of segment we have the first: its vector joins every position's."""
    weights = dict(theirs)
    del weights["cls.predictions.bias"]  # a second name of cls.predictions.decoder.bias
    segments = weights.pop("bert.embeddings.token_type_embeddings.weight")
    name = "bert.embeddings.position_embeddings.weight"
    weights[name] = weights[name] + segments[0]
    return rename(weights, NAMES)


def bert_config(theirs):
    norm = partial(LayerNorm, eps=theirs.layer_norm_eps)

    def masked_language_head(embeddings):
        width = embeddings.tokens.embedding_dim
        return nn.Sequential(
            nn.Linear(width, width),
            nn.GELU(),
            norm(d_model=width),
            TiedOutput(embeddings, bias=True),
        )

    return ModelConfig(
        vocabulary=theirs.vocab_size,
        d_model=theirs.hidden_size,
        heads=theirs.num_attention_heads,
        d_ff=theirs.intermediate_size,
        layers=theirs.num_hidden_layers,
        tokens=nn.Embedding,
        positions=partial(LearnedPositions, max_length=theirs.max_position_embeddings),
        embedding_norm=norm,
        feed_forward=partial(FeedForward, activation=F.gelu),
        norm=norm,
        residual=PostNorm,
        output=masked_language_head,
        initialise=initialise_normal,
    )


@given(problems())
@few
def test_vectors_and_logits_equal_bert(problem):
    config = BertConfig(
        vocab_size=problem.vocabulary,
        hidden_size=problem.d_model,
        num_attention_heads=problem.heads,
        intermediate_size=problem.d_ff,
        num_hidden_layers=problem.layers,
        max_position_embeddings=12,
        layer_norm_eps=1e-12,
        attn_implementation="eager",
    )
    theirs = problem.random_weights(BertForMaskedLM(config))
    ours = EncoderModel(bert_config(config)).to(problem.dtype).eval()
    ours.load_state_dict(bert_weights(theirs.state_dict()))
    ids, real = problem.ids(problem.length), problem.real(problem.length)
    inputs = dict(
        attention_mask=real.long(),
        token_type_ids=torch.zeros_like(ids),
        position_ids=(real.cumsum(-1) - 1).clamp(min=0),
    )
    vectors = theirs.bert(ids, **inputs).last_hidden_state
    assert_same(ours.encode(ids, real)[real], vectors[real], problem.dtype)
    assert_same(ours(ids, real)[real], theirs(ids, **inputs).logits[real], problem.dtype)
