"""The course: its chapters, each with its tasks in the order of its page."""

from tensorgrader.exercise import Chapter

from .basics import variance

TITLE = "My course"
CHAPTERS = {"basics": Chapter("basics", (variance.EXERCISE,))}
