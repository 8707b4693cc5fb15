"""Before a page is written: the steps for each page, in this order."""

from collections.abc import Callable
from typing import Any

from book._ext import (
    exercises,
    fonts,
    footer,
    for_assistants,
    front,
    gpt_files,
    launch,
    lighten,
    pictures,
    questions,
    site,
    theme,
    thumbnails,
    training,
    widgets,
)

Step = Callable[[Any, str, str, dict, Any], None]


FIRST: tuple[Step, ...] = (
    front.tell,
    questions.offer,
    gpt_files.place,
    thumbnails.picture,  # names pictures, whose place widgets sets
    widgets.point_to_assets,
    training.load,
    pictures.make_room,
    lighten.unwrap,
    launch.place_bar,
    theme.complete,
    fonts.add_mathematics,
    site.describe,
    site.forward,
    for_assistants.offer,
    footer.fill,
    exercises.COURSE.load,  # comes below the bar
)
#: When the theme has added its scripts and sheets.
LAST: tuple[Step, ...] = (theme.defer, lighten.link_once)


def setup(app: Any) -> None:
    """Register with Sphinx."""
    for steps, priority in ((FIRST, 500), (LAST, 900)):
        for step in steps:
            app.connect("html-page-context", step, priority=priority)
