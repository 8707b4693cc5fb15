"""The exercises on positions that are added to the words: references, properties, points."""

import torch
from torch import Tensor

from transformer_lab.grading.checks import positional_encoding_inputs as inputs
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.positional_encoding_bugs import (
    ADD_BUG_MISTAKES,
    LOOP_BUG_MISTAKES,
)
from transformer_lab.grading.misconceptions.positional_encoding_places import (
    COUNT_MISTAKES,
    LEARNED_MISTAKES,
)
from transformer_lab.grading.misconceptions.positional_encoding_steps import STEP_MISTAKES
from transformer_lab.grading.misconceptions.positional_encoding_tables import (
    ANGLES_MISTAKES,
    TABLE_MISTAKES,
)
from transformer_lab.positional_encoding import (
    position_angles,
    sinusoidal_encoding,
    token_positions,
)

UNTOUCHED = "It leaves the caller's tensors as they were."


def angles(positions: Tensor, width: int, base: int) -> Tensor:
    """Turn each hand as far as each position asks."""
    return position_angles(positions, width, float(base), torch.float64).float()


def sinusoidal(positions: Tensor, d_model: int, base: int) -> Tensor:
    """Interleave sines and cosines."""
    return sinusoidal_encoding(positions, d_model, base=float(base), dtype=torch.float64).float()


def step_matrix(delta: int, d_model: int, base: int) -> Tensor:
    """Turn every hand by its speed times delta."""
    turn = position_angles(torch.tensor([delta]), d_model, float(base), torch.float64)[0]
    cos, sin = turn.cos(), turn.sin()
    blocks = torch.stack([cos, sin, -sin, cos], dim=-1).view(-1, 2, 2)
    return torch.block_diag(*blocks).float()


def add_learned(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    """Look each position up."""
    return x + table[positions]


def add_table(x: Tensor, table: Tensor) -> Tensor:
    """Add the first rows, along the sentence."""
    return x + table[: x.size(-2)]


def loop_table(length: int, d_model: int) -> Tensor:
    """Give the paper's table."""
    return sinusoidal(torch.arange(length), d_model, 10_000)


ANGLES = Exercise(
    id="positional_encoding-angles",
    function="angles",
    arguments=("positions", "width", "base"),
    results={"angles": "positions, hands"},
    reference=angles,
    properties=(
        Property(
            "positional_encoding-angles-values",
            2,
            "Hand i of position t has turned by t · base^(-2i / width) radians.",
            inputs.angles_values,
        ),
        Property(
            "positional_encoding-angles-general",
            1,
            "It takes odd widths, and positions with more axes in front.",
            inputs.angles_general,
        ),
    ),
    probes=inputs.angles_probes,
    mistakes=ANGLES_MISTAKES,
)

SINUSOIDAL = Exercise(
    id="positional_encoding-sinusoidal",
    function="sinusoidal",
    arguments=("positions", "d_model", "base"),
    results={"encoding": "positions, features"},
    reference=sinusoidal,
    properties=(
        Property(
            "positional_encoding-sinusoidal-values",
            2,
            "Features 2i and 2i + 1 are the sine and the cosine of angle i.",
            inputs.table_values,
        ),
        Property(
            "positional_encoding-sinusoidal-odd",
            1,
            "An odd width ends with a sine.",
            inputs.table_odd,
        ),
        Property(
            "positional_encoding-sinusoidal-general",
            1,
            "It takes positions with more axes in front.",
            inputs.table_general,
        ),
    ),
    probes=inputs.table_probes,
    mistakes=TABLE_MISTAKES,
)

STEP = Exercise(
    id="positional_encoding-step",
    function="step_matrix",
    arguments=("delta", "d_model", "base"),
    results={"matrix": "features, features"},
    reference=step_matrix,
    properties=(
        Property(
            "positional_encoding-step-values",
            2,
            "The matrix takes the encoding of any position to that of delta positions on.",
            inputs.step_values,
        ),
        Property(
            "positional_encoding-step-back",
            1,
            "A negative delta goes back, and 0 stays where it is.",
            inputs.step_back,
        ),
    ),
    probes=inputs.no_probes,
    mistakes=STEP_MISTAKES,
)

COUNT = Exercise(
    id="positional_encoding-count",
    function="count_positions",
    arguments=("real",),
    results={"positions": "tokens"},
    reference=token_positions,
    properties=(
        Property(
            "positional_encoding-count-left",
            2,
            "Padding on the left moves nobody: a sentence begins at 0.",
            inputs.count_left,
        ),
        Property(
            "positional_encoding-count-anywhere",
            1,
            "Padding anywhere else does not either, with any axes in front.",
            inputs.count_anywhere,
        ),
    ),
    probes=inputs.no_probes,
    mistakes=COUNT_MISTAKES,
)

LEARNED = Exercise(
    id="positional_encoding-learned",
    function="add_learned",
    arguments=("x", "positions", "table"),
    results={"sum": "tokens, features"},
    reference=add_learned,
    properties=(
        Property(
            "positional_encoding-learned-values",
            1,
            "Each token gets the table's row of its own position, added to its vector.",
            inputs.learned_values,
        ),
        Property(
            "positional_encoding-learned-general",
            1,
            "It works with shared positions, without a batch, and keeps the dtype.",
            inputs.learned_general,
        ),
        Property(
            "positional_encoding-learned-untouched",
            1,
            UNTOUCHED,
            inputs.learned_values,
            unchanged=True,
        ),
    ),
    probes=inputs.no_probes,
    mistakes=LEARNED_MISTAKES,
)

ADD_BUG = Exercise(
    id="positional_encoding-mend-axis",
    function="add_table",
    arguments=("x", "table"),
    results={"sum": "tokens, features"},
    reference=add_table,
    properties=(
        Property(
            "positional_encoding-mend-axis-values",
            2,
            "Row t of the table is added to token t of every sentence.",
            inputs.add_bug_values,
        ),
    ),
    probes=inputs.add_bug_probes,
    mistakes=ADD_BUG_MISTAKES,
)

LOOP_BUG = Exercise(
    id="positional_encoding-mend-table",
    function="loop_table",
    arguments=("length", "d_model"),
    results={"encoding": "positions, features"},
    reference=loop_table,
    properties=(
        Property(
            "positional_encoding-mend-table-values",
            2,
            "It is the paper's table.",
            inputs.loop_bug_values,
        ),
    ),
    probes=inputs.no_probes,
    mistakes=LOOP_BUG_MISTAKES,
)
