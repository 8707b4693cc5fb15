"""shifted_loss goes on: what is averaged."""

from torch import Tensor

from transformer_lab.grading.exercises.full_model.loss import EXERCISE, average


@EXERCISE.mistake(
    "the mean is taken of the probabilities, and then the logarithm",
    why="The logarithm comes first, of each token's own probability: then one token that was "
    "thought impossible cannot hide behind the others.",
    of=average,
)
def mean_of_chances(surprises: Tensor, counted: Tensor) -> Tensor:
    return -((-surprises).exp() * counted).sum().div(counted.sum()).log()
