"""A course of two tasks that have nothing to do with Transformers."""

from tensorgrader.exercise import Chapter

from .line import gradient
from .signals import moving_average

NAME, TITLE, COMMAND = "toys", "Toys", "toys"
CHAPTERS = {
    "line": Chapter("line", (gradient.EXERCISE,)),
    "signals": Chapter("signals", (moving_average.EXERCISE,)),
}
