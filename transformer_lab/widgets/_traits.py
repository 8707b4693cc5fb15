"""What a reader can set on a widget: traits that validate their values, and say what is wrong.

`Stop`, `Span`, `Words`, `Text`, `Heads` and `Edits` have a control in the picture; `Function`
takes a function of the learner, from Python only.
"""

from collections.abc import Callable
from typing import Any

import traitlets


class Control(traitlets.TraitType):
    """A value with a control, shared with the front end.

    `label` is written beside the control. `view=True` marks one that only chooses what is shown
    of a frame: torch need not compute another. `swept=False` marks one for which no frames are
    baked but those of its default, since a real model computes the others; `computed=True` one
    for which the widget's own script does.
    """

    def __init__(
        self,
        default: Any,
        *,
        label: str = "",
        view: bool = False,
        swept: bool = True,
        computed: bool = False,
    ):
        """Create the trait; its name is the default label."""
        super().__init__(default)
        self.label = label
        self.swept = swept and not computed
        self.computed = computed
        self.tag(sync=True, view=view)

    def offer(self, value: Any) -> list | dict:
        """Return what the control offers while the trait has this value."""
        raise NotImplementedError


class Stop(Control):
    """One of a list of values: numbers are a slider's stops, words a choice, booleans a switch."""

    def __init__(self, stops: list, default: Any, **options: Any):
        """Create the trait; `default` is one of the stops."""
        super().__init__(default, **options)
        self.stops = stops

    def offer(self, value: Any) -> list:
        """Return the stops."""
        return self.stops

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the stop. A browser's 1 is our 1.0, but never True."""
        for stop in self.stops:
            if value == stop and isinstance(value, bool) == isinstance(stop, bool):
                return stop
        raise ValueError(f"{self.name} must be one of {self.stops}, but is {value!r}.")


class Span(Control):
    """A number between two bounds. No frames are baked for it: the page computes them itself.

    `step` is the slider's, for the keyboard; from Python any number between the bounds is right.
    """

    def __init__(self, low: float, high: float, default: float, *, step: float, **options: Any):
        """Create the trait."""
        super().__init__(default, computed=True, **options)
        self.low, self.high, self.step = low, high, step

    def offer(self, value: Any) -> dict:
        """Return the bounds and the slider's step."""
        return {"low": self.low, "high": self.high, "step": self.step}

    def validate(self, obj: Any, value: Any) -> float:
        """Raise ValueError for anything but a number within the bounds."""
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not self.low <= value <= self.high:
            raise ValueError(
                f"{self.name} must be a number from {self.low} to {self.high}, but is {value!r}."
            )
        return float(value)


class Words(Control):
    """A sentence as a list of words: any in a live kernel, the baked ones on a page."""

    def __init__(self, sentences: list[str], *, fit: tuple[int, int] | None = None, **options: Any):
        """Create the trait; the first sentence is the default.

        `fit` is the minimum and the maximum of words: by default 2, and the longest sentence's.
        """
        self.sentences = [sentence.split() for sentence in sentences]
        super().__init__(self.sentences[0], **options)
        self.fewest, self.most = fit or (2, max(map(len, self.sentences)))

    def offer(self, value: Any) -> list[list[str]]:
        """Return the sentences, with the learner's own after them."""
        return self.sentences + [value] * (value not in self.sentences)

    def validate(self, obj: Any, value: Any) -> list[str]:
        """Raise ValueError for anything but a list of words of the right length."""
        if not isinstance(value, list | tuple) or not all(
            isinstance(word, str) and word.strip() for word in value
        ):
            raise ValueError(
                f"{self.name} must be a list of words, but is {value!r}. "
                f'Split a sentence with "The cat sat".split().'
            )
        if not self.fewest <= len(value) <= self.most:
            raise ValueError(
                f"{self.name} must be {self.fewest} to {self.most} words, but there are "
                f"{len(value)}."
            )
        return list(value)


class Text(Control):
    """A text as it is typed, with its spaces and lines, for a model that reads characters."""

    def __init__(self, default: str, *, most: int = 4000, **options: Any):
        """Create the trait; `most` is the maximum of characters."""
        super().__init__(default, **options)
        self.most = most

    def offer(self, value: Any) -> dict:
        """Return how many characters fit."""
        return {"characters": self.most}

    def validate(self, obj: Any, value: Any) -> str:
        """Raise ValueError for anything but a text that fits."""
        if not isinstance(value, str) or len(value) > self.most:
            given = f"{len(value)} characters" if isinstance(value, str) else repr(value)
            raise ValueError(
                f"{self.name} must be a text of at most {self.most} characters, but is {given}."
            )
        return value


class Heads(Control):
    """Some heads of a model, each as its layer and its number there, both counted from 0."""

    def __init__(self, layers: int, heads: int, **options: Any):
        """Create the trait for models with at most these numbers; the default is no head."""
        super().__init__([], **options)
        self.layers, self.heads = layers, heads

    def offer(self, value: Any) -> dict:
        """Return how many layers and heads there are."""
        return {"layers": self.layers, "heads": self.heads}

    def validate(self, obj: Any, value: Any) -> list[list[int]]:
        """Raise ValueError for anything but a list of heads; sort them."""
        if not isinstance(value, list | tuple) or not all(map(self._is_head, value)):
            raise ValueError(
                f"{self.name} must be a list of heads, each like [layer, head] with a layer below "
                f"{self.layers} and a head below {self.heads}, but is {value!r}."
            )
        return sorted(list(head) for head in {tuple(head) for head in value})

    def _is_head(self, value: Any) -> bool:
        if not isinstance(value, list | tuple) or [*map(type, value)] != [int, int]:
            return False
        return 0 <= value[0] < self.layers and 0 <= value[1] < self.heads


class Edits(Control):
    """Numbers of words that a reader has changed, each as [word, feature, number].

    The page computes what comes of them, and the widget draws its own control.
    """

    def __init__(
        self, words: list[str], features: list[str], *, low: float, high: float, step: float,
        **options: Any,
    ):  # fmt: skip
        """Make the trait; at first nothing is changed."""
        super().__init__([], computed=True, **options)
        self.words, self.features = words, features
        self.low, self.high, self.step = low, high, step

    def offer(self, value: Any) -> dict:
        """Return what can be changed, the bounds, and the slider's step."""
        bounds = {"low": self.low, "high": self.high, "step": self.step}
        return {"words": self.words, "features": self.features, **bounds}

    def validate(self, obj: Any, value: Any) -> list[list]:
        """Raise ValueError for anything but a list of changes; sort them, the last of each."""
        if not isinstance(value, list | tuple) or not all(map(self._is_edit, value)):
            raise ValueError(
                f"{self.name} must be a list of changes, each like ['cat', 'alive', 3.0] with one "
                f"of the words {', '.join(self.words)}, one of {', '.join(self.features)}, and a "
                f"number from {self.low} to {self.high}, but is {value!r}."
            )
        last = {(word, feature): float(number) for word, feature, number in value}
        return sorted([*place, number] for place, number in last.items())

    def _is_edit(self, value: Any) -> bool:
        if not isinstance(value, list | tuple) or len(value) != 3:
            return False
        word, feature, number = value
        known = word in self.words and feature in self.features
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        return known and is_number and self.low <= number <= self.high


class Function(traitlets.TraitType):
    """A function that the widget shows: ours, until the learner sets their own."""

    def validate(self, obj: Any, value: Any) -> Callable:
        """Raise TypeError for anything that can't be called."""
        if not callable(value):
            raise TypeError(
                f"{self.name} must be a function, but is {value!r}. Pass the function itself, "
                f"without calling it."
            )
        return value


class Tries(traitlets.TraitType):
    """Things to try: what stands on a button, and where it sets the controls (else as at first)."""

    def validate(self, obj: Any, value: Any) -> dict:
        """Raise ValueError for a setting that the widget does not have."""
        for text, at in value.items():
            for name, stop in at.items():
                if name not in obj.controls():
                    raise ValueError(
                        f"{self.name} must set some of {', '.join(obj.controls())}, but {text!r} "
                        f"sets {name!r}."
                    )
                obj.controls()[name].validate(obj, stop)
        return value
