"""What the instruments of a probe report about the calls of a submission.

A *site* is one place where a function is defined: a `def`, a method, a nested function, a lambda.
It is *re-entered* when it is called while a call of it is still going on, directly or through
others: that is recursion, whatever it looks like in the source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grader.values.display import one_line

_MOST_SITES: Final = 300
_MOST_EDGES: Final = 500
_MOST_SHARES: Final = 5_001
_MOST: Final = 10**9
"""Nothing that happens in a session happens more often."""
_KEY_CHARS: Final = 1_000
_LINE: Final = re.compile(r":(\d+)(?:#\d+)?(?:\[(.*)\])?\Z", re.DOTALL)
"""What comes behind the name of a site in its key; of a wrapper, also what it wraps."""
_SHOWN_CHARS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The calls of one site during a probe."""

    key: str
    """`Board.free_all_cells:41`: module, qualified name and line."""
    entered: int
    reentered: int
    deepest: int
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
        return (
            one_line(wrapped.partition(",")[0], _SHOWN_CHARS)
            if wrapped
            else (shown_function(self.function))
        )


def shown_function(dotted: str) -> str:
    """Return the name of a function as it is told to people: `Solver.solve`, `free_all_cells`."""
    within = dotted.rpartition(".<locals>.")[2]
    if within == dotted:
        within = dotted.partition(".")[2] or dotted
    return one_line(within, _SHOWN_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvidence:
    """The calls during one call of a probe."""

    sites: tuple[Site, ...]
    """In the order of their first call."""
    edges: tuple[tuple[str, str], ...]
    """Keys of callers and callees, each pair once."""
    cuts: int = 0
    """How many calls were cut."""
    spread: tuple[tuple[int, int], ...] = ()
    """Who did the work, where that was asked: first all that is around the watched sites, then each
    call of one; how often it called another site, and how many turns its loops took."""

    @classmethod
    def of(cls, facts: Mapping[str, Any] | None) -> CallEvidence | None:
        """Return the evidence in `facts`, None if they have another shape."""
        match facts:
            case {
                "sites": list() as sites,
                "edges": list() as edges,
                "cuts": cuts,
                "spread": list() as spread,
            } if (
                _are(sites, _is_site, _MOST_SITES)
                and _are(edges, _is_edge, _MOST_EDGES)
                and _are(spread, _is_share, _MOST_SHARES)
                and _is_count(cuts)
            ):
                return cls(
                    sites=tuple(
                        Site(key=key, entered=entered, reentered=reentered, deepest=deepest)
                        for key, entered, reentered, deepest in sites
                    ),
                    edges=tuple((edge[0], edge[1]) for edge in edges),
                    cuts=cuts,
                    spread=tuple((each[0], each[1]) for each in spread),
                )
            case _:
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


def _are(facts: Sequence[object], is_one: Callable[[object], bool], most: int) -> bool:
    """Return whether `facts` are not too many, and each is one of those."""
    return len(facts) <= most and all(map(is_one, facts))


def _is_site(facts: object) -> bool:
    match facts:
        case [key, *counts]:
            return _is_key(key) and len(counts) == 3 and all(map(_is_count, counts))
        case _:
            return False


def _is_edge(facts: object) -> bool:
    return isinstance(facts, list) and len(facts) == 2 and all(map(_is_key, facts))


def _is_share(facts: object) -> bool:
    return isinstance(facts, list) and len(facts) == 2 and all(map(_is_count, facts))


def _is_key(fact: object) -> bool:
    return isinstance(fact, str) and len(fact) <= _KEY_CHARS


def _is_count(fact: object) -> bool:
    return type(fact) is int and 0 <= fact <= _MOST
