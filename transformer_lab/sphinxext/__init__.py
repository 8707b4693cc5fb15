"""What the pages need beyond Jupyter Book: widgets, mathematics, exercises, a light theme."""

from typing import Any

from transformer_lab.sphinxext import execution, exercises, fonts, launch, mathml, theme, widgets


def setup(app: Any) -> dict[str, bool]:
    """Register every part with Sphinx."""
    for part in (execution, mathml, widgets, exercises, theme, fonts, launch):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
