"""The settings of a derivation, for what a spec does not say itself.

`exercise.yaml` beside the spec has the keys of a suite but for its groups, with the same errors.
Its sessions come after the derived ones, its rules are those of the suite, and its points override
those derived from the examples.
"""

from __future__ import annotations

import doctest
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

from grader.errors import UsageError
from grader.judging.rules import KINDS
from grader.suite.diagnostics import MAX_BYTES, Refusal, listed, quoted, read_source
from grader.suite.expectations import tolerance
from grader.suite.fields import Heading, Id, KeptAsWritten, key, word_of
from grader.suite.form_errors import validated
from grader.suite.model import SuiteHead
from grader.suite.reading import read_document
from grader.suite.rules import rules_form
from grader.suite.session import WrittenSession
from grader.values.constraints import ParsedBy
from grader.values.foreign_text import one_line
from grader.values.leniency import STRICT, Ignored, Leniency

SETTINGS_NAME: Final = "exercise.yaml"


def _worth(points: float) -> float:
    if points < 0:
        raise Refusal(f"a group cannot be worth {points:g} points", "give it 0 points or more")
    return points


def _flag(name: str) -> str:
    if name not in doctest.OPTIONFLAGS_BY_NAME:
        known = listed(doctest.OPTIONFLAGS_BY_NAME)
        raise Refusal(f"doctest has no option {quoted(name)}", f"its options are {known}")
    return name


def _tolerance(written: object) -> object:
    tolerance(written)
    return written


class ExerciseSettings(SuiteHead):
    """The content of `exercise.yaml`."""

    points: dict[Id, Annotated[float, ParsedBy(_worth)]] = key("", default_factory=dict)
    """Points of groups, by id; the other groups have those of their examples."""
    titles: dict[Id, Heading] = key("", default_factory=dict)
    """Titles of groups, by id, to replace derived ones."""
    as_lists: bool = False
    """Whether lists of rows are accepted for an array in any example."""
    accepts: dict[str, str] = key("", default_factory=dict)
    """Checkers for examples that show one of many right answers, by their code in the spec."""
    actions: list[str] = key("", default_factory=list)
    """Examples that change state for later ones without showing it, by their code."""
    doctest: list[Annotated[str, ParsedBy(_flag)]] = key("", default_factory=list)
    """Options of doctest for all examples, such as ELLIPSIS."""
    ignore: list[Annotated[Ignored, word_of(Ignored)]] = key("", default_factory=list)
    """Differences to ignore in all examples, as in a step of a suite."""
    tolerance: Annotated[Any, ParsedBy(_tolerance)] = None
    """The tolerance for numbers in all examples, as in a step of a suite."""
    sessions: list[Annotated[dict[str, Any], KeptAsWritten(WrittenSession)]] = key(
        "", default_factory=list
    )
    """Sessions written by hand, as they stand in the file."""
    rules: Annotated[dict[str, Any], KeptAsWritten(rules_form(KINDS))] = key(
        "", default_factory=dict
    )
    """Rules, as they stand in the file."""

    @property
    def handed_in(self) -> tuple[str, ...]:
        """The modules that students hand in."""
        return self.modules or (self.module,)

    @property
    def lets(self) -> Leniency:
        """The leniency in all examples."""
        numbers = STRICT if self.tolerance is None else tolerance(self.tolerance)
        # Only screens have prompts, and these are compared by themselves.
        return replace(numbers, ignored=frozenset(self.ignore) - {Ignored.PROMPTS})

    @property
    def flags(self) -> int:
        """The options of doctest, as its bit flags."""
        # a set, as a sum counts doubles twice
        return sum({doctest.OPTIONFLAGS_BY_NAME[name] for name in self.doctest})


def _text(path: Path) -> str:
    """Return the text of a file that the settings name; raises `UsageError`."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read {one_line(str(path))}, which `files` names: {one_line(str(error))}",
            help=f"put it beside {SETTINGS_NAME}, as UTF-8, or write its text there after its name",
        ) from error


def load_settings(path: Path) -> ExerciseSettings:
    """Return the settings in the file at `path`.

    Raises `UsageError` if there is no such file, and `InvalidSuite` with all mistakes in it.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)  # one more than allowed, so that the reader refuses it
    except OSError as error:
        raise UsageError(
            f"cannot read the settings {one_line(str(path))}: {error.strerror}",
            help=f"write {SETTINGS_NAME} beside the spec, with exercise, title, language, module "
            "and defines",
        ) from error
    return settings_of(data, path)


def settings_of(data: bytes, path: Path) -> ExerciseSettings:
    """Return the settings in `data` of the file at `path`; raises as `load_settings`."""
    document = read_document(read_source(data, str(path)))
    if isinstance(document.data, dict) and isinstance(document.data.get("files"), list):
        document.data["files"] = {
            str(name): _text(path.parent / str(name)) for name in document.data["files"]
        }
    return validated(document, ExerciseSettings)
