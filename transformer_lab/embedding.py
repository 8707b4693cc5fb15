"""From token ids to vectors, and from vectors back to a score for each token of the vocabulary."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_lab._checks import check_devices, check_module, check_real
from transformer_lab.positional_encoding import token_positions


class ScaledEmbedding(nn.Embedding):
    """A table of token vectors that multiplies them by sqrt(d_model).

    So a table whose entries have a standard deviation of 1 / sqrt(d_model), which suits it as an
    output matrix, gives vectors the size of the position encoding. Source: Vaswani et al. 2017,
    section 3.4. `nn.Embedding` itself is the table without the scale: BERT, GPT-2, Llama.
    """

    def forward(self, ids: Int[Tensor, "*B"]) -> Float[Tensor, "*B D"]:
        """Look up each id."""
        return super().forward(ids) * math.sqrt(self.embedding_dim)


class Embeddings(nn.Module):
    """The input of the first layer: token vector plus position, normalised (BERT, BART) or not.

    Source: Vaswani et al. 2017, sections 3.4 and 3.5; the dropout on the sum, section 5.4.
    """

    def __init__(
        self,
        *,
        tokens: nn.Embedding,
        positions: nn.Module,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
    ):
        """Combine a token table, which models may share, and an absolute position encoding."""
        super().__init__()
        self.tokens = tokens
        self.positions = positions
        self.norm = nn.Identity() if norm is None else norm
        self.dropout = nn.Dropout(dropout)

    @property
    def vocabulary(self) -> int | float:
        """The size of the table of tokens, or infinity if a module in its place has none."""
        return getattr(self.tokens, "num_embeddings", math.inf)

    @property
    def max_length(self) -> int | None:
        """The longest text: as many tokens as there are learned positions, else any number."""
        return getattr(self.positions, "max_length", None)

    def forward(
        self, ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T_all"] | None = None, *, past: int = 0
    ) -> Float[Tensor, "B T D"]:
        """Embed each id. Where `real` is False there is padding, which moves no token's position.

        With `past` tokens already read, `real` begins with theirs. Raises ValueError for shapes
        that do not fit, a text that is too long and ids on another device, TypeError for a `real`
        that is not boolean.
        """
        check_devices(next(self.parameters(), ids), ids=ids)
        if real is None:
            real = ids.new_ones(ids.size(0), past + ids.size(1), dtype=torch.bool)
        check_real(real, ids, past=past)
        x = self.positions(self.tokens(ids), token_positions(real)[:, past:])
        return self.dropout(self.norm(x))


class TiedOutput(nn.Module):
    """Score each token by the dot product with its own embedding: no new matrix.

    The table is looked up at each call: if one is loaded, moved or replaced, the output follows.
    Sources: Press and Wolf 2017; Vaswani et al. 2017, section 3.4 (the table is shared, not the
    sqrt(d_model)). BERT and Marian add a bias per token.
    """

    embeddings: Embeddings

    def __init__(self, embeddings: Embeddings, *, bias: bool = False):
        """Score by the table that `embeddings` has at the time."""
        super().__init__()
        check_module("embeddings", embeddings, Embeddings)
        self.__dict__["embeddings"] = embeddings  # no submodule: its parameters are the model's
        self.bias = nn.Parameter(torch.zeros(embeddings.tokens.num_embeddings)) if bias else None

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B V"]:
        """Return the logits."""
        return nn.functional.linear(x, self.weight, self.bias)

    @property
    def weight(self) -> Tensor:
        """The vectors of the table. Raises TypeError for a replaced table that has none."""
        weight = getattr(self.embeddings.tokens, "weight", None)
        if not isinstance(weight, Tensor):
            raise TypeError(
                f"a tied output scores by the table's tensor `weight`, but the table is now "
                f"{self.embeddings.tokens}, which has none. Give it one, or replace the output too."
            )
        return weight

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a new weight in the table, anything else in the output itself."""
        if name == "weight":
            self.embeddings.tokens.weight = value
        else:
            super().__setattr__(name, value)

    def named_parameters(self, *args: Any, **options: Any) -> Iterator[tuple[str, nn.Parameter]]:
        """Return the table's parameters too: training this output trains the table."""
        yield from self.embeddings.tokens.named_parameters(*args, **options)
        yield from super().named_parameters(*args, **options)

    def _save_to_state_dict(self, *args: Any) -> None:
        """Save the table under this output's name as well."""
        self.embeddings.tokens._save_to_state_dict(*args)
        super()._save_to_state_dict(*args)

    def _load_from_state_dict(self, state_dict: dict, prefix: str, *args: Any) -> None:
        """Load into the table what was saved under this output's name."""
        table = {key: x for key, x in state_dict.items() if key != f"{prefix}bias"}
        self.embeddings.tokens._load_from_state_dict(table, prefix, *args)
        bias = {key: x for key, x in state_dict.items() if key not in table}
        super()._load_from_state_dict(bias, prefix, *args)


def untied_output(embeddings: Embeddings) -> nn.Linear:
    """Return a separate output matrix of the size of the table, as in Llama."""
    vocabulary, d_model = embeddings.tokens.weight.shape
    return nn.Linear(d_model, vocabulary, bias=False)
