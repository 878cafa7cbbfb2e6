"""The settings of a derivation: what a spec does not say itself.

`exercise.yaml` beside the spec has the keys that a suite has besides its groups, and is read, and
complained about, in the same way. Its sessions come after those that are derived, its rules are
those of the suite, and the points that it gives go before those that follow from the examples.
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
    """What `exercise.yaml` says."""

    points: dict[Id, Annotated[float, ParsedBy(_worth)]] = key("", default_factory=dict)
    """Points of groups, by id; the other groups share what the examples are worth."""
    titles: dict[Id, Heading] = key("", default_factory=dict)
    """What reports call groups, by id, where the derived title says too little."""
    as_lists: bool = False
    """Whether lists of rows do wherever an example shows an array."""
    accepts: dict[str, str] = key("", default_factory=dict)
    """Which answers are right where an example shows one of many, by its code in the spec."""
    actions: list[str] = key("", default_factory=list)
    """Examples that change what later ones find, by their code, where nothing shows it."""
    doctest: list[Annotated[str, ParsedBy(_flag)]] = key("", default_factory=list)
    """Options of doctest that hold for all examples, such as ELLIPSIS."""
    ignore: list[Annotated[Ignored, word_of(Ignored)]] = key("", default_factory=list)
    """What does not count in any example, as in a step of a suite."""
    tolerance: Annotated[Any, ParsedBy(_tolerance)] = None
    """How far numbers may be from those in the examples, as in a step of a suite."""
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
        """What the author lets pass in all examples."""
        numbers = STRICT if self.tolerance is None else tolerance(self.tolerance)
        return replace(numbers, ignored=frozenset(self.ignore) - {Ignored.PROMPTS})

    @property
    def flags(self) -> int:
        """The options of doctest, as doctest has them."""
        return sum({doctest.OPTIONFLAGS_BY_NAME[name] for name in self.doctest})


def _text(path: Path) -> str:
    """Return the text of a file that the settings name; raises `UsageError`."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read {one_line(str(path))}, which `files` names: {one_line(str(error))}",
            help=f"put it beside {SETTINGS_NAME}, as UTF-8, or write its text there by its name",
        ) from error


def load_settings(path: Path) -> ExerciseSettings:
    """Return the settings in the file at `path`.

    Raises `UsageError` when there is no such file, and `InvalidSuite` with all that is wrong.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read the settings {one_line(str(path))}: {error.strerror}",
            help=f"{SETTINGS_NAME} stands beside the spec; it says exercise, title, language, "
            "module and defines",
        ) from error
    return settings_of(data, path)


def settings_of(data: bytes, path: Path) -> ExerciseSettings:
    """Return the settings that `data` of the file at `path` hold; raises as `load_settings`."""
    document = read_document(read_source(data, str(path)))
    if isinstance(document.data, dict) and isinstance(document.data.get("files"), list):
        document.data["files"] = {
            str(name): _text(path.parent / str(name)) for name in document.data["files"]
        }
    return validated(document, ExerciseSettings)
