"""The exercises around the five steps of attention: a lookup, a head, two to mend, shapes."""

from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.grading.checks import attention_head_inputs as inputs
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.attention_head import HEAD_MISTAKES
from transformer_lab.grading.misconceptions.attention_lookup import LOOKUP_MISTAKES, SHAPES_MISTAKES
from transformer_lab.grading.misconceptions.attention_mend import AXIS_MISTAKES, WIDTH_MISTAKES

WHOLE = frozenset(
    {"scaled_dot_product_attention", "MultiheadAttention", "multi_head_attention_forward"}
)


def soft_lookup(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Mix the values by how well their keys fit."""
    return (keys @ query).softmax(dim=0) @ values


def head(
    x: Tensor,
    source: Tensor,
    W_q: Tensor,
    W_k: Tensor,
    W_v: Tensor,
) -> tuple[Tensor, Tensor]:
    """Let x ask a source."""
    return scaled_dot_product_attention(x @ W_q, source @ W_k, source @ W_v)


def read(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Give what each query reads."""
    return scaled_dot_product_attention(q, k, v)[0]


def head_weights(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """Give the weights of self-attention."""
    return scaled_dot_product_attention(x @ W_q, x @ W_k, x)[1]


def shapes(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> tuple[tuple[int, ...], ...]:
    """Count the axes."""
    return (D, d_k), (B, S, d_k), (B, T, S), (B, T, d_v)


LOOKUP = Exercise(
    id="attention-lookup",
    function="soft_lookup",
    arguments=("query", "keys", "values"),
    results={"answer": "d_v"},
    reference=soft_lookup,
    properties=(
        Property(
            "attention-lookup-values",
            2,
            "The answer is a mixture of all values, by how well their keys fit the query.",
            inputs.lookup_values,
        ),
    ),
    probes=inputs.lookup_probes,
    forbidden=WHOLE,
    mistakes=LOOKUP_MISTAKES,
)

HEAD = Exercise(
    id="attention-head",
    function="head",
    arguments=("x", "source", "W_q", "W_k", "W_v"),
    results={"output": "queries, d_v", "weights": "queries, keys"},
    reference=head,
    properties=(
        Property(
            "attention-head-self",
            2,
            "A text that asks itself gets its output and its weights.",
            inputs.head_self,
        ),
        Property(
            "attention-head-cross",
            2,
            "x asks, and another text is asked: it gives keys and values.",
            inputs.head_cross,
        ),
    ),
    probes=inputs.head_probes,
    forbidden=WHOLE,
    mistakes=HEAD_MISTAKES,
)

MEND_AXIS = Exercise(
    id="attention-mend-axis",
    function="read",
    arguments=("q", "k", "v"),
    results={"output": "queries, d_v"},
    reference=read,
    properties=(
        Property(
            "attention-mend-axis-values",
            2,
            "Each query shares out its own attention, alone or in company.",
            inputs.mend_axis,
        ),
    ),
    forbidden=WHOLE,
    mistakes=AXIS_MISTAKES,
)

MEND_WIDTH = Exercise(
    id="attention-mend-width",
    function="head_weights",
    arguments=("x", "W_q", "W_k"),
    results={"weights": "queries, keys"},
    reference=head_weights,
    properties=(
        Property(
            "attention-mend-width-values",
            2,
            "The weights are those of scaled dot-product attention.",
            inputs.mend_width,
        ),
    ),
    forbidden=WHOLE,
    mistakes=WIDTH_MISTAKES,
)

HEAD_SHAPES = Exercise(
    id="attention-shapes",
    function="shapes",
    arguments=("B", "T", "S", "D", "d_k", "d_v"),
    results={"W_Q": "", "keys": "", "weights": "", "output": ""},
    reference=shapes,
    properties=(
        Property(
            "attention-shapes-values",
            2,
            "The four shapes are right, whatever the sizes.",
            inputs.shapes_values,
        ),
    ),
    mistakes=SHAPES_MISTAKES,
)
