"""The exercises of the attention chapter: references, properties and their points."""

from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.grading.checks import attention_inputs as inputs
from transformer_lab.grading.checks.attention_head import (
    HEAD,
    HEAD_SHAPES,
    LOOKUP,
    MEND_AXIS,
    MEND_WIDTH,
    WHOLE,
)
from transformer_lab.grading.exercise import IMPORTS, Chapter, Exercise, Property
from transformer_lab.grading.misconceptions.attention import PARTS
from transformer_lab.grading.misconceptions.attention_axes import AXES
from transformer_lab.grading.misconceptions.attention_masks import MASKS
from transformer_lab.grading.misconceptions.attention_scores import SCALE_MISTAKES, SCORES_MISTAKES
from transformer_lab.grading.misconceptions.attention_softmax import SOFTMAX_MISTAKES
from transformer_lab.grading.misconceptions.attention_weighted_sum import SUM_MISTAKES

SOFTMAX = frozenset(
    {"softmax", "log_softmax", "Softmax", "LogSoftmax", "Softmax2d", "softmin", "Softmin"}
    | {"gumbel_softmax", "_softmax", "_safe_softmax", "_log_softmax"}
)
SHAPES = "It takes any axes before the last two (batch, heads), and keeps the dtype it is given."
UNTOUCHED = "It leaves the caller's tensors as they were."


def scores(q: Tensor, k: Tensor) -> Tensor:
    """Dot every query with every key."""
    return q @ k.mT


def scale(scores: Tensor, d_k: int) -> Tensor:
    """Divide by the square root of the keys' width."""
    return scores / d_k**0.5


def softmax(x: Tensor) -> Tensor:
    """Turn each row into weights."""
    return x.softmax(dim=-1)


def weighted_sum(weights: Tensor, v: Tensor) -> Tensor:
    """Mix the values."""
    return weights @ v


SCORES = Exercise(
    id="attention-scores",
    function="scores",
    arguments=("q", "k"),
    results={"scores": "queries, keys"},
    reference=scores,
    properties=(
        Property(
            "attention-scores-values",
            2,
            "Row i, column j is the dot product of query i with key j.",
            inputs.scores_values,
        ),
        Property("attention-scores-general", 1, SHAPES, inputs.scores_general),
    ),
    probes=inputs.scores_probes,
    forbidden=WHOLE,
    mistakes=SCORES_MISTAKES,
)

SCALE = Exercise(
    id="attention-scale",
    function="scale",
    arguments=("scores", "d_k"),
    results={"scaled scores": "queries, keys"},
    reference=scale,
    properties=(
        Property(
            "attention-scale-values",
            1,
            "Every score is divided by the square root of d_k.",
            inputs.scale_values,
        ),
        Property("attention-scale-general", 1, SHAPES, inputs.scale_general),
        Property("attention-scale-untouched", 1, UNTOUCHED, inputs.scale_values, unchanged=True),
    ),
    probes=inputs.scale_general,
    forbidden=WHOLE,
    mistakes=SCALE_MISTAKES,
)

SOFTMAX_STEP = Exercise(
    id="attention-softmax",
    function="softmax",
    arguments=("x",),
    results={"weights": "..., keys"},
    reference=softmax,
    properties=(
        Property(
            "attention-softmax-values",
            2,
            "Each row becomes positive weights that sum to one, by the exponential.",
            inputs.softmax_values,
        ),
        Property(
            "attention-softmax-stable",
            1,
            "Large numbers do no harm: softmax([1000, 1001, 1002]) = [0.090, 0.245, 0.665].",
            inputs.softmax_stable,
        ),
        Property(
            "attention-softmax-general",
            1,
            "It works along the last axis, whatever comes before, and keeps the dtype.",
            inputs.softmax_general,
        ),
        Property(
            "attention-softmax-untouched", 1, UNTOUCHED, inputs.softmax_values, unchanged=True
        ),
    ),
    probes=inputs.softmax_probes,
    forbidden=WHOLE | SOFTMAX,
    mistakes=SOFTMAX_MISTAKES,
)

WEIGHTED_SUM = Exercise(
    id="attention-weighted-sum",
    function="weighted_sum",
    arguments=("weights", "v"),
    results={"output": "queries, d_v"},
    reference=weighted_sum,
    properties=(
        Property(
            "attention-weighted-sum-values",
            2,
            "Row i is the sum of all value rows, each times its weight in row i.",
            inputs.sum_values,
        ),
        Property("attention-weighted-sum-general", 1, SHAPES, inputs.sum_general),
    ),
    probes=inputs.sum_probes,
    forbidden=WHOLE,
    mistakes=SUM_MISTAKES,
)

ATTENTION_FUNCTION = Exercise(
    id="attention-attention",
    function="attention",
    arguments=("q", "k", "v", "mask"),
    results={"output": "queries, d_v", "weights": "queries, keys"},
    reference=scaled_dot_product_attention,
    properties=(
        Property(
            "attention-attention-values",
            3,
            "Without a mask it returns (output, weights) of scaled dot-product attention.",
            inputs.attention_values,
        ),
        Property(
            "attention-attention-mask",
            2,
            "Where the mask is False the weight is zero, and each row still sums to one.",
            inputs.attention_mask,
        ),
        Property(
            "attention-attention-masked-rows",
            1,
            "A query that may attend to no key gets weights and output of zero.",
            inputs.attention_masked_rows,
        ),
        Property(
            "attention-attention-stable", 1, "Large scores do no harm.", inputs.attention_stable
        ),
        Property(
            "attention-attention-general",
            1,
            f"{SHAPES} The mask broadcasts to the scores.",
            inputs.attention_general,
        ),
        Property(
            "attention-attention-untouched",
            1,
            UNTOUCHED,
            inputs.attention_untouched,
            unchanged=True,
        ),
    ),
    probes=inputs.attention_probes,
    forbidden=WHOLE,
    mistakes=PARTS + AXES + MASKS,
)

CHAPTER = Chapter(
    name="attention",
    imports=IMPORTS,
    exercises=(
        LOOKUP,
        SCORES,
        SCALE,
        SOFTMAX_STEP,
        WEIGHTED_SUM,
        ATTENTION_FUNCTION,
        HEAD,
        MEND_AXIS,
        MEND_WIDTH,
        HEAD_SHAPES,
    ),
)
