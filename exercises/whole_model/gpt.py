"""GPT: from ids to the logits of what comes next, as a module."""

from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .block import Block
from .given import RMSNorm
from .parts import READY_MADE, SHAPES, block_weights, fitting, one_step


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
        x = self.tokens(ids)
        for block in self.blocks:
            x = block(x)
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
    effect=fitting,
    seconds=10.0,
)


@EXERCISE.requires(
    "It gives the logits of each next token, through all its blocks and the last norm.", points=4
)
def values(draw: Draw) -> list[Inputs]:
    """Return models of one to three blocks."""
    cases = ((1, 3, 6, 4, 1, 1), (2, 4, 7, 4, 2, 2), (2, 3, 9, 12, 3, 1), (1, 5, 9, 6, 1, 3))
    return [_inputs(draw, *case) for case in (*cases, (2, 2, 5, 8, 2, 2), (1, 70, 5, 16, 1, 1))]


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


SAID = "self.output(self.norm(x))"

EXERCISE.edit(
    "the last norm is missing",
    {SAID: "self.output(x)"},
    why="The stream grows with each block. A norm before the last layer brings it back to size.",
)
EXERCISE.edit(
    "only some blocks are used",
    {"x = block(x)": "block(x)"},
    {"in self.blocks": "in self.blocks[:1]"},
    {"in self.blocks": "in self.blocks[-1:]"},
    {"x = block(x)": "y = block(x)", SAID: "self.output(self.norm(y))"},
    why="Each block reads what the one before returned.\nx = block(x) in a loop.",
)
EXERCISE.edit(
    "all layers are the same block",
    {"nn.ModuleList(blocks)": "nn.ModuleList(blocks[:1] * layers)"},
    why="[Block(...)] * layers holds one block several times, and so only the weights of one.\n"
    "Make each: [Block(...) for _ in range(layers)].",
)
EXERCISE.edit(
    "the blocks are in no nn.ModuleList",
    {"nn.ModuleList(blocks)": "blocks"},
    why="A module finds the parameters of its attributes, not those in a plain list: an optimizer "
    "would never train them.\n`nn.ModuleList` holds modules so that they are found.",
)
EXERCISE.edit(
    "only the last token's logits are returned",
    {SAID: f"{SAID}[:, -1]"},
    why="In training each token predicts the next.\nReturn the logits at all positions.",
)
EXERCISE.edit(
    "it returns probabilities, not logits",
    {SAID: f"{SAID}.softmax(dim=-1)"},
    why="The loss takes logits and does the softmax itself.\nReturn what the last layer returns.",
)
EXERCISE.edit(
    "one table serves both ends",
    {"bias=False)": "bias=False)\n        self.output.weight = self.tokens.weight"},
    why="Here the last layer has a matrix of its own, as in the book's GPT. (Tied tables save "
    "parameters, and many models have them.)",
)
