"""Which tests of an instructor are run, how, and what students read of the results."""

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

from grader.plugins.own_tests.proxying.handed_in import files_of
from grader.plugins.own_tests.proxying.printing import MAX_PRINTED
from grader.suite.limits import Limits
from grader.suite.model import LanguageCode

CONFTEST: Final = "conftest.py"
_GLOB: Final = "--doctest-glob="
_NO_TESTS: Final = frozenset({"__pycache__", ".git", ".pytest_cache", ".venv"})


@unique
class Shown(StrEnum):
    """How much a student reads of a failed test; each level includes those before it."""

    NAMES = "names"
    """Its name, the first sentence of its docstring, and the line of the submission."""
    ERRORS = "errors"
    """The exception that the submission raised, with its text."""
    MESSAGES = "messages"
    """pytest's message, with the values that it compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSettings:
    """Tests, and how they are run on a submission."""

    arguments: tuple[str, ...]
    """The arguments of pytest: files, folders, ids and options."""
    paths: tuple[str, ...]
    """The files and folders among them, as absolute paths."""
    title: str
    """The title of the exercise on pages."""
    exercise: str
    """The title as a folder name."""
    fresh: str = "test"
    seconds: float = 10.0
    show: Shown = Shown.ERRORS
    language: LanguageCode = "en"
    reads: tuple[str, ...] = ()
    """Other files and folders that the tests may read."""

    apart: tuple[str, ...] = ()
    """Paths that are never part of the tests: the submissions, and reports."""
    recorded: tuple[str, ...] = ()
    """Modules whose uses are recorded as steps of a suite."""
    configuration: str | None = None
    """The configuration file for pytest."""
    reach: tuple[str, ...] = ()
    """The topmost folders whose `conftest.py` is read; empty for no limit."""
    unfit: str | None = None
    """Why tests are collected without the submission, if it breaks collection."""

    @property
    def folders(self) -> list[Path]:
        """The folders of the tests."""
        return [path if path.is_dir() else path.parent for path in map(Path, self.paths)]

    @property
    def files(self) -> list[Path]:
        """The Python files of the tests, those beside them, and sessions of doctest."""
        named = [path for path in map(Path, self.paths) if path.is_file() and path.suffix != ".py"]
        globs = [each.partition("=")[2] for each in self.arguments if each.startswith(_GLOB)]
        found = [path for glob in globs for each in self.folders for path in each.rglob(glob)]
        return self._of_tests((*files_of(self.folders), *dict.fromkeys((*named, *found))))

    def _of_tests(self, paths: Iterable[Path]) -> list[Path]:
        apart = [_place(Path(each)) for each in self.apart]
        return [path for path in paths if not any(map(_place(path).is_relative_to, apart))]

    @property
    def limits(self) -> Limits:
        """The limits of one test, in which a submission may compute for `seconds`.

        The wall clock only catches programs that sleep: a busy machine must not fail a test.
        """
        return Limits(
            cpu_s=min(self.seconds, 60),
            session_cpu_s=self.seconds,
            output_chars=MAX_PRINTED,
            wall_s=min(3 * self.seconds, 600),
            session_wall_s=min(12 * self.seconds, 3600),
        )

    def sha256(self) -> str:
        """Return a hash of everything but the submission that results depend on.

        It covers every file beside the tests, as they may read it, but no submissions and reports.
        """
        settings = {**asdict(self), "paths": [Path(path).name for path in self.paths]}
        for name in ("apart", "unfit", "configuration", "reach", "reads"):
            del settings[name]  # these depend on where the tests lie, not on what they are
        # Not the paths, whose files are hashed below.
        settings["arguments"] = [each for each in self.arguments if not os.path.exists(each)]
        facts: list[object] = [sorted(settings.items()), metadata.version("pytest")]
        for folder in dict.fromkeys(self.folders):
            files = self._of_tests(_all_files(folder))
            facts += [(str(path.relative_to(folder)), _hash(path)) for path in files]
            facts += [_hash(path) for path in self._above(folder)]
        # Names of files may have lone surrogates, which UTF-8 refuses.
        return hashlib.sha256(ascii(facts).encode("ascii")).hexdigest()

    def _above(self, folder: Path) -> Iterator[Path]:
        """Yield the files outside of `folder` that set pytest up."""
        if self.configuration is not None:
            yield Path(self.configuration)
        for above in folder.resolve().parents:
            if self.reads_conftest_of(above) and (file := above / CONFTEST).is_file():
                yield file

    def reads_conftest_of(self, folder: Path) -> bool:
        """Return whether a `conftest.py` in a folder is read."""
        return not self.reach or any(map(folder.resolve().is_relative_to, self.reach))

    def was_handed_in(self, path: Path) -> bool:
        """Return whether the file at `path` may have come with the submission.

        Files beside the tests, of this Python, or a `conftest.py` that is read, have not.
        """
        if path.name == CONFTEST and self.reads_conftest_of(path.parent):
            return False
        place = path.resolve()
        ours = (*self.folders, Path(sys.prefix), Path(sys.base_prefix))
        return any(map(place.is_relative_to, map(Path.resolve, self._handed_in))) and not any(
            place.is_relative_to(each.resolve()) for each in ours
        )

    @property
    def _handed_in(self) -> Iterator[Path]:
        """The folders with submissions; not that of an archive, whose files are inside it."""
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
        """Return the settings in `text`, which `to_json` has made."""
        form: dict[str, Any] = json.loads(text)
        names = ("arguments", "paths", "reads", "apart", "recorded", "reach")
        lists = {name: tuple(form[name]) for name in names}
        return cls(**{**form, **lists, "show": Shown(form["show"])})


def _all_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):  # in the same order on each system
        if path.is_file() and _NO_TESTS.isdisjoint(path.relative_to(folder).parts):
            yield path


def _place(path: Path) -> Path:
    """Return `path` with its folder resolved, but not its last part, which may be a link."""
    return path.parent.resolve() / path.name


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
