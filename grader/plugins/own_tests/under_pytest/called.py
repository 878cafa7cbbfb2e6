"""What a student reads in the place of the id of a test, which may say what is expected.

pytest calls a test after the values that it is given, as in `test_f[3-9]`, and some libraries write
them into the names of functions. So a name is told as far as it stands in a file of the tests, and
of several tests with the same one, which of them it is. An id is told that was given by hand.
"""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeGuard

import pytest

_WITH_ID: Final = type(pytest.param())
_NAMELESS: Final = "test"
_DEFINING: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class CalledTests:
    """Knows what tests are called, and which ids of theirs were given by hand."""

    def __init__(self, files: Iterable[Path], is_of_tests: Callable[[object], bool]) -> None:
        """Know the names in `files` of tests; which text `is_of_tests` stands in one as well."""
        self._files: Final = tuple(files)
        self._is_of_tests: Final = is_of_tests
        self._valued: Final[set[str]] = set()
        """Functions of which pytest makes up ids, by their own."""

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for path in self._files for name in _names_in(path))

    @pytest.hookimpl(wrapper=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> Generator[None]:
        """Notice how the ids of a function come about."""
        parametrize = metafunc.parametrize
        signature = inspect.signature(parametrize)

        def noticed(*about: Any, **named: Any) -> None:
            given = signature.bind(*about, **named).arguments
            if not self._are_by_hand(given["argvalues"], given.get("ids")):
                self._valued.add(metafunc.definition.nodeid)
            parametrize(*about, **named)

        vars(metafunc)["parametrize"] = noticed
        return (yield)

    def _are_by_hand(self, values: object, ids: object) -> bool:
        """Return whether all ids are texts that stand in a file of the tests."""
        own = [each.id for each in values if type(each) is _WITH_ID] if _has(values) else []
        if ids is None:
            return _has(values) and len(own) == len(values) and all(map(self._is_of_tests, own))
        own = [each for each in own if each is not None]
        return _has(ids) and all(map(self._is_of_tests, (*ids, *own)))

    def of(self, items: Iterable[pytest.Item]) -> dict[str, str]:
        """Return what each of `items` is called, by its id."""
        named = {item.nodeid: (item.nodeid.partition("::")[0], self._name(item)) for item in items}
        counts, seen = Counter(named.values()), Counter[tuple[str, str]]()
        called = {}
        for identity, place in named.items():
            seen[place] += 1
            which = f" ({seen[place]}/{counts[place]})" if counts[place] > 1 else ""
            called[identity] = f"{place[1]}{which}"
        return called

    def _name(self, item: pytest.Item) -> str:
        nodes = item.listchain()
        files = [at for at, node in enumerate(nodes) if isinstance(node, pytest.File)]
        below = nodes[files[-1] + 1 :] if files else nodes[-1:]
        name = "::".join(self._known(getattr(each, "originalname", each.name)) for each in below)
        given = item.name.removeprefix(getattr(item, "originalname", None) or item.name)
        bare = item.nodeid.removesuffix(given)
        return name if bare in self._valued else f"{name}{given}"

    def _known(self, name: str) -> str:
        """Return as much of `name` as stands in a file of the tests."""
        if name in self._names or all(part in self._names for part in name.split(".")):
            return name
        return max(filter(name.startswith, self._names), key=len, default=_NAMELESS)


def _has(values: object) -> TypeGuard[Collection[Any]]:
    """Return whether `values` can be looked at without using them up."""
    return isinstance(values, Collection)


def _names_in(path: Path) -> Iterator[str]:
    yield from (path.name, path.stem)
    with suppress(OSError, SyntaxError, ValueError):
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, _DEFINING):
                    yield node.name
