"""Block: attention and a feed-forward network, each on a branch of the stream."""

from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .attention import Attention
from .feed_forward import FeedForward
from .given import RMSNorm
from .parts import READY_MADE, SHAPES, block_weights, one_step


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
    seconds=10.0,
)


@EXERCISE.requires(
    "Attention, then the network: each reads the norm of the stream, and what it finds is added.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return a few widths and numbers of heads."""
    cases = ((1, 3, 4, 1), (2, 4, 4, 2), (2, 3, 12, 3), (3, 2, 6, 1), (1, 6, 8, 2))
    return [
        Inputs((draw.normal(*shape), block_weights(draw, shape[-1]), (shape[-1], heads)))
        for *shape, heads in cases
    ]


@EXERCISE.mistake(
    "that is post-norm",
    why="The norm stands on the branch, before attention or the network: the stream itself is "
    "only added to.",
)
class PostNorm(Block):
    def forward(self, x: Tensor) -> Tensor:
        x = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(x + self.feed_forward(x))


@EXERCISE.mistake(
    "nothing is added",
    why="What a part finds is added to the stream: x + attention(norm(x)), and the same with the "
    "network.",
)
class NothingAdded(Block):
    def forward(self, x: Tensor) -> Tensor:
        x = self.attention(self.attention_norm(x))
        return self.feed_forward(self.feed_forward_norm(x))


@NothingAdded.also
class NoneAtTheEnd(Block):
    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        return self.feed_forward(self.feed_forward_norm(x))


@NothingAdded.also
class NoneAtTheBeginning(Block):
    def forward(self, x: Tensor) -> Tensor:
        x = self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


@EXERCISE.mistake(
    "it adds to the normalised vector",
    why="The norm is for the branch only. What is found is added to the stream as it was, not to "
    "its norm.",
)
class AddsToTheNorm(Block):
    def forward(self, x: Tensor) -> Tensor:
        x = self.attention_norm(x)
        x = x + self.attention(x)
        x = self.feed_forward_norm(x)
        return x + self.feed_forward(x)


@EXERCISE.mistake(
    "both parts read the same stream",
    why="The network reads the stream after attention has added to it, not what came into the "
    "block.",
)
class SideBySide(Block):
    def forward(self, x: Tensor) -> Tensor:
        found = self.attention(self.attention_norm(x))
        return x + found + self.feed_forward(self.feed_forward_norm(x))


@EXERCISE.mistake(
    "the second addition starts from the block's input",
    why="The second addition starts from the stream after the first. Otherwise what attention has "
    "found is lost.",
)
class FromTheBeginning(Block):
    def forward(self, x: Tensor) -> Tensor:
        middle = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(middle))


@EXERCISE.mistake(
    "the network comes before attention",
    why="Attention comes first, the feed-forward network second.",
)
class TheOtherWayRound(Block):
    def forward(self, x: Tensor) -> Tensor:
        x = x + self.feed_forward(self.feed_forward_norm(x))
        return x + self.attention(self.attention_norm(x))


@EXERCISE.mistake(
    "the norms are swapped",
    why="Each norm has its own weights. Create the one of attention first: the checker sets the "
    "weights in this order.",
)
class NormsSwapped(Block):
    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.feed_forward_norm(x))
        return x + self.feed_forward(self.attention_norm(x))


@EXERCISE.mistake(
    "the norm comes after the part, not before it",
    why="Attention and the network read what is normalised; what they find is added as it is.",
)
class NormBehind(Block):
    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention_norm(self.attention(x))
        return x + self.feed_forward_norm(self.feed_forward(x))


@EXERCISE.mistake(
    "one norm serves both parts",
    why="Each part has a norm with weights of its own, so a block has two of them.",
)
class OneNorm(Block):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__(width, heads)
        self.feed_forward_norm = self.attention_norm
