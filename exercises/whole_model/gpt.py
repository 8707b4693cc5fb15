"""GPT: from ids to the logits of what comes next, as a module."""

from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .block import Block
from .given import RMSNorm
from .parts import READY_MADE, SHAPES, block_weights, one_step


class GPT(nn.Module):
    """From ids to the logits of what comes next."""

    def __init__(
        self,
        vocabulary: int,
        width: int,
        heads: int,
        layers: int,
        kv_heads: int | None = None,
        hidden: int | None = None,
        base: float = 10_000,
    ) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        blocks = [Block(width, heads, kv_heads, hidden, base) for _ in range(layers)]
        self.blocks = nn.ModuleList(blocks)
        self.norm = RMSNorm(width)
        self.output = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        return self.said(self.read(self.embedded(ids)))

    def embedded(self, ids: Tensor) -> Tensor:
        return self.tokens(ids)

    def read(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x

    def said(self, x: Tensor) -> Tensor:
        return self.output(self.norm(x))


EXERCISE = Exercise(
    __name__,
    GPT,
    results={
        SHAPES: "",
        "logits": "texts, tokens, vocabulary",
        "logits after a step": "texts, tokens, vocabulary",
    },
    section="book/whole_model#A GPT on one page",
    forbidden=READY_MADE,
    driver=one_step,
    seconds=10.0,
)


@EXERCISE.requires(
    "It gives the logits of each next token, through all its blocks and the last norm.", points=4
)
def values(draw: Draw) -> list[Inputs]:
    """Return models of one to three blocks."""
    cases = ((1, 3, 6, 4, 1, 1), (2, 4, 7, 4, 2, 2), (2, 3, 9, 12, 3, 1), (1, 5, 9, 6, 1, 3))
    return [_inputs(draw, *case) for case in (*cases, (2, 2, 5, 8, 2, 2))]


def _inputs(
    draw: Draw, texts: int, tokens: int, vocabulary: int, width: int, heads: int, layers: int
) -> Inputs:
    """Draw ids, and the weights of a model."""
    blocks = [block_weights(draw, width) for _ in range(layers)]
    inside = [weight for block in blocks for weight in block]
    norm = draw.normal(width) / 4 + 1
    first, last = draw.normal(2, vocabulary, width)
    weights = [first, *inside, norm, last / width**0.5]
    return Inputs(
        (draw.ids(texts, tokens, high=vocabulary), weights, (vocabulary, width, heads, layers))
    )


@EXERCISE.mistake(
    "the last norm is missing",
    why="The stream grows with each block. A norm before the last layer brings it back to size.",
)
class NoLastNorm(GPT):
    def said(self, x: Tensor) -> Tensor:
        return self.output(x) + 0 * self.norm(x).sum()


@EXERCISE.mistake(
    "only some blocks are used",
    why="Each block reads what the one before returned: x = block(x) in a loop.",
)
class FirstBlockOnly(GPT):
    def read(self, x: Tensor) -> Tensor:
        return self.blocks[0](x)


@FirstBlockOnly.also
class NoBlock(GPT):
    def read(self, x: Tensor) -> Tensor:
        return x


@FirstBlockOnly.also
class LastBlockOnly(GPT):
    def read(self, x: Tensor) -> Tensor:
        return self.blocks[-1](x)


@FirstBlockOnly.also
class EachReadsTheBeginning(GPT):
    def read(self, x: Tensor) -> Tensor:
        found = x
        for block in self.blocks:
            found = block(x)
        return found


@EXERCISE.mistake(
    "all layers are the same block",
    why="[Block(...)] * layers holds one block several times, and so only the weights of one. "
    "Make each: [Block(...) for _ in range(layers)].",
)
class OneBlock(GPT):
    def __init__(self, vocabulary: int, width: int, heads: int, layers: int) -> None:
        super().__init__(vocabulary, width, heads, layers)
        self.blocks = nn.ModuleList([self.blocks[0]] * layers)


@EXERCISE.mistake(
    "the blocks are in no nn.ModuleList",
    why="A module finds the parameters of its attributes, not those in a plain list: an optimizer "
    "would never train them. `nn.ModuleList` holds modules so that they are found.",
)
class PlainList(GPT):
    def __init__(self, vocabulary: int, width: int, heads: int, layers: int) -> None:
        super().__init__(vocabulary, width, heads, layers)
        blocks = list(self.blocks)
        del self.blocks
        self.blocks = blocks  # type: ignore[assignment]


@EXERCISE.mistake(
    "only the last token's logits are returned",
    why="In training each token predicts the next: return the logits at all positions.",
)
class LastOnly(GPT):
    def said(self, x: Tensor) -> Tensor:
        return super().said(x)[:, -1]


@EXERCISE.mistake(
    "it returns probabilities, not logits",
    why="The loss takes logits and does the softmax itself. Return what the last layer returns.",
)
class Probabilities(GPT):
    def said(self, x: Tensor) -> Tensor:
        return super().said(x).softmax(dim=-1)


@EXERCISE.mistake(
    "the embeddings are scaled",
    why="The paper scales embeddings by √d. Here they go into the first block unchanged.",
)
class TimesTheRoot(GPT):
    def embedded(self, ids: Tensor) -> Tensor:
        return super().embedded(ids) * self.norm.weight.numel() ** 0.5


@EXERCISE.mistake(
    "one table serves both ends",
    why="Here the last layer has a matrix of its own, as in the book's GPT. (Tied tables save "
    "parameters, and many models have them.)",
)
class Tied(GPT):
    def __init__(self, vocabulary: int, width: int, heads: int, layers: int) -> None:
        super().__init__(vocabulary, width, heads, layers)
        self.output.weight = self.tokens.weight
