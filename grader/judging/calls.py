"""The calls observed during a probe, parsed from the instruments' report.

A *site* is one place where a function is defined: a `def`, a method, a nested function, a lambda.
It is *re-entered* when it is called while an earlier call of it is still active, directly or
through other functions. That is recursion, whatever the source looks like.
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

# `grader.executor.instruments` reports at most as many sites and edges: a longer report is forged.
_MAX_SITES: Final = 300
_MAX_EDGES: Final = 500
_MAX_SHARES: Final = 5_001  # the executor's limit, and one for everything outside the sites
_MAX_CALLS: Final = 50
"""How many recurring calls are accepted in `CallEvidence.known`."""
_MAX_COUNT: Final = 10**9
"""More events than any session can produce."""
_KEY_CHARS: Final = 1_000
_LINE: Final = re.compile(r":(\d+)(?:#\d+)?(?:\[(.*)\])?\Z", re.DOTALL)
"""The end of a site's key: its line, and for a wrapper the name of what it wraps."""
_SHOWN_CHARS: Final = 60


def _parse_key(key: object) -> str:
    """Return `key` if it is a string of bounded length, else raise `ValueError`.

    Pydantic's `str` would reject lone surrogates, which the names of code objects can contain.
    """
    if not isinstance(key, str) or len(key) > _KEY_CHARS:
        raise ValueError(f"a site's key must be a string of at most {_KEY_CHARS} characters")
    return key


_Key: TypeAlias = Annotated[str, ParsedBy(_parse_key, replaces_validation=True)]
_Count: TypeAlias = Annotated[int, Bounded(strict=True, ge=0, le=_MAX_COUNT)]


class Site(NamedTuple):
    """The calls of one site during a probe."""

    key: _Key
    """Module, qualified name and line, such as `Board.free_all_cells:41`."""
    entered: _Count
    reentered: _Count
    deepest: _Count
    """The largest number of its calls that were active at once."""

    @property
    def function(self) -> str:
        """The dotted name of the function, in the notation of `FunctionSurvey`."""
        return _LINE.sub("", self.key)

    @property
    def line(self) -> int:
        """The line of the definition; 0 if the key has no line."""
        match = _LINE.search(self.key)
        return int(match[1]) if match else 0

    @property
    def display_name(self) -> str:
        """The function's name for display, without its module and enclosing functions.

        A wrapper is shown under the name of the function that it wraps.
        """
        match = _LINE.search(self.key)
        wrapped = match[2] if match else None
        if wrapped:
            # A closure can wrap several functions: show the first.
            return one_line(wrapped.partition(",")[0], _SHOWN_CHARS)
        return function_display_name(self.function)


def function_display_name(dotted: str) -> str:
    """Return the display name for a `dotted` name, such as `Solver.solve` or `free_all_cells`."""
    name = dotted.rpartition(".<locals>.")[2]
    if name == dotted:
        name = dotted.partition(".")[2] or dotted
    return one_line(name, _SHOWN_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvidence:
    """The calls during one call of a probe."""

    sites: Annotated[tuple[Site, ...], Bounded(max_length=_MAX_SITES)]
    """In the order of their first call."""
    edges: Annotated[tuple[tuple[_Key, _Key], ...], Bounded(max_length=_MAX_EDGES)]
    """The keys of callers and callees, each pair once."""
    cuts: _Count = 0
    """How many calls were cut."""
    spread: Annotated[tuple[tuple[_Count, _Count], ...], Bounded(max_length=_MAX_SHARES)] = ()
    """The work per call, if watched: first all work outside the watched sites, then the work of
    each call of a watched site. An entry has the numbers of calls to other sites and of loop
    iterations."""
    bulk: Annotated[tuple[_Count, ...], Bounded(max_length=_MAX_SHARES)] = ()
    """For each entry of `spread`: how many elements were passed to functions that are not written
    in Python."""
    asked: Annotated[tuple[tuple[_Count, _Count], ...], Bounded(max_length=_MAX_SHARES)] = ()
    """For each entry of `spread`: the proportion of distinct calls, in thousandths, and how many
    calls were made for the first time. Pointless calls repeat earlier ones."""
    known: Annotated[tuple[tuple[tuple[_Key, ...], ...], ...], Bounded(max_length=_MAX_CALLS)] = ()
    """For each recurring call, if requested: for each part of its answer, the names that already
    held it when the recursion began."""
    shifts: _Count = 0
    """How many calls of the probe had an inner call whose arguments were replaced."""

    @classmethod
    def of(cls, facts: Mapping[str, Any] | None) -> CallEvidence | None:
        """Return the evidence in `facts`, an executor's report. Return None if it is malformed."""
        if facts is None or not facts.keys() >= _REQUIRED_KEYS:
            return None
        try:
            selected = {
                key: facts[key] for key in (*_REQUIRED_KEYS, *_OPTIONAL_KEYS) if key in facts
            }
            return _adapter().validate_python(selected)
        except ValueError:
            return None

    def find_site(self, key: str) -> Site | None:
        """Return the site with this `key`. Return None if it was never called."""
        return next((site for site in self.sites if site.key == key), None)

    def cycle(self, key: str) -> tuple[str, ...]:
        """Return the shortest path of observed calls from site `key` back to itself.

        The path contains `key` at both ends. It is empty if no calls lead back.
        """
        callees: dict[str, list[str]] = {}
        for caller, callee in self.edges:
            callees.setdefault(caller, []).append(callee)
        # Breadth first: the first path back is a shortest one.
        paths: list[tuple[str, ...]] = [(key,)]
        reached: set[str] = set()
        while paths:
            next_paths = []
            for path in paths:
                for callee in callees.get(path[-1], ()):
                    if callee == key:
                        return (*path, key)
                    if callee not in reached:
                        reached.add(callee)
                        next_paths.append((*path, callee))
            paths = next_paths
        return ()


_REQUIRED_KEYS: Final = {"sites", "edges", "cuts", "spread"}
_OPTIONAL_KEYS: Final = ("asked", "bulk", "known", "shifts")
"""Optional keys, reported only on request."""


@cache  # lazy: most submissions need no adapter
def _adapter() -> TypeAdapter[CallEvidence]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - as above

    return TypeAdapter(CallEvidence)


# Summaries of arguments, as executors report them.
#
# `grader.executor.tracing` makes the summaries and documents their layouts. They come from the
# process of a submission, so their shape is checked before use.


MAX_NUMBER: Final = 1 << 63
"""Lengths, numbers and lines stay below this; anything larger was forged."""
_SUMMARY_CHARS: Final = 40
CALL_CHARS: Final = 120
_EXACT: Final = ("none", "bool", "float")
"""The kinds of summaries that always contain the complete value."""
_PLAIN: Final = (str, int, bool, NoneType)


def is_summary(facts: object) -> bool:
    """Return whether `facts` are a flat, non-empty list of plain values.

    A forged nested list could recurse too deeply when it is compared.
    """
    return isinstance(facts, list) and bool(facts) and all(map(_is_plain, facts))


def _is_plain(fact: object) -> bool:
    return type(fact) in _PLAIN and not (isinstance(fact, int) and abs(fact) > MAX_NUMBER)


def format_call(function: str, arguments: Sequence[Sequence[Any]], limit: int = CALL_CHARS) -> str:
    """Return a call of `function` as code, with `arguments` given as summaries.

    The text is truncated to `limit` characters.
    """
    return one_line(f"{function}({', '.join(map(format_summary, arguments))})", limit)


def is_complete(summary: Sequence[Any]) -> bool:
    """Return whether arguments with this `summary` are always equal, or the same object."""
    match summary:
        case ["str", int() as length, str() as text]:
            return length == len(text)
        case ["sized", str(), int(), text, *_]:
            return text is not None
        case ["object", str(), number, *_]:
            # 0 means that the executor had no numbers left, so the identity is unknown.
            return bool(number)
        case ["int", number]:
            return type(number) is int  # a number that is too large is reported as truncated text
        case _:
            return summary[0] in _EXACT


def format_summary(summary: Sequence[Any]) -> str:
    """Return the argument with this `summary` as code, or a placeholder such as `<list: 9>`."""
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
