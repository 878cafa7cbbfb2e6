"""Reads the settings of a derivation, which a spec does not contain.

`exercise.yaml` beside the spec has the keys of a suite, except its groups, and the same errors are
reported. Its sessions follow the derived ones, its rules become those of the suite, and its points
override those derived from the examples.
"""

from __future__ import annotations

import doctest
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

from grader.errors import UsageError
from grader.judging.rules import KINDS
from grader.suite.diagnostics import MAX_BYTES, Refusal, join_words, quote, read_source
from grader.suite.expectations import parse_tolerance
from grader.suite.fields import Heading, Id, KeptAsWritten, key, one_of_words
from grader.suite.form_errors import validate_document
from grader.suite.model import SuiteHead
from grader.suite.reading import read_document
from grader.suite.rules import rules_form
from grader.suite.session import WrittenSession
from grader.values.constraints import ParsedBy
from grader.values.foreign_text import one_line
from grader.values.leniency import STRICT, Ignored, Leniency

SETTINGS_NAME: Final = "exercise.yaml"


def _check_points(points: float) -> float:
    if points < 0:
        raise Refusal(f"a group cannot be worth {points:g} points", "give it 0 points or more")
    return points


def _check_flag(name: str) -> str:
    if name not in doctest.OPTIONFLAGS_BY_NAME:
        options = join_words(doctest.OPTIONFLAGS_BY_NAME)
        raise Refusal(f"doctest has no option {quote(name)}", f"its options are {options}")
    return name


def _check_tolerance(value: object) -> object:
    parse_tolerance(value)
    return value


class ExerciseSettings(SuiteHead):
    """The content of `exercise.yaml`."""

    points: dict[Id, Annotated[float, ParsedBy(_check_points)]] = key("", default_factory=dict)
    """Points of groups, keyed by id. Other groups get the points of their examples."""
    titles: dict[Id, Heading] = key("", default_factory=dict)
    """Titles of groups, keyed by id, that replace derived ones."""
    as_lists: bool = False
    """Whether lists of rows are accepted instead of an array in all examples."""
    accepts: dict[str, str] = key("", default_factory=dict)
    """Checkers for examples that show one of many right answers, keyed by code in the spec."""
    actions: list[str] = key("", default_factory=list)
    """The code of examples that change state for later ones without showing it."""
    doctest: list[Annotated[str, ParsedBy(_check_flag)]] = key("", default_factory=list)
    """Doctest options for all examples, such as ELLIPSIS."""
    ignore: list[Annotated[Ignored, one_of_words(Ignored)]] = key("", default_factory=list)
    """Differences to ignore in all examples, as in a step of a suite."""
    tolerance: Annotated[Any, ParsedBy(_check_tolerance)] = None
    """The tolerance for numbers in all examples, as in a step of a suite."""
    sessions: list[Annotated[dict[str, Any], KeptAsWritten(WrittenSession)]] = key(
        "", default_factory=list
    )
    """Handwritten sessions, as written in the file."""
    rules: Annotated[dict[str, Any], KeptAsWritten(rules_form(KINDS))] = key(
        "", default_factory=dict
    )
    """Rules, as written in the file."""

    @property
    def submitted_modules(self) -> tuple[str, ...]:
        """The modules that students hand in."""
        return self.modules or (self.module,)

    @property
    def leniency(self) -> Leniency:
        """The leniency in all examples."""
        numbers = STRICT if self.tolerance is None else parse_tolerance(self.tolerance)
        # Only screens have prompts, and screens are compared separately.
        return replace(numbers, ignored=frozenset(self.ignore) - {Ignored.PROMPTS})

    @property
    def doctest_flags(self) -> int:
        """The doctest options, as bit flags."""
        # A set, because a repeated option must not be added twice.
        return sum({doctest.OPTIONFLAGS_BY_NAME[name] for name in self.doctest})


def _read_listed_file(path: Path) -> str:
    """Return the text of a file that `files` lists. Raises `UsageError` if it is unreadable."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(
            f"cannot read {one_line(str(path))}, which `files` lists: {reason}",
            help=f"save it as UTF-8 beside {SETTINGS_NAME}, or write its text there after its name",
        ) from error


def load_settings(path: Path) -> ExerciseSettings:
    """Return the settings in the file at `path`.

    Raises `UsageError` if the file or a file that it lists cannot be read, and `InvalidSuite` with
    all mistakes in it.
    """
    try:
        with path.open("rb") as file:
            # One byte more than allowed is read, so that a longer file is refused.
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read the settings {one_line(str(path))}: {error.strerror}",
            help=f"write {SETTINGS_NAME} beside the spec, with exercise, title, language, module "
            "and defines, and make it readable",
        ) from error
    return parse_settings(data, path)


def parse_settings(data: bytes, path: Path) -> ExerciseSettings:
    """Return the settings in `data`, the content of the file at `path`.

    The files that the settings list under `files` are read too. Raises `UsageError` if one of these
    files cannot be read, and `InvalidSuite` with all mistakes in `data`.
    """
    document = read_document(read_source(data, str(path)))
    # This precedes the validation, which accepts `files` only together with their texts.
    if isinstance(document.data, dict) and isinstance(document.data.get("files"), list):
        document.data["files"] = {
            str(name): _read_listed_file(path.parent / str(name)) for name in document.data["files"]
        }
    return validate_document(document, ExerciseSettings)
