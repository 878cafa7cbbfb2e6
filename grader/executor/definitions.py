"""Describes what the imported modules of a submission define.

The judge looks for the requested names in the description, and for misspellings of them.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Collection, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final

BUILTIN_NAMES: Final = frozenset(name for name in vars(builtins) if not name.startswith("_"))
MAX_DEFINED_NAMES: Final = 500
"""Requested names are reported first, then other names, in which misspellings can be found."""
NO_DEFINITIONS: Final[dict[str, object]] = {
    "value": None,
    "id": None,
    "bound": {},
    "defined": [],
    "takes": {},
    "absent": [],
    "stops": [],
}
"""The observation of an import that defines nothing."""
_MAX_ARGUMENTS: Final = 255
_TAKES_VARARGS: Final = inspect.CO_VARARGS
_callable: Final = callable  # bound now, because the submission can replace the built-in


def public_names(namespace: dict[str, Any]) -> list[str]:
    """Return the names in `namespace`, without the dunder names that Python sets."""
    # A module's dictionary can have keys of any type.
    return [name for name in namespace if type(name) is str and not name.startswith("__")]


def replaced_built_ins(
    names: dict[str, Any], wanted: Collection[str], submission_modules: Collection[str]
) -> Iterator[str]:
    """Yield the names of built-ins that a star import has replaced in `names`.

    An example is `open` after `from os import *`. In steps those names mean the built-ins, unless
    they are `wanted`. A name is not yielded if one of the `submission_modules` defines it.
    """
    modules = [module for name, module in [*sys.modules.items()] if name not in submission_modules]
    namespaces = [module.__dict__ for module in modules if type(module) is ModuleType]
    for name in BUILTIN_NAMES.difference(wanted):
        if name in names and any(space.get(name) is names[name] for space in namespaces):
            yield name


def argument_ranges(values: dict[str, object]) -> Iterator[tuple[str, list[int]]]:
    """Yield each name with the least and the most positional arguments that its value accepts.

    For anything that cannot be called with positional arguments alone, the range is 1 to 0, which
    fits no call. Nothing is yielded for callable objects other than functions, because their range
    is unknown.
    """
    for name, value in values.items():
        if type(value) is FunctionType:
            code, defaults = value.__code__, value.__defaults__ or ()
            highest = _MAX_ARGUMENTS if code.co_flags & _TAKES_VARARGS else code.co_argcount
            lowest = code.co_argcount - len(defaults)
            needs_keywords = code.co_kwonlyargcount > len(value.__kwdefaults__ or ())
            yield name, [1, 0] if needs_keywords else [max(0, lowest), highest]
        elif not _callable(value):
            yield name, [1, 0]
