"""The widget in which a reader trains a GPT: on the book's page, or in a notebook with torch."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
import traitlets
from anywidget import AnyWidget

from transformer_lab.tasks.shakespeare import HELD_OUT, plays
from transformer_lab.widgets import _page
from transformer_lab.widgets._training import Training
from transformer_lab.widgets.learning_to_write import WORD, pieces, recorded

#: The element that a page needs, which page/train/site.js fills.
PLACE = (
    '<div class="tl-train-here"><div class="tl-widget tl-train" id="train" data-train></div></div>'
)
PLAY = "Twelfth Night"
TITLES = {"play": PLAY, "plays": "eight plays"}
TIMED = 5  # steps that show how fast this machine is, after one that is not counted
TOLD = 10  # steps from one word about the loss to the next
LOOK = 100  # steps from one look at the held-out loss and a text to the next
FIRST = 25  # the step of the first look
WRITTEN = 250  # characters


def texts() -> dict[str, str]:
    """Return one play, those to train on, and those to hold out."""
    trained = (text for title, text in plays().items() if title not in HELD_OUT)
    together = {"plays": "".join(trained), "held": "".join(plays()[title] for title in HELD_OUT)}
    return {"play": plays()[PLAY]} | together


def recorded_curve() -> dict[str, Any]:
    """Return the held-out losses of the training that was recorded."""
    seen = recorded()["ways"]["whole"]["seen"]
    points = [[look["step"], round(look["held_out"], 3)] for look in seen]
    return {"kind": "recorded", "name": "recorded, 96 × 3", "points": points}


class Live(AnyWidget):
    """Train a GPT of the form of `gpt.py`: the same training as on the book's page, with torch.

    `TrainHere("size=24x2,seed=3")` begins with these settings, written as in a link to the page;
    `Copy as Python` gives them. The kernel trains for some steps at a time, so that cells run in
    between, and an interrupted kernel pauses it. `training` is what was trained last, with its
    `model` and `vocabulary`.
    """

    _esm = _page.module("train_here")
    _css = _page.style("train_here")
    site = traitlets.Dict(read_only=True).tag(sync=True)
    start = traitlets.Unicode(read_only=True).tag(sync=True)

    def __init__(self, settings: str = ""):
        """Begin with settings as they stand in a link."""
        offered = {name: {"title": title, "kilobytes": 0} for name, title in TITLES.items()}
        threads = torch.get_num_threads()
        where = f"PyTorch in this notebook's kernel, {threads} thread{'s' * (threads > 1)}."
        site = {"texts": offered, "recorded": recorded_curve(), "where": where}
        self.training: Training | None = None
        self._owner, self._known = "", frozenset[str]()
        self._loss = self._seconds = 0.0
        super().__init__()
        self.set_trait("site", site)
        self.set_trait("start", settings)
        self.on_msg(self._hear)

    def _hear(self, _widget: Any, message: dict[str, Any], buffers: list[Any]) -> None:
        """Do what the view asks, and tell it what came of that."""
        do: dict[str, Callable[..., list[dict[str, Any]]]] = {
            "time": self._time, "start": self._begin, "go": self._go, "more": self._more,
            "save": lambda **_: [{"kind": "saved"}],
        }  # fmt: skip
        kind, mine = message.pop("kind"), message.pop("id")
        if kind == "start":
            self._owner = mine
        elif mine != self._owner and kind != "time":
            return  # another view has begun a training
        running = kind in ("go", "more")
        try:
            news = do[kind](**message, saved=bytes(buffers[0]) if buffers else None)
        except KeyboardInterrupt:
            failed = {"kind": "failed", "message": "The kernel was interrupted."}
            news = [{"kind": "interrupted"} if running else failed]
        except (ValueError, RuntimeError) as error:
            news = [{"kind": "failed", "message": str(error)}]
        trains = self.training is not None and self.training.step < self.training.end
        has_failed = news[-1]["kind"] == "failed"
        goes = (running or kind == "start") and trains and not has_failed
        file = [self.training.saved()] if kind == "save" and self.training else None
        self.send({"id": mine, "news": news, "goes": goes}, file)

    def _time(self, *, config: Any, plan: Any, **text: Any) -> list[dict[str, Any]]:
        """Report how many milliseconds a step takes."""
        some, _ = _texts(**text)
        tried = Training(some[:20_000], config=config, plan=plan)
        tried.next()
        begun = time.perf_counter()
        for _ in range(TIMED):
            tried.next()
        return [{"kind": "timed", "ms": 1000 * (time.perf_counter() - begun) / TIMED}]

    def _begin(
        self, *, config: Any, plan: Any, seed: int, saved: bytes | None, **text: Any
    ) -> list[dict[str, Any]]:
        """Begin a training, and look at what the new model writes."""
        some, held = _texts(**text)
        training = Training(some, held, config=config, plan=plan, seed=seed, saved=saved)
        self.training = training
        self._known = frozenset(word.lower() for word in WORD.findall(some))
        parameters = sum(parameter.numel() for parameter in training.model.parameters())
        symbols = len(training.vocabulary)
        ready = {"kind": "ready", "parameters": parameters, "symbols": symbols, "bytes": 0}
        return [ready, self._look(training), *self._ended(training)]

    def _more(self, *, plan: Any, **_: Any) -> list[dict[str, Any]]:
        """Go on by another plan."""
        assert self.training is not None
        self.training.more(plan)
        return self._go()

    def _go(self, **_: Any) -> list[dict[str, Any]]:
        """Train for some steps: as many as it takes until there is something to tell."""
        training = self.training
        assert training is not None
        losses, begun = [], time.perf_counter()
        while training.step < training.end:
            losses.append(training.next())
            step = training.step
            looks = step % LOOK == 0 or step in (FIRST, training.end)
            if step % TOLD == 0 or looks:
                break
        ms = 1000 * (time.perf_counter() - begun) / max(1, len(losses))
        loss = sum(losses) / max(1, len(losses))
        news: list[dict[str, Any]] = []
        if losses:
            news = [{"kind": "step", "step": training.step, "loss": loss, "ms": ms}]
            news += [self._look(training)] * looks
        return news + self._ended(training)

    def _look(self, training: Training) -> dict[str, Any]:
        """Measure the loss on what is held out, and let the model write."""
        text = training.write(WRITTEN)
        told = {"kind": "look", "step": training.step, "loss": training.held_out()}
        return told | dict(zip(("pieces", "share"), pieces(text, self._known), strict=True))

    @staticmethod
    def _ended(training: Training) -> list[dict[str, Any]]:
        ended = training.step >= training.end
        return [{"kind": "ended", "step": training.step}] * ended


def _texts(
    named: str = "", text: str = "", held: str | None = None, **_: Any
) -> tuple[str, str | None]:
    """Return a text to learn and one to hold out: ours by its name, or a reader's own."""
    ours = texts()
    return (ours[named], ours["held"] if named == "plays" else None) if named else (text, held)


class Static:
    """The same on a page: the browser trains, and the page's address has the settings."""

    def __init__(self, settings: str = ""):
        """Accept settings as in a notebook."""

    def _repr_html_(self) -> str:
        if _page.home() == "inline":  # a file by itself has no engine
            return "<p>Train a GPT on the book's page, or in JupyterLab.</p>"
        return PLACE


if TYPE_CHECKING or not _page.home():  # noqa: SIM108 -- for mypy
    TrainHere = Live
else:
    TrainHere = Static
