"""Which tests a run takes: all that are cheap, and of the collections a part that is drawn.

A few hundred tests cost nearly everything: corpora of programs, of which one more or less tells
little, and what needs a browser or an installation. They are marked by what they need. `pytest`
runs them all; `scripts/check` asks for less with these options. What is drawn follows from a text
and the name of the test alone: a commit always has the same, and one commit after another has all.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

import pytest

Breadth: TypeAlias = Literal["quick", "ci", "all"]
"""A part of the collections, all of them in one host, or everything."""

ONE_IN: Final = 20
"""A quick run takes one test in so many of a collection, unless its mark says another number."""
COMMANDS_ONE_IN: Final = {"commands": 5, "own_tests": 5}
"""One test in so many of these: each is about something of its own."""
CI_ONE_IN: Final = {
    "authoring": 32,
    "browser": 8,
    "commands": 32,
    "corpus": 24,
    "docs": 24,
    "own_tests": 32,
}
"""In CI, one test in so many of these is taken: most of its time would go into them, and what they
are about has tests of its own besides. The next commits take the others."""
ONE_OF_A_MODULE: Final = ("authoring", "commands", "own_tests")
"""In CI, modules that are drawn have at least one test of these that is run."""
MODULES_ONE_IN: Final = 3
"""One in so many of these modules is drawn."""
LATER: Final = "test_hostile_reports.py"
"""Looks at batches that another module makes: it would only wait for them."""
ATTACKS_ONE_IN: Final = 8
"""In CI, one attack in so many is tried in each host but the main one."""
MAIN_HOST_ONE_IN: Final = 3
"""One in so many is tried there, where the change does not touch the walls."""
OWN_TESTS_ONE_IN: Final = 120
"""One attack in so many is tried under an instructor's own tests, which start a pytest for each;
one in `ATTACKS_ONE_IN` where the walls are tried in full."""
HOSTS: Final = ("as_root", "as_user", "in_container_as_user")
"""The kinds of host in which the corpus of attacks is tried."""
MAIN_HOST: Final = "as_root" if hasattr(os, "geteuid") and os.geteuid() == 0 else "as_user"
"""The one that needs nothing to be set up or installed."""
COLLECTIONS: Final = (
    "corpus",
    "walls",
    "installs",
    "browser",
    "docs",
    "authoring",
    "commands",
    "own_tests",
)
"""The marks of what a quick run takes a part of."""
SELECTION: Final = pytest.StashKey["Selection"]()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """How much is asked of a run, and what it takes."""

    breadth: Breadth
    draw: str
    in_full: frozenset[str]
    """The collections of which nothing is left out."""

    @classmethod
    def of(cls, config: pytest.Config) -> Selection:
        """Return the selection that the command line asks for."""
        return cls(
            breadth=config.getoption("breadth"),
            draw=config.getoption("draw"),
            in_full=frozenset(config.getoption("in_full")),
        )

    def __str__(self) -> str:
        drawn = "" if self.breadth == "all" else f", drawn by {self.draw!r}"
        in_full = f", in full: {' '.join(sorted(self.in_full))}" if self.in_full else ""
        return f"{self.breadth}{drawn}{in_full}"

    def takes(self, item: pytest.Item) -> bool:
        """Return whether `item` is run."""
        if host_of(item) not in {None, *self.hosts}:
            return False
        marks = list(filter(None, map(item.get_closest_marker, COLLECTIONS)))
        return any(self.has_in_full(mark.name) for mark in marks) or all(
            self.draws(item.nodeid, self._one_in(mark)) for mark in marks
        )

    def first_of_modules(
        self, items: Sequence[pytest.Item], kept: Container[pytest.Item]
    ) -> Iterator[pytest.Item]:
        """Yield a test of the modules that are drawn and whose tests were all left out.

        These are tests of `ONE_OF_A_MODULE`. So a command that is broken altogether does not stay
        undetected for long.
        """
        modules: dict[Path, list[pytest.Item]] = {}
        for item in items:
            if any(map(item.get_closest_marker, ONE_OF_A_MODULE)):
                modules.setdefault(item.path, []).append(item)
        for path, candidates in modules.items():
            is_drawn = self.draws(path.name, MODULES_ONE_IN)
            if is_drawn and not any(item in kept for item in candidates):
                yield min(candidates, key=lambda item: self._digest(item.nodeid))

    def has_in_full(self, collection: str) -> bool:
        """Return whether nothing is drawn from a collection."""
        if self.breadth == "ci" and collection not in CI_ONE_IN:
            return True
        return self.breadth == "all" or collection in self.in_full

    def _one_in(self, mark: pytest.Mark) -> int | None:
        if self.breadth == "ci":
            return CI_ONE_IN[mark.name]
        one_in: int | None = mark.kwargs.get("one_in", usual_one_in(mark.name))
        return one_in

    def draws(self, name: str, one_in: int | None) -> bool:
        """Return whether `name` is one of those in so many that are drawn; None for none."""
        if one_in is None:
            return False
        return int.from_bytes(self._digest(name)[:8]) % one_in == 0

    def _digest(self, name: str) -> bytes:
        return sha256(f"{self.draw}\0{name}".encode()).digest()

    @property
    def hosts(self) -> Sequence[str]:
        """The kinds of host in which attacks are tried."""
        return HOSTS if self.has_in_full("walls") else [MAIN_HOST]

    def tries(self, attack: str, host: str) -> bool:
        """Return whether an attack is tried in a host."""
        if self.breadth == "all" or "walls" in self.in_full:
            return True
        if self.breadth == "ci":
            one_in = MAIN_HOST_ONE_IN if host == MAIN_HOST else ATTACKS_ONE_IN
            return self.draws(f"{host} {attack}", one_in)
        return self.draws(attack, ONE_IN)

    def tries_walls_of_tests(self, host: str) -> bool:
        """Return whether the walls around an instructor's tests are tried in this kind of host."""
        is_drawn = host == MAIN_HOST or self.draws(f"walls of tests {host}", ATTACKS_ONE_IN)
        return self.breadth == "all" or "walls" in self.in_full or is_drawn

    def tries_own_tests(self, attack: str) -> bool:
        """Return whether an attack is tried under an instructor's own tests."""
        one_in = ATTACKS_ONE_IN if "walls" in self.in_full else OWN_TESTS_ONE_IN
        return self.breadth == "all" or self.draws(f"own tests {attack}", one_in)


def usual_one_in(collection: str) -> int:
    """Return how many tests of a collection there are to one that is drawn."""
    return COMMANDS_ONE_IN.get(collection, ONE_IN)


def host_of(item: pytest.Item) -> str | None:
    """Return the kind of host in which a test looks at attacks, None for any other test."""
    parameters = getattr(item, "callspec", None)
    return parameters and parameters.params.get("batch")


def add_options(parser: pytest.Parser) -> None:
    """Add the options with which `scripts/check` asks for less than everything."""
    group = parser.getgroup("gate", "the gate")
    group.addoption(
        "--breadth", choices=get_args(Breadth), default="all", help="how much of the collections"
    )
    group.addoption("--draw", default="", metavar="TEXT", help="by what a part of them is drawn")
    group.addoption(
        "--in-full",
        action="append",
        choices=COLLECTIONS,
        default=[],
        help="a collection of which nothing is left out",
    )


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take what is not to be run from `items`."""
    selection = config.stash[SELECTION]
    kept = {item for item in items if selection.takes(item)}
    if selection.breadth == "ci":
        kept |= set(selection.first_of_modules(items, kept))
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]


def sort(items: list[pytest.Item]) -> None:
    """Put modules with tests of a collection first, so that no worker begins with one at the end.

    They stay in one piece each: a worker has all tests of a module, and makes what they share once.
    """
    costly = {item.path for item in items if any(map(item.get_closest_marker, COLLECTIONS))}
    items.sort(key=lambda item: (item.path not in costly, item.path.name == LATER))
