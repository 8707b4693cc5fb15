"""Names that have changed since 0.2: of functions, in the public interface, of weights."""

import sys
from collections.abc import Mapping
from functools import partial
from opcode import opmap
from traceback import walk_stack
from typing import Any, NoReturn

#: The new names of each module, by the names of 0.2.
RENAMED = {
    "generate": {"Writer": "Decoder", "check_writer": "check_decoder"},
    "parameters": {"initialise_paper": "initialise_xavier"},
    "sampling": {"temper": "apply_temperature"},
    "tasks.accuracy": {"right_tokens": "correct_tokens"},
    "trace": {"silenced": "ablate_heads"},
    "train": {"paper_schedule": "noam_schedule"},
}
#: Names that the package itself no longer has, and the module that does.
MOVED = {
    "beam_search": ("Hypotheses", "length_penalty"),
    "feed_forward": ("NoFeedForward",),
    "generate": ("Step", "pad_left"),
    "masking": ("cross_mask",),
    "pretrained.bergamot": ("HalfSplitSinusoidalPositions", "half_split_sinusoidal_encoding"),
    "sampling": ("keep_top_k", "keep_top_p"),
    "tasks.accuracy": ("exact_match", "token_accuracy"),
    "tasks.task": ("Task",),
    "train": ("History",),
}
NOW_IN = {
    **{name: f"{module}.{name}" for module, names in MOVED.items() for name in names},
    "initialise_paper": "initialise_xavier",
    "paper_schedule": "noam_schedule",
    "right_tokens": "tasks.accuracy.correct_tokens",
    "temper": "sampling.apply_temperature",
}
#: Replacements in the names of a model's weights, in this order.
WEIGHTS = {
    "around_cross_attention": "cross_attention_residual",
    "around_feed_forward": "feed_forward_residual",
    "around_attention": "attention_residual",
    "feed_forward.widen": "feed_forward.up",
    "feed_forward.narrow": "feed_forward.down",
}


def missing(module: str, renamed: Mapping[str, str], name: str) -> NoReturn:
    """Raise AttributeError, or ImportError in an import, with the new name of an old one.

    A `from ... import` drops the message of an AttributeError, so it needs the other.
    """
    if name not in renamed:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    words = f"{module}.{name} is now transformer_lab.{renamed[name]}."
    importing = any(
        frame.f_code.co_name == "_handle_fromlist"
        or frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
        for frame, _ in walk_stack(sys._getframe())
    )
    raise ImportError(words) if importing else AttributeError(words)


def explain_old_names() -> None:
    """Make every module that has renamed something explain its old names."""
    for module, names in RENAMED.items():
        whole = f"transformer_lab.{module}"
        new = {old: f"{module}.{name}" for old, name in names.items()}
        sys.modules[whole].__getattr__ = partial(missing, whole, new)  # type: ignore[method-assign]


def new_names(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return weights by today's names, whichever version saved them."""
    renamed = {}
    for name, value in state.items():
        for old, new in WEIGHTS.items():
            name = name.replace(old, new)
        renamed[name] = value
    return renamed


def load_old_names(_: object, state: dict[str, Any], *__: object) -> None:
    """Rename weights in place: a hook that torch calls before a module loads them."""
    renamed = new_names(state)
    state.clear()
    state.update(renamed)
