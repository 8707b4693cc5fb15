"""The second half of the exercises on several heads: what they cost, two to mend, shapes."""

from torch import Tensor

from transformer_lab import multi_head
from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.grading.checks import multi_head_inputs as inputs
from transformer_lab.grading.checks.attention_head import WHOLE
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.multi_head_mend import (
    LAYOUT_MISTAKES,
    MASK_MISTAKES,
)
from transformer_lab.grading.misconceptions.multi_head_price import (
    COUNT_MISTAKES,
    SHAPES_MISTAKES,
)


def count_parameters(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    """Count the numbers of four matrices, and of their biases."""
    kv_width = d_model * kv_heads // heads
    inputs_of_each = d_model + 1 if bias else d_model
    return 2 * (d_model + kv_width) * inputs_of_each


def talk(x: Tensor, heads: int) -> Tensor:
    """Let the words of a sentence hear from each other, in each head."""
    parts = multi_head.split_heads(x, heads)
    return multi_head.merge_heads(scaled_dot_product_attention(parts, parts, parts)[0])


def padded_heads(q: Tensor, k: Tensor, v: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    """Let no head read padding."""
    return scaled_dot_product_attention(q, k, v, real[:, None, None, :])


def shapes(B: int, T: int, S: int, D: int, H: int) -> tuple[tuple[int, ...], ...]:
    """Count the axes."""
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


COUNT = Exercise(
    id="multi_head-count",
    function="count_parameters",
    arguments=("d_model", "heads", "kv_heads", "bias"),
    results={"count": ""},
    reference=count_parameters,
    properties=(
        Property(
            "multi_head-count-values",
            2,
            "It counts four matrices, and their biases if there are any.",
            inputs.count_values,
        ),
        Property(
            "multi_head-count-grouped",
            1,
            "Fewer heads of keys and values make narrower matrices.",
            inputs.count_grouped,
        ),
    ),
    mistakes=COUNT_MISTAKES,
)

MEND_LAYOUT = Exercise(
    id="multi_head-mend-layout",
    function="talk",
    arguments=("x", "heads"),
    results={"output": "tokens, d_model"},
    reference=talk,
    properties=(
        Property(
            "multi_head-mend-layout-values",
            2,
            "In each head, every word hears from every word, and answers go back to their words.",
            inputs.mend_layout,
        ),
    ),
    forbidden=WHOLE,
    mistakes=LAYOUT_MISTAKES,
)

MEND_MASK = Exercise(
    id="multi_head-mend-mask",
    function="padded_heads",
    arguments=("q", "k", "v", "real"),
    results={"output": "heads, queries, d_v", "weights": "heads, queries, keys"},
    reference=padded_heads,
    properties=(
        Property(
            "multi_head-mend-mask-values",
            2,
            "No head reads the padding of its sentence, however many sentences there are.",
            inputs.mend_mask,
        ),
    ),
    probes=inputs.mend_mask_probes,
    forbidden=WHOLE,
    mistakes=MASK_MISTAKES,
)

SHAPES = Exercise(
    id="multi_head-shapes",
    function="shapes",
    arguments=("B", "T", "S", "D", "H"),
    results={
        "packed matrix": "",
        "keys": "",
        "weights": "",
        "mask": "",
        "merged answers": "",
    },
    reference=shapes,
    properties=(
        Property(
            "multi_head-shapes-values",
            2,
            "The five shapes are right, whatever the sizes.",
            inputs.shapes_values,
        ),
    ),
    mistakes=SHAPES_MISTAKES,
)
