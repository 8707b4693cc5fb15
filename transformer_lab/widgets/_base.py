"""The two homes of a widget: a live kernel (anywidget), or a page without one (baked frames).

A widget is written once, on `Widget`. Its traits say where the sliders stand; `frame_at` lets
torch compute what is to be seen there. Live, a moved slider reaches the kernel and a new frame
comes back. While the book is built, `TRANSFORMER_LAB_STATIC=1` makes `Widget` the page's kind:
it opens no comm and shows as plain HTML, and `bake` computes the frames of the whole grid.
"""

import base64
import io
import itertools
import json
import os
import textwrap
from html import escape
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

STYLE = Path(__file__).with_name("widgets.css")
#: Stands in the HTML for the folder of the widgets' files; whoever publishes the page fills it in.
ASSETS = "transformer-lab-assets:"
_FRONT_END = anywidget.AnyWidget.class_trait_names()


class Stop(traitlets.TraitType):
    """Where a slider stands: one of a list of values, its stops.

    `view=True` marks a slider that only chooses what is shown of a frame.
    """

    def __init__(self, stops: list, default: Any, *, view: bool = False):
        """Make the trait; it is shared with the front end."""
        super().__init__(default)
        self.stops = stops
        self.tag(sync=True, view=view)

    def validate(self, obj: Any, value: Any) -> Any:
        """Refuse what is not a stop, with ValueError."""
        if not any(value == stop and type(value) is type(stop) for stop in self.stops):
            raise ValueError(f"{self.name} must be one of {self.stops}, but is {value!r}.")
        return value


class Explorer(traitlets.HasTraits):
    """What both homes share: the sliders' traits, and the frame that belongs to them.

    A subclass sets `stem` (the name of its .js file) and `alt` (the still picture in words), has
    a `Stop` for each slider, and defines `frame_at` and `figure`.
    """

    stem: ClassVar[str]
    alt: ClassVar[str]

    stops = traitlets.Dict(read_only=True).tag(sync=True)
    frame = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(self, **sliders: Any):
        """Start with the sliders at the given stops.

        Raises TypeError for a slider that the widget does not have, ValueError for a value that
        is not one of the slider's stops.
        """
        names = list(self.grid())
        for name in sliders.keys() - names:
            raise TypeError(
                f"{type(self).__name__} has no slider {name!r}; it has {', '.join(names)}."
            )
        super().__init__(**sliders)
        self.set_trait("stops", self.grid())
        self.observe(self._renew, names=list(self.axes()))
        self._renew()

    def __repr__(self) -> str:
        """Say where the sliders stand."""
        sliders = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.grid())
        return f"{type(self).__name__}({sliders})"

    @classmethod
    def grid(cls) -> dict[str, list]:
        """Return the stops of every slider."""
        return {name: t.stops for name, t in cls.class_traits().items() if isinstance(t, Stop)}

    @classmethod
    def axes(cls) -> dict[str, list]:
        """Return the stops of the sliders on which the frame depends."""
        traits = cls.class_traits()
        return {n: stops for n, stops in cls.grid().items() if not traits[n].metadata["view"]}

    def _renew(self, _change: object = None) -> None:
        at = {name: getattr(self, name) for name in self.axes()}
        self.set_trait("frame", at | self.frame_at(**at))

    def frame_at(self, **at: Any) -> dict[str, Any]:
        """Let torch compute what is seen at these stops: numbers, lists of them, bytes."""
        raise NotImplementedError

    def figure(self) -> Any:
        """Draw the present frame as a matplotlib figure."""
        raise NotImplementedError

    def still(self) -> bytes:
        """Return the present frame as a PNG, for where no widget can run."""
        file = io.BytesIO()
        self.figure().savefig(file, format="png", dpi=120, bbox_inches="tight")
        return file.getvalue()

    @classmethod
    def bake(cls) -> str:
        """Compute every frame of the grid, as a script that hands them to the page's host."""
        widget = cls()
        axes = cls.axes()
        frames, blob = [], bytearray()
        for at in itertools.product(*axes.values()):
            frame = widget.frame_at(**dict(zip(axes, at, strict=True)))
            for name, value in frame.items():
                if isinstance(value, bytes):
                    frame[name] = {"from": len(blob), "size": len(value)}
                    blob += value
            frames.append(frame)
        shared = set(cls.class_trait_names(sync=True)) - {"frame"}
        state = {n: getattr(widget, n) for n in sorted(shared - set(_FRONT_END))}
        data = {"axes": axes, "state": state, "frames": frames}
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
        return f'transformerLab.baked("{cls.stem}",{text},"{base64.b64encode(blob).decode()}");\n'


class Live(Explorer, anywidget.AnyWidget):
    """A widget with a kernel behind it."""

    def __init_subclass__(cls, **kwargs: Any):
        if "stem" in vars(cls):  # not the subclasses that ipywidgets makes of it
            cls._esm = Path(__file__).with_name(f"{cls.stem}.js").read_text(encoding="utf8")
            cls._css = STYLE.read_text(encoding="utf8")
        super().__init_subclass__(**kwargs)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict] | None:
        """Add the still picture, which shows where the notebook is only read."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        return data | {"image/png": base64.b64encode(self.still()).decode()}, metadata


class Static(Explorer):
    """A widget on a page without a kernel: a place that the page's host fills."""

    def _repr_html_(self) -> str:
        start = {name: getattr(self, name) for name in self.grid()}
        return textwrap.dedent(f"""\
            <div class="tl-widget tl-{self.stem.replace("_", "-")}" data-widget="{self.stem}"
             data-assets="{ASSETS}" data-start="{escape(json.dumps(start))}"><div class="tl-body">
            <noscript><img src="{ASSETS}{self.stem}.png" alt="{escape(self.alt)}"></noscript>
            </div></div>""")


Widget = Static if os.environ.get("TRANSFORMER_LAB_STATIC") == "1" else Live
