"""A training as the book's page does it in JavaScript, with torch: the same start and batches.

The model is that of `gpt.py`, of which parts may be missing. What page/train computes and what this
computes differ by rounding only, and a test compares them.
"""

import json
import math
from typing import Any

import safetensors.torch
import torch
from jaxtyping import Int
from torch import Tensor, nn

from transformer_lab.widgets.gpt_ladder import recorded

gpt: Any = type(nn)("gpt")
exec(recorded()["layers"]["program"], gpt.__dict__)

BATCH, LENGTH = 16, gpt.block_size
EVALUATED = 200  # passages of what is held out: the same each time
PROMPT = "\n"
TEMPERATURE = 0.8
WHOLE = {
    "average": False,
    "mask": True,
    "positions": True,
    "residuals": True,
    "norms": True,
    "feedForward": True,
}


class Attention(gpt.Attention):  # type: ignore[misc]  # of a program, which has no types
    """Attention without queries and keys, without positions, or without a mask."""

    def __init__(self, config: dict[str, Any]):
        """Leave out what the config says."""
        super().__init__(config["width"], config["heads"])
        self.average, self.mask = config["average"], config["mask"]
        self.rotate = gpt.rotate if config["positions"] else nn.Identity()
        if self.average:
            del self.query, self.key

    def forward(self, x: Tensor) -> Tensor:
        """Return what each position collects."""
        v = self.split(self.value(x))
        if self.average:
            scores = torch.zeros(*v.shape[:-1], v.size(-2), dtype=v.dtype)
        else:
            q, k = (self.rotate(self.split(linear(x))) for linear in (self.query, self.key))
            scores = q @ k.mT / math.sqrt(q.size(-1))
        if self.mask:
            causal_mask = torch.ones_like(scores, dtype=torch.bool).tril()
            scores = scores.masked_fill(~causal_mask, -torch.inf)
        return self.output((scores.softmax(dim=-1) @ v).transpose(1, 2).flatten(-2))


class Block(nn.Module):
    """A block without norms, residuals or feed-forward network."""

    def __init__(self, config: dict[str, Any]):
        """Leave out what the config says."""
        super().__init__()
        width, norms = config["width"], config["norms"]
        self.residuals = config["residuals"]
        self.attention_norm = gpt.RMSNorm(width) if norms else nn.Identity()
        self.attention = Attention(config)
        self.feed_forward = None
        if config["feedForward"]:
            self.feed_forward_norm = gpt.RMSNorm(width) if norms else nn.Identity()
            self.feed_forward = gpt.FeedForward(width, 4 * width // 3)

    def forward(self, x: Tensor) -> Tensor:
        """Return the vectors after this block."""
        found = self.attention(self.attention_norm(x))
        x = x + found if self.residuals else found
        if self.feed_forward is None:
            return x
        thought = self.feed_forward(self.feed_forward_norm(x))
        return x + thought if self.residuals else thought


def assembled(config: dict[str, Any], generator: torch.Generator | None = None) -> Any:
    """Return a GPT as a config of page/train/gpt.js describes it, drawn by a generator."""
    config = WHOLE | config
    with torch.random.fork_rng(devices=[]):  # a reader's own random numbers stay as they are
        model = gpt.GPT(config["symbols"], config["width"], config["heads"], 0)
        model.blocks.extend(Block(config) for _ in range(config["layers"]))
    if not config["norms"]:
        model.norm = nn.Identity()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name == "tokens.weight":
                parameter.normal_(generator=generator)
            elif parameter.dim() == 2:
                bound = parameter.size(1) ** -0.5  # as nn.Linear draws
                parameter.uniform_(-bound, bound, generator=generator)
    return model


def encoded(
    text: str, held: str | None, vocabulary: list[str] | None
) -> tuple[list[str], Int[Tensor, " N"], Int[Tensor, " M"]]:
    """Return a vocabulary, the ids of a text, and those of what is held out.

    That is the text's last tenth if nothing else is. Characters that a given vocabulary lacks are
    left out.
    """
    if vocabulary is None:
        vocabulary = sorted({PROMPT, *text, *(held or "")})
    number = {character: n for n, character in enumerate(vocabulary)}
    data, rest = (
        torch.tensor([number[c] for c in part if c in number], dtype=torch.long)
        for part in (text, held or "")
    )
    if held is None:
        data, rest = data.tensor_split([len(data) * 9 // 10])
    return vocabulary, data, rest


class Training:
    """A training, step by step, from one seed."""

    def __init__(
        self,
        text: str,
        held: str | None = None,
        *,
        config: dict[str, Any],
        plan: dict[str, Any],
        seed: int = 0,
        saved: bytes | None = None,
    ):
        """Draw a model for the text, or take a saved one. Raises ValueError if it holds none."""
        vocabulary: list[str] | None = None
        kept: dict[str, Tensor] = {}
        if saved is not None:
            config, vocabulary, kept = opened(saved)
        self.vocabulary, self._data, self._held = encoded(text, held, vocabulary)
        self.config = config | {"symbols": len(self.vocabulary)}
        self._generator, self._seed = torch.Generator().manual_seed(seed), seed
        self.model = assembled(self.config, self._generator)
        if kept:
            _fill(self.model, kept)
        self._optimizer = torch.optim.AdamW(self.model.parameters(), betas=(0.9, 0.98))
        self._plan, self._before, self._done = plan, 0, 0

    @property
    def step(self) -> int:
        """Return the number of steps that are done."""
        return self._before + self._done

    @property
    def end(self) -> int:
        """Return the number of steps after which the training ends."""
        return self._before + int(self._plan["steps"])

    def more(self, plan: dict[str, Any]) -> None:
        """Go on by another plan."""
        self._before, self._done, self._plan = self.step, 0, plan

    def next(self) -> float:
        """Train for one step; return the loss before it.

        Raises ValueError once the loss is not a number.
        """
        loss = self.model.loss(gpt.get_batch(self._data, BATCH, self._generator))
        if not loss.isfinite():
            raise ValueError(
                f"After {self.step} steps the loss is not a number: the steps were too large for "
                "this model."
            )
        self._done += 1
        steps, peak, warm_up = (self._plan[name] for name in ("steps", "peak", "warmUp"))
        rate = gpt.learning_rate(self._done, steps, peak, warm_up or 1e-9)  # 0 would divide
        self._optimizer.param_groups[0]["lr"] = rate
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()
        return loss.item()

    def held_out(self) -> float:
        """Return the mean loss over passages of what is held out."""
        return gpt.eval_loss(self.model, self._held)

    @torch.no_grad()
    def write(self, count: int) -> str:
        """Return so many characters, drawn from the model by the seed."""
        generator = torch.Generator().manual_seed(self._seed)
        ids = [self.vocabulary.index(PROMPT) if PROMPT in self.vocabulary else 0]
        for _ in range(count):
            logits = self.model(torch.tensor([ids[-LENGTH:]]))[0, -1]
            shares = (logits / TEMPERATURE).softmax(dim=-1).cumsum(dim=-1)
            drawn = torch.searchsorted(shares, torch.rand(1, generator=generator), right=True)
            ids.append(min(int(drawn), len(shares) - 1))
        return "".join(self.vocabulary[n] for n in ids[1:])

    def saved(self) -> bytes:
        """Return the model as a file, which the page and `gpt.py` can read."""
        described = {"config": self.config, "vocabulary": self.vocabulary}
        metadata = {name: json.dumps(value) for name, value in described.items()}
        return safetensors.torch.save(self.model.state_dict(), metadata)


def opened(content: bytes) -> tuple[dict[str, Any], list[str], dict[str, Tensor]]:
    """Return the config, the vocabulary and the parameters of a saved model.

    Raises ValueError, which says what is wrong, for a file that holds none.
    """
    try:
        parameters = safetensors.torch.load(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    except (safetensors.SafetensorError, ValueError):
        raise ValueError(
            "This is no model: choose a .safetensors file that was saved here, or on the book's "
            "page, and that was copied whole."
        ) from None
    described = header.get("__metadata__", {})
    if not {"config", "vocabulary"} <= described.keys():
        raise ValueError("The file says nothing of a vocabulary: it was not saved here.")
    return json.loads(described["config"]), json.loads(described["vocabulary"]), parameters


def _fill(model: nn.Module, parameters: dict[str, Tensor]) -> None:
    """Load the parameters of a saved model."""
    try:
        model.load_state_dict(parameters)
    except RuntimeError as error:
        raise ValueError(f"The file's parameters do not fit its config: {error}") from None
