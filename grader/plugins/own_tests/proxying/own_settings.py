"""The settings of an instructor's tests: which are run, how, and what students see."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum, unique
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from grader.plugins.own_tests.proxying.handed_in import python_files_in
from grader.plugins.own_tests.proxying.printing import MAX_PRINTED
from grader.suite.limits import Limits
from grader.suite.model import LanguageCode

CONFTEST: Final = "conftest.py"
_DOCTEST_GLOB_OPTION: Final = "--doctest-glob="
_IGNORED_FOLDERS: Final = frozenset({"__pycache__", ".git", ".pytest_cache", ".venv"})
"""Folders whose files are not part of the tests."""


@unique
class DetailLevel(StrEnum):
    """How much a student sees of a failed test; each level also includes the previous ones."""

    NAMES = "names"
    """The test's name, the first sentence of its docstring, and the line of the submission."""
    ERRORS = "errors"
    """Also the exception that the submission raised, with its text."""
    MESSAGES = "messages"
    """Also pytest's message, with the values that were compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSettings:
    """Which tests are run on a submission, and how."""

    arguments: tuple[str, ...]
    """The arguments of pytest: files, folders, ids and options."""
    paths: tuple[str, ...]
    """The files and folders among the arguments, as absolute paths."""
    title: str
    """The title of the exercise on pages."""
    exercise: str
    """The title, in a form that can be the name of a folder."""
    fresh: str = "test"
    seconds: float = 10.0
    show: DetailLevel = DetailLevel.ERRORS
    language: LanguageCode = "en"
    reads: tuple[str, ...] = ()
    """Other files and folders that the tests are allowed to read."""

    apart: tuple[str, ...] = ()
    """Paths that are never part of the tests: the submissions, and reports."""
    recorded: tuple[str, ...] = ()
    """Modules whose uses are recorded as steps of a suite."""
    configuration: str | None = None
    """The configuration file for pytest, or None if there is none."""
    reach: tuple[str, ...] = ()
    """The topmost folders whose `conftest.py` is read. If empty, there is no topmost folder."""
    unfit: str | None = None
    """Why tests are collected without the submission, or None if they are collected with it."""

    @property
    def folders(self) -> list[Path]:
        """The folders that contain the tests."""
        return [path if path.is_dir() else path.parent for path in map(Path, self.paths)]

    @property
    def files(self) -> list[Path]:
        """The Python files in the test folders, and the files with doctest sessions."""
        doctest_files = [
            path for path in map(Path, self.paths) if path.is_file() and path.suffix != ".py"
        ]
        globs = [
            option.partition("=")[2]
            for option in self.arguments
            if option.startswith(_DOCTEST_GLOB_OPTION)
        ]
        matches = [path for glob in globs for folder in self.folders for path in folder.rglob(glob)]
        return self._exclude_apart(
            (*python_files_in(self.folders), *dict.fromkeys((*doctest_files, *matches)))
        )

    def _exclude_apart(self, paths: Iterable[Path]) -> list[Path]:
        """Return those of `paths` that are not in `apart`."""
        apart = [_with_folder_resolved(Path(path)) for path in self.apart]
        return [
            path
            for path in paths
            if not any(map(_with_folder_resolved(path).is_relative_to, apart))
        ]

    @property
    def limits(self) -> Limits:
        """The limits on one test, in which a submission can use the CPU for `seconds`.

        The wall clock limit only serves to stop programs that sleep: a test must not fail because
        the machine is busy.
        """
        # The constants are the maxima that `Limits` accepts.
        return Limits(
            cpu_s=min(self.seconds, 60),
            session_cpu_s=self.seconds,
            output_chars=MAX_PRINTED,
            wall_s=min(3 * self.seconds, 600),
            session_wall_s=min(12 * self.seconds, 3600),
        )

    def sha256(self) -> str:
        """Return a hash of everything that results depend on, except for the submission.

        It covers all files beside the tests, because the tests can read them, but not the
        submissions and reports.
        """
        settings = {**asdict(self), "paths": [Path(path).name for path in self.paths]}
        for name in ("apart", "unfit", "configuration", "reach", "reads"):
            del settings[name]  # these depend on where the tests are, not on their content
        # Arguments that are paths are left out, as the files are hashed below.
        settings["arguments"] = [
            argument for argument in self.arguments if not os.path.exists(argument)
        ]
        facts: list[object] = [sorted(settings.items()), metadata.version("pytest")]
        for folder in dict.fromkeys(self.folders):
            files = self._exclude_apart(_files_below(folder))
            facts += [(str(path.relative_to(folder)), _hash(path)) for path in files]
            facts += [_hash(path) for path in self._configuration_above(folder)]
        # File names can contain lone surrogates, which UTF-8 cannot encode.
        return hashlib.sha256(ascii(facts).encode("ascii")).hexdigest()

    def _configuration_above(self, folder: Path) -> Iterator[Path]:
        """Yield the configuration file, and each `conftest.py` above `folder` that is read."""
        if self.configuration is not None:
            yield Path(self.configuration)
        for parent in folder.resolve().parents:
            if self.reads_conftest_of(parent) and (file := parent / CONFTEST).is_file():
                yield file

    def reads_conftest_of(self, folder: Path) -> bool:
        """Return whether a `conftest.py` in `folder` is read."""
        return not self.reach or any(map(folder.resolve().is_relative_to, self.reach))

    def was_handed_in(self, path: Path) -> bool:
        """Return whether the file at `path` may have come with the submission.

        This is not the case for files in the test folders, for files of this Python, and for a
        `conftest.py` that is read.
        """
        if path.name == CONFTEST and self.reads_conftest_of(path.parent):
            return False
        resolved = path.resolve()
        trusted_folders = (*self.folders, Path(sys.prefix), Path(sys.base_prefix))
        return any(
            map(resolved.is_relative_to, map(Path.resolve, self._submission_folders))
        ) and not any(resolved.is_relative_to(folder.resolve()) for folder in trusted_folders)

    @property
    def _submission_folders(self) -> Iterator[Path]:
        """The folders that contain submissions.

        The folder that contains an archive does not count, as the submissions are in the archive.
        """
        for path in map(Path, self.apart):
            if path.is_dir():
                yield path
            elif path.suffix == ".py":
                yield path.parent

    def to_json(self) -> str:
        """Return the settings as JSON, for another process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> OwnSettings:
        """Return the settings in `text`, which `to_json` has returned."""
        fields: dict[str, Any] = json.loads(text)
        # JSON has lists instead of tuples.
        tuple_fields = ("arguments", "paths", "reads", "apart", "recorded", "reach")
        tuples = {name: tuple(fields[name]) for name in tuple_fields}
        return cls(**{**fields, **tuples, "show": DetailLevel(fields["show"])})


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files below `folder`, except for caches and the like."""
    for path in sorted(folder.rglob("*")):  # sorted, so that the order is the same on each system
        if path.is_file() and _IGNORED_FOLDERS.isdisjoint(path.relative_to(folder).parts):
            yield path


def _with_folder_resolved(path: Path) -> Path:
    """Return `path` with links in its folder resolved, but not a link at `path` itself."""
    return path.parent.resolve() / path.name


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
