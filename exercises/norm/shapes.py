"""shapes: the shapes of a norm's and a network's tensors."""

from tensorgrader.exercise import Draw, Exercise, Inputs

Shapes = tuple[tuple[int, ...], ...]


def shapes(B: int, T: int, D: int, F: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of a norm's and a network's tensors."""
    return (B, T, 1), (D,), (D, F), (B, T, F), (B, T, D)


EXERCISE = Exercise(
    __name__,
    shapes,
    results={
        "shape of the mean": "",
        "shape of γ": "",
        "shape of the first matrix": "",
        "shape of the hidden vectors": "",
        "shape of the output": "",
    },
    section="The other half: the feed-forward network",
)


@EXERCISE.requires("All five shapes are right, for any sizes.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return sizes that all differ, and one sentence."""
    return [*(Inputs(tuple(draw.distinct(4))) for _ in range(4)), Inputs((1, 3, 4, 6))]


@EXERCISE.mistake(
    "the mean has lost its last axis",
    why="(B, T) cannot be subtracted from (B, T, D). What keepdim=True keeps is an axis of "
    "length 1.",
    section="Which numbers are averaged?",
)
def lost_axis(B: int, T: int, D: int, F: int) -> Shapes:
    return ((B, T), *shapes(B, T, D, F)[1:])


@EXERCISE.mistake(
    "the mean is taken over the wrong axis",
    why="LayerNorm takes one mean for each token, over its features: an axis of length 1 stands "
    "in the place of the features.",
    section="Which numbers are averaged?",
)
def mean_of_tokens(B: int, T: int, D: int, F: int) -> Shapes:
    return ((B, 1, D), *shapes(B, T, D, F)[1:])


@EXERCISE.mistake(
    "γ has an axis for the tokens",
    why="γ is one vector for all tokens, with one number for each feature.",
    section="γ and β: one pair for each feature",
)
def gamma_of_tokens(B: int, T: int, D: int, F: int) -> Shapes:
    mean, _, *rest = shapes(B, T, D, F)
    return mean, (T, D), *rest


@gamma_of_tokens.also
def gamma_of_all(B: int, T: int, D: int, F: int) -> Shapes:
    mean, _, *rest = shapes(B, T, D, F)
    return mean, (B, T, D), *rest


@EXERCISE.mistake(
    "the first matrix lies the other way",
    why="nn.Linear stores its weight as (outputs, inputs). In x @ W, as asked here, the inputs "
    "come first.",
)
def matrix_turned(B: int, T: int, D: int, F: int) -> Shapes:
    mean, gamma, _, hidden, output = shapes(B, T, D, F)
    return mean, gamma, (F, D), hidden, output


@EXERCISE.mistake(
    "the hidden vectors are not wider",
    why="The first matrix widens: inside, each token has d_ff numbers.",
)
def not_widened(B: int, T: int, D: int, F: int) -> Shapes:
    mean, gamma, matrix, _, output = shapes(B, T, D, F)
    return mean, gamma, matrix, (B, T, D), output


@EXERCISE.mistake(
    "the output stays wide",
    why="The second matrix narrows, back to D: the result is to be added to the stream.",
)
def not_narrowed(B: int, T: int, D: int, F: int) -> Shapes:
    return (*shapes(B, T, D, F)[:4], (B, T, F))


@EXERCISE.mistake(
    "γ is one number for each sentence, or one for all",
    why="γ has one number for each feature.",
    section="γ and β: one pair for each feature",
)
def scalar_gamma(B: int, T: int, D: int, F: int) -> Shapes:
    mean, _, *rest = shapes(B, T, D, F)
    return mean, (1,), *rest


@scalar_gamma.also
def gamma_of_batch(B: int, T: int, D: int, F: int) -> Shapes:
    mean, _, *rest = shapes(B, T, D, F)
    return mean, (B,), *rest


@EXERCISE.mistake(
    "one mean serves a whole sentence",
    why="Each token has a mean of its own.",
    section="Which numbers are averaged?",
)
def mean_of_sentence(B: int, T: int, D: int, F: int) -> Shapes:
    return ((B, 1, 1), *shapes(B, T, D, F)[1:])


@EXERCISE.mistake(
    "the first matrix is square",
    why="It widens, from D to F numbers.",
)
def square(B: int, T: int, D: int, F: int) -> Shapes:
    mean, gamma, _, hidden, output = shapes(B, T, D, F)
    return mean, gamma, (D, D), hidden, output


@EXERCISE.mistake(
    "the mean is as wide as the vectors",
    why="One token has one mean: an axis of length 1 stands in the place of the features.",
    section="Which numbers are averaged?",
)
def wide_mean(B: int, T: int, D: int, F: int) -> Shapes:
    return ((B, T, D), *shapes(B, T, D, F)[1:])


@EXERCISE.mistake(
    "γ's shape is a number, not a tuple",
    why="(D) is D in brackets, a number. It is the comma that makes a tuple: (D,).",
    section="γ and β: one pair for each feature",
)
def no_comma(B: int, T: int, D: int, F: int) -> tuple[object, ...]:
    mean, _, *rest = shapes(B, T, D, F)
    return mean, D, *rest
