"""Misuse that PyTorch would compute without complaint: it raises, or comes out right.

A row is what the message names, or what is right, and the call.
"""

import re
from dataclasses import replace
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import transformer_lab as lab
from tests.models import GPT, PAPER, ids
from transformer_lab.beam_search import length_penalty
from transformer_lab.generate import pad_left
from transformer_lab.masking import cross_mask
from transformer_lab.positional_encoding import (
    position_angles,
    token_positions,
)
from transformer_lab.pretrained import SSRU
from transformer_lab.pretrained.bergamot import (
    half_split_sinusoidal_encoding,
)
from transformer_lab.sampling import apply_temperature, keep_top_k
from transformer_lab.tasks.accuracy import exact_match, token_accuracy
from transformer_lab.tasks.shakespeare import write as write_play
from transformer_lab.tasks.symbol_tasks import REVERSE
from transformer_lab.tasks.task import ids_of, small_model
from transformer_lab.tokenizer import learn_merges, merge_pair, split_pieces
from transformer_lab.trace import Record, ablate_heads, shape_in_letters

X = torch.randn(2, 3, 8, generator=torch.Generator().manual_seed(0))
WHOLE, one = X.long(), torch.ones(8)
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


def trainer(model=decoder, schedule=lambda step: 1e-3, **settings):
    def make_batch(size, _):
        return {"targets": ids(size, 3)}

    return lab.Trainer(model, make_batch, schedule=schedule, **settings)


def read(cache=None):
    cache = cache or lab.Cache()
    decoder(IDS, cache=cache)
    return cache


# fmt: off
REFUSED = {
    "attention": [
        ("q, k and v", lambda: attend(X[0, 0], X, X)),
        ("q, k and v", lambda: fused(X, X, X[0, 0])),
        ("mask must be a", lambda: attend(X, X, X, CAUSAL.tolist())),
        ("mask must be a", lambda: fused(X, X, X, lab.to_additive(CAUSAL))),
        ("mask == 0", lambda: attend(X, X, X, lab.to_additive(CAUSAL))),
        ("mask.bool()", lambda: attend(X, X, X, CAUSAL.long())),
        ("mask must broadcast to", lambda: fused(X, X, X, REAL)),
        ("must broadcast to the scores", lambda: attend(X, X, X, CAUSAL.expand(4, 3, 3))),
        ("q must be on", lambda: attend(X, X.to("meta"), X)),
    ],
    "many heads": [
        ("heads must divide d_model", lambda: lab.MultiHeadAttention(d_model=8, heads=3)),
        ("heads must be at", lambda: lab.MultiHeadAttention(d_model=8, heads=-2)),
        ("d_model must be at", lambda: lab.MultiHeadAttention(d_model=0, heads=2)),
        ("kv_heads must divide heads", lambda: lab.GroupedQueryAttention(**EIGHT, kv_heads=3)),
        ("rotary positions rotate features", lambda: lab.MultiHeadAttention(
            d_model=8, heads=8, positions=lab.RotaryPositions())(X)),
        ("attention must be a", lambda: lab.separate_heads(head)),
    ],
    "masks": [
        ("past must be at", lambda: lab.causal_mask(3, past=-1)),
        ("window must be an", lambda: lab.sliding_window_mask(3, window=1.5)),
        ("window must be at", lambda: lab.sliding_window_mask(3, window=-1)),
        ("real must be boolean", lambda: lab.padding_mask(REAL.float())),
        ("memory_real must be boolean", lambda: cross_mask(REAL, REAL.numpy())),
        ("dtype must be a", lambda: lab.to_additive(REAL, torch.int64)),
    ],
    "norms": [
        ("weight must have one", lambda: rms(torch.tensor(1.0))),
        ("weight must have one", lambda: lab.layer_norm(X, one[:1], one)),
        ("bias must have one", lambda: lab.layer_norm(X, one, one[None])),
        ("the sublayer must return", lambda: lab.PreNorm(norm=norm)(X, heads)),
        ("the sublayer must return", lambda: lab.PostNorm(norm=norm)(X, lambda x: None)),
        ("eps must be at", lambda: lab.RMSNorm(d_model=8, eps=-9)),
        ("eps must be a", lambda: lab.RMSNorm(d_model=8, eps=one)),
    ],
    "positions": [
        ("positions must be numbers", lambda: lab.SinusoidalPositions(d_model=8)(X, REAL)),
        ("slice indices must be", lambda: half_split_sinusoidal_encoding(IDS, 8.0)),
        ("base must be a", lambda: lab.sinusoidal_encoding(IDS, 8, base=-1)),
        ("base must be a", lambda: position_angles(IDS, 8, 0, torch.float)),
        ("base must be a", lambda: lab.SinusoidalPositions(d_model=8, base=torch.nan)(X, IDS)),
        ("position for each vector", lambda: lab.SinusoidalPositions(d_model=8)(X, IDS[:, :1])),
        ("dtype must be a", lambda: lab.SinusoidalPositions(d_model=8)(WHOLE, IDS)),
        ("positions must be at least 0",
         lambda: lab.LearnedPositions(d_model=8, max_length=9)(X, -IDS + 6)),
        ("x must have width", lambda: lab.LearnedPositions(d_model=1, max_length=10)(X, IDS)),
        ("an angle for each pair", lambda: lab.rotate_pairs(X, X)),
        ("real must be boolean", lambda: token_positions(IDS)),
        ("q and k must", lambda: lab.RotaryPositions()(X, X[:, 1:])),
        ("q and k must", lambda: lab.ALiBi()(X[:, 1:], X)),
        ("heads must be at", lambda: lab.alibi_slopes(0)),
        ("causal attention", lambda: lab.MultiHeadAttention(**EIGHT, positions=lab.ALiBi())(X)),
    ],
    "layers": [
        ("the sublayer must return", lambda: lab.DecoderLayer(**LAYER)(X[:1], X)),
        ("memory must be a", lambda: lab.DecoderLayer(**LAYER)(X, None)),
    ],
    "configurations": [
        ("layers must be an", lambda: config(layers=True)),
        ("decoder_layers must be at", lambda: config(decoder_layers=0)),
        ("start_id must be a", lambda: config(start_id=11)),
        ("final_norm must be a norm", lambda: config(residual=lab.PreNorm)),
        ("attention has positions already", lambda: config(
            attention=partial(lab.MultiHeadAttention, positions=lab.ALiBi()))),
    ],
    "models": [
        ("ids must be on", lambda: encoder(IDS.numpy())),
        ("real must say for", lambda: encoder(IDS, REAL[0])),
        ("real must say for", lambda: decoder(IDS, REAL[:1])),
        ("one source for each", lambda: both(IDS, IDS[:1])),
        ("one source for each", lambda: both.decode(IDS, X[0])),
        ("source_real must say", lambda: both.decode(IDS, X, REAL[:1])),
        ("source_real must be boolean", lambda: both.decode(IDS, X, REAL.long())),
        ("there must be a", lambda: encoder.loss(IDS, IDS[:1])),
        ("one source for each", lambda: both.loss(IDS, IDS[:1])),
        ("every target is IGNORED", lambda: encoder.loss(IDS, torch.full((2, 3), lab.IGNORED))),
        ("label_smoothing", lambda: decoder.loss(IDS, label_smoothing=-0.5)),
        ("embeddings must be a module", lambda: lab.TiedOutput(nn.Embedding(9, 8))),
    ],
    "caches": [
        ("filled by another", lambda: lab.DecoderModel(GPT)(IDS[:, :1], cache=read())),
        ("this cache holds 2", lambda: decoder(IDS[:1], cache=read())),
        ("another memory", lambda: [
            both.decode(IDS, memory, cache=c) for c in [lab.Cache()] for memory in (X, -X)]),
        ("this cache is empty", lambda: lab.Cache().reorder(torch.tensor([0]))),
        ("rows must be integers", lambda: read().reorder(REAL[0, :2])),
        ("rows must be counted", lambda: read().reorder(torch.tensor([-1]))),
    ],
    "writing": [
        ("max_new_tokens must be at", lambda: write(max_new_tokens=-1)),
        ("eos_id must be a token", lambda: write(eos_id=-1)),
        ("for each of the 2", lambda: write(choose=lambda x: x.argmax(-1, keepdim=True))),
        ("returned torch.float32", lambda: write(choose=lambda x: x.amax(-1))),
        ("choose must return one",
         lambda: write(max_new_tokens=1, choose=lambda logits: torch.tensor([1, 99]))),
        ("there is no token", lambda: lab.generate(decoder, IDS[:0], max_new_tokens=1)),
        ("only a DecoderModel generates", lambda: lab.next_token_logits(encoder, IDS)),
        ("real must say", lambda: lab.next_token_logits(decoder, IDS, REAL[:, 1:])),
        ("ends in padding", lambda: lab.next_token_logits(decoder, IDS, CAUSAL[:2])),
        ("model must be a", lambda: lab.GivenSource(decoder, IDS)),
        ("pad_id must be a token",
         lambda: next(lab.generation_steps(decoder, IDS, max_new_tokens=1, pad_id=11))),
        ("too many dimensions 'str'", lambda: pad_left(["ab", "c"])),
        ("no tokens to pad", lambda: pad_left([[], []])),
    ],
    "beams": [
        ("beams must be at", lambda: search(beams=0)),
        ("beams must be from 1 to the 11", lambda: search(beams=12)),
        ("penalty must be positive", lambda: search(penalty=lambda n: -1.0)),
        ("alpha must be at", lambda: search(penalty=partial(length_penalty, alpha=-1))),
        ("length must be at", lambda: length_penalty(-6)),
        ("alpha must be at", lambda: length_penalty(2, alpha=torch.nan)),
        ("alpha must be a", lambda: length_penalty(2, alpha=None)),
        ("<lambda>.<locals>.<lambda>() takes 0 positional", lambda: search(penalty=lambda: 1.0)),
    ],
    "sampling": [
        ("logits must be floats", lambda: lab.greedy(IDS)),
        ("hold no token", lambda: lab.greedy(LOGITS[:, :0])),
        ("hold NaN or infinity", lambda: lab.sample(LOGITS / 0)),
        ("no token left", lambda: lab.sample(torch.full((1, 3), -torch.inf))),
        ("temperature must be a", lambda: lab.sample(LOGITS, temperature=0)),
        ("temperature must be a positive", lambda: apply_temperature(LOGITS, torch.nan)),
        ("k must be at", lambda: lab.sample(LOGITS, top_k=0)),
        ("k must be from 1 to the 11", lambda: keep_top_k(LOGITS, 12)),
        ("p must be a probability", lambda: lab.sample(LOGITS, top_p=0.0)),
        ("p must be a", lambda: lab.sample(LOGITS, top_p="0.5")),
        ("divided by a temperature", lambda: lab.sample(LOGITS, temperature=1e-45)),
    ],
    "losses": [
        ("label_smoothing is the share", lambda: loss(label_smoothing=1.0)),
    ],
    "training": [
        ("clip must be a", lambda: train(clip=-1)),
        ("the optimizer would train", lambda: train(of=network)),
        ("batch_size must be at", lambda: trainer(batch_size=0)),
        ("every must be at", lambda: trainer().run(1, every=0)),
        ("schedule(1), a learning rate", lambda: trainer(schedule=lambda step: -1).run(1)),
        ("step must be at", lambda: lab.noam_schedule(0, d_model=8)),
        ("warm_up must be at", lambda: lab.noam_schedule(1, d_model=8, warm_up=0)),
        ("d_model must be at", lambda: lab.noam_schedule(1, d_model=-8)),
        ("warm_up must be at most", lambda: cosine(warm_up=5)),
        ("warm_up must be at", lambda: cosine(warm_up=-1)),
        ("peak must be a", lambda: cosine(peak=0.0)),
        ("steps must be at", lambda: cosine(steps=0)),
    ],
    "tasks": [
        ("layers must be at", lambda: small_model("ab", layers=0)),
        ("'c' is not a", lambda: ids_of(["abc"], "ab")),
        ("at least one text", lambda: ids_of([], "ab")),
        ("characters must be at", lambda: write_play(decoder, -1)),
        ("nothing to measure", lambda: token_accuracy(decoder, NOTHING)),
        ("model must be an", lambda: token_accuracy(nn.Linear(2, 2), BATCH)),
        ("targets have shape (0, 3)", lambda: exact_match(decoder, {"targets": IDS[:0]})),
        ("there must be a", lambda: token_accuracy(encoder, BATCH | {"ids": IDS[:, :1]})),
        ("texts must be a", lambda: ids_of("abc", "abc")),
    ],
    "the rest": [
        ("module must be a module", lambda: lab.initialise_normal(nn.Linear)),
        ("no call of a", lambda: Record().latest("x")),
        ("each letter needs a", lambda: shape_in_letters((2,), {"B": 2, "T": 2})),
        ("text must be a", lambda: split_pieces(b"ab")),
        ("count must be at", lambda: learn_merges("ab", -1)),
        ("after 2 merges", lambda: learn_merges("abc", 3)),
        ("heads must be 0 to 1", lambda: ablate_heads(heads, [-1]).__enter__()),
        ("ids must lie between", lambda: tokenizer.decode([257])),
        ("each id must be", lambda: tokenizer.decode([65.9])),
        ("each merge makes one", lambda: lab.BytePairTokenizer([(97, 98)] * 2)),
        ("merge 1 joins tokens", lambda: lab.BytePairTokenizer([(97, 98), (97, 257)])),
        ("a name of its own", lambda: lab.BytePairTokenizer([], special=["<end>"] * 2)),
        ("those of one text", lambda: tokenizer.decode(torch.full((2, 1), 97))),
        ("the vocabulary holds the", lambda: lab.BytePairTokenizer.train("ab", vocabulary=255)),
        ("ids must be a", lambda: tokenizer.decode("ab")),
        ("a merge must be", lambda: merge_pair([1, 2], [1, 2], 3)),
        ("special must be a", lambda: lab.BytePairTokenizer([], special="<end>")),
        ("special[0] must be a", lambda: lab.BytePairTokenizer([], special=[3])),
        ("each head must be", lambda: ablate_heads(heads, [True]).__enter__()),
        ("mask must be boolean", lambda: SSRU(d_model=8)(X, CAUSAL.float())),
        ("check needs the name", lambda: lab.check(3)),
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
    "a (B, S) mask where B = T is one of queries by keys": (
        lambda: heads(X[:, :2], mask=REAL[None, :, :2])[0],
        lambda: heads(X[:, :2], mask=REAL[:, :2])[0]),
    "a rotation that starts before 0": (
        lambda: (lambda q, k: q @ k.mT)(*lab.RotaryPositions()(X, X)),
        lambda: (lambda q, k: q @ k.mT)(*lab.RotaryPositions()(X, X, -7))),
    "a bias-free norm": (
        lambda: F.layer_norm(X, (8,)), lambda: lab.LayerNorm(d_model=8, bias=False)(X)),
    "a clip of infinity": (lambda: True, lambda: train(lab.DecoderModel(GPT), clip=torch.inf) > 0),
    "a schedule without warm-up": (lambda: 0.5, lambda: round(slow(2, warm_up=0, steps=3), 9)),
    "after the last step": (
        lambda: 0.0, lambda: slow(9, warm_up=2, steps=4)),
    "what overlaps is merged once, from the left": (
        lambda: (2, 1), lambda: merge_pair([1, 1, 1], (1, 1), 2)),
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
