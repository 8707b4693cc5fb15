"""from_smollm2: a GPT of one's own with the weights of a real model."""

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .attention import Attention
from .gpt import GPT
from .parts import READY_MADE, block_weights

TABLE = "token_embd.weight"
#: The names in the file of a layer's parts, and ours, in the order of `block_weights`.
LAYER = {
    "attn_norm": "attention_norm",
    "ffn_norm": "feed_forward_norm",
    "attn_q": "attention.query",
    "attn_k": "attention.key",
    "attn_v": "attention.value",
    "attn_output": "attention.output",
    "ffn_up": "feed_forward.up",
    "ffn_gate": "feed_forward.gate",
    "ffn_down": "feed_forward.down",
}
NAMES = {"token_embd": "tokens", "output_norm": "norm", "blk": "blocks"} | LAYER


def from_smollm2(weights: dict[str, Tensor], config: dict[str, int]) -> GPT:
    """Return a GPT of these sizes with the weights of SmolLM2's file."""
    model = GPT(**config)
    own = {own_name(name): weight for name, weight in weights.items()}
    model.load_state_dict(own | {"output.weight": weights[TABLE]})
    return model


def own_name(name: str) -> str:
    """Return our name of a weight in the file."""
    return ".".join(NAMES.get(part, part) for part in name.split("."))


def filled(answer: type, ids: torch.Tensor, weights: dict, config: dict) -> object:
    """Return the names of the weights that a filled model lacks, and its logits.

    In between stands how many of its parameters are none of these weights.
    """
    model = answer(dict(weights), config)
    if not isinstance(model, nn.Module):
        return model
    model = model.to(next(iter(weights.values())).dtype)
    held = [parameter.detach() for parameter in model.parameters()]

    def same(one: torch.Tensor, other: torch.Tensor) -> bool:
        return one.shape == other.shape and torch.equal(one, other)

    lacking = [name for name, w in weights.items() if not any(same(w, p) for p in held)]
    others = sum(not any(same(w, p) for w in weights.values()) for p in held)
    return lacking, others, model(ids).detach()


def compared(found: tuple, ids: Tensor, weights: dict[str, Tensor], config: dict) -> tuple:
    """Return what is compared: the logits; or, where they are wrong, which weights are, if any."""
    if not isinstance(found, tuple | list) or len(found) != 3:
        raise ValueError("It should return a model, your GPT.")
    lacking, others, logits = found
    right = from_smollm2(weights, config).to(weights[TABLE].dtype)(ids).detach()
    comparable = isinstance(logits, Tensor) and logits.shape == right.shape
    # Through eleven layers rounding grows, but by far less than any mistake.
    if comparable and torch.allclose(logits.to(right.dtype), right, rtol=1e-3, atol=1e-3):
        return [], 0, right
    return lacking, others, None if lacking or others else logits


EXERCISE = Exercise(
    __name__,
    from_smollm2,
    results={
        "weights of the file that the model lacks": "",
        "number of parameters that are not from the file": "",
        "logits": "texts, tokens, vocabulary",
    },
    section="book/real_models#A small chat model",
    forbidden=READY_MADE,
    driver=filled,
    effect=compared,
    seconds=10.0,
)


@EXERCISE.requires(
    "Each weight of the file is in its place, the token table in both.", points=2, unchanged=True
)
def values(draw: Draw) -> list[Inputs]:
    """Return models as wide as before, whose heads have keys of their own; one has many layers."""
    return [
        _inputs(draw, layers=1, width=8, heads=2),
        _inputs(draw, layers=2, width=12, heads=3),
        _inputs(draw, layers=11, width=4, heads=2),
    ]


@EXERCISE.requires("Several heads of queries share one of keys and values.", points=2)
def groups(draw: Draw) -> list[Inputs]:
    """Return one head of keys for all, and several of them."""
    return [
        _inputs(draw, layers=1, width=8, heads=2, kv_heads=1),
        _inputs(draw, layers=2, width=8, heads=4, kv_heads=2),
        _inputs(draw, layers=1, width=16, heads=4, kv_heads=2),
        _inputs(draw, layers=11, width=12, heads=6, kv_heads=2),
    ]


@EXERCISE.requires("The hidden width and the base of the rotation are those it is given.", points=2)
def sizes(draw: Draw) -> list[Inputs]:
    """Return narrow and wide networks, and rotations fast and slow."""
    return [
        _inputs(draw, layers=1, width=8, heads=2, hidden=5, base=100),
        _inputs(draw, layers=1, width=8, heads=1, base=100_000),
        _inputs(draw, layers=11, width=12, heads=3, kv_heads=1, hidden=20, base=100),
    ]


def _inputs(
    draw: Draw,
    *,
    layers: int,
    width: int,
    heads: int,
    kv_heads: int | None = None,
    hidden: int | None = None,
    base: int = 10_000,
) -> Inputs:
    """Draw ids, a file's weights, and say the sizes."""
    kv_heads, hidden = kv_heads or heads, hidden or 4 * width // 3
    weights = {TABLE: draw.normal(9, width), "output_norm.weight": draw.normal(width) / 4 + 1}
    for layer in range(layers):
        inside = block_weights(draw, width, width // heads * kv_heads, hidden)
        weights |= {f"blk.{layer}.{n}.weight": w for n, w in zip(LAYER, inside, strict=True)}
    config = {"vocabulary": 9, "width": width, "heads": heads, "layers": layers}
    config |= {"kv_heads": kv_heads, "hidden": hidden, "base": base}
    return Inputs((draw.ids(2, 5, high=9), weights, config))


def _swapped(one: str, other: str) -> dict[str, str]:
    """Return the edit by which two names of the file are swapped."""
    swapped = f'replace("{one}", "?").replace("{other}", "{one}").replace("?", "{other}")'
    return {"name.split": f"name.{swapped}.split"}


def _filled_then(code: str) -> dict[str, str]:
    """Return the edit by which a filled model is changed."""
    return {"return model": f"{code}\n    return model"}


class Tiled(Attention):
    """Heads of keys that are repeated in turn."""

    def split(self, x: Tensor) -> Tensor:
        x = x.unflatten(-1, (-1, self.head_width)).transpose(1, 2)
        return x.repeat(1, self.heads // x.size(1), 1, 1)


EXERCISE.edit(
    "the output layer keeps its random weights",
    _filled_then("nn.init.normal_(model.output.weight)"),
    why="The file has no weight for it, since SmolLM2 uses its token table at both ends.\nCopy "
    "`token_embd.weight` into the output layer too.",
)
EXERCISE.edit(
    "nothing is loaded",
    {"model.load_state_dict": "dict"},
    why="`load_state_dict(..., strict=False)` skips each name that your model does not know, and "
    "says nothing.\nRename the weights first, and leave `strict` as it is: then PyTorch says which "
    "names do not fit.",
)
EXERCISE.edit(
    "the gate and the up projection are swapped",
    _swapped("ffn_gate", "ffn_up"),
    why="`ffn_gate` is the layer that goes through silu, `ffn_up` the one that it multiplies.",
    of=own_name,
)
EXERCISE.edit(
    "the two norms are swapped",
    _swapped("attn_norm", "ffn_norm"),
    why="`attn_norm` stands before attention, `ffn_norm` before the feed-forward network.",
    of=own_name,
)
EXERCISE.edit(
    "keys and values are swapped",
    _swapped("attn_k", "attn_v"),
    why="`attn_k` makes the keys, `attn_v` the values. Both have the same shape, so PyTorch "
    "does not complain.",
    of=own_name,
)
EXERCISE.edit(
    "the layers are in alphabetical order",
    _filled_then(
        "order = sorted(range(len(model.blocks)), key=str)\n"
        "    model.blocks = nn.ModuleList([model.blocks[number] for number in order])"
    ),
    why="As text, blk.10 comes before blk.2.\nTake the number out of the name, or go through "
    "`range(layers)`.",
)
EXERCISE.edit(
    "the query heads read the keys of another group",
    _filled_then("for block in model.blocks:\n        block.attention.__class__ = Tiled"),
    why="Neighbours share: with four heads of queries and two of keys, heads 0 and 1 read key head "
    "0.\n`repeat_interleave` gives 0, 0, 1, 1; `repeat` gives 0, 1, 0, 1.",
)
EXERCISE.edit(
    "the rotation ignores the given base",
    {"GPT(**config)": 'GPT(**config | {"base": 10_000})'},
    why="The base goes from GPT to each block, to its attention, and to `rotate(x, base)`. With "
    "10,000 instead, all shapes fit, and a real model writes nonsense.",
)
