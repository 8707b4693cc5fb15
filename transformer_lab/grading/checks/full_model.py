"""The exercises of the chapter on the full model, in the order of its notebook."""

from transformer_lab.grading.checks.full_model_given import (
    attention,
    feed_forward,
    layer_norm,
    linear,
    part,
    split_heads,
)
from transformer_lab.grading.checks.full_model_layers import (
    DECODER_LAYER,
    ENCODER,
    ENCODER_LAYER,
    LEAK,
)
from transformer_lab.grading.checks.full_model_learning import (
    LOSS,
    MASKED,
    SHIFT,
    TRANSLATION,
    WRITING,
)
from transformer_lab.grading.checks.full_model_real import RENAME, SENTENCE, SHAPES
from transformer_lab.grading.checks.full_model_writing import (
    BEAM,
    CACHE,
    GREEDY,
    PLACES,
    TOP_K,
    TOP_P,
)
from transformer_lab.grading.exercise import IMPORTS, Chapter

CHAPTER = Chapter(
    name="full_model",
    imports=IMPORTS,
    exercises=(
        SHIFT,
        WRITING,
        MASKED,
        TRANSLATION,
        ENCODER_LAYER,
        ENCODER,
        DECODER_LAYER,
        LEAK,
        LOSS,
        GREEDY,
        TOP_K,
        TOP_P,
        BEAM,
        CACHE,
        PLACES,
        SHAPES,
        RENAME,
        SENTENCE,
    ),
    given=(part, linear, layer_norm, split_heads, attention, feed_forward),
)
