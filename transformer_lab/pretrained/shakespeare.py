"""The GPT of `gpt.py`, trained on six plays by Shakespeare, character by character.

237,216 parameters: three layers of three heads, RMSNorm, rotary positions, SwiGLU. Trained by
`tools/shakespeare_gpt.py`, which wrote its weights in 8 bits beside this file; they need nothing
installed. Here they are float32 again.
"""

import json
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from transformer_lab._checks import check_texts
from transformer_lab.embedding import untied_output
from transformer_lab.feed_forward import SwiGLU
from transformer_lab.model import DecoderModel, ModelConfig
from transformer_lab.multi_head import MultiHeadAttention
from transformer_lab.norm import PreNorm, RMSNorm
from transformer_lab.positional_encoding import NoPositions, RotaryPositions
from transformer_lab.pretrained._installed import import_reader
from transformer_lab.pretrained._model import (
    Pretrained,
    PretrainedTokenizer,
    assemble,
    dequantise,
    rename,
)

FILE = Path(__file__).with_name("shakespeare.safetensors")
READS = 64  # the most characters that it has learned to read at once
CONFIG = ModelConfig(
    vocabulary=80,
    d_model=96,
    heads=3,
    d_ff=128,
    layers=3,
    tokens=nn.Embedding,
    positions=NoPositions,
    attention=partial(MultiHeadAttention, bias=False, positions=RotaryPositions()),
    feed_forward=SwiGLU,
    norm=RMSNorm,
    final_norm=RMSNorm,
    residual=PreNorm,
    output=untied_output,
)
NAMES = {
    "tokens.": "embeddings.tokens.",
    "blocks.": "decoder.layers.",
    "_norm.": "_residual.norm.",
}


class Characters(PretrainedTokenizer):
    """A tokenizer whose tokens are characters; those that it does not know are left out."""

    def __init__(self, vocabulary: list[str]):
        """Number the characters in their order."""
        self.vocabulary = vocabulary
        self._ids = {character: id for id, character in enumerate(vocabulary)}
        self.padding_id = 0

    def encode(self, texts: list[str]) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
        """Return the ids of each text, and which of them are characters (the rest is padding).

        Raises TypeError for anything but a list of texts, ValueError for an empty one.
        """
        check_texts("texts", texts)
        if not texts:
            raise ValueError(f"texts must be a list of at least one text, but is {texts!r}.")
        rows = [torch.tensor([self._ids[c] for c in t if c in self._ids]).long() for t in texts]
        real = [torch.ones(len(row), dtype=torch.bool) for row in rows]
        ids, mask = (pad_sequence(each, True, padding_side="left") for each in (rows, real))
        return ids, mask

    def decode(self, ids: Int[Tensor, "B T"]) -> list[str]:
        """Return the text of each row of ids."""
        return ["".join(self.vocabulary[id] for id in row) for row in ids.tolist()]

    def pieces(self, ids: Int[Tensor, " T"]) -> list[str]:
        """Return each character as a label: a space and the end of a line can be seen."""
        return [
            {"\n": "↵", " ": "␣"}.get(self.vocabulary[id], self.vocabulary[id])
            for id in ids.tolist()
        ]


def load_shakespeare() -> Pretrained[DecoderModel]:
    """Load the GPT: a `DecoderModel`, and a tokenizer of characters that pads on the left."""
    with import_reader("safetensors").safe_open(FILE, "pt") as file:
        vocabulary = json.loads(file.metadata()["vocabulary"])
        whole = dequantise({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    ours = rename(whole, NAMES) | {"decoder.norm.weight": whole["norm.weight"]}
    del ours["norm.weight"]
    return Pretrained(assemble(DecoderModel, CONFIG, ours), Characters(vocabulary))
