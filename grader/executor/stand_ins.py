"""Stand-ins for modules that a submission may import but not use.

An import of such a module succeeds, because editors add imports unasked. Any use of the module, or
of a name from it, raises an error that says that the module is not allowed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Final, NoReturn

from grader.protocol import NOT_ALLOWED


class ModuleNotAllowed(ModuleNotFoundError):
    """Raised when a submission uses a module that its exercise does not allow."""


def not_allowed_error(name: str) -> ModuleNotAllowed:
    """Return the error that says that the module called `name` is not allowed."""
    return ModuleNotAllowed(NOT_ALLOWED.format(name), name=name)


class StandIn(ModuleType):
    """Stands for a module that is not allowed, or a name in one. Using it raises an error."""

    def __init__(self, name: str, refused: str) -> None:
        """Stand in for `name`. The error names `refused` as the module that is not allowed."""
        super().__init__(name)
        self.__dict__["__refused__"] = refused
        self.__dict__["__all__"] = ()  # for `import *`

    def __getattr__(self, name: str) -> NoReturn:
        """Raise `ModuleNotAllowed`, because reading an attribute is a use of the module.

        Raises `AttributeError` instead for dunder names, and for look-ups by the import system.
        """
        is_dunder = name.startswith("__") and name.endswith("__")
        caller_globals = sys._getframe(1).f_globals  # noqa: SLF001 - the import system also looks up attributes
        if is_dunder or caller_globals.get("__name__") == "importlib._bootstrap":
            raise AttributeError(name)
        self._refuse()

    def __bool__(self) -> bool:
        """Return True, like any module, because a program might test whether it has a module."""
        return True

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise not_allowed_error(self.__dict__["__refused__"])


_USING_METHODS: Final = """
    call getitem setitem delitem iter next reversed len contains mro_entries enter exit
    instancecheck subclasscheck str format int float complex index round trunc floor ceil
    lt le gt ge eq ne neg pos abs invert
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor
"""
"""The special methods that count as a use: `2 * pi` also uses `math`."""
for _use in _USING_METHODS.split():
    setattr(StandIn, f"__{_use}__", StandIn._refuse)  # noqa: SLF001 - a class of this module


def make_stand_in(name: str, fromlist: Iterable[str]) -> StandIn:
    """Return a stand-in for the result of `import name`, or of `from name import ...`.

    Its attributes are stand-ins for the submodules and the imported names.
    """
    top_level, *submodules = name.split(".")
    top = innermost = StandIn(top_level, top_level)
    for part in submodules:
        innermost = _add_part(innermost, part)
    names = {*fromlist}
    if not names:
        return top
    parts = names - {"*"}
    for part in parts:
        _add_part(innermost, part)
    innermost.__dict__["__all__"] = tuple(parts)
    return innermost


def _add_part(parent: StandIn, name: str) -> StandIn:
    """Create a stand-in called `name` as an attribute of `parent`, and return the stand-in."""
    part = StandIn(f"{parent.__name__}.{name}", parent.__dict__["__refused__"])
    parent.__dict__[name] = part
    return part
