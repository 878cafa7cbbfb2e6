"""Why a recursion does not end: what repeats in its last calls, and what their arguments do.

The calls come from an executor whose instruments traced them (`grader.executor.instruments`). From
the last ones the shortest cycle is taken that explains them all, and the arguments of one function
of it are followed from round to round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from grader.display import one_line
from grader.messages import Message, message
from grader.probing.calls import Site, shown_function

_MAX_ENTRIES: Final = 200
_LEAST_ROUNDS: Final = 3
"""A cycle has to be seen so many times to be one."""
_MAX_SHOWN: Final = 6
_SHOWN_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class Call:
    """One call as it was traced: its site, and a summary of each argument."""

    site: Site
    arguments: tuple[Sequence[Any], ...]


def traced_calls(facts: Mapping[str, Any] | None) -> tuple[Call, ...]:
    """Return the last calls that `facts` tell of, in order; none if they have another shape."""
    match facts:
        case {"calls": list() as calls} if len(calls) <= _MAX_ENTRIES and all(map(_is_call, calls)):
            return tuple(
                Call(
                    Site(key=key, entered=1, reentered=0, deepest=1),
                    tuple(tuple(argument) for argument in arguments),
                )
                for key, arguments in calls
            )
        case _:
            return ()


def _is_call(facts: object) -> bool:
    match facts:
        case [str(), list() as arguments]:
            return all(isinstance(each, list) and each for each in arguments)
        case _:
            return False


def cycle(calls: Sequence[Call]) -> tuple[Call, ...]:
    """Return one round of the shortest cycle that the last of `calls` go in; nothing without one.

    The last call of the round is the last one of all.
    """
    keys = [call.site.key for call in calls]
    for length in range(1, len(keys) // _LEAST_ROUNDS + 1):
        if all(keys[index] == keys[index + length] for index in range(len(keys) - length)):
            return tuple(calls[-length:])
    for length in range(1, len(keys) // _LEAST_ROUNDS + 1):  # it may have begun differently
        tail = keys[-_LEAST_ROUNDS * length :]
        if length < len(keys) // _LEAST_ROUNDS and _repeats(tail, length):
            return tuple(calls[-length:])
    return ()


def _repeats(keys: Sequence[str], length: int) -> bool:
    return all(one == other for one, other in zip(keys, keys[length:], strict=False))


def why_endless(
    calls: Sequence[Call], parameters: Mapping[tuple[str, int], Sequence[str]]
) -> tuple[Message, ...]:
    """Return what is to be said of a recursion that went too deep, whose last calls are `calls`.

    `parameters` has the names of the parameters of functions, by their dotted name and line.
    """
    one_round = cycle(calls)
    if not one_round:
        return ()
    way = [shown_function(call.site.function) for call in one_round]
    last = one_round[-1]
    rounds = [call.arguments for call in calls[:: -len(one_round)]][::-1]
    names = parameters.get((last.site.function, last.site.line), ())
    told = next(_about_arguments(way[-1], rounds, names), None)
    if len(way) > 1:
        path = " → ".join([*way[-_MAX_SHOWN:], way[-_MAX_SHOWN:][0]])
        first = message("endless.cycle", way=path)
    else:
        first = message("endless.itself", function=way[0], line=last.site.line)
    return (first,) if told is None else (first, told)


def _about_arguments(
    function: str, rounds: Sequence[tuple[Sequence[Any], ...]], names: Sequence[str]
) -> Iterator[Message]:
    """Yield what can be said of the arguments of `function` from round to round, best first."""
    if len({len(arguments) for arguments in rounds}) != 1:
        return
    if all(one == other for one, other in pairwise(rounds)):
        given = ", ".join(_shown(argument) for argument in rounds[-1])
        yield message("endless.same", call=one_line(f"{function}({given})", 120))
        return
    columns = list(zip(*rounds, strict=True))
    for tell in (_past, _rising, _growing, _staying):
        for number, column in enumerate(columns):
            name = names[number] if number < len(names) else f"#{number + 1}"
            if told := tell(one_line(name, _SHOWN_CHARS), column):
                yield told


_Column = Sequence[Sequence[Any]]
"""The summaries of one argument, round by round."""


def _past(name: str, column: _Column) -> Message | None:
    numbers = _numbers(column)
    if not numbers or numbers[-1] >= 0 or not _falls(numbers):
        return None
    return message("endless.past", name=name, values=_last_of(numbers))


def _rising(name: str, column: _Column) -> Message | None:
    numbers = _numbers(column)
    if not _falls([-number for number in numbers]):
        return None
    return message("endless.rises", name=name, values=_last_of(numbers))


def _growing(name: str, column: _Column) -> Message | None:
    lengths = _lengths(column)
    if not _falls([-length for length in lengths]):
        return None
    return message("endless.grows", name=name, count=lengths[-1])


def _staying(name: str, column: _Column) -> Message | None:
    lengths = _lengths(column)
    if not lengths or not lengths[0] or len(set(lengths)) > 1:
        return None
    return message("endless.stays", name=name, count=lengths[-1])


def _last_of(numbers: Sequence[int]) -> str:
    return ", ".join([*map(str, numbers[-3:]), "..."])


def _numbers(column: _Column) -> list[int]:
    """Return the integers of `column`, one for each round; none if it has something else."""
    if all(len(each) == 2 and each[0] == "int" and type(each[1]) is int for each in column):
        return [each[1] for each in column]
    return []


def _lengths(column: _Column) -> list[int]:
    """Return how long the elements of `column` are; none if some have no length."""
    lengths = [_length(each) for each in column]
    return [length for length in lengths if length is not None] if None not in lengths else []


def _length(summary: Sequence[Any]) -> int | None:
    match summary:
        case ["sized", str(), int() as length, *_] | ["str", int() as length, *_]:
            return length
        case _:
            return None


def _falls(numbers: Sequence[int]) -> bool:
    return len(numbers) > 1 and all(one > other for one, other in pairwise(numbers))


def _shown(summary: Sequence[Any]) -> str:
    """Return a summary as it stands in a call."""
    match summary:
        case ["none"]:
            return "None"
        case ["bool" | "int" | "float", value]:
            return one_line(str(value), _SHOWN_CHARS)
        case ["str", int() as length, str() as text]:
            return one_line(repr(text) if length <= len(text) else f"{text!r}...", _SHOWN_CHARS)
        case ["sized", str() as kind, int(), str() as text] if kind in _BRACKETS:
            opening, closing = _BRACKETS[kind]
            return one_line(f"{opening}{text}{closing}", _SHOWN_CHARS)
        case ["sized", str() as kind, int() as length, *_]:
            return one_line(f"<{kind}: {length}>", _SHOWN_CHARS)
        case ["object", str() as kind, *_]:
            return one_line(f"<{kind}>", _SHOWN_CHARS)
        case _:
            return "..."


_BRACKETS: Final = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}"), "dict": ("{", "}")}
