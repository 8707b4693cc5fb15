"""The exercises of the chapter on norms, in the order of its notebook."""

from transformer_lab.grading.checks.norm_given import sublayer
from transformer_lab.grading.checks.norm_layer import (
    COUNT,
    NETWORK,
    POST,
    PRE,
    SHAPES,
    SWIGLU,
    WHOLE,
)
from transformer_lab.grading.checks.norm_norms import LAYER, MEND_VARIANCE, RMS, STATISTICS
from transformer_lab.grading.exercise import IMPORTS, Chapter

CHAPTER = Chapter(
    name="norm",
    imports=IMPORTS,
    exercises=(
        STATISTICS,
        LAYER,
        MEND_VARIANCE,
        RMS,
        POST,
        PRE,
        NETWORK,
        SWIGLU,
        WHOLE,
        COUNT,
        SHAPES,
    ),
    given=(sublayer,),
)
