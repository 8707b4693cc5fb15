"""A course of three tasks: a line through points, and a convolution."""

from tensorgrader.exercise import Chapter

from .convolution import convolve
from .line import gradient, loss

NAME, TITLE = "line_and_convolution", "A line and a convolution"
CHAPTERS = {
    "line": Chapter("line", (loss.EXERCISE, gradient.EXERCISE)),
    "convolution": Chapter("convolution", (convolve.EXERCISE,)),
}
