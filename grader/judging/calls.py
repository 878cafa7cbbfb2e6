"""The calls that a probe saw: what the instruments tell of them, as far as it has the right shape.

A *site* is one place where a function is defined: a `def`, a method, a nested function, a lambda.
It is *re-entered* when it is called while a call of it is still going on, directly or through
others: that is recursion, whatever it looks like in the source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias

from grader.values.constraints import Bounded, ParsedBy
from grader.values.foreign_text import one_line

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_MOST_SITES: Final = 300
_MOST_EDGES: Final = 500
_MOST_SHARES: Final = 5_001
_MOST_CALLS: Final = 50
_MOST: Final = 10**9
"""Nothing that happens in a session happens more often."""
_KEY_CHARS: Final = 1_000
_LINE: Final = re.compile(r":(\d+)(?:#\d+)?(?:\[(.*)\])?\Z", re.DOTALL)
"""What comes behind the name of a site in its key; of a wrapper, also what it wraps."""
_SHOWN_CHARS: Final = 60


def _key(key: object) -> str:
    """Return `key`; unlike a `str` of pydantic it may be no Unicode, as names of code may be."""
    if not isinstance(key, str) or len(key) > _KEY_CHARS:
        raise ValueError("a key of the wrong shape")
    return key


_Key: TypeAlias = Annotated[str, ParsedBy(_key, plain=True)]
_Count: TypeAlias = Annotated[int, Bounded(strict=True, ge=0, le=_MOST)]


class Site(NamedTuple):
    """The calls of one site during a probe."""

    key: _Key
    """`Board.free_all_cells:41`: module, qualified name and line."""
    entered: _Count
    reentered: _Count
    deepest: _Count
    """The most calls of it that went on at the same time."""

    @property
    def function(self) -> str:
        """Dotted name of the function, as in `grader.sandbox.survey.FunctionSurvey`."""
        return _LINE.sub("", self.key)

    @property
    def line(self) -> int:
        """The line of its definition; 0 when the key does not tell."""
        found = _LINE.search(self.key)
        return int(found[1]) if found else 0

    @property
    def shown(self) -> str:
        """Its name as people know it: without the module and the functions around it."""
        found = _LINE.search(self.key)
        wrapped = found[2] if found else None
        if wrapped:
            return one_line(wrapped.partition(",")[0], _SHOWN_CHARS)
        return shown_function(self.function)


def shown_function(dotted: str) -> str:
    """Return the name of a function as it is told to people: `Solver.solve`, `free_all_cells`."""
    within = dotted.rpartition(".<locals>.")[2]
    if within == dotted:
        within = dotted.partition(".")[2] or dotted
    return one_line(within, _SHOWN_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvidence:
    """The calls during one call of a probe."""

    sites: Annotated[tuple[Site, ...], Bounded(max_length=_MOST_SITES)]
    """In the order of their first call."""
    edges: Annotated[tuple[tuple[_Key, _Key], ...], Bounded(max_length=_MOST_EDGES)]
    """Keys of callers and callees, each pair once."""
    cuts: _Count = 0
    """How many calls were cut."""
    spread: Annotated[tuple[tuple[_Count, _Count], ...], Bounded(max_length=_MOST_SHARES)] = ()
    """Who did the work, where that was asked: first all that is around the watched sites, then each
    call of one; how often it called another site, and how many turns its loops took."""
    bulk: Annotated[tuple[_Count, ...], Bounded(max_length=_MOST_SHARES)] = ()
    """Of the same: how many elements went to functions that are not written in Python."""
    asked: Annotated[tuple[tuple[_Count, _Count], ...], Bounded(max_length=_MOST_SHARES)] = ()
    """Of the same: the part of different calls that each made, in thousandths, and how many of them
    were made for the first time. Who calls for nothing makes the same calls again."""
    known: Annotated[tuple[tuple[tuple[_Key, ...], ...], ...], Bounded(max_length=_MOST_CALLS)] = ()
    """Of each call that recurred, where that was asked: for each part of its answer, what held that
    when the recursion began."""
    shifts: _Count = 0
    """In how many of the calls of the probe an inner call was given something else than its caller
    gave it."""

    @classmethod
    def of(cls, facts: Mapping[str, Any] | None) -> CallEvidence | None:
        """Return the evidence in `facts`, None if they have another shape."""
        if facts is None or not facts.keys() >= _KEYS:
            return None
        try:
            told = {key: facts[key] for key in (*_KEYS, *_MORE_KEYS) if key in facts}
            return _adapter().validate_python(told)
        except ValueError:
            return None

    def named(self, key: str) -> Site | None:
        """Return the site of that key, None if it was never called."""
        return next((site for site in self.sites if site.key == key), None)

    def cycle(self, key: str) -> tuple[str, ...]:
        """Return the shortest way from site `key` back to itself, both ends included; or nothing.

        The way goes along calls that were seen.
        """
        callees: dict[str, list[str]] = {}
        for caller, callee in self.edges:
            callees.setdefault(caller, []).append(callee)
        ways: list[tuple[str, ...]] = [(key,)]
        reached: set[str] = set()
        while ways:
            longer = []
            for way in ways:
                for callee in callees.get(way[-1], ()):
                    if callee == key:
                        return (*way, key)
                    if callee not in reached:
                        reached.add(callee)
                        longer.append((*way, callee))
            ways = longer
        return ()


_KEYS: Final = {"sites", "edges", "cuts", "spread"}
_MORE_KEYS: Final = ("asked", "bulk", "known", "shifts")
"""What is told only where it is asked."""


@cache  # most submissions need none
def _adapter() -> TypeAdapter[CallEvidence]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - as above

    return TypeAdapter(CallEvidence)


# Summaries of what calls were given: what executors tell of a value in a few words.
#
# How they are made, and what they can be, is said in `grader.executor.tracing`. They come from the
# process of a submission, so their shape is checked before anything is done with them.


MOST: Final = 1 << 63
"""No length is more; numbers and lines do not come near it. Whoever says so has forged it."""
_SUMMARY_CHARS: Final = 40
CALL_CHARS: Final = 120
_EXACT: Final = ("none", "bool", "float")
_PLAIN: Final = (str, int, bool, NoneType)


def is_summary(facts: object) -> bool:
    """Return whether `facts` are plain: what is nested could be too deep to be compared."""
    return isinstance(facts, list) and bool(facts) and all(map(_is_plain, facts))


def _is_plain(fact: object) -> bool:
    return type(fact) in _PLAIN and not (isinstance(fact, int) and abs(fact) > MOST)


def shown_call(function: str, arguments: Sequence[Sequence[Any]], limit: int = CALL_CHARS) -> str:
    """Return a call as code has it; one that is longer than `limit` is cut."""
    return one_line(f"{function}({', '.join(map(shown_summary, arguments))})", limit)


def is_told(summary: Sequence[Any]) -> bool:
    """Return whether equal summaries like this one mean equal values, or the same object."""
    match summary:
        case ["str", int() as length, str() as text]:
            return length == len(text)
        case ["sized", str(), int(), text, *_]:
            return text is not None
        case ["object", str(), number, *_]:
            return bool(number)
        case ["int", number]:
            return type(number) is int
        case _:
            return summary[0] in _EXACT


def shown_summary(summary: Sequence[Any]) -> str:
    """Return a summary as it stands in a call."""
    match summary:
        case ["none"]:
            return "None"
        case ["bool" | "int" | "float", value]:
            return one_line(str(value), _SUMMARY_CHARS)
        case ["str", int() as length, str() as text]:
            return one_line(repr(text) if length <= len(text) else f"{text!r}...", _SUMMARY_CHARS)
        case ["sized", str() as kind, int(), str() as text] if kind in _BRACKETS:
            opening, closing = _BRACKETS[kind]
            return one_line(f"{opening}{text}{closing}", _SUMMARY_CHARS)
        case ["sized", str() as kind, int() as length, *_]:
            return one_line(f"<{kind}: {length}>", _SUMMARY_CHARS)
        case ["object", str() as kind, *_]:
            return one_line(f"<{kind}>", _SUMMARY_CHARS)
        case _:
            return "..."


_BRACKETS: Final = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}"), "dict": ("{", "}")}
