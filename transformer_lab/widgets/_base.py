"""The two homes of a widget: a live kernel (anywidget), or a page without one (baked frames).

A widget is written once, on `Widget`. Its traits are the reader's controls; `frame_at` computes
with torch what is shown. Live, a moved slider reaches the kernel, which sends a new frame. While
the book is built, `TRANSFORMER_LAB_STATIC=1` makes `Widget` the page's kind: it opens no comm and
shows as plain HTML, and the frames of the whole grid are baked (see `_page`).
"""

import base64
import io
import struct
import textwrap
from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
import traitlets
from torch import Tensor

from transformer_lab.widgets import _page
from transformer_lab.widgets._learner import Trouble
from transformer_lab.widgets._traits import Control, Function, Tries, Words


def shares(tensor: Tensor) -> bytes:
    """Pack numbers from 0 to 1 as uint8: 255 is 1. `shares` of pictures.js reads them."""
    return bytes((tensor * 255).round().clamp(0, 255).int().flatten().tolist())


def halves(tensor: Tensor) -> bytes:
    """Pack numbers as float16. `halves` of pictures.js reads them."""
    numbers = tensor.half().flatten().tolist()
    return struct.pack(f"<{len(numbers)}e", *numbers)


class Explorer(traitlets.HasTraits):
    """What both homes share: the reader's traits, and the frame for their values.

    A subclass sets `stem` (the name of its .js file) and `alt` (the still picture in words), has a
    `Control` for each setting, and defines `frame_at` and `figure`.
    """

    stem: ClassVar[str]
    alt: ClassVar[str]

    stops = traitlets.Dict(read_only=True).tag(sync=True)
    labels = traitlets.Dict(read_only=True).tag(sync=True)
    words = traitlets.Dict(read_only=True).tag(sync=True)
    frame = traitlets.Dict(read_only=True).tag(sync=True)
    tries = Tries({}).tag(sync=True)

    def __init__(self, **given: Any):
        """Set the controls to the given values.

        Raises TypeError for an unknown name, ValueError for a value that its control does not
        offer.
        """
        functions = [n for n, t in self.class_traits().items() if isinstance(t, Function)]
        names = [*self.controls(), *functions, "tries"]
        for name in given.keys() - names:
            raise TypeError(
                f"{type(self).__name__} has no slider {name!r}; it has {', '.join(names)}."
            )
        super().__init__(**given)
        self._offer()
        controls = self.controls().items()
        self.set_trait("labels", {n: c.label or n for n, c in controls})
        words = {n: [c.fewest, c.most] for n, c in controls if isinstance(c, Words)}
        self.set_trait("words", words)
        self.observe(self._offer, names=list(self.controls()))
        self.observe(self._renew, names=[*self.axes(), *functions])
        self._renew()

    def __repr__(self) -> str:
        """Return the class with the values of its controls."""
        shown = {
            name: getattr(self, name)
            for name, control in self.controls().items()
            if not isinstance(control, Words) or getattr(self, name) != control.default_value
        }
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in shown.items())})"

    @classmethod
    def controls(cls) -> dict[str, Control]:
        """Return the traits that a reader sets, in the order in which they are written."""
        order = dict.fromkeys(name for kind in reversed(cls.__mro__) for name in vars(kind))
        traits = cls.class_traits()
        found = {name: traits.get(name) for name in order}
        return {name: trait for name, trait in found.items() if isinstance(trait, Control)}

    @classmethod
    def grid(cls) -> dict[str, Any]:
        """Return what every control offers."""
        return {name: c.offer(c.default_value) for name, c in cls.controls().items()}

    @classmethod
    def axes(cls) -> dict[str, Any]:
        """Return what the controls on which the frame depends offer."""
        controls = cls.controls()
        return {n: offer for n, offer in cls.grid().items() if not controls[n].metadata["view"]}

    def _offer(self, _change: object = None) -> None:
        offer = {name: c.offer(getattr(self, name)) for name, c in self.controls().items()}
        if offer != self.stops:
            self.set_trait("stops", offer)

    def _renew(self, _change: object = None) -> None:
        self.set_trait("frame", self.framed({name: getattr(self, name) for name in self.axes()}))

    def framed(self, at: dict[str, Any]) -> dict[str, Any]:
        """Return the frame at some values, or what is wrong with the learner's function there."""
        try:
            return at | self.frame_at(**at)
        except Trouble as trouble:
            return at | {"trouble": str(trouble)}

    def frame_at(self, *args: Any, **at: Any) -> dict[str, Any]:
        """Compute what is shown at these values: numbers, lists of them, bytes."""
        raise NotImplementedError

    def has_own_function(self) -> bool:
        """Return whether it shows a function of the learner."""
        traits = self.class_traits().items()
        functions = {n: t.default_value for n, t in traits if isinstance(t, Function)}
        return any(getattr(self, name) is not ours for name, ours in functions.items())

    def figure(self) -> Any:
        """Draw the present frame as a matplotlib figure."""
        raise NotImplementedError

    def told(self) -> str:
        """Return the present frame's picture in words."""
        return self.alt

    def drawn(self) -> Any:
        """Draw the present frame, or a message about what is wrong with it."""
        return _in_words(self.frame["trouble"]) if "trouble" in self.frame else self.figure()

    def still(self, kind: str = "png") -> bytes:
        """Return the present frame as a picture, for where no widget can run."""
        file, whole = io.BytesIO(), {"lossless": True}  # WebP has it a third as large as PNG
        self.drawn().savefig(file, format=kind, dpi=120, bbox_inches="tight", pil_kwargs=whole)
        return file.getvalue()


def _in_words(trouble: str) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 1.6))
    figure.text(0.02, 0.5, "\n".join(textwrap.wrap(trouble, 70)), va="center")
    return figure


class Live(Explorer, anywidget.AnyWidget):
    """A widget with a kernel behind it."""

    def __init_subclass__(cls, **kwargs: Any):
        if "stem" in vars(cls):  # not the subclasses that ipywidgets creates
            cls._esm = _page.module(cls.stem)
            cls._css = _page.style(cls.stem)
        super().__init_subclass__(**kwargs)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict] | None:
        """Add the still picture, which shows where a notebook is only read."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        return data | {"image/png": base64.b64encode(self.still()).decode()}, metadata


class Static(Explorer):
    """A widget on a page without a kernel: an element that the page's host fills."""

    @property
    def frame(self) -> dict[str, Any]:  # type: ignore[override] # a trait of the live kind
        """Compute the present frame on request: the page has its own, which are baked."""
        return self.framed({name: getattr(self, name) for name in self.axes()})

    def _renew(self, _change: object = None) -> None:
        """Do nothing: `frame` computes on request, so a real model's element needs no model."""

    def _repr_html_(self) -> str:
        return _page.place(self)


if TYPE_CHECKING or not _page.home():  # noqa: SIM108 -- for mypy
    Widget = Live
else:
    Widget = Static
