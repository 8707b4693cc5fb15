"""The three architectures, from the same parts.

| model                 | reads                      | hidden from it   | for                     |
|-----------------------|----------------------------|------------------|-------------------------|
| `EncoderModel`        | a text, in both directions | padding          | understanding: BERT     |
| `DecoderModel`        | a text, from left to right | also the future  | continuing: GPT, Llama  |
| `EncoderDecoderModel` | a text, writing another    | each in its half | translating: 2017 paper |

In all of them `real` is the padding mask: True = a token, False = padding; without it all are
tokens. Ids are (batch, length); logits are (batch, length, vocabulary). With a `Cache`, a
decoder takes new ids only, and remembers those it has read.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn

from transformer_lab._checks import check_config, check_memory, check_real
from transformer_lab._shapes import Ids, Logits, Loss, Memory, Real, Source, SourceReal, Vectors
from transformer_lab.cache import Cache, reading, with_past
from transformer_lab.embedding import Embeddings, ScaledEmbedding, TiedOutput
from transformer_lab.feed_forward import FeedForward
from transformer_lab.layers import DecoderLayer, EncoderLayer, Part, Stack
from transformer_lab.loss import shift_right, token_loss
from transformer_lab.masking import causal_mask, padding_mask
from transformer_lab.multi_head import MultiHeadAttention
from transformer_lab.norm import LayerNorm, PostNorm, PreNorm
from transformer_lab.parameters import initialise_xavier
from transformer_lab.positional_encoding import LearnedPositions, SinusoidalPositions


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The sizes of a model, and the parts it is made of: by default the paper's.

    A part is a class, or a `functools.partial` of one. `nn.Identity` stands for no norm.
    """

    vocabulary: int
    d_model: int
    heads: int
    d_ff: int
    layers: int
    decoder_layers: int | None = None  # of an EncoderDecoderModel; as many as layers if None
    dropout: float = 0.0
    start_id: int = 0  # a decoder's first input

    tokens: Callable[[int, int], nn.Embedding] = ScaledEmbedding
    positions: Part = SinusoidalPositions
    embedding_norm: Part = nn.Identity
    attention: Part = MultiHeadAttention
    feed_forward: Part = FeedForward
    norm: Part = LayerNorm
    residual: Part = PostNorm
    final_norm: Part = nn.Identity  # after PreNorm layers, LayerNorm
    output: Callable[[Embeddings], nn.Module] = TiedOutput
    initialise: Callable[[nn.Module], None] = initialise_xavier

    def __post_init__(self) -> None:
        """Raise ValueError for invalid sizes and incompatible parts."""
        added = (SinusoidalPositions, LearnedPositions)
        check_config(vars(self), stream=PreNorm, added=added)


PAPER_BASE = ModelConfig(vocabulary=37_000, d_model=512, heads=8, d_ff=2048, layers=6, dropout=0.1)
"""The base model of Vaswani et al. 2017, table 3. `replace(PAPER_BASE, ...)` varies it."""


class EncoderModel(nn.Module):
    """Reads a text in both directions; scores every word for each position (BERT's type)."""

    def __init__(self, config: ModelConfig):
        """Build the parts that `config` names."""
        super().__init__()
        self.embeddings = _embeddings(config)
        self.encoder = _stack(config, EncoderLayer, config.layers)
        self.output = config.output(self.embeddings)
        self.apply(config.initialise)

    def encode(self, ids: Ids, real: Real | None = None) -> Vectors:
        """Return a vector for each token, given all the others."""
        return self.encoder(self.embeddings(ids, real), _padding(real))

    def forward(self, ids: Ids, real: Real | None = None) -> Logits:
        """Return the logits of the token at each position."""
        return self.output(self.encode(ids, real))

    def loss(
        self, ids: Ids, targets: Ids, real: Real | None = None, *, label_smoothing: float = 0.0
    ) -> Loss:
        """Return the loss of `targets`, IGNORED where nothing was hidden. Nothing is shifted."""
        return token_loss(self(ids, real), targets, label_smoothing=label_smoothing)


class DecoderModel(nn.Module):
    """Reads a text from left to right; scores each token as the next one (GPT's and Llama's type).

    The layers are the encoder's: what makes a decoder of them is the causal mask.
    """

    def __init__(self, config: ModelConfig):
        """Build the parts that `config` names."""
        super().__init__()
        self.embeddings = _embeddings(config)
        self.decoder = _stack(config, EncoderLayer, config.layers)
        self.output = config.output(self.embeddings)
        self.start_id = config.start_id
        self.apply(config.initialise)

    def read(self, ids: Ids, real: Real | None = None, cache: Cache | None = None) -> Vectors:
        """Return a vector for each token, given those before it."""
        past, real = with_past(self, ids, real, cache)
        x = self.embeddings(ids, real, past=past)
        with reading(self, ids, real, cache):
            return self.decoder(x, _causal(ids, real, past), cache)

    def forward(self, ids: Ids, real: Real | None = None, cache: Cache | None = None) -> Logits:
        """Return, at each position, the logits of the next token."""
        return self.output(self.read(ids, real, cache))

    def loss(self, targets: Ids, *, label_smoothing: float = 0.0) -> Loss:
        """Return the loss of writing `targets` from start_id on. Padding at the end is IGNORED."""
        logits = self(shift_right(targets, self.start_id))
        return token_loss(logits, targets, label_smoothing=label_smoothing)


class EncoderDecoderModel(nn.Module):
    """Reads one text in both directions and writes another from left to right (2017 paper).

    One table of tokens serves the source, the target and the output: section 3.4.
    """

    def __init__(self, config: ModelConfig):
        """Build the parts that `config` names."""
        super().__init__()
        self.embeddings = _embeddings(config)
        self.encoder = _stack(config, EncoderLayer, config.layers)
        self.decoder_embeddings = _embeddings(config, self.embeddings.tokens)
        self.decoder = _stack(config, DecoderLayer, config.decoder_layers or config.layers)
        self.output = config.output(self.decoder_embeddings)
        self.start_id = config.start_id
        self.apply(config.initialise)

    def encode(self, source: Source, source_real: SourceReal | None = None) -> Memory:
        """Return the memory: a vector for each source token. Once per text is enough."""
        return self.encoder(self.embeddings(source, source_real), _padding(source_real))

    def read(
        self,
        ids: Ids,
        memory: Memory,
        source_real: SourceReal | None = None,
        real: Real | None = None,
        cache: Cache | None = None,
    ) -> Vectors:
        """Return a vector for each token of the text so far, given the memory.

        Raises ValueError unless there is one memory, and one `source_real`, for each text.
        """
        check_memory(ids, memory)
        if source_real is not None:
            check_real(source_real, memory, name="source_real")
        past, real = with_past(self, ids, real, cache)
        x = self.decoder_embeddings(ids, real, past=past)
        masks = _causal(ids, real, past), _padding(source_real)
        with reading(self, ids, real, cache):
            return self.decoder(x, memory, *masks, cache)

    def decode(
        self,
        ids: Ids,
        memory: Memory,
        source_real: SourceReal | None = None,
        real: Real | None = None,
        cache: Cache | None = None,
    ) -> Logits:
        """Return, at each position of the text so far, the logits of the next token."""
        return self.output(self.read(ids, memory, source_real, real, cache))

    def forward(
        self,
        source: Source,
        ids: Ids,
        source_real: SourceReal | None = None,
        real: Real | None = None,
    ) -> Logits:
        """Encode the source, then decode: the logits of the token after each of `ids`."""
        return self.decode(ids, self.encode(source, source_real), source_real, real)

    def loss(
        self,
        source: Source,
        targets: Ids,
        source_real: SourceReal | None = None,
        *,
        label_smoothing: float = 0.0,
    ) -> Loss:
        """Return the loss of writing `targets` from start_id on. Padding at the end is IGNORED."""
        logits = self(source, shift_right(targets, self.start_id), source_real)
        return token_loss(logits, targets, label_smoothing=label_smoothing)


def _embeddings(config: ModelConfig, tokens: nn.Embedding | None = None) -> Embeddings:
    """Combine a position encoding with a token table, a new one unless it is given."""
    return Embeddings(
        tokens=tokens or config.tokens(config.vocabulary, config.d_model),
        positions=config.positions(d_model=config.d_model),
        norm=config.embedding_norm(d_model=config.d_model),
        dropout=config.dropout,
    )


def _stack(config: ModelConfig, layer: Part, depth: int) -> Stack:
    """Return a stack of `depth` layers of one kind."""
    sizes = ("d_model", "heads", "d_ff", "dropout")
    parts = ("attention", "feed_forward", "norm", "residual")
    given = {name: getattr(config, name) for name in sizes + parts}
    layers = (layer(**given) for _ in range(depth))
    return Stack(layers, config.final_norm(d_model=config.d_model))


def _padding(real: Tensor | None) -> Tensor | None:
    """Return the padding mask, if there is padding."""
    return None if real is None else padding_mask(real)


def _causal(ids: Tensor, real: Tensor | None, past: int) -> Tensor | None:
    """Return the causal mask with padding; None if one new token needs neither."""
    if real is None and ids.size(-1) == 1:
        return None
    mask = causal_mask(ids.size(-1), past=past, device=ids.device)
    return mask if real is None else mask & padding_mask(real)
