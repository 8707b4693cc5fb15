"""What a judgement brings along."""

from tests.grading.asking import tried
from transformer_lab.grading.exercises import CHAPTERS
from transformer_lab.grading.judge import judge
from transformer_lab.grading.questions import apply_here, size


def test_the_smallest_of_the_inputs_that_fail_is_shown():
    first_is_larger = 0
    for exercise in CHAPTERS["attention"].exercises:
        trial = tried(exercise, lambda inputs: apply_here(lambda *args, **mask: None, inputs))
        for result in judge(trial, exercise.properties):
            sizes = [size(case.inputs) for case in trial.cases(result.prop)]
            assert size(result.case.inputs) == min(sizes)
            first_is_larger += sizes[0] > min(sizes)
    assert first_is_larger
