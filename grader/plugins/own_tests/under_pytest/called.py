"""The name of a test that a student reads, as its id may reveal what is expected.

pytest puts parameters into ids, as in `test_f[3-9]`, and some libraries put them into names of
functions. So a name is shown as far as it occurs in a file of the tests, with a number if several
tests share it. Ids that were written by hand are shown.
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

_WITH_ID: Final = type(pytest.param())  # a class without a public name
_NAMELESS: Final = "test"
_DEFINING: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class CalledTests:
    """Returns the shown names of tests, and notes which ids were written by hand."""

    def __init__(self, files: Iterable[Path], is_in_test_files: Callable[[object], bool]) -> None:
        """Know the names in `files`; `is_in_test_files` tells whether a text occurs in one."""
        self._files: Final = tuple(files)
        self._is_in_test_files: Final = is_in_test_files
        self._generated_ids: Final[set[str]] = set()
        """Ids of functions whose parameters pytest puts into ids."""

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for path in self._files for name in _names_in(path))

    @pytest.hookimpl(wrapper=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> Generator[None]:
        """Note a function whose ids are not all written by hand."""
        parametrize = metafunc.parametrize
        signature = inspect.signature(parametrize)

        def parametrize_and_note(*args: Any, **named: Any) -> None:
            bound = signature.bind(*args, **named).arguments
            if not self._are_handwritten(bound["argvalues"], bound.get("ids")):
                self._generated_ids.add(metafunc.definition.nodeid)
            parametrize(*args, **named)

        vars(metafunc)["parametrize"] = parametrize_and_note
        return (yield)

    def _are_handwritten(self, values: object, ids: object) -> bool:
        """Return whether all ids occur in a file of the tests."""
        ids_of_params = (
            [each.id for each in values if type(each) is _WITH_ID] if _is_sized(values) else []
        )
        if ids is None:
            return (
                _is_sized(values)
                and len(ids_of_params) == len(values)
                and all(map(self._is_in_test_files, ids_of_params))
            )
        ids_of_params = [each for each in ids_of_params if each is not None]
        return _is_sized(ids) and all(map(self._is_in_test_files, (*ids, *ids_of_params)))

    def of(self, items: Iterable[pytest.Item]) -> dict[str, str]:
        """Return the shown name of each of `items`, by id."""
        named = {item.nodeid: (item.nodeid.partition("::")[0], self._name(item)) for item in items}
        counts, numbers = Counter(named.values()), Counter[tuple[str, str]]()
        shown_names = {}
        for identity, place in named.items():
            numbers[place] += 1
            suffix = f" ({numbers[place]}/{counts[place]})" if counts[place] > 1 else ""
            shown_names[identity] = f"{place[1]}{suffix}"
        return shown_names

    def _name(self, item: pytest.Item) -> str:
        nodes = item.listchain()
        files = [index for index, node in enumerate(nodes) if isinstance(node, pytest.File)]
        nested = nodes[files[-1] + 1 :] if files else nodes[-1:]
        name = "::".join(self._known(getattr(each, "originalname", each.name)) for each in nested)
        parameter_text = item.name.removeprefix(getattr(item, "originalname", None) or item.name)
        function_id = item.nodeid.removesuffix(parameter_text)
        return name if function_id in self._generated_ids else f"{name}{parameter_text}"

    def _known(self, name: str) -> str:
        """Return the longest beginning of `name` that is a name in a file of the tests."""
        if name in self._names or all(part in self._names for part in name.split(".")):
            return name
        return max(filter(name.startswith, self._names), key=len, default=_NAMELESS)


def _is_sized(values: object) -> TypeGuard[Collection[Any]]:
    """Return whether `values` can be read twice, unlike an iterator."""
    return isinstance(values, Collection)


def _names_in(path: Path) -> Iterator[str]:
    yield from (path.name, path.stem)
    with suppress(OSError, SyntaxError, ValueError):
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, _DEFINING):
                    yield node.name
