"""Every public name, misused: what cannot be meant is refused in words, the rest comes out right.

A row is what is said, or what is right, and the call. No call may give a wrong number silently, nor
an error of torch's that says nothing of what to do.
"""

import ast
import re
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import transformer_lab as lab
from tests.models import GPT, PAPER, ids
from tests.test_structure import MODELS
from transformer_lab.attention import quick_attention
from transformer_lab.beam_search import Hypotheses, length_penalty
from transformer_lab.cache import with_past
from transformer_lab.feed_forward import NoFeedForward
from transformer_lab.generate import Step, pad_left
from transformer_lab.norm import Residual
from transformer_lab.positional_encoding import (
    HalfSplitSinusoidalPositions,
    position_angles,
    token_positions,
)
from transformer_lab.pretrained import SSRU
from transformer_lab.sampling import apply_temperature, keep_top_k, keep_top_p
from transformer_lab.tasks.accuracy import correct_tokens, exact_match, token_accuracy
from transformer_lab.tasks.shakespeare import write as write_play
from transformer_lab.tasks.symbol_tasks import REVERSE
from transformer_lab.tasks.task import ids_of, small_model
from transformer_lab.tokenizer import learn_merges, merge_pair, split_pieces
from transformer_lab.trace import Call, Line, Record, ablate_heads, shape_in_letters, trace
from transformer_lab.train import History

X = torch.randn(2, 3, 8, generator=torch.Generator().manual_seed(0))
LIST, ARRAY, WHOLE, DOUBLE = X.tolist(), X.numpy(), X.long(), X.double()
IDS = torch.tensor([[3, 1, 4], [1, 5, 9]])
REAL = torch.ones(2, 3, dtype=torch.bool)
LOGITS = torch.randn(2, 11, generator=torch.Generator().manual_seed(0))
CAUSAL = lab.causal_mask(3)
EIGHT = dict(d_model=8, heads=2)
LAYER = EIGHT | dict(d_ff=16)
attend, fused = lab.scaled_dot_product_attention, lab.fused_attention
head, heads = lab.AttentionHead(d_model=8, d_k=4), lab.MultiHeadAttention(**EIGHT)
rotary = lab.MultiHeadAttention(**EIGHT, positions=lab.RotaryPositions())
norm, rms, network = lab.LayerNorm(d_model=8), lab.RMSNorm(d_model=8), lab.FeedForward(d_model=8)
one, table = torch.ones(8), lab.ScaledEmbedding(11, 8)
encoder, decoder = lab.EncoderModel(PAPER).eval(), lab.DecoderModel(GPT).eval()
both = lab.EncoderDecoderModel(PAPER).eval()
config = partial(replace, PAPER)
write = partial(lab.generate, decoder, IDS, max_new_tokens=2)
search = partial(lab.beam_search, decoder, IDS, max_new_tokens=2, beams=2)
slow = partial(lab.cosine_schedule, peak=1.0)
cosine = partial(lab.cosine_schedule, 1, **dict(peak=1.0, warm_up=2, steps=4))
targets = torch.tensor([[1, 2, 3]])
loss = partial(lab.token_loss, torch.zeros(1, 3, 11), targets)
task = partial(replace, REVERSE)  # a Task
tokenizer = lab.BytePairTokenizer([(97, 98)])
BATCH, NOTHING = {"targets": IDS}, {"targets": torch.full((2, 3), lab.IGNORED)}


def adam(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-3)


def train(model=decoder, of=None, clip=1.0):
    batch = {"targets": IDS}
    return lab.train_step(model, adam(model if of is None else of), batch, clip=clip)


def slow_rate(step):
    return 1e-3


class Odd(nn.Linear):
    def loss(self, targets):
        """Return as many numbers as there are weights."""
        return self.weight


def trainer(model=decoder, schedule=lambda step: 1e-3, **settings):
    def make_batch(size, _):
        return {"targets": ids(size, 3)}

    return lab.Trainer(model, make_batch, schedule=schedule, **settings)


def frozen():
    return lab.DecoderModel(GPT).requires_grad_(False)


def read(cache=None):
    """Give a cache that has read something."""
    cache = cache or lab.Cache()
    decoder(IDS, cache=cache)
    return cache


def watched(module):
    """Give the calls of a module that reads something."""
    with trace(module) as record:
        module(X)
    return record.calls


def accurate():
    """Have a name that no exercise asks for."""


def soft_lookup():
    """Have the name of what an exercise asks for."""


def chosen(token):
    return write(choose=lambda logits: token)


# fmt: off
REFUSED = {
    "attention": [
        ("q must be a tensor, but is a list", lambda: attend(LIST, X, X)),
        ("k must be a tensor, but is a ndarray", lambda: attend(X, ARRAY, X)),
        ("v must be a tensor, but is a NoneType", lambda: attend(X, X, None)),
        ("q must hold floats, but is torch.int64. q.float()", lambda: attend(WHOLE, X, X)),
        ("k must hold floats, but is torch.complex64", lambda: attend(X, X.to(torch.cfloat), X)),
        ("k must be of the same dtype as q, but is torch.float64", lambda: attend(X, DOUBLE, X)),
        ("v must be of the same dtype as q", lambda: fused(X, X, X.half())),
        ("q must have at least two axes, (length, width)", lambda: attend(X[0, 0], X, X)),
        ("v must have at least two axes", lambda: fused(X, X, X[0, 0])),
        ("q and k must have the same last axis", lambda: fused(X[..., :4], X, X)),
        ("d_k, of at least 1", lambda: attend(X[..., :0], X[..., :0], X)),
        ("d_k, of at least 1", lambda: fused(X[..., :0], X[..., :0], X)),
        ("k and v must have the same length", lambda: attend(X, X[:, :2], X)),
        ("must be equal or 1, but the shapes are q (2, 3, 8)",
         lambda: attend(X, X, X.repeat(3, 1, 1))),
        ("mask must be a tensor, but is a list", lambda: attend(X, X, X, CAUSAL.tolist())),
        ("mask must be boolean, True = may attend", lambda: attend(X, X, X, CAUSAL.long())),
        ("mask must be boolean", lambda: fused(X, X, X, lab.to_additive(CAUSAL))),
        ("mask == 0", lambda: attend(X, X, X, lab.to_additive(CAUSAL))),
        ("mask.bool()", lambda: attend(X, X, X, CAUSAL.long())),
        ("mask must be a tensor, but is a list", lambda: quick_attention(X, X, X, [[True]])),
        ("k must be of the same dtype as q", lambda: quick_attention(X, DOUBLE, X)),
        ("must broadcast to the scores (..., queries, keys) = (2, 3, 3)",
         lambda: fused(X, X, X, REAL)),
        ("must broadcast to the scores", lambda: attend(X, X, X, CAUSAL.expand(4, 3, 3))),
        ("must serve group = 3 heads of queries, but there are 2 heads of queries, 1 of keys",
         lambda: fused(X, X[:1], X[:1], group=3)),
        ("2 heads of queries, 1 of keys and 2 of values", lambda: fused(X, X[:1], X, group=2)),
        ("group must be at least 1, but is 0", lambda: fused(X, X, X, group=0)),
        ("group must be a whole number, but is 2.0", lambda: fused(X, X, X, group=2.0)),
        ("q must have at least three axes", lambda: fused(X[0], X[0], X[0], group=2)),
        ("k must be on the same device as q, cpu, but is on meta",
         lambda: attend(X, X.to("meta"), X)),
        ("mask must be on the same device as q", lambda: fused(X, X, X, CAUSAL.to("meta"))),
    ],
    "one head": [
        ("d_k must be at least 1, but is 0", lambda: lab.AttentionHead(d_model=8, d_k=0)),
        ("d_v must be at least 1, but is -2", lambda: lab.AttentionHead(d_model=8, d_k=4, d_v=-2)),
        ("d_model must be a whole number, but is 8.0",
         lambda: lab.AttentionHead(d_model=8.0, d_k=4)),
        ("d_k must be a whole number, but is True", lambda: lab.AttentionHead(d_model=8, d_k=True)),
        ("x must be a tensor, but is a list", lambda: head(LIST)),
        ("x must hold floats", lambda: head(WHOLE)),
        ("x must be of the same dtype as the weights of this head", lambda: head(DOUBLE)),
        ("memory must be of the same dtype", lambda: head(X, X.bfloat16())),
        ("x must have at least two axes", lambda: head(X[0, 0])),
        ("memory must hold floats, but is torch.bool", lambda: head(X, CAUSAL)),
    ],
    "many heads": [
        ("heads must divide d_model", lambda: lab.MultiHeadAttention(d_model=8, heads=3)),
        ("heads must be a whole number, but is 2.0",
         lambda: lab.MultiHeadAttention(d_model=8, heads=2.0)),
        ("heads = -2", lambda: lab.MultiHeadAttention(d_model=8, heads=-2)),
        ("d_model = 0 and heads = 2", lambda: lab.MultiHeadAttention(d_model=0, heads=2)),
        ("d_v must be at least 1, but is 0", lambda: lab.MultiHeadAttention(**EIGHT, d_v=0)),
        ("positions must be a module, a made Module, but is the class RotaryPositions",
         lambda: lab.MultiHeadAttention(**EIGHT, positions=lab.RotaryPositions)),
        ("positions must be a module", lambda: lab.MultiHeadAttention(**EIGHT, positions="rotary")),
        ("kv_heads must divide heads", lambda: lab.GroupedQueryAttention(**EIGHT, kv_heads=3)),
        ("kv_heads must be a whole number",
         lambda: lab.GroupedQueryAttention(**EIGHT, kv_heads=1.0)),
        ("x must be a tensor, but is a ndarray", lambda: heads(ARRAY)),
        ("x must hold floats", lambda: heads(IDS)),
        ("x must be of the same dtype as the weights of this attention", lambda: heads(X.half())),
        ("memory must be of the same dtype", lambda: heads(X, DOUBLE)),
        ("x must have at least two axes", lambda: heads(X[0, 0])),
        ("width d_model = 8, but memory has shape (2, 3, 7)", lambda: heads(X, X[..., 1:])),
        ("memory must hold floats, but is torch.bool", lambda: heads(X, CAUSAL)),
        ("mask must be a tensor", lambda: heads(X, mask=CAUSAL.numpy())),
        ("mask must have at least two axes, (queries, keys)", lambda: heads(X, mask=REAL[0])),
        ("must broadcast to the scores", lambda: heads(X, mask=REAL)),
        ("mask must be boolean", lambda: heads(X, mask=CAUSAL.float())),
        ("must broadcast to the scores", lambda: heads(X, mask=CAUSAL.expand(2, 2, 3, 3))),
        ("cache must be a Cache(), or None, but is a bool", lambda: heads(X, cache=True)),
        ("cache must be a Cache(), or None, but is a dict", lambda: heads(X, cache={})),
        ("must be even, but it is 1", lambda: lab.MultiHeadAttention(
            d_model=8, heads=8, positions=lab.RotaryPositions())(X)),
        ("x must be a tensor", lambda: lab.split_heads(LIST, 2)),
        ("x must have at least two axes", lambda: lab.split_heads(one, 2)),
        ("heads must be a whole number, but is 2.0", lambda: lab.split_heads(X, 2.0)),
        ("cannot be split evenly between -2 heads", lambda: lab.split_heads(X, -2)),
        ("x must have at least three axes, (heads, length, width)", lambda: lab.merge_heads(X[0])),
        ("attention must be a module, a made MultiHeadAttention", lambda: lab.separate_heads(head)),
        ("attention must be a module", lambda: lab.separate_heads(lab.MultiHeadAttention)),
    ],
    "masks": [
        ("length must be a whole number, but is 2.5", lambda: lab.causal_mask(2.5)),
        ("length must be a whole number, but is '3'", lambda: lab.causal_mask("3")),
        ("length must be a whole number, but is tensor(3)",
         lambda: lab.causal_mask(torch.tensor(3))),
        ("length must be a whole number, but is None", lambda: lab.causal_mask(None)),
        ("past must be a whole number, but is 1.0", lambda: lab.causal_mask(3, past=1.0)),
        ("past must be at least 0, but is -1", lambda: lab.causal_mask(3, past=-1)),
        ("window must be a whole number", lambda: lab.sliding_window_mask(3, window=1.5)),
        ("window must be at least 1, but is -1", lambda: lab.sliding_window_mask(3, window=-1)),
        ("real must be a tensor, but is a list", lambda: lab.padding_mask(REAL.tolist())),
        ("real must be boolean, but is torch.float32", lambda: lab.padding_mask(REAL.float())),
        ("real must have at least one axis", lambda: lab.padding_mask(REAL[0, 0])),
        ("memory_real must be a tensor", lambda: lab.cross_mask(REAL, REAL.numpy())),
        ("must be equal or 1, but the shapes are real (2, 3), memory_real (4, 3)",
         lambda: lab.cross_mask(REAL, REAL.repeat(2, 1))),
        ("mask must be a tensor", lambda: lab.to_blocked([[True]])),
        ("mask must be a tensor", lambda: lab.to_additive(None)),
        ("dtype must be one of floats", lambda: lab.to_additive(REAL, torch.int64)),
        ("dtype must be one of floats, such as torch.float32, but is 'float32'",
         lambda: lab.to_additive(REAL, "float32")),
    ],
    "norms": [
        ("x must be a tensor", lambda: norm(LIST)),
        ("x must hold floats, but is torch.bool", lambda: norm(X > 0)),
        ("x must hold floats", lambda: rms(WHOLE)),
        ("x must be of the same dtype as the weights of this norm", lambda: norm(DOUBLE)),
        ("x must be of the same dtype", lambda: rms(X.bfloat16())),
        ("width d_model = 8, but x has shape ()", lambda: rms(torch.tensor(1.0))),
        ("d_model must be at least 1, but is 0", lambda: lab.LayerNorm(d_model=0)),
        ("d_model must be a whole number", lambda: lab.RMSNorm(d_model=8.0)),
        ("weight must hold a number for each feature", lambda: lab.layer_norm(X, one[:1], one)),
        ("bias must hold a number for each feature", lambda: lab.layer_norm(X, one, one[None])),
        ("weight must be a tensor, but is a float", lambda: lab.rms_norm(X, 1.0)),
        ("bias must be a tensor, but is a NoneType", lambda: lab.layer_norm(X, one, None)),
        ("weight must hold a number", lambda: lab.rms_norm(torch.tensor(1.0), torch.tensor(1.0))),
        ("but is the class LayerNorm", lambda: lab.PostNorm(norm=lab.LayerNorm)),
        ("norm must be a module", lambda: lab.PreNorm(norm=None)),
        ("what the sublayer gives must be a tensor, but is a tuple",
         lambda: lab.PreNorm(norm=norm)(X, heads)),
        ("what the sublayer gives must be a tensor, but is a NoneType",
         lambda: lab.PostNorm(norm=norm)(X, lambda x: None)),
        ("as many numbers as it reads, (2, 3, 8), but gave (2, 3, 1)",
         lambda: Residual(norm=norm).add(X, X[..., :1])),
        ("as many numbers as it reads, (2, 3, 8), but gave (3, 8)",
         lambda: lab.PostNorm(norm=norm)(X, lambda x: x[0])),
        ("eps must be at least 0", lambda: lab.LayerNorm(d_model=8, eps=-1)),
        ("eps must be at least 0", lambda: lab.rms_norm(X, one, -9)),
        ("eps must be at least 0", lambda: lab.RMSNorm(d_model=8, eps=torch.nan)),
        ("eps must be a number, but is tensor([1.,", lambda: lab.rms_norm(X, one, one)),
        ("eps must be a number, but is 'a'", lambda: lab.layer_norm(X, one, one, "a")),
        ("dropout must be a probability", lambda: lab.PreNorm(norm=norm, dropout=torch.nan)),
        ("x must be on the same device as the weights of this norm", lambda: norm(X.to("meta"))),
    ],
    "feed-forward": [
        ("d_ff must be at least 1, but is 0", lambda: lab.FeedForward(d_model=8, d_ff=0)),
        ("d_ff must be a whole number", lambda: lab.SwiGLU(d_model=8, d_ff=8 * 8 / 3)),
        ("d_model must be at least 1", lambda: lab.SwiGLU(d_model=0)),
        ("activation must be a function", lambda: lab.FeedForward(d_model=8, activation=nn.GELU)),
        ("activation must be a function", lambda: lab.FeedForward(d_model=8, activation="gelu")),
        ("x must be a tensor", lambda: network(LIST)),
        ("x must hold floats", lambda: network(WHOLE)),
        ("x must be of the same dtype", lambda: network(DOUBLE)),
        ("x must be of the same dtype", lambda: lab.SwiGLU(d_model=8)(X.half())),
        ("width d_model = 8, but x has shape (2, 8, 3)", lambda: network(X.mT)),
        ("x must be a tensor, but is a list", lambda: NoFeedForward(d_model=8)(LIST)),
        ("x must hold floats", lambda: NoFeedForward(d_model=8)(IDS)),
        ("d_model must be a whole number, but is None", lambda: lab.FeedForward(d_model=None)),
        ("d_model must be a whole number, but is '8'", lambda: lab.SwiGLU(d_model="8")),
    ],
    "positions": [
        ("positions must be a tensor", lambda: lab.sinusoidal_encoding([0, 1], 8)),
        ("positions must be numbers, but are boolean",
         lambda: lab.SinusoidalPositions(d_model=8)(X, REAL)),
        ("positions must be numbers, but are boolean", lambda: lab.sinusoidal_encoding(REAL, 8)),
        ("width must be at least 1, but is 0", lambda: lab.sinusoidal_encoding(IDS, 0)),
        ("width must be a whole number", lambda: lab.half_split_sinusoidal_encoding(IDS, 8.0)),
        ("base must be a positive number, but is -1",
         lambda: lab.sinusoidal_encoding(IDS, 8, base=-1)),
        ("base must be a positive number, but is 0",
         lambda: position_angles(IDS, 8, 0, torch.float)),
        ("base must be a positive number, but is nan", lambda: lab.SinusoidalPositions(
            d_model=8, base=torch.nan)(X, IDS)),
        ("a position for each vector", lambda: lab.SinusoidalPositions(d_model=8)(X, IDS[:, :1])),
        ("a position for each vector",
         lambda: HalfSplitSinusoidalPositions(d_model=8)(X[:1], IDS)),
        ("x must hold floats", lambda: lab.SinusoidalPositions(d_model=8)(WHOLE, IDS)),
        ("max_length must be at least 1", lambda: lab.LearnedPositions(d_model=8, max_length=0)),
        ("positions count from 0, but hold -3",
         lambda: lab.LearnedPositions(d_model=8, max_length=9)(X, -IDS + 6)),
        ("width d_model = 1, but x has shape (2, 3, 8)",
         lambda: lab.LearnedPositions(d_model=1, max_length=10)(X, IDS)),
        ("positions must be torch.int64", lambda: lab.LearnedPositions(d_model=8, max_length=10)(
            X, IDS.float())),
        ("max_length must be at least 1", lambda: lab.NoPositions(d_model=8, max_length=0)),
        ("real must be boolean", lambda: token_positions(IDS)),
        ("an angle for each pair", lambda: lab.rotate_pairs(X, X)),
        ("an angle for each pair", lambda: lab.rotate_halves(X[..., :7], X[..., :4])),
        ("x must be a tensor", lambda: lab.rotate_pairs(LIST, X)),
        ("radians must hold floats", lambda: lab.rotate_halves(X, IDS)),
        ("base must be a positive number", lambda: lab.RotaryPositions(base=0)(X, X)),
        ("q and k must be those of the same tokens", lambda: lab.RotaryPositions()(X, X[:, 1:])),
        ("q and k must be those of the same tokens", lambda: lab.ALiBi()(X[:, 1:], X)),
        ("must be even, but it is 7",
         lambda: lab.HalfSplitRotaryPositions()(X[..., 1:], X[..., 1:])),
        ("base must be a positive number", lambda: lab.HalfSplitRotaryPositions(base=-1)(X, X)),
        ("q must have at least three axes", lambda: lab.RotaryPositions()(X[0], X[0])),
        ("q must hold floats", lambda: lab.ALiBi()(WHOLE, X)),
        ("start must be a whole number", lambda: lab.ALiBi()(X, X, 1.5)),
        ("heads must be at least 1, but is 0", lambda: lab.alibi_slopes(0)),
        ("heads must be a whole number", lambda: lab.alibi_slopes(8.0)),
        ("for causal attention", lambda: lab.MultiHeadAttention(**EIGHT, positions=lab.ALiBi())(X)),
        ("for causal attention", lambda: lab.MultiHeadAttention(**EIGHT, positions=lab.ALiBi())(
            X, mask=CAUSAL.mT)),
        ("d_model must be a whole number", lambda: lab.SinusoidalPositions(d_model=8.0)),
        ("base must be a positive number, but is 0",
         lambda: lab.SinusoidalPositions(d_model=8, base=0)),
        ("base must be a number, but is 'a'", lambda: lab.RotaryPositions(base="a")),
        ("base must be a number, but is None", lambda: lab.sinusoidal_encoding(IDS, 8, base=None)),
        ("dtype must be one of floats",
         lambda: lab.sinusoidal_encoding(IDS, 8, dtype=torch.int64)),
        ("dtype must be one of floats", lambda: lab.alibi_slopes(8, dtype=torch.int64)),
        ("x must have at least two axes", lambda: lab.NoPositions(d_model=8)(one[0], IDS)),
        ("max_length must be a whole number", lambda: lab.NoPositions(d_model=8, max_length=1.5)),
    ],
    "tables and outputs": [
        ("ids must be whole numbers, but is torch.float32", lambda: table(X)),
        ("must lie between 0 and 10", lambda: table(torch.tensor(11))),
        ("ids must be a tensor", lambda: table([1, 2])),
        ("tokens must be a module, a made Embedding", lambda: lab.Embeddings(
            tokens=nn.Linear(8, 11), positions=lab.NoPositions(d_model=8))),
        ("positions must be a module",
         lambda: lab.Embeddings(tokens=table, positions=lab.NoPositions)),
        ("but is the class Embedding", lambda: lab.TiedOutput(nn.Embedding)),
        ("width d_model = 8, but x has shape (2, 3, 4)", lambda: lab.TiedOutput(table)(X[..., :4])),
        ("x must be of the same dtype", lambda: lab.TiedOutput(table)(DOUBLE)),
        ("tokens must be a module", lambda: lab.untied_output(11)),
        ("norm must be a module, a made Module, but is the class LayerNorm", lambda: lab.Embeddings(
            tokens=table, positions=lab.NoPositions(d_model=8), norm=lab.LayerNorm)),
        ("dropout must be a number, but is 'a'", lambda: lab.Embeddings(
            tokens=table, positions=lab.NoPositions(d_model=8), dropout="a")),
    ],
    "layers": [
        ("which modules are made, but is a LayerNorm itself. Leave out the brackets",
         lambda: lab.EncoderLayer(**LAYER, norm=norm)),
        ("which modules are made, but is None.", lambda: lab.EncoderLayer(**LAYER, norm=None)),
        ("attention must be a class", lambda: lab.DecoderLayer(**LAYER, attention=heads)),
        ("modules are made, but is 'pre'.", lambda: lab.EncoderLayer(**LAYER, residual="pre")),
        ("d_ff must be at least 1", lambda: lab.EncoderLayer(**LAYER | {"d_ff": 0})),
        ("norm must be a module", lambda: lab.Stack([], lab.LayerNorm)),
        ("x must hold floats", lambda: lab.EncoderLayer(**LAYER)(IDS)),
        ("but gave (2, 3, 8). Have mask and memory", lambda: lab.DecoderLayer(**LAYER)(X[:1], X)),
        ("mask must be boolean", lambda: lab.EncoderLayer(**LAYER)(X, CAUSAL.float())),
        ("attention must allow the call attention(d_model=d_model, heads=heads), but AttentionHead",
         lambda: lab.EncoderLayer(**LAYER, attention=lab.AttentionHead)),
        ("residual must allow the call", lambda: lab.DecoderLayer(**LAYER, residual=lab.LayerNorm)),
        ("layers[1] must be a module, a made Module, but is the class LayerNorm",
         lambda: lab.Stack([norm, lab.LayerNorm], norm)),
        ("layers[0] must be a module, a made Module, but is None", lambda: lab.Stack([None], norm)),
        ("layers must be a list of modules, but is a LayerNorm", lambda: lab.Stack(norm, norm)),
        ("memory must be a tensor, but is a NoneType", lambda: lab.DecoderLayer(**LAYER)(X, None)),
        ("memory must hold floats, but is torch.bool",
         lambda: lab.DecoderLayer(**LAYER)(X, CAUSAL)),
    ],
    "configurations": [
        ("d_model must be a whole number, but is 8.0", lambda: config(d_model=8.0)),
        ("layers must be a whole number, but is None", lambda: config(layers=None)),
        ("layers must be a whole number, but is True", lambda: config(layers=True)),
        ("decoder_layers must be at least 1, but is 0", lambda: config(decoder_layers=0)),
        ("start_id must be a whole number", lambda: config(start_id=1.0)),
        ("start_id must be a token of the vocabulary", lambda: config(start_id=11)),
        ("norm must be a class", lambda: config(norm=norm)),
        ("positions must be a class", lambda: config(positions=None)),
        ("final_norm must be a norm", lambda: config(residual=lab.PreNorm)),
        ("Give positions=NoPositions", lambda: config(
            attention=partial(lab.MultiHeadAttention, positions=lab.ALiBi()))),
        ("config must be a ModelConfig, but is a dict", lambda: lab.DecoderModel(vars(PAPER))),
        ("heads must be a whole number, but is 0.5",
         lambda: lab.ModelConfig(vocabulary=11, d_model=8, heads=0.5, d_ff=16, layers=1)),
        ("dropout must be a probability, from 0 to 1, but is 2.0", lambda: config(dropout=2.0)),
        ("dropout must be a probability", lambda: config(dropout=torch.nan)),
        ("dropout must be a number, but is None", lambda: config(dropout=None)),
        ("missing a required argument: 'max_length'. functools.partial can set what is missing.",
         lambda: config(positions=lab.LearnedPositions)),
        ("attention must allow the call", lambda: config(attention=lab.GroupedQueryAttention)),
        ("positions must allow the call positions(d_model=d_model), but RotaryPositions takes",
         lambda: config(positions=lab.RotaryPositions)),
        ("norm must allow the call norm(d_model=d_model)", lambda: config(norm=nn.LayerNorm)),
        ("output must allow the call output(tokens), but Linear", lambda: config(output=nn.Linear)),
        ("initialise must allow the call", lambda: config(initialise=lambda: None)),
    ],
    "models": [
        ("ids must be a tensor, but is a list", lambda: decoder(IDS.tolist())),
        ("ids must be a tensor, but is a ndarray", lambda: encoder(IDS.numpy())),
        ("ids must be a tensor", lambda: decoder(IDS.tolist(), cache=lab.Cache())),
        ("real must be a tensor", lambda: encoder(IDS, REAL.tolist())),
        ("real must be a tensor", lambda: decoder(IDS, REAL.numpy(), lab.Cache())),
        ("(2, 3), but it is (3,)", lambda: encoder(IDS, REAL[0])),
        ("(2, 3), but it is (1, 3)", lambda: decoder(IDS, REAL[:1])),
        ("cache must be a Cache()", lambda: decoder(IDS, None, True)),
        ("there must be a source for each text", lambda: both(IDS, IDS[:1])),
        ("there must be a source for each text", lambda: both.decode(IDS, X[0])),
        ("memory must be a tensor", lambda: both.decode(IDS, LIST)),
        ("memory must be of the same dtype", lambda: both.decode(IDS, DOUBLE)),
        ("source_real must say", lambda: both.decode(IDS, X, REAL[:1])),
        ("source_real must be boolean", lambda: both.decode(IDS, X, REAL.long())),
        ("source_real must be a tensor", lambda: both.decode(IDS, X, REAL.tolist())),
        ("a target for each place", lambda: encoder.loss(IDS, IDS[:1])),
        ("there must be a source for each text", lambda: both.loss(IDS, IDS[:1])),
        ("every target is IGNORED", lambda: encoder.loss(IDS, torch.full((2, 3), lab.IGNORED))),
        ("targets must be whole numbers", lambda: decoder.loss(IDS.float())),
        ("label_smoothing", lambda: decoder.loss(IDS, label_smoothing=-0.5)),
        ("as the table of tokens, cpu, but is on meta. ids.to(\"cpu\")",
         lambda: decoder(IDS.to("meta"))),
        ("real must be on the same device as ids", lambda: encoder(IDS, REAL.to("meta"))),
    ],
    "caches": [
        ("remembers what another DecoderModel has read",
         lambda: lab.DecoderModel(GPT)(IDS[:, :1], cache=read())),
        ("remembers 2 texts, but ids hold 1", lambda: decoder(IDS[:1], cache=read())),
        ("begun with another memory", lambda: [
            both.decode(IDS, memory, cache=c) for c in [lab.Cache()] for memory in (X, -X)]),
        ("this cache is empty", lambda: lab.Cache().reorder(torch.tensor([0]))),
        ("rows must be a tensor", lambda: read().reorder([0, 1])),
        ("rows must be whole numbers, but is torch.bool", lambda: read().reorder(REAL[0, :2])),
        ("rows must lie between 0 and 1", lambda: read().reorder(torch.tensor([-1]))),
        ("rows must lie between 0 and 1", lambda: read().reorder(torch.tensor([2]))),
        ("ids must be whole numbers", lambda: with_past(decoder, X[0], None, None)),
        ("cannot be joined",
         lambda: [heads(x, cache=c) for c in [lab.Cache()] for x in (X, X[:1])]),
        ("rows must have one axis, but have shape (1, 1)",
         lambda: read().reorder(torch.tensor([[0]]))),
        ("rows must have one axis, but have shape ()", lambda: read().reorder(torch.tensor(0))),
    ],
    "writing": [
        ("prompt must be a tensor, but is a list", lambda: lab.generate(
            decoder, [[3]], max_new_tokens=1)),
        ("max_new_tokens must be a whole number", lambda: write(max_new_tokens=2.0)),
        ("max_new_tokens must be at least 1, but is -1", lambda: write(max_new_tokens=-1)),
        ("eos_id must be a whole number, but is tensor(3)", lambda: write(eos_id=torch.tensor(3))),
        ("eos_id must be a token", lambda: write(eos_id=-1)),
        ("pad_id must be a whole number, but is None", lambda: write(pad_id=None)),
        ("must lie between 0 and 10, for a vocabulary of 11, but hold 99",
         lambda: write(max_new_tokens=1, choose=lambda logits: torch.tensor([1, 99]))),
        ("but hold -1. A token is the place of a logit.", lambda: chosen(torch.tensor([-1, 0]))),
        ("one token, a whole number, for each of the 2 texts", lambda: chosen(REAL[:, 0])),
        ("one token, a whole number, for each of the 2 texts", lambda: chosen(torch.tensor(3))),
        ("what choose returns must be a tensor, but is a int", lambda: chosen(3)),
        ("what choose returns must be a tensor", lambda: chosen([3, 3])),
        ("no token to go on from", lambda: lab.generate(decoder, IDS[:0], max_new_tokens=1)),
        ("only a DecoderModel writes", lambda: lab.next_token_logits(encoder, IDS)),
        ("ids must be a tensor", lambda: lab.next_token_logits(decoder, [[1]])),
        ("real must say", lambda: lab.next_token_logits(decoder, IDS, REAL[:, 1:])),
        ("cache must be a Cache()", lambda: lab.next_token_logits(decoder, IDS, cache={})),
        ("none that the cache has not read",
         lambda: lab.next_token_logits(decoder, IDS, cache=read())),
        ("model must be a module, a made EncoderDecoderModel",
         lambda: lab.GivenSource(decoder, IDS)),
        ("as many texts for each source", lambda: lab.GivenSource(both, IDS)(IDS[:1])),
        ("ids must be a tensor", lambda: lab.GivenSource(both, IDS)([[1], [1]])),
        ("real must say", lambda: lab.GivenSource(both, IDS, REAL[:1])),
        ("prompt must be a tensor, but is a list",
         lambda: next(lab.generation_steps(decoder, [[3]], max_new_tokens=1))),
        ("pad_id must be a token",
         lambda: next(lab.generation_steps(decoder, IDS, max_new_tokens=1, pad_id=11))),
        ("texts must be a list of lists", lambda: pad_left([1, 2])),
        ("texts must be a list of lists", lambda: pad_left(["ab", "c"])),
        ("texts must be a list of lists", lambda: pad_left("ab")),
        ("texts must be a list of lists", lambda: pad_left([[1.5], [2]])),
        ("texts must be a list of lists", lambda: pad_left(IDS)),
        ("no tokens to pad", lambda: pad_left([[], []])),
        ("choose must be a function, for a call choose(logits), but is 'greedy'",
         lambda: write(choose="greedy")),
        ("choose must allow the call choose(logits), but keep_top_k takes", lambda: write(
            choose=keep_top_k)),
        ("texts must be a list of lists", lambda: pad_left([[1], [True]])),
        ("pad_id must be a whole number, but is 1.5", lambda: pad_left([[1]], pad_id=1.5)),
        ("ids hold 2 texts for 0 sources", lambda: lab.GivenSource(both, IDS[:0])(IDS)),
    ],
    "beams": [
        ("beams must be a whole number", lambda: search(beams=2.0)),
        ("beams must be from 1 to the 11 tokens", lambda: search(beams=0)),
        ("penalty must be positive and must not fall", lambda: search(penalty=lambda n: -1.0)),
        ("penalty must be positive and must not fall", lambda: search(penalty=lambda n: 0.0)),
        ("penalty must be positive and must not fall", lambda: search(penalty=lambda n: 1 / n)),
        ("penalty must be positive and must not fall", lambda: search(penalty=lambda n: torch.nan)),
        ("alpha must be at least 0", lambda: search(penalty=partial(length_penalty, alpha=-1))),
        ("length must be at least 1, but is -6", lambda: length_penalty(-6)),
        ("alpha must be at least 0", lambda: length_penalty(2, alpha=torch.nan)),
        ("only a DecoderModel writes",
         lambda: lab.beam_search(both, IDS, beams=1, max_new_tokens=1)),
        ("alpha must be a number, but is None", lambda: length_penalty(2, alpha=None)),
        ("penalty must be a function, for a call penalty(length), but is 0.6",
         lambda: search(penalty=0.6)),
        ("penalty must allow the call penalty(length), but <lambda> takes ()",
         lambda: search(penalty=lambda: 1.0)),
        ("penalty must be positive and must not fall", lambda: search(
            penalty=lambda n: None)),  # type: ignore[return-value]
        ("penalty must be positive and must not fall", lambda: search(
            penalty=lambda n: one)),  # type: ignore[return-value]
    ],
    "sampling": [
        ("logits must be a tensor", lambda: lab.greedy(LOGITS.tolist())),
        ("logits must hold floats", lambda: lab.greedy(IDS)),
        ("hold no token", lambda: lab.greedy(LOGITS[:, :0])),
        ("hold NaN or infinity", lambda: lab.sample(LOGITS / 0)),
        ("no token left", lambda: lab.sample(torch.full((1, 3), -torch.inf))),
        ("temperature must be a positive number, but is 0",
         lambda: lab.sample(LOGITS, temperature=0)),
        ("temperature must be a positive", lambda: apply_temperature(LOGITS, torch.nan)),
        ("k must be from 1 to the 11 tokens", lambda: lab.sample(LOGITS, top_k=0)),
        ("k must be a whole number, but is 2.0", lambda: keep_top_k(LOGITS, 2.0)),
        ("p must be a probability", lambda: lab.sample(LOGITS, top_p=0.0)),
        ("p must be a probability", lambda: keep_top_p(LOGITS, 90)),
        ("Generator, but is 7. A seed makes one", lambda: lab.sample(LOGITS, generator=7)),
        ("temperature must be a number, but is None", lambda: apply_temperature(LOGITS, None)),
        ("p must be a number, but is '0.5'", lambda: lab.sample(LOGITS, top_p="0.5")),
        ("p must be a number, but is tensor([0.5", lambda: keep_top_p(LOGITS, one / 2)),
        ("Those after the last token are logits[:, -1].", lambda: lab.sample(LOGITS[None])),
        ("divided by a temperature of 1e-45", lambda: lab.sample(LOGITS, temperature=1e-45)),
        ("lie beyond what torch.float16 holds", lambda: apply_temperature(LOGITS.half(), 1e-6)),
        ("divided by a temperature of 1e-310", lambda: apply_temperature(LOGITS * 0, 1e-310)),
    ],
    "losses": [
        ("targets must be a tensor", lambda: lab.token_loss(torch.zeros(1, 3, 11), [[1, 2, 3]])),
        ("logits must hold floats", lambda: lab.token_loss(torch.zeros(1, 3, 11).long(), targets)),
        ("targets must have two axes", lambda: lab.token_loss(torch.zeros(3, 11), targets[0])),
        ("label_smoothing is the share", lambda: loss(label_smoothing=1.0)),
        ("label_smoothing is the share", lambda: loss(label_smoothing=torch.nan)),
        ("targets must be a tensor", lambda: lab.shift_right([[1, 2]], 0)),
        ("targets must have two axes", lambda: lab.shift_right(targets[0], 0)),
        ("start_id must be at least 0, but is -100", lambda: lab.shift_right(targets, lab.IGNORED)),
        ("start_id must be a whole number", lambda: lab.shift_right(targets, 0.5)),
        ("label_smoothing must be a number, but is 'a'", lambda: loss(label_smoothing="a")),
    ],
    "training": [
        ("clip must be a positive number, but is -1", lambda: train(clip=-1)),
        ("clip must be a positive number, but is 0", lambda: train(clip=0)),
        ("clip must be a positive number, but is nan", lambda: train(clip=torch.nan)),
        ("only a model with a method `loss`", lambda: train(network)),
        ("the optimizer has none of this model's", lambda: train(of=network)),
        ("no parameter of this model collects gradients", lambda: train(frozen(), of=network)),
        ("no parameter of this model collects gradients", lambda: trainer(frozen())),
        ("batch_size must be at least 1", lambda: trainer(batch_size=0)),
        ("clip must be a positive number", lambda: trainer(clip=-1.0)),
        ("seed must be a whole number", lambda: trainer(seed=0.5)),
        ("model must be a module", lambda: trainer(lab.DecoderModel)),
        ("every must be at least 1, but is 0", lambda: trainer().run(1, every=0)),
        ("until must be a whole number", lambda: trainer().run(1.0)),
        ("until must be at least 0", lambda: trainer().run(-1)),
        ("a number from 0 on, but for step 1 it returned -1", lambda: trainer(
            schedule=lambda step: -1).run(1)),
        ("but for step 1 it returned nan", lambda: trainer(schedule=lambda step: torch.nan).run(1)),
        ("step must be at least 1, but is 0", lambda: lab.noam_schedule(0, d_model=8)),
        ("warm_up must be at least 1", lambda: lab.noam_schedule(1, d_model=8, warm_up=0)),
        ("d_model must be at least 1", lambda: lab.noam_schedule(1, d_model=-8)),
        ("at most its 4 steps, but is 5", lambda: cosine(warm_up=5)),
        ("warm_up must be at least 0, but is -1", lambda: cosine(warm_up=-1)),
        ("peak must be a positive number", lambda: cosine(peak=0.0)),
        ("steps must be at least 1", lambda: cosine(steps=0)),
        ("clip must be a number, but is None", lambda: train(clip=None)),
        ("peak must be a number, but is 'a'", lambda: cosine(peak="a")),
        ("model must be a module, a made Module, but is the class DecoderModel",
         lambda: train(lab.DecoderModel, of=network)),
        ("optimizer must be one that was made, but is None",
         lambda: lab.train_step(decoder, None, BATCH, clip=1.0)),
        ("optimizer must be one that was made", lambda: lab.train_step(
            decoder, torch.optim.AdamW, BATCH, clip=1.0)),
        ("by name, ['targets', 'label_smoothing'], but has ['ids']",
         lambda: lab.train_step(decoder, adam(decoder), {"ids": IDS}, clip=1.0)),
        ("a batch must be a dict", lambda: lab.train_step(decoder, adam(decoder), [IDS], clip=1.0)),
        ("a batch must be a dict", lambda: lab.Trainer(
            decoder, lambda size, generator: IDS,  # type: ignore[return-value]
            schedule=slow_rate).run(1)),
        ("make_batch must be a function, for a call make_batch(size, generator), but is {}",
         lambda: lab.Trainer(decoder, {}, schedule=slow_rate)),
        ("make_batch must allow the call", lambda: lab.Trainer(
            decoder, slow_rate, schedule=slow_rate)),
        ("schedule must be a function", lambda: trainer(schedule=1e-3)),
        ("schedule must allow the call schedule(step), but noam_schedule takes",
         lambda: trainer(schedule=lab.noam_schedule)),
        ("but for step 1 it returned None", lambda: trainer(schedule=lambda step: None).run(1)),
        ("measure must be a function", lambda: trainer().run(1, measure=0.5)),
        ("what measure returns must be a number, but is None", lambda: trainer().run(
            1, measure=lambda model: None, every=1)),
        ("Odd.loss must return one number that leads back", lambda: train(Odd(2, 2))),
    ],
    "tasks": [
        ("batch_size must be at least 1, but is 0", lambda: task(batch_size=0).trainer()),
        ("peak must be a positive number", lambda: task(learning_rate=-1).trainer().run(1)),
        ("steps must be a whole number", lambda: task(steps=1.5).trainer().run(1)),
        ("config must be a ModelConfig", lambda: task(config={}).trainer()),
        ("layers must be at least 1", lambda: small_model("ab", layers=0)),
        ("'c' is no symbol of this task", lambda: ids_of(["abc"], "ab")),
        ("at least one text", lambda: ids_of([], "ab")),
        ("characters must be a whole number", lambda: write_play(decoder, 1.5)),
        ("characters must be at least 0, but is -1", lambda: write_play(decoder, -1)),
        ("model must be an EncoderModel, Decoder", lambda: correct_tokens(network, BATCH)),
        ("targets must be a tensor, but is a list",
         lambda: correct_tokens(decoder, {"targets": LIST})),  # type: ignore[dict-item]
        ("no target counts", lambda: token_accuracy(decoder, NOTHING)),
        ("no target counts", lambda: exact_match(decoder, NOTHING)),
        ("their shape is (0, 3)", lambda: exact_match(decoder, {"targets": IDS[:0]})),
        ("a target for each place",
         lambda: token_accuracy(encoder, BATCH | {"ids": IDS[:, :1]})),
        ("a target for each place",
         lambda: exact_match(encoder, {"ids": IDS, "targets": IDS[:1]})),
        ("a batch must be a dict with 'targets' for this model, but has []",
         lambda: correct_tokens(decoder, {})),
        ("a batch must be a dict with 'ids' for this model, but has ['targets']",
         lambda: token_accuracy(encoder, BATCH)),
        ("a batch must be a dict with 'source'", lambda: exact_match(both, BATCH)),
        ("but is a Tensor", lambda: exact_match(decoder, IDS)),
        ("size must be at least 1, but is -1", lambda: task().held_out(-1)),
        ("make_batch must be a function", lambda: task(make_batch=None).trainer()),
        ("texts must be a list of texts, like ['abc'], but is a str", lambda: ids_of("abc", "abc")),
    ],
    "the rest": [
        ("module must be a module", lambda: lab.initialise_normal(nn.Linear)),
        ("module must be a module", lambda: lab.initialise_xavier([nn.Linear(2, 2)])),
        ("no call of a module named 'x'", lambda: Record().latest("x")),
        ("each letter needs a size of its own", lambda: shape_in_letters((2,), {"B": 2, "T": 2})),
        ("text must be a str, but is a bytes", lambda: split_pieces(b"ab")),
        ("text must be a str, but is a list", lambda: learn_merges(["ab"], 1)),
        ("count must be a whole number, but is 0.5", lambda: learn_merges("ab", 0.5)),
        ("count must be at least 0", lambda: learn_merges("ab", -1)),
        ("heads must be a list, like [0]", lambda: ablate_heads(heads, 0).__enter__()),
        ("heads must be 0 to 1, but are [-1]", lambda: ablate_heads(heads, [-1]).__enter__()),
        ("attention must be a module", lambda: ablate_heads(head, [0]).__enter__()),
        ("trace watches an nn.Module", lambda: trace(lab.LayerNorm).__enter__()),
        ("module must be a module", lambda: lab.count_parameters([one])),
        ("but is the class LayerNorm", lambda: lab.count_parameters(lab.LayerNorm)),
        ("text must be a str", lambda: tokenizer.encode(["ab"])),
        ("ids must lie between 0 and 256", lambda: tokenizer.decode([257])),
        ("each id must be a whole number, but is 65.9", lambda: tokenizer.decode([65.9])),
        ("each id must be a whole number, but is 65.0",
         lambda: tokenizer.decode(torch.tensor([65.0]))),
        ("each id must be a whole number, but is 'a'", lambda: tokenizer.decode(["a"])),
        ("the pair (97, 98) is there twice", lambda: lab.BytePairTokenizer([(97, 98)] * 2)),
        ("left must be a whole number, but is 'a'", lambda: lab.BytePairTokenizer([("a", "b")])),
        ("text must be a str, but is a bytes", lambda: lab.BytePairTokenizer.train(
            b"ab", vocabulary=256)),
        ("vocabulary must be a whole number", lambda: lab.BytePairTokenizer.train(
            "ab", vocabulary=256.0)),
        ("must be at least 256, but is 255",
         lambda: lab.BytePairTokenizer.train("ab", vocabulary=255)),
        ("ids must be a list, like [97, 32, 98], but is 'ab'", lambda: tokenizer.decode("ab")),
        ("ids must be a list, like [97, 32, 98], but is 3", lambda: tokenizer.decode(3)),
        ("each id must be a whole number, but is tensor([65, 66])",
         lambda: tokenizer.decode([torch.tensor([65, 66])])),
        ("each id must be a whole number, but is True", lambda: tokenizer.decode([True])),
        ("a merge must be a pair of tokens, like (97, 98), but is [1, 2]",
         lambda: merge_pair([1, 2], [1, 2], 3)),
        ("a merge must be a pair of tokens", lambda: lab.BytePairTokenizer([[97, 98]])),
        ("a merge must be a pair of tokens", lambda: lab.BytePairTokenizer([(97, 98, 99)])),
        ("special must be a list of texts, like ['<end>'], but is a str",
         lambda: lab.BytePairTokenizer([], special="<end>")),
        ("special must be a list of texts, but holds 3",
         lambda: lab.BytePairTokenizer([], special=[3])),
        ("special must be a list of texts, like ['a text'], but is a generator",
         lambda: lab.BytePairTokenizer([], special=(name for name in ["<end>"]))),
        ("each head must be a whole number, but is True",
         lambda: ablate_heads(heads, [True]).__enter__()),
        ("each head must be a whole number, but is 0.0",
         lambda: ablate_heads(heads, [0.0]).__enter__()),
        ("each head must be a whole number, but is '0'",
         lambda: ablate_heads(heads, "0").__enter__()),
        ("names must be a str, such as '*attention', but is ['*']",
         lambda: trace(decoder, ["*"]).__enter__()),
        ("no call of a module named 3", lambda: Record().latest(3)),
        ("without must be a tuple of classes of modules",
         lambda: lab.count_parameters(norm, without="a")),
        ("d_model must be at least 1, but is 0", lambda: SSRU(d_model=0)),
        ("width d_model = 8, but x has shape (2, 8, 3)", lambda: SSRU(d_model=8)(X.mT)),
        ("x must have at least two axes", lambda: SSRU(d_model=8)(one)),
        ("mask must be boolean, but is torch.float32",
         lambda: SSRU(d_model=8)(X, CAUSAL.float())),
        ("cache must be a Cache()", lambda: SSRU(d_model=8)(X, CAUSAL, True)),
        ("given 3. No exercise asks for that; there are: attention-", lambda: lab.check(3)),
        ("a function, accurate. No exercise asks for that", lambda: lab.check(accurate)),
        ("a function, soft_lookup. It is checked by check(\"attention-lookup\").",
         lambda: lab.check(soft_lookup)),
    ],
}

#: What may look like misuse, but means something: the right result, and the call.
RIGHT = {
    "scores too large for float16": (
        lambda: torch.full((1, 64), 200.0).half(),
        lambda: attend(*[torch.full((1, 64), 200.0).half()] * 3)[0]),
    "a mask of one row": (
        lambda: attend(X, X[:, :1], X[:, :1])[0],
        lambda: attend(X, X, X, torch.tensor([True, False, False]))[0]),
    "no key to attend to": (lambda: torch.zeros(2, 3, 8), lambda: attend(X, X[:, :0], X[:, :0])[0]),
    "no key, fused": (lambda: torch.zeros(2, 3, 8), lambda: fused(X, X[:, :0], X[:, :0])),
    "queries that see nothing, fused": (
        lambda: torch.zeros(2, 3, 8), lambda: fused(X, X, X, torch.zeros(3, 3).bool())),
    "sizes of NumPy's": (
        lambda: CAUSAL, lambda: lab.causal_mask(np.int64(3))),
    "a (B, S) mask where B = T is one of queries by keys": (
        lambda: heads(X[:, :2], mask=REAL[None, :, :2])[0],
        lambda: heads(X[:, :2], mask=REAL[:, :2])[0]),
    "rotary attention with a cache of its own": (
        lambda: rotary(X, mask=CAUSAL)[0][:, 2:],
        lambda: [rotary(x, cache=c)[0] for c in [lab.Cache()] for x in X.split(1, 1)][-1]),
    "a position between two": (
        lambda: torch.tensor([0.5]).sin(),
        lambda: lab.sinusoidal_encoding(torch.tensor([0.5]), 1)[0]),
    "a rotation that starts before 0": (
        lambda: (lambda q, k: q @ k.mT)(*lab.RotaryPositions()(X, X)),
        lambda: (lambda q, k: q @ k.mT)(*lab.RotaryPositions()(X, X, -7))),
    "a bias-free norm": (
        lambda: F.layer_norm(X, (8,)), lambda: lab.LayerNorm(d_model=8, bias=False)(X)),
    "an activation that is a module": (
        lambda: F.gelu(torch.tensor(1.0)),
        lambda: lab.FeedForward(d_model=8, activation=nn.GELU()).activation(torch.tensor(1.0))),
    "a clip of infinity": (lambda: True, lambda: train(lab.DecoderModel(GPT), clip=torch.inf) > 0),
    "a schedule without warm-up": (lambda: 0.5, lambda: round(slow(2, warm_up=0, steps=3), 9)),
    "after the last step": (
        lambda: 0.0, lambda: slow(9, warm_up=2, steps=4)),
    "top k of all": (lambda: LOGITS, lambda: keep_top_k(LOGITS, 11)),
    "top p of all": (lambda: LOGITS, lambda: keep_top_p(LOGITS, 1)),
    "one axis of logits": (lambda: LOGITS[0].argmax(), lambda: lab.greedy(LOGITS[0])),
    "a history that begins": (lambda: ([], {}), lambda: tuple(vars(History()).values())),
    "hypotheses, as many as beams": (
        lambda: torch.Size([2, 2]), lambda: Hypotheses(*search()).scores.shape),
    "a step of writing": (
        lambda: LOGITS.argmax(dim=-1), lambda: Step(LOGITS, lab.greedy(LOGITS)).tokens),
    "what overlaps is merged once, from the left": (
        lambda: (2, 1), lambda: merge_pair([1, 1, 1], (1, 1), 2)),
    "nothing to merge": (lambda: [], lambda: learn_merges("", 0)),
    "a call and its line": (
        lambda: [True, True, True],
        lambda: [call.kind is lab.LayerNorm and isinstance(part, kind)
                 for call in watched(norm) for part, kind in [
                     (call, Call), (call.line, Line), (call.output, torch.Tensor)]]),
    "as many steps as were taken": (lambda: 0, lambda: len(trainer().run(0).losses)),
    "a schedule written in C, which shows no signature": (
        lambda: 0, lambda: trainer(schedule=torch.sigmoid).step),
}

ROWS = [(f"{name} {n}: {words}", words, call)
        for name, rows in REFUSED.items() for n, (words, call) in enumerate(rows)]
# fmt: on


@pytest.mark.parametrize(("words", "call"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_cannot_be_meant_is_refused_in_words(as_readers_run_it, words, call):
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        call()


@pytest.mark.parametrize(("expected", "call"), RIGHT.values(), ids=RIGHT)
def test_what_may_be_meant_comes_out_right(as_readers_run_it, expected, call):
    torch.testing.assert_close(call(), expected())


#: Beside refusals, which refuse: two types, `check`, whose hostile cells are in tests/tensorgrader,
#: `reading`, which refuses nothing, and Task, which `task` makes.
APART = {"Batch", "Decoder", "check", "reading", "Task"}


def public():
    """Give the names of all that the package and its model modules offer to be called."""
    found = {name for name in lab.__all__ if callable(getattr(lab, name))}
    for path in (path for path in MODELS if not path.stem.startswith("_")):
        module = import_module(f"transformer_lab.{path.stem}")
        for name, thing in vars(module).items():
            if getattr(thing, "__module__", "") == module.__name__ and callable(thing):
                found.add(name)
    return sorted(n for n in found - APART if not n.startswith(("_", "check_", "can_", "is_")))


@pytest.mark.parametrize("name", public())
def test_every_public_name_has_a_row(name):
    """In this file below its imports: in a row, or in what rows call."""
    text = Path(__file__).read_text("utf8").partition("\nX = ")[2]
    nodes = list(ast.walk(ast.parse(f"X = {text}")))
    called = {node.id for node in nodes if isinstance(node, ast.Name)}
    called |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    assert name in called
