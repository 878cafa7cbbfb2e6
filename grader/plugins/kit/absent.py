"""What a kit has in the place of modules that it goes without; see `assembling` for which.

pydantic and PyYAML are compiled in part, so that no file can carry them for every system. What they
do has been done when a kit is made: its suite has been read and checked. But the classes
of a suite are made with pydantic, and so a kit needs something that makes plain ones of them.
Whatever else is imported from these modules is there and does nothing, as nobody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Self

ValidationError = ValueError
"""Never raised: what is in a kit has been checked."""


def Field(  # noqa: N802 - the name that pydantic has for it
    *, default: Any = MISSING, default_factory: Any = MISSING, **_settings: object
) -> Any:
    """Return a field of a form, with a default where there is one."""
    return field(default=default, default_factory=default_factory)


@dataclass(frozen=True, kw_only=True)
class BaseModel:
    """A form; nothing of it is checked again."""

    model_fields: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, **_settings: object) -> None:
        """Have a form hold its fields, and be equal to another one with the same."""
        super().__init_subclass__()
        dataclass(frozen=True, kw_only=True)(cls)
        cls.model_fields = {each.name: each for each in fields(cls)}

    @classmethod
    def model_construct(cls, **values: object) -> Self:
        """Return a form with these fields."""
        return cls(**values)

    def __copy__(self) -> Self:
        """Return a form of the same kind with the same fields."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """Return a copy with some fields changed."""
        copied = copy(self)
        copied.__dict__.update(update)
        return copied


class _Anything:
    """Takes whatever it is given, and leaves what it decorates as it is."""

    def __init__(self, *_args: object, **_settings: object) -> None:
        """Take what a module says when it is imported."""

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function`: what it would check has been checked."""
        return function


def __getattr__(name: str) -> type[_Anything]:
    """Return what stands for any other `name`."""
    if name.startswith("__"):
        raise AttributeError(name)
    return _Anything
