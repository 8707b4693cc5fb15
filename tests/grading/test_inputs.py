"""Inputs leave no way around: an answer that fits some of them only loses points on others."""

import re

import pytest
import torch

from tests.grading.asking import tried
from transformer_lab.grading.exercises import CHAPTERS, PROPERTIES
from transformer_lab.grading.exercises.full_model.beam import beam_search
from transformer_lab.grading.exercises.full_model.masked import masked_task
from transformer_lab.grading.exercises.full_model.rename import rename_weights
from transformer_lab.grading.exercises.full_model.translation import translation_task
from transformer_lab.grading.exercises.multi_head.attention import multi_head
from transformer_lab.grading.exercises.positional_encoding.angles import angles
from transformer_lab.grading.exercises.positional_encoding.sinusoidal import sinusoidal
from transformer_lab.grading.judge import judge
from transformer_lab.grading.questions import apply_here

CHAPTERS_DRAWN = ("multi_head", "positional_encoding", "norm", "full_model")
EXERCISES = {e.id: e for name in CHAPTERS_DRAWN for e in CHAPTERS[name].exercises}


def each_text_pruned_by_itself(table, start, beams, steps):
    chances = table.log_softmax(dim=-1)
    texts = [(0.0, [start])]
    for _ in range(steps):
        texts = [
            (score + chances[text[-1], token].item(), [*text, token])
            for score, text in texts
            for token in chances[text[-1]].topk(beams).indices.tolist()
        ]
    score, text = max(texts)
    return text[1:], score


def words_above_pad(source, target, pad_id, start_id):
    return source > pad_id, *translation_task(source, target, pad_id, start_id)[1:]


def numbers_of_one_digit(weights):
    renamed = rename_weights(weights).items()
    return {re.sub(r"layers\.(?=\d\d)", "layer.", name): weight for name, weight in renamed}


def no_mask_without_a_batch(x, W, W_o, heads, mask=None):
    return multi_head(x, W, W_o, heads, mask if x.dim() > 2 else None)


NARROW = {
    "always two beams": ("full_model-beam", lambda t, start, beams, n: beam_search(t, start, 2, n)),
    "always from 0": ("full_model-beam", lambda t, start, beams, n: beam_search(t, 0, beams, n)),
    "each text pruned by itself": ("full_model-beam", each_text_pruned_by_itself),
    "mask is 2": ("full_model-masked", lambda ids, chosen, mask_id: masked_task(ids, chosen, 2)),
    "pad is 2": (
        "full_model-translation",
        lambda s, t, pad, start: translation_task(s, t, 2, start),
    ),
    "start is 1": (
        "full_model-translation",
        lambda s, t, pad, start: translation_task(s, t, pad, 1),
    ),
    "words above pad": ("full_model-translation", words_above_pad),
    "numbers of one digit": ("full_model-rename", numbers_of_one_digit),
    "no mask without a batch": ("multi_head-attention", no_mask_without_a_batch),
    "ten angles": ("positional_encoding-angles", lambda t, *n: angles(torch.arange(10), *n)[t]),
    "ten rows": (
        "positional_encoding-sinusoidal",
        lambda t, *n: sinusoidal(torch.arange(10), *n)[t],
    ),
}


@pytest.mark.parametrize(("name", "function"), NARROW.values(), ids=NARROW)
def test_what_fits_some_inputs_only_loses_points_and_gets_no_name(name, function):
    for seed in range(5):
        trial = tried(EXERCISES[name], lambda inputs: apply_here(function, inputs), seed)
        wrong = [r for r in judge(trial, trial.exercise.properties) if r.finding]
        assert wrong
        assert not any(result.mistake for result in wrong)


@pytest.mark.parametrize(
    "name", ["statistics", "layer", "rms", "post", "pre", "feed-forward", "swiglu"]
)
def test_a_norm_that_gives_float32_for_half_precision_loses_points(name):
    exercise, prop = PROPERTIES[f"norm-{name}-general"]

    def promoted(*args):
        result = exercise.reference(*args)
        one = torch.ones(1)
        return result * one if torch.is_tensor(result) else tuple(part * one for part in result)

    trial = tried(exercise, lambda inputs: apply_here(promoted, inputs))
    assert "float32, expected float16" in judge(trial, [prop])[0].finding.words


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_answers_learned_by_heart_lose_points(exercise):
    seen = tried(exercise, lambda inputs: apply_here(exercise.reference, inputs), seed=0)
    known = {str(case.inputs.args): case.expected for case in seen.all_cases()}

    def recall(*args):
        return known.get(str(args))

    again = tried(exercise, lambda inputs: apply_here(recall, inputs._replace(mask=None)), seed=1)
    assert all(result.finding for result in judge(again, exercise.properties))
