"""What several exercises on several heads share."""

from torch import Tensor

from ..attention.parts import scale, weighted_sum, width
from ..attention.scores import scores
from ..attention.softmax import softmax
from ..masking.softmax import masked_softmax

GENERAL = "It works with any axes before the last two (none, batch, more), and keeps the dtype."


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Compute attention from the steps of earlier chapters, whose mistakes apply here too."""
    scaled = scale(scores(q, k), width(k, v))
    weights = softmax(scaled) if mask is None else masked_softmax(scaled, mask)
    return weighted_sum(weights, v), weights
