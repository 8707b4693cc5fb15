"""What a judgement brings along."""

import torch

from tensorgrader.card.text import card_text
from tensorgrader.make_card import compose
from tensorgrader.trial import apply_here, size
from tests.course import CHAPTERS, judge
from tests.exercises.test_answers import EXERCISES
from tests.tensorgrader.asking import tried


def test_the_smallest_of_the_inputs_that_fail_is_shown():
    first_is_larger = 0
    for exercise in CHAPTERS["attention"].exercises:
        trial = tried(exercise, lambda inputs: apply_here(lambda *args, **mask: None, inputs))
        for result in judge(trial, exercise.properties):
            sizes = [size(case.inputs) for case in trial.cases(result.prop)]
            assert size(result.case.inputs) == min(sizes)
            first_is_larger += sizes[0] > min(sizes)
    assert first_is_larger


def test_a_test_of_theirs_is_told_what_it_has_caught_and_what_it_has_missed():
    exercise = EXERCISES["masking-promises"]

    def keeps_zeros(softmax):
        mask = torch.tensor([[True, True, False]])
        return not softmax(torch.zeros(1, 3), mask)[~mask].any().item()

    trial = tried(exercise, lambda inputs: apply_here(keeps_zeros, inputs))
    results = judge(trial, exercise.properties)
    (gallery,) = {result.gallery for result in results if result.finding}
    judged = dict(gallery)
    assert not judged["one that shares out evenly among what is seen"]
    assert judged["one that reads what is hidden"]
    card = card_text(compose(results))
    assert "✓ Judged rightly: " in card
    assert "✗ Not yet: " in card
    right = tried(exercise, lambda inputs: apply_here(exercise.reference, inputs))
    assert not any(result.gallery for result in judge(right, exercise.properties))
