"""The part of traitlets that the widgets use: attributes that validate their values."""

from typing import Any


class TraitType:
    """An attribute with a default, whose values `validate` checks."""

    def __init__(self, default: Any = None, **_: Any):
        """Store the default."""
        self.default_value = default
        self.metadata: dict[str, Any] = {}
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Store the name."""
        self.name = name

    def __get__(self, obj: Any, kind: type) -> Any:
        """Return the value; of the class, the trait."""
        return self if obj is None else vars(obj).get(self.name, self.default_value)

    def __set__(self, obj: Any, value: Any) -> None:
        """Set the value."""
        vars(obj)[self.name] = self.validate(obj, value)

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the value to set."""
        return value

    def tag(self, **metadata: Any) -> "TraitType":
        """Add metadata to the trait."""
        self.metadata |= metadata
        return self


Dict = TraitType


class HasTraits:
    """An object with traits. Nobody is notified of changes: a page asks again."""

    def __init__(self, **given: Any):
        """Set the given traits."""
        for name, value in given.items():
            setattr(self, name, value)

    @classmethod
    def class_traits(cls) -> dict[str, TraitType]:
        """Return all traits by name."""
        every = {n: t for kind in reversed(cls.__mro__) for n, t in vars(kind).items()}
        return {name: trait for name, trait in every.items() if isinstance(trait, TraitType)}

    def set_trait(self, name: str, value: Any) -> None:
        """Set a read-only trait."""
        vars(self)[name] = value

    def observe(self, *_: Any, **__: Any) -> None:
        """Ignore the observer."""
