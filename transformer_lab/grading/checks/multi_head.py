"""The exercises of the chapter on several heads: references, properties and their points."""

from torch import Tensor

from transformer_lab import multi_head
from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.grading.checks import multi_head_inputs as inputs
from transformer_lab.grading.checks.attention_head import WHOLE
from transformer_lab.grading.checks.multi_head_given import attention
from transformer_lab.grading.checks.multi_head_price import (
    COUNT,
    MEND_LAYOUT,
    MEND_MASK,
    SHAPES,
)
from transformer_lab.grading.exercise import IMPORTS, Chapter, Exercise, Property
from transformer_lab.grading.misconceptions.multi_head_grouped import GROUPED_MISTAKES
from transformer_lab.grading.misconceptions.multi_head_layer import LAYER_MISTAKES
from transformer_lab.grading.misconceptions.multi_head_packed import PACKED_MISTAKES
from transformer_lab.grading.misconceptions.multi_head_split import MERGE_MISTAKES, SPLIT_MISTAKES

AXES = "It takes any axes before the last two (none, batch, more), and keeps the dtype."


def packed_projection(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    """Multiply once, and cut into three."""
    return (x @ W).chunk(3, dim=-1)


def multi_head_attention(
    x: Tensor,
    W: Tensor,
    W_o: Tensor,
    heads: int,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Project, split, attend, merge, mix."""
    q, k, v = (multi_head.split_heads(part, heads) for part in packed_projection(x, W))
    for_heads = None if mask is None else mask.unsqueeze(-3)
    mixed, weights = scaled_dot_product_attention(q, k, v, for_heads)
    return multi_head.merge_heads(mixed) @ W_o, weights


def grouped_query_attention(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Lend each head of keys and values to a group of query heads."""
    group = q.size(-3) // k.size(-3)
    lent = (part.repeat_interleave(group, dim=-3) for part in (k, v))
    return scaled_dot_product_attention(q, *lent)


SPLIT = Exercise(
    id="multi_head-split",
    function="split_heads",
    arguments=("x", "heads"),
    results={"result": "heads, tokens, d_k"},
    reference=multi_head.split_heads,
    properties=(
        Property(
            "multi_head-split-values",
            2,
            "Each head holds every word, and of each word its own slice.",
            inputs.split_values,
        ),
        Property("multi_head-split-general", 1, AXES, inputs.split_general),
    ),
    forbidden=WHOLE,
    mistakes=SPLIT_MISTAKES,
)

MERGE = Exercise(
    id="multi_head-merge",
    function="merge_heads",
    arguments=("x",),
    results={"result": "tokens, heads times d_k"},
    reference=multi_head.merge_heads,
    properties=(
        Property(
            "multi_head-merge-values",
            2,
            "For each word, the answers of all heads lie end to end.",
            inputs.merge_values,
        ),
        Property("multi_head-merge-general", 1, AXES, inputs.merge_general),
    ),
    forbidden=WHOLE,
    mistakes=MERGE_MISTAKES,
)

PACKED = Exercise(
    id="multi_head-packed",
    function="packed_projection",
    arguments=("x", "W"),
    results={"queries": "tokens, width", "keys": "tokens, width", "values": "tokens, width"},
    reference=packed_projection,
    properties=(
        Property(
            "multi_head-packed-values",
            2,
            "Queries, keys and values are the three thirds of x W.",
            inputs.packed_values,
        ),
        Property("multi_head-packed-general", 1, AXES, inputs.packed_general),
    ),
    probes=inputs.packed_probes,
    forbidden=WHOLE,
    mistakes=PACKED_MISTAKES,
)

LAYER = Exercise(
    id="multi_head-attention",
    function="multi_head",
    arguments=("x", "W", "W_o", "heads", "mask"),
    results={"output": "tokens, d_model", "weights": "heads, queries, keys"},
    reference=multi_head_attention,
    properties=(
        Property(
            "multi_head-attention-values",
            3,
            "It returns the output, and the weights of every head.",
            inputs.layer_values,
        ),
        Property(
            "multi_head-attention-mask",
            2,
            "A mask, for all sentences or for each, serves all heads alike.",
            inputs.layer_masks,
        ),
        Property(
            "multi_head-attention-general",
            1,
            "It takes one head or many, a sentence without a batch, and keeps the dtype.",
            inputs.layer_general,
        ),
    ),
    forbidden=WHOLE,
    mistakes=LAYER_MISTAKES,
)

GROUPED = Exercise(
    id="multi_head-grouped",
    function="grouped_query",
    arguments=("q", "k", "v"),
    results={"output": "heads, queries, d_v", "weights": "heads, queries, keys"},
    reference=grouped_query_attention,
    properties=(
        Property(
            "multi_head-grouped-values",
            2,
            "Neighbouring heads of queries share one head of keys and values.",
            inputs.grouped_values,
        ),
        Property(
            "multi_head-grouped-extremes",
            1,
            "One head of keys for all, or one for each: both work, and without a batch too.",
            inputs.grouped_extremes,
        ),
    ),
    forbidden=WHOLE,
    mistakes=GROUPED_MISTAKES,
)

CHAPTER = Chapter(
    name="multi_head",
    imports=IMPORTS,
    exercises=(
        SPLIT,
        MERGE,
        PACKED,
        LAYER,
        GROUPED,
        COUNT,
        MEND_LAYOUT,
        MEND_MASK,
        SHAPES,
    ),
    given=(attention,),
)
