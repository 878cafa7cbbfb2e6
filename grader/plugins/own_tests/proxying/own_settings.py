"""Which tests of an instructor are run, how, and what students get to read of them."""

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
from grader.plugins.own_tests.proxying.printing import MOST_PRINTED
from grader.suite.limits import Limits
from grader.suite.model import LanguageCode

CONFTEST: Final = "conftest.py"
_GLOB: Final = "--doctest-glob="
_NO_TESTS: Final = frozenset({"__pycache__", ".git", ".pytest_cache", ".venv"})


@unique
class Shown(StrEnum):
    """How much a student reads of a test that did not pass; each shows what those before it do."""

    NAMES = "names"
    """Its name, the first sentence of its docstring, and the lines of her own that it came to."""
    ERRORS = "errors"
    """What her program raised, in its own words."""
    MESSAGES = "messages"
    """What pytest says of the failure, with the values that it compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSettings:
    """Tests, and how a submission is tried on them."""

    arguments: tuple[str, ...]
    """As pytest is given them: files, folders, ids and options."""
    paths: tuple[str, ...]
    """The files and folders among them, from the root."""
    title: str
    """What pages call the exercise."""
    exercise: str
    """The same as a name of a folder."""
    fresh: str = "test"
    seconds: float = 10.0
    show: Shown = Shown.ERRORS
    language: LanguageCode = "en"
    reads: tuple[str, ...] = ()
    """What else the tests may read."""

    apart: tuple[str, ...] = ()
    """What may lie beside the tests and is none of them: what was handed in, and reports."""
    recorded: tuple[str, ...] = ()
    """Modules of which is taken down, as steps of a suite, what tests do with them."""
    configuration: str | None = None
    """The file that sets pytest up for them."""
    reach: tuple[str, ...] = ()
    """The highest folders of which a `conftest.py` is read; all of them where there are none."""
    unfit: str | None = None
    """Why the submission is not there, where tests cannot even be collected with it."""

    @property
    def folders(self) -> list[Path]:
        """Where tests lie."""
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
        """The limits of a test in which a submission may compute for so many seconds.

        The clock on the wall is for what sleeps: no busy machine is to fail a test of many calls.
        """
        return Limits(
            cpu_s=min(self.seconds, 60),
            session_cpu_s=self.seconds,
            output_chars=MOST_PRINTED,
            wall_s=min(3 * self.seconds, 600),
            session_wall_s=min(12 * self.seconds, 3600),
        )

    def sha256(self) -> str:
        """Return the hash of all that what comes of a submission follows from, but itself.

        That is every file beside the tests, but for submissions and reports: they may read it.
        """
        settings = {**asdict(self), "paths": [Path(path).name for path in self.paths]}
        for name in ("apart", "unfit", "configuration", "reach", "reads"):
            del settings[name]  # the tests are the same for all, wherever they lie
        settings["arguments"] = [each for each in self.arguments if not os.path.exists(each)]
        facts: list[object] = [sorted(settings.items()), metadata.version("pytest")]
        for folder in dict.fromkeys(self.folders):
            files = self._of_tests(_all_files(folder))
            facts += [(str(path.relative_to(folder)), _hash(path)) for path in files]
            facts += [_hash(path) for path in self._above(folder)]
        return hashlib.sha256(ascii(facts).encode("ascii")).hexdigest()

    def _above(self, folder: Path) -> Iterator[Path]:
        """Yield what pytest reads besides, of which nothing lies in the folder."""
        if self.configuration is not None:
            yield Path(self.configuration)
        for above in folder.resolve().parents:
            if self.reads_conftest_of(above) and (file := above / CONFTEST).is_file():
                yield file

    def reads_conftest_of(self, folder: Path) -> bool:
        """Return whether a `conftest.py` in a folder is obeyed."""
        return not self.reach or any(map(folder.resolve().is_relative_to, self.reach))

    def was_handed_in(self, path: Path) -> bool:
        """Return whether what lies at `path` may have come with the submission.

        Nothing has that lies with the tests, is of this Python, or is said to be the author's.
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
        """The folders of what was handed in; a download is none, as nothing in it has a place."""
        for path in map(Path, self.apart):
            if path.is_dir():
                yield path
            elif path.suffix == ".py":
                yield path.parent

    def to_json(self) -> str:
        """Return the settings as text, for another process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> OwnSettings:
        """Return the settings that `to_json` made `text` of."""
        form: dict[str, Any] = json.loads(text)
        names = ("arguments", "paths", "reads", "apart", "recorded", "reach")
        lists = {name: tuple(form[name]) for name in names}
        return cls(**{**form, **lists, "show": Shown(form["show"])})


def _all_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and _NO_TESTS.isdisjoint(path.relative_to(folder).parts):
            yield path


def _place(path: Path) -> Path:
    """Return where `path` lies, not what it may be a link to."""
    return path.parent.resolve() / path.name


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
