"""Block: attention and a feed-forward network, each on a branch of the stream."""

from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .attention import Attention
from .feed_forward import FeedForward
from .given import RMSNorm
from .parts import READY_MADE, SHAPES, block_weights, fitting, one_step


class Block(nn.Module):
    """Attention and a feed-forward network, each on a branch of the stream."""

    def __init__(
        self,
        width: int,
        heads: int,
        kv_heads: int | None = None,
        hidden: int | None = None,
        base: float = 10_000,
    ) -> None:
        super().__init__()
        self.attention_norm = RMSNorm(width)
        self.attention = Attention(width, heads, kv_heads, base)
        self.feed_forward_norm = RMSNorm(width)
        self.feed_forward = FeedForward(width, hidden or 4 * width // 3)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


EXERCISE = Exercise(
    __name__,
    Block,
    results={
        SHAPES: "",
        "output": "texts, tokens, features",
        "output after a step": "texts, tokens, features",
    },
    section="book/whole_model#A GPT on one page",
    forbidden=READY_MADE,
    driver=one_step,
    effect=fitting,
    seconds=10.0,
)


@EXERCISE.requires(
    "Attention, then the network: each reads the norm of the stream, and what it finds is added.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return a few widths and numbers of heads."""
    cases = ((1, 3, 4, 1), (2, 4, 4, 2), (2, 3, 12, 3), (3, 2, 6, 1), (1, 6, 8, 2), (1, 70, 16, 1))
    return [
        Inputs((draw.normal(*shape), block_weights(draw, shape[-1]), (shape[-1], heads)))
        for *shape, heads in cases
    ]


#: What the two branches give.
FOUND, THOUGHT = (
    "self.attention(self.attention_norm(x))",
    "self.feed_forward(self.feed_forward_norm(x))",
)
EXERCISE.edit(
    "that is post-norm",
    {
        f"x + {FOUND}": "self.attention_norm(x + self.attention(x))",
        f"x + {THOUGHT}": "self.feed_forward_norm(x + self.feed_forward(x))",
    },
    why="The norm stands on the branch, before attention or the network: the stream itself is "
    "only added to.",
)
EXERCISE.edit(
    "nothing is added",
    {f"x + {FOUND}": FOUND, f"x + {THOUGHT}": THOUGHT},
    {f"x + {FOUND}": FOUND},
    {f"x + {THOUGHT}": THOUGHT},
    why="What a part finds is added to the stream.\nX + attention(norm(x)), and the same with the "
    "network.",
)
EXERCISE.edit(
    "it adds to the normalised vector",
    {
        f"x = x + {FOUND}": "x = self.attention_norm(x)\n        x = x + self.attention(x)\n"
        "        x = self.feed_forward_norm(x)",
        THOUGHT: "self.feed_forward(x)",
    },
    why="The norm is for the branch only. What is found is added to the stream as it was, not to "
    "its norm.",
)
EXERCISE.edit(
    "both parts read the same stream",
    {"x = x": "y = x", "return x": "return y"},
    why="The network reads the stream after attention has added to it, not what came into the "
    "block.",
)
EXERCISE.edit(
    "the second addition starts from the block's input",
    {"x = x": "y = x", "self.feed_forward_norm(x)": "self.feed_forward_norm(y)"},
    why="The second addition starts from the stream after the first. Otherwise what attention has "
    "found is lost.",
)
EXERCISE.edit(
    "the norms are swapped",
    {
        FOUND: "self.attention(self.feed_forward_norm(x))",
        THOUGHT: "self.feed_forward(self.attention_norm(x))",
    },
    why="Each norm has its own weights.\nCreate the one of attention first: the checker sets the "
    "weights in this order.",
)
EXERCISE.edit(
    "the norm comes after the part, not before it",
    {
        FOUND: "self.attention_norm(self.attention(x))",
        THOUGHT: "self.feed_forward_norm(self.feed_forward(x))",
    },
    why="Attention and the network read what is normalised; what they find is added as it is.",
)
EXERCISE.edit(
    "one norm serves both parts",
    {"self.feed_forward_norm = RMSNorm(width)": "self.feed_forward_norm = self.attention_norm"},
    {THOUGHT: "self.feed_forward(self.attention_norm(x))"},
    why="Each part has a norm with weights of its own, so a block has two of them, and the network "
    "reads the second.",
)
