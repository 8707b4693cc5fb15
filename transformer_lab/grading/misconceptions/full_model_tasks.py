# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to hide words, and to set a translation up."""

from torch import Tensor

from transformer_lab.grading.misconceptions import mistake
from transformer_lab.grading.misconceptions.full_model_shift import ignoring, shifted

LOSS = "book/full_model#The loss"
GAPS = "book/full_model#An encoder fills gaps"
LAYERS = "book/full_model#Three models from the same parts"
WRONG = "book/full_model#What goes wrong"

Pair = tuple[Tensor, Tensor]
Triple = tuple[Tensor, Tensor, Tensor]


@mistake(
    "the targets are taken from what has been hidden already",
    why="They are all the mask's own id, and so the model learns to write the mask. Take the "
    "targets from the ids as they were.",
    section=GAPS,
)
def masked_target_is_mask(ids: Tensor, chosen: Tensor, mask_id: int) -> Pair:
    gaps = ids.masked_fill(chosen, mask_id)
    return gaps, ignoring(gaps, chosen)


@mistake(
    "every word counts in the loss",
    why="What is not hidden can be copied, and six words in seven would teach just that. Only the "
    "hidden ones are targets; the others are -100.",
    section=GAPS,
)
def masked_all_count(ids: Tensor, chosen: Tensor, mask_id: int) -> Pair:
    return ids.masked_fill(chosen, mask_id), ids.clone()


@mistake(
    "the others are hidden",
    why="`chosen` is True for the words that are to be hidden. You hide where it is False.",
    section=GAPS,
)
def masked_others(ids: Tensor, chosen: Tensor, mask_id: int) -> Pair:
    return ids.masked_fill(~chosen, mask_id), ignoring(ids, chosen)


@mistake(
    "the hidden words are the ones ignored",
    why="It asks for what can be read, and not for what is hidden. The targets are the chosen "
    "words; -100 stands everywhere else.",
    section=GAPS,
)
def masked_ignores_chosen(ids: Tensor, chosen: Tensor, mask_id: int) -> Pair:
    return ids.masked_fill(chosen, mask_id), ignoring(ids, ~chosen)


@mistake(
    "nothing is hidden",
    why="The encoder reads in both directions, and so it sees every word that it is asked for. Put "
    "mask_id in the place of the chosen ones.",
    section=GAPS,
)
def masked_nothing(ids: Tensor, chosen: Tensor, mask_id: int) -> Pair:
    return ids.clone(), ignoring(ids, chosen)


@mistake(
    "source_real says where the padding is",
    why="In this book True means a real token, one that may be read. Compare with !=.",
    section=LAYERS,
)
def translation_padding_is_real(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    return source == pad, shifted(target, start), ignoring(target, target != pad)


@mistake(
    "the mask is made from the target",
    why="It is for the encoder, and for the cross-attention: both look at the source, and as a "
    "rule that has another length.",
    section=LAYERS,
)
def translation_other_mask(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    return target != pad, shifted(target, start), ignoring(target, target != pad)


@mistake(
    "the decoder reads what it must say",
    why="The inputs are not shifted. The loss falls to next to nothing, and when the model has to "
    "write by itself, there is nothing to copy.",
    section=WRONG,
)
def translation_not_shifted(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    return source != pad, target.clone(), ignoring(target, target != pad)


@mistake(
    "the decoder reads the source",
    why="It hears of the source by cross-attention. What it reads itself is the translation so "
    "far: the target, shifted to the right.",
    section=LAYERS,
)
def translation_reads_source(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    return source != pad, shifted(source, start), ignoring(target, target != pad)


@mistake(
    "padding counts in the loss",
    why="The model would be trained to write padding behind each short translation. Where there is "
    "no token, the target is -100.",
    section=LOSS,
)
def translation_padding(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    return source != pad, shifted(target, start), target.clone()


MASKED_MISTAKES = (
    masked_target_is_mask,
    masked_all_count,
    masked_others,
    masked_ignores_chosen,
    masked_nothing,
)
TRANSLATION_MISTAKES = (
    translation_padding_is_real,
    translation_other_mask,
    translation_not_shifted,
    translation_reads_source,
    translation_padding,
)
