"""What the widgets take of traitlets: values of a class that look at what they are given."""

from typing import Any


class TraitType:
    """A value with a default, which `validate` looks at before it is set."""

    def __init__(self, default: Any = None, **_: Any):
        """Take the default."""
        self.default_value = default
        self.metadata: dict[str, Any] = {}
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Learn the name."""
        self.name = name

    def __get__(self, obj: Any, kind: type) -> Any:
        """Return the value; of the class, the trait."""
        return self if obj is None else vars(obj).get(self.name, self.default_value)

    def __set__(self, obj: Any, value: Any) -> None:
        """Set the value."""
        vars(obj)[self.name] = self.validate(obj, value)

    def validate(self, obj: Any, value: Any) -> Any:
        """Return what is set for a value."""
        return value

    def tag(self, **metadata: Any) -> "TraitType":
        """Note something about the trait."""
        self.metadata |= metadata
        return self


Dict = TraitType


class HasTraits:
    """Something with traits. Nobody hears of a change: a page asks anew."""

    def __init__(self, **given: Any):
        """Set what is given."""
        for name, value in given.items():
            setattr(self, name, value)

    @classmethod
    def class_traits(cls) -> dict[str, TraitType]:
        """Return all traits by name."""
        every = {n: t for kind in reversed(cls.__mro__) for n, t in vars(kind).items()}
        return {name: trait for name, trait in every.items() if isinstance(trait, TraitType)}

    def set_trait(self, name: str, value: Any) -> None:
        """Set what others may only read."""
        vars(self)[name] = value

    def observe(self, *_: Any, **__: Any) -> None:
        """Hear of no change."""
