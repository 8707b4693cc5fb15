"""The exercises of the chapter on positions, in the order of its notebook."""

from transformer_lab.grading.checks.positional_encoding_absolute import (
    ADD_BUG,
    ANGLES,
    COUNT,
    LEARNED,
    LOOP_BUG,
    SINUSOIDAL,
    STEP,
)
from transformer_lab.grading.checks.positional_encoding_relative import (
    ALIBI,
    HALVES,
    PAIRS,
    SHAPES,
)
from transformer_lab.grading.exercise import IMPORTS, Chapter

CHAPTER = Chapter(
    name="positional_encoding",
    imports=IMPORTS,
    exercises=(
        ANGLES,
        SINUSOIDAL,
        LOOP_BUG,
        STEP,
        COUNT,
        LEARNED,
        ADD_BUG,
        PAIRS,
        HALVES,
        ALIBI,
        SHAPES,
    ),
)
