"""Says in a sentence what a rule asks, whatever its kind."""

from __future__ import annotations

import sys
from typing import Final

from grader.constructs import COMPREHENSIONS
from grader.demands import (
    Demand,
    Docstrings,
    Encapsulation,
    Extra,
    Forbidden,
    Growth,
    Imports,
    Memory,
    PythonVersion,
    Recursion,
    Signature,
    Time,
)
from grader.messages import Message, message
from grader.rules.functions import in_code, label

_STANDARD: Final = frozenset(sys.stdlib_module_names)


def demanded(demand: Demand) -> Message:
    """Return the sentence that says what `demand` asks."""
    match demand:
        case Recursion():
            return _recursion(demand)
        case Forbidden():
            return _forbidden(demand)
        case Imports(allowed=allowed):
            return _imports(allowed)
        case Signature():
            return _signature(demand)
        case Memory(function=function):
            return message("demand.memory", function=label(function))
        case Time(function=function, growth=growth):
            return _time(label(function), growth)
        case Encapsulation(module=module, known_to=known_to):
            functions = in_code((label(name) for name in known_to), None)
            return message("demand.encapsulation", module=module, functions=functions)
        case PythonVersion(major=major, minor=minor):
            return message("demand.python", version=f"{major}.{minor}")
        case Docstrings(functions=functions):
            return _docstrings([label(name) for name in functions])


def _recursion(demand: Recursion) -> Message:
    function = label(demand.function)
    if not demand.required:
        return message("demand.iterative", function=function)
    if demand.helper:
        return message("demand.recursive", function=function)
    return message("demand.recursive_itself", function=function)


def _forbidden(demand: Forbidden) -> Message:
    constructs = in_code(_together(demand.constructs), None)
    if demand.function is None:
        if demand.initialising:
            return message("demand.nowhere_but_initialising", constructs=constructs)
        return message("demand.nowhere", constructs=constructs)
    function = label(demand.function)
    if demand.initialising:
        return message("demand.without_but_initialising", function=function, constructs=constructs)
    return message("demand.without", function=function, constructs=constructs)


def _together(constructs: tuple[str, ...]) -> list[str]:
    """Return `constructs` with one word for the comprehensions when all kinds are among them."""
    if not set(COMPREHENSIONS) <= set(constructs):
        return list(constructs)
    return list(
        dict.fromkeys("comprehension" if each in COMPREHENSIONS else each for each in constructs)
    )


def _imports(allowed: tuple[str, ...]) -> Message:
    if not allowed:
        return message("demand.imports_none")
    if not set(allowed) >= _STANDARD:
        return message("demand.imports", count=len(allowed), modules=in_code(allowed))
    others = [name for name in allowed if name.partition(".")[0] not in _STANDARD]
    if others:
        return message("demand.imports_standard_and", modules=in_code(others))
    return message("demand.imports_standard")


def _signature(demand: Signature) -> Message:
    parameters = ", ".join(
        f"{each.name}=…" if each.has_default else each.name for each in demand.parameters
    )
    heading = f"{label(demand.function)}({parameters})"
    match demand.extra:
        case Extra.NONE:
            return message("demand.heading_exact", heading=heading)
        case Extra.DEFAULTS:
            return message("demand.heading", heading=heading)


def _time(function: str, growth: Growth) -> Message:
    match growth:
        case Growth.CONSTANT:
            return message("demand.time_constant", function=function)
        case Growth.LOGARITHMIC:
            return message("demand.time_logarithmic", function=function)
        case Growth.LINEAR:
            return message("demand.time_linear", function=function)


def _docstrings(functions: list[str]) -> Message:
    if not functions:
        return message("demand.docstrings")
    return message("demand.docstrings_of", count=len(functions), functions=in_code(functions, None))
