"""Style sheets and scripts as pages load them: without what only readers of the source need."""

import re

from rcssmin import cssmin

COMMENTS = re.compile(r"^[ \t]*(?:/\*(?s:.)*?\*/|//.*)[ \t]*\n", re.MULTILINE)  # that begin a line
INDENTS = re.compile(r"^[ \t]+", re.MULTILINE)


def shortened(name: str, text: str) -> str:
    """Return a style sheet, or a script without its comments and indents, as pages load it.

    rjsmin would make scripts shorter still, but changes texts within `${}` in a template.
    """
    return cssmin(text) if name.endswith(".css") else INDENTS.sub("", COMMENTS.sub("", text))
