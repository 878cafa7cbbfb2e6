"""Tracks the temporary folders and files that a test shares with a submission."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

_MADE: Final = frozenset({"tempfile.mkdtemp", "tempfile.mkstemp"})


class Folders:
    """The temporary folders of a test and of the fixtures that it uses, but of no other tests."""

    def __init__(self) -> None:
        """Begin with none, and notice calls of `tempfile` from now on."""
        self._item: Any = None
        self._of_all: Final[list[Path]] = []
        """Folders made before any test, such as at the top of a file."""
        self._of_test: list[Path] = []
        self._of_fixtures: Final[dict[int, list[Path]]] = {}
        """Folders of fixtures that several tests can share, by id of the fixture."""
        self._being_made: Final[list[pytest.FixtureDef[Any]]] = []
        self._factory: object = None
        sys.addaudithook(self._notice)  # a patch would miss functions that tests have imported

    def _notice(self, event: str, about: tuple[Any, ...]) -> None:
        if event in _MADE:
            self._list().append(Path(os.path.abspath(os.fsdecode(about[0]))))

    def begin(self, item: pytest.Item) -> None:
        """Share the folders made for `item` from now on."""
        self._item, self._of_test = item, []
        # Private, as no hook says which folders `tmp_path` makes.
        factory: Any = getattr(item.config, "_tmp_path_factory", None)
        if factory is not self._factory:
            self._factory, make = factory, factory.mktemp

            def mktemp(*about: Any, **named: Any) -> Path:
                path: Path = make(*about, **named)
                self._list().append(path)
                return path

            factory.mktemp = mktemp

    def _list(self) -> list[Path]:
        """Return the list for a new folder: of the outermost shared fixture that makes it."""
        for fixture in self._being_made:
            if fixture.scope != "function":
                return self._of_fixtures.setdefault(id(fixture), [])
        return self._of_all if self._item is None else self._of_test

    def shared(self) -> list[Path]:
        """Return the folders and files that the current test has so far."""
        request = getattr(self._item, "_request", None)
        used = list(getattr(request, "_fixture_defs", {}).values()) + self._being_made
        wider = (self._of_fixtures.get(id(each), []) for each in used)
        return self._of_all + self._of_test + [path for paths in wider for path in paths]

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Note that folders are made for this fixture."""
        self._being_made.append(fixturedef)
        try:
            return (yield)
        finally:
            self._being_made.pop()

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """Forget the folders of a fixture that is gone."""
        # Its id may be that of another fixture soon.
        self._of_fixtures.pop(id(fixturedef), None)
