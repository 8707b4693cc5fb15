"""The models that a reader's browser runs, in 8 bits a weight: the input of `page/models`.

MiniLM's matrices are rounded to integers from -127 to 127; each 16 or 32 neighbours share a scale.
Its token table comes in parts, since a sentence needs few. The translator's weights were published
in 8 bits, and stay unchanged. All else stays float32.
"""

import base64
import json

import torch
from jaxtyping import Float, Float16, Int8
from torch import Tensor

from book._ext.training import kernels
from transformer_lab.pretrained import bergamot, minilm, shakespeare, smollm2
from transformer_lab.pretrained._installed import find_file, import_reader
from transformer_lab.pretrained._marian import read_quantised
from transformer_lab.pretrained._model import rename

GROUP = 32
FINE = ("query.weight", "key.weight", "up.weight"), 16  # the weights that rounding affects most
LARGEST = torch.linspace(127, 111, 33).tolist()  # the candidates for the largest integer of a group
SMALLEST = 2.0**-14  # of a scale: below this, half precision loses digits
POSITIONS = 128  # as many tokens as MiniLM was trained on
ROWS = 256  # rows of the token table in each of its parts
TOKENS = "embeddings.tokens.weight"
PLACES = "embeddings.positions.table.weight"


def quantise(
    weight: Float[Tensor, "N K"], group: int = GROUP
) -> tuple[Int8[Tensor, "N K"], Float16[Tensor, "N G"]]:
    """Round a matrix to integers from -127 to 127, with a scale for each `group` of a row.

    Among a few scales for each group it chooses the one with the smallest error. Raises ValueError
    for a width that is no multiple of `group`.
    """
    if weight.size(-1) % group:
        raise ValueError(f"the width must be a multiple of {group}, but is {weight.size(-1)}.")
    parts = (_rounded(rows) for rows in weight.float().unflatten(-1, (-1, group)).split(ROWS))
    whole, scales = (torch.cat(part) for part in zip(*parts, strict=True))
    return whole.flatten(-2).to(torch.int8), scales.squeeze(-1).half()


def _rounded(groups: Float[Tensor, "N G size"]) -> tuple[Tensor, Tensor]:
    """Return the integers and the scale of each group; a few rows at a time are fast."""
    most = groups.abs().amax(dim=-1, keepdim=True)
    least = torch.full_like(most, torch.inf)
    whole, scales = torch.zeros_like(groups), torch.zeros_like(most)
    for largest in LARGEST:
        scale = (most / largest).clamp(min=SMALLEST).half().float()
        rounded = (groups / scale).round().clamp(-127, 127)
        lost = (rounded * scale - groups).square().sum(dim=-1, keepdim=True)
        better = lost < least
        least, scales = torch.where(better, lost, least), torch.where(better, scale, scales)
        whole = torch.where(better, rounded, whole)
    return whole, scales


def minilm_weights() -> dict[str, Tensor]:
    """Return MiniLM's weights with every matrix as integers and, under `.scale`, scales.

    Raises what `load_minilm` raises.
    """
    packed = {}
    for name, weight in minilm.load_minilm().model.state_dict().items():
        kept = weight[:POSITIONS] if name == PLACES else weight
        if kept.dim() == 2:
            group = FINE[1] if name.endswith(FINE[0]) else GROUP
            packed[name], packed[f"{name}.scale"] = quantise(kept, group)
        else:
            packed[name] = kept
    return packed


def translator_weights() -> dict[str, Tensor]:
    """Return the English-Portuguese translator's weights as published, under our names.

    Raises what `load_translator` raises.
    """
    file, _ = _translator_files()
    packed = {}
    for theirs, (values, factor) in read_quantised(file).items():
        if not theirs.endswith("_QuantMultA"):
            ((name, weight),) = rename({theirs: values.squeeze(0)}, bergamot.NAMES).items()
            packed[name] = weight.contiguous()
            if weight.dtype == torch.int8:
                packed[f"{name}.scale"] = torch.tensor([1 / factor])
    return packed


def packed_gpt() -> dict[str, bytes]:
    """Return the files of the GPT that Shakespeare taught: its weights, and what computes them."""
    return {"gpt.safetensors": shakespeare.FILE.read_bytes(), "gpt-kernels.wasm": kernels()}


def packed_minilm() -> dict[str, bytes]:
    """Return MiniLM's files by their names, its token table in parts.

    Raises what `load_minilm` raises.
    """
    weights = minilm_weights()
    table, scales = weights.pop(TOKENS), weights.pop(f"{TOKENS}.scale")
    parts = zip(table.split(ROWS), scales.split(ROWS), strict=True)
    return {
        "minilm.safetensors": _safetensors(weights),
        "minilm-vocabulary.txt": _vocabulary(),
        **{
            f"minilm-tokens-{number}.safetensors": _safetensors({"weight": w, "weight.scale": s})
            for number, (w, s) in enumerate(parts)
        },
    }


def packed_translator() -> dict[str, bytes]:
    """Return the English-Portuguese translator's files by their names.

    Raises what `load_translator` raises.
    """
    pieces, scores, table = _unigram()
    weights = translator_weights() | {"scores": torch.tensor(scores)}
    return {
        "translator.safetensors": _safetensors(weights),
        "translator-pieces.txt": pieces,
        "translator-charsmap.bin": table,
    }


def pieces_of_minilm() -> dict[str, bytes]:
    """Return the table of MiniLM's tokenizer. Raises what `load_minilm` raises."""
    return {"pieces-of-minilm.txt": _vocabulary()}


def pieces_of_translator() -> dict[str, bytes]:
    """Return the tables of the translator's tokenizer. Raises what `load_translator` raises."""
    pieces, scores, table = _unigram()
    return {
        "pieces-of-translator.txt": pieces,
        "pieces-of-translator-scores.bin": torch.tensor(scores).numpy().tobytes(),
        "pieces-of-translator-charsmap.bin": table,
    }


def pieces_of_smollm2() -> dict[str, bytes]:
    """Return the signs, letters and merges of SmolLM2's tokenizer, whose ids are in this order.

    Raises what `load_smollm2` raises, and ValueError for another order.
    """
    pieces, merges, signs = smollm2.read_table()
    letters = pieces[len(signs) : len(pieces) - len(merges)]
    if pieces != [*signs, *letters, *(merge.replace(" ", "") for merge in merges)]:
        raise ValueError("SmolLM2's ids must be those of its signs, its letters, and its merges.")
    parts = ("\n".join(part) for part in (signs, letters, merges))
    return {"pieces-of-smollm2.txt": "\n\n".join(parts).encode()}


def _vocabulary() -> bytes:
    """Return MiniLM's pieces, a line for each, in the order of their ids."""
    file = find_file(minilm.PACKAGE, minilm.TOKENIZER, sha256=minilm.TOKENIZER_SHA256)
    ids = json.loads(file.read_text("utf8"))["model"]["vocab"]
    return "\n".join(sorted(ids, key=ids.__getitem__)).encode()


def _unigram() -> tuple[bytes, tuple[float, ...], bytes]:
    """Return the translator's pieces, a line for each, their scores, and its table of letters."""
    _, file = _translator_files()
    tokenizer = json.loads(file.read_text("utf8"))
    pieces, scores = zip(*tokenizer["model"]["vocab"], strict=True)
    table = tokenizer["normalizer"]["normalizers"][0]["precompiled_charsmap"]
    return "\n".join(pieces).encode(), scores, base64.b64decode(table)


def _translator_files() -> tuple:
    wanted = bergamot.FILES["en-pt"].items()
    return tuple(find_file(bergamot.PACKAGE, path, sha256=sha256) for path, sha256 in wanted)


def _safetensors(weights: dict[str, Tensor]) -> bytes:
    return import_reader("safetensors.torch").save(weights)
