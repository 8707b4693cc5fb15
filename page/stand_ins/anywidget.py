"""No kernel is behind a page's widgets, so none is of this kind."""


class AnyWidget:
    """What a widget with a kernel is made of."""
