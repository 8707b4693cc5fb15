"""A page's widgets have no kernel, so none is of this kind."""


class AnyWidget:
    """The base class of a widget with a kernel."""
