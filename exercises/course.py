"""The course: all exercises, one file each in their chapter's folder, in the notebooks' order."""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from tensorgrader.exercise import Chapter, Function

from .program import PROGRAM as PROGRAM

NAME, TITLE, COMMAND = "transformer_lab", "Transformer Lab", "transformer-lab"
DISTRIBUTION = "transformer-lab-book"
PACKAGES = ("transformer_lab", "lab_notebooks")
OWN = "my_gpt"

NAMES = {
    "attention": "lookup scores softmax attention head mend_width design",
    "masking": "causal window padding combined softmax mend_causal mend_padded promises sees",
    "multi_head": "split merge packed attention grouped mend_layout mend_mask which",
    "positional_encoding": "angles sinusoidal mend_table count mend_axis step rotary distance "
    "alibi extrapolate",
    "norm": "statistics layer rms post swiglu count mend_layer catch rate",
    "full_model": "greedy decoder_layer mend_leak loss cache mend_places "
    "shapes beam diagnose heads sentence",
    "whole_model": "merge_pair learn_merges encode decode attention feed_forward block gpt "
    "initialise loss train perplexity choose generate from_smollm2 lora",
}

#: The exercises of earlier editions that are gone, and those that took their place.
MOVED = {
    "attention-scale": "attention-attention",
    "attention-weighted-sum": "attention-attention",
    "positional_encoding-shapes": "full_model-shapes",
    "norm-shapes": "full_model-shapes",
    "norm-pre": "whole_model-block",
    "full_model-shift": "full_model-loss",
    "full_model-writing": "full_model-loss",
    "full_model-encoder": "whole_model-gpt",
    "full_model-encoder-layer": "whole_model-block",
    "full_model-top-k": "whole_model-choose",
    "full_model-top-p": "whole_model-choose",
    "full_model-rename": "full_model-sentence",
}


def _chapter(stem: str) -> Chapter:
    """Return a chapter with its exercises."""
    folder = import_module(f"{__package__}.{stem}")
    every = [file.name for file in iter_modules(folder.__path__)]
    loaded = {name: import_module(f"{folder.__name__}.{name}") for name in every}
    files = [loaded[name] for name in NAMES[stem].split()]
    return Chapter(stem, tuple(file.EXERCISE for file in files), _given(stem))


def _given(stem: str) -> tuple[Function, ...]:
    """Return the functions and classes of a chapter's given.py, which its notebook provides."""
    if not find_spec(f"{__package__}.{stem}.given"):
        return ()
    given = import_module(f"{__package__}.{stem}.given")
    every = vars(given).values()
    return tuple(one for one in every if getattr(one, "__module__", "") == given.__name__)


CHAPTERS: dict[str, Chapter] = {stem: _chapter(stem) for stem in NAMES}
