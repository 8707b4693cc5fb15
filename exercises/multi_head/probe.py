"""probe: read a label from vectors that encode it in one direction, among larger others."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def probe(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    """Fit a linear probe, and return the labels it predicts for new vectors."""
    w, b = fitted(vectors, 2.0 * labels - 1)
    return (new @ w + b > 0).long()


def fitted(vectors: Tensor, wanted: Tensor, steps: int = 40) -> tuple[Tensor, Tensor]:
    """Return the least-squares w and b, by conjugate gradients: exact after a few steps."""
    middle = vectors.mean(dim=0)
    x, y = vectors - middle, (wanted - wanted.mean()).to(vectors.dtype)
    w = torch.zeros_like(middle)
    rest = x.T @ y
    towards = rest
    for _ in range(steps):
        size = rest @ rest
        if size < 1e-6:
            break
        bent = x.T @ (x @ towards)
        rate = size / (towards @ bent)
        w = w + rate * towards
        rest = rest - rate * bent
        towards = rest + (rest @ rest) / size * towards
    return w, wanted.mean() - middle @ w


EXERCISE = Exercise(
    __name__,
    probe,
    results={"labels": "vectors"},
    section="A picture is not a proof",
)


@EXERCISE.requires("It finds the labels of new vectors, however small they are written.", points=3)
def values(draw: Draw) -> list[Inputs]:
    return [_labelled(draw, *sizes) for sizes in ((24, 3, 12, 6), (30, 4, 16, 8), (40, 5, 20, 10))]


@EXERCISE.requires("One label may be rarer than the other, and other in what is new.", points=2)
def unequal(draw: Draw) -> list[Inputs]:
    return [
        _labelled(draw, *sizes, rarer=rarer)
        for sizes, rarer in (((32, 3, 12, 11), 4), ((40, 4, 15, 1), 5), ((36, 3, 1, 1), 4))
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return [_labelled(draw, 36, 4, 24, ones, rarer=4) for ones in (2, 12, 22)]


def _labelled(draw: Draw, count: int, width: int, more: int, ones: int, rarer: int = 2) -> Inputs:
    """Draw vectors whose label is encoded in one direction; of the known ones, 1 in `rarer` is 1.

    Of the new ones, `ones` are 1. In a third of them the label is encoded three times as large, in
    a third three times as small. Along the other directions vectors vary four times as much, and
    nothing is centred.
    """
    known = (_shuffled(draw, count) < count // rarer).long()
    asked = (_shuffled(draw, more) < ones).long()
    large = 3.0 ** (_shuffled(draw, more) % 3 - 1)
    turn, far = draw.normal(width) + 0.1, 3 * draw.normal(width) + 1
    written = _written(draw, known - 0.5, width), _written(draw, (asked - 0.5) * large, width)
    vectors, new = (_turned(one, turn) + far for one in written)
    return Inputs((vectors, known, new))


def _shuffled(draw: Draw, count: int) -> Tensor:
    """Return the integers below count in random order."""
    return torch.tensor(draw.distinct(count, low=0, high=count))


def _written(draw: Draw, small: Tensor, width: int) -> Tensor:
    """Write numbers with a little noise, before others that are larger."""
    noise = draw.normal(len(small), width)
    return torch.cat([small[:, None] + noise[:, :1] / 40, 2 * noise[:, 1:]], dim=1)


def _turned(vectors: Tensor, direction: Tensor) -> Tensor:
    """Reflect vectors, so that no axis is special."""
    shadow = (vectors @ direction) / (direction @ direction)
    return vectors - 2 * shadow[:, None] * direction


@EXERCISE.mistake(
    "the nearer mean decides",
    why="The means of the two labels differ in everything that chance put into them, and the label "
    "is the least of it. A probe is fitted so that what does not matter cancels.",
)
def nearest_mean(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    distances = [(new - vectors[labels == n].mean(dim=0)).square().sum(dim=1) for n in (0, 1)]
    return (distances[1] < distances[0]).long()


@EXERCISE.mistake(
    "the nearest vector decides",
    why="Nearest is what is most alike in everything else. What is asked for is one direction, the "
    "same for all.",
)
def nearest_vector(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    distances = torch.stack([(new - vector).square().sum(dim=1) for vector in vectors], dim=1)
    return labels[distances.argmin(dim=1)]


@EXERCISE.mistake(
    "there is no b",
    why="The border between the labels need not go through 0, since nothing is centred. Give each "
    "vector one number more, a 1, or subtract the mean of the known vectors from all.",
)
def without_b(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    mirrored = torch.cat([vectors, -vectors])
    w, _ = fitted(mirrored, torch.cat([2.0 * labels - 1, 1 - 2.0 * labels]))
    return (new @ w > 0).long()


@without_b.also
def b_forgotten(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    w, _ = fitted(vectors, 2.0 * labels - 1)
    return (new @ w > 0).long()


@EXERCISE.mistake(
    "0 and 1 are fitted, and 0 is the border",
    why="Between 0 and 1 the border is 0.5. Fit -1 and 1, and it is 0.",
)
def wrong_border(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    w, b = fitted(vectors, 1.0 * labels)
    return (new @ w + b > 0).long()


@EXERCISE.mistake(
    "the fit ends too early",
    why="After a few steps, w still points where the vectors differ most, and the label is written "
    "where they differ least. Go on until nothing changes any more.",
)
def too_early(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    w, b = fitted(vectors, 2.0 * labels - 1, steps=1)
    return (new @ w + b > 0).long()


@too_early.also
def few_steps_downhill(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    middle, wanted = vectors.mean(dim=0), 2.0 * labels - 1
    x, w = vectors - middle, torch.zeros_like(middle)
    for _ in range(3):
        miss = x @ w + wanted.mean() - wanted
        w = w - x.T @ miss / x.square().sum()
    return ((new - middle) @ w + wanted.mean() > 0).long()


@EXERCISE.mistake(
    "the labels have changed places",
    why="Above the border lie the vectors with the label 1.",
)
def turned_round(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    return 1 - probe(vectors, labels, new)


@EXERCISE.mistake(
    "the new vectors are centred by their own mean",
    why="What is subtracted from the known vectors has to be subtracted from the new, too: the "
    "same numbers. Their own mean is another, and one new vector alone would always be 0.",
)
def centred_by_itself(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    moved = new - new.mean(dim=0) + vectors.mean(dim=0)
    return probe(vectors, labels, moved)


@centred_by_itself.also
def centred_by_itself_without_b(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    w, _ = fitted(vectors, 2.0 * labels - 1)
    return ((new - new.mean(dim=0)) @ w > 0).long()


@EXERCISE.mistake(
    "the vectors are centred, and the mean of the labels is forgotten",
    why="For the mean of the known vectors the best guess is the mean of what is wanted, and that "
    "is 0 only if both labels are equally frequent. Add it: it is the b of centred vectors.",
)
def mean_forgotten(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    w, _ = fitted(vectors, 2.0 * labels - 1)
    return ((new - vectors.mean(dim=0)) @ w > 0).long()


@EXERCISE.mistake(
    "the fit is given as -1 and 1",
    why="Asked for are the labels themselves: 1 above the border, 0 below it.",
)
def signs(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    return 2 * probe(vectors, labels, new) - 1


@EXERCISE.mistake(
    "the fit is rounded, not held against the border",
    why="A vector may lie far on one side, where the fit is 2 or -1, and these are no labels. Ask "
    "whether it is above the border.",
)
def rounded(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    w, b = fitted(vectors, 1.0 * labels)
    return (new @ w + b).round().long()


@EXERCISE.mistake(
    "half of the new vectors get each label",
    why="All new vectors may have the same label. The border comes from the known vectors alone.",
)
def halved(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    w, _ = fitted(vectors, 2.0 * labels - 1)
    heights = new @ w
    return (heights > heights.median()).long()


@EXERCISE.mistake(
    "every vector gets the commoner label",
    why="Which label is more frequent says nothing of a single vector.",
)
def commoner(vectors: Tensor, labels: Tensor, new: Tensor) -> Tensor:
    common = int(2 * labels.sum() > len(labels))
    return torch.full((len(new),), common)
