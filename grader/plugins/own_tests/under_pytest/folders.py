"""Tracks the temporary folders and files that a test shares with a submission."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

_CREATION_EVENTS: Final = frozenset({"tempfile.mkdtemp", "tempfile.mkstemp"})


class SharedFolders:
    """The temporary folders of a test and of its fixtures, without those of any other test."""

    def __init__(self) -> None:
        """Record what `tempfile` creates from now on, until the process ends."""
        self._item: Any = None
        self._shared_by_all: Final[list[Path]] = []
        """Folders created outside any test, such as at the top level of a file."""
        self._test_folders: list[Path] = []
        self._fixture_folders: Final[dict[int, list[Path]]] = {}
        """Folders of fixtures that several tests may share, by the id of the fixture."""
        self._fixtures_in_setup: Final[list[pytest.FixtureDef[Any]]] = []
        self._factory: object = None
        # A patch would not affect functions that tests have imported before. The hook stays until
        # the process ends, because Python cannot remove it.
        sys.addaudithook(self._record_folder)

    def _record_folder(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Record a folder or file that `tempfile` creates."""
        if event in _CREATION_EVENTS:
            self._folders_to_extend().append(Path(os.path.abspath(os.fsdecode(arguments[0]))))

    def begin(self, item: pytest.Item) -> None:
        """Share the folders that are created for `item` from now on.

        Patches the factory of `tmp_path` if it is new, so that its folders are recorded.
        """
        self._item, self._test_folders = item, []
        # A private attribute, as no hook reports the folders of `tmp_path`.
        factory: Any = getattr(item.config, "_tmp_path_factory", None)
        if factory is not self._factory:
            self._factory, original_mktemp = factory, factory.mktemp

            def mktemp(*args: Any, **kwargs: Any) -> Path:
                path: Path = original_mktemp(*args, **kwargs)
                self._folders_to_extend().append(path)
                return path

            factory.mktemp = mktemp

    def _folders_to_extend(self) -> list[Path]:
        """Return the list to which a new folder has to be added.

        It is the list of the outermost fixture that is being set up and that several tests can
        share. Without such a fixture, it is the list of the current test or, outside any test, the
        list for all tests.
        """
        for fixture in self._fixtures_in_setup:
            if fixture.scope != "function":
                return self._fixture_folders.setdefault(id(fixture), [])
        return self._shared_by_all if self._item is None else self._test_folders

    def shared(self) -> list[Path]:
        """Return the temporary folders and files that the current test has so far."""
        # Private attributes, as pytest does not publish which fixtures a test has used so far.
        request = getattr(self._item, "_request", None)
        used_fixtures = (
            list(getattr(request, "_fixture_defs", {}).values()) + self._fixtures_in_setup
        )
        fixture_folders = (self._fixture_folders.get(id(fixture), []) for fixture in used_fixtures)
        return (
            self._shared_by_all
            + self._test_folders
            + [path for paths in fixture_folders for path in paths]
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Record, while a fixture is set up, that new folders belong to it."""
        self._fixtures_in_setup.append(fixturedef)
        try:
            return (yield)
        finally:
            self._fixtures_in_setup.pop()

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """Forget the folders of a fixture that has been torn down."""
        # Another fixture can get the same id.
        self._fixture_folders.pop(id(fixturedef), None)
