"""The names of tests that students see, because ids can reveal expected values.

pytest puts parameters into ids, such as `test_f[3-9]`, and some libraries put them into the names
of functions. So only the part of a name that occurs in a test file is shown, with a number if
several tests share that part. Parameter ids that were written by hand are shown as well.
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

_PARAMETER_SET: Final = type(pytest.param())  # a class without a public name
_FALLBACK_NAME: Final = "test"
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class DisplayNames:
    """Returns the display names of tests, and detects which ids were written by hand."""

    def __init__(self, files: Iterable[Path], is_in_test_files: Callable[[object], bool]) -> None:
        """Show names that `files` define, and ids for which `is_in_test_files` returns True."""
        self._files: Final = tuple(files)
        self._is_in_test_files: Final = is_in_test_files
        self._generated_ids: Final[set[str]] = set()
        """The ids of test functions with parameter ids that pytest has generated from values."""

    @cached_property
    def _names_in_files(self) -> frozenset[str]:
        return frozenset(name for path in self._files for name in _names_defined_in(path))

    @pytest.hookimpl(wrapper=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> Generator[None]:
        """Record a test function if some of its parameter ids are not written by hand.

        For this, replaces `metafunc.parametrize`, which other hooks and plug-ins call.
        """
        parametrize = metafunc.parametrize
        signature = inspect.signature(parametrize)

        def parametrize_and_record(*args: Any, **kwargs: Any) -> None:
            bound_arguments = signature.bind(*args, **kwargs).arguments
            if not self._are_handwritten(bound_arguments["argvalues"], bound_arguments.get("ids")):
                self._generated_ids.add(metafunc.definition.nodeid)
            parametrize(*args, **kwargs)

        vars(metafunc)["parametrize"] = parametrize_and_record
        return (yield)

    def _are_handwritten(self, values: object, ids: object) -> bool:
        """Return whether all parameter ids are given, and occur in a test file."""
        parameter_ids = (
            [value.id for value in values if type(value) is _PARAMETER_SET]
            if _is_sized(values)
            else []
        )
        if ids is None:
            return (
                _is_sized(values)
                and len(parameter_ids) == len(values)
                and all(map(self._is_in_test_files, parameter_ids))
            )
        parameter_ids = [param_id for param_id in parameter_ids if param_id is not None]
        return _is_sized(ids) and all(map(self._is_in_test_files, (*ids, *parameter_ids)))

    def by_id(self, items: Iterable[pytest.Item]) -> dict[str, str]:
        """Return the display names of `items`, as a dict keyed by test id."""
        keys = {
            item.nodeid: (item.nodeid.partition("::")[0], self._safe_name(item)) for item in items
        }
        counts, numbers = Counter(keys.values()), Counter[tuple[str, str]]()
        display_names = {}
        for node_id, key in keys.items():
            numbers[key] += 1
            suffix = f" ({numbers[key]}/{counts[key]})" if counts[key] > 1 else ""
            display_names[node_id] = f"{key[1]}{suffix}"
        return display_names

    def _safe_name(self, item: pytest.Item) -> str:
        """Return the name of a test without parts that pytest or a library has generated."""
        nodes = item.listchain()
        files = [index for index, node in enumerate(nodes) if isinstance(node, pytest.File)]
        nested = nodes[files[-1] + 1 :] if files else nodes[-1:]
        name = "::".join(
            self._known_prefix(getattr(node, "originalname", node.name)) for node in nested
        )
        parameter_text = item.name.removeprefix(getattr(item, "originalname", None) or item.name)
        function_id = item.nodeid.removesuffix(parameter_text)
        return name if function_id in self._generated_ids else f"{name}{parameter_text}"

    def _known_prefix(self, name: str) -> str:
        """Return the longest prefix of `name` that is a name in a test file.

        Returns all of `name` if each of its parts is such a name, and a placeholder if there is no
        such prefix.
        """
        if name in self._names_in_files or all(
            part in self._names_in_files for part in name.split(".")
        ):
            return name
        return max(filter(name.startswith, self._names_in_files), key=len, default=_FALLBACK_NAME)


def _is_sized(values: object) -> TypeGuard[Collection[Any]]:
    """Return whether `values` has a length and can be read twice, unlike an iterator."""
    return isinstance(values, Collection)


def _names_defined_in(path: Path) -> Iterator[str]:
    """Yield the name of a test file, and those of the functions and classes that it defines."""
    yield from (path.name, path.stem)
    with suppress(OSError, SyntaxError, ValueError):
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, _DEFINITIONS):
                    yield node.name
