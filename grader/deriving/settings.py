"""The settings of a derivation: what a spec does not say itself.

`exercise.yaml` beside the spec has the keys that a suite has besides its groups, and is read, and
complained about, in the same way. Its sessions come after those that are derived, its rules are
those of the suite, and the points that it gives go before those that follow from the examples.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    ValidationError,
)
from pydantic_core import core_schema

from grader.display import one_line
from grader.errors import UsageError
from grader.loading.diagnostics import InvalidSuite
from grader.loading.document import read_document
from grader.loading.fields import Form, Id
from grader.loading.form_errors import form_diagnostics
from grader.loading.forms import SessionForm, SuiteHead
from grader.loading.refusal import Refusal
from grader.loading.rule_forms import RulesForm
from grader.loading.source import MAX_BYTES, read_source

SETTINGS_NAME: Final = "exercise.yaml"


def _checked_by(form: type[Form]) -> GetPydanticSchema:
    """Return what tells pydantic to hold data against `form`, and to keep the data as it is."""

    def check(data: object, validate: Callable[[object], object]) -> object:
        validate(data)
        return data

    def schema(_source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_wrap_validator_function(check, handler(form))

    return GetPydanticSchema(schema)


def _worth(points: float) -> float:
    if points < 0:
        raise Refusal(f"a group cannot be worth {points:g} points", "give it 0 points or more")
    return points


class Settings(SuiteHead):
    """What `exercise.yaml` says."""

    points: dict[Id, Annotated[float, AfterValidator(_worth)]] = Field(default_factory=dict)
    """Points of groups, by id; the other groups share what the examples are worth."""
    as_lists: bool = False
    """Whether lists of rows do wherever an example shows an array."""
    sessions: list[Annotated[dict[str, Any], _checked_by(SessionForm)]] = Field(
        default_factory=list
    )
    """Sessions written by hand, as they stand in the file."""
    rules: Annotated[dict[str, Any], _checked_by(RulesForm)] = Field(default_factory=dict)
    """Rules, as they stand in the file."""


def load_settings(path: Path) -> Settings:
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
    document = read_document(read_source(data, str(path)))
    try:
        settings = Settings.model_validate(document.data)
        diagnostics = form_diagnostics(document, [])
    except ValidationError as invalid:
        raise InvalidSuite(
            str(path), form_diagnostics(document, invalid.errors(include_url=False))
        ) from invalid
    if diagnostics:
        raise InvalidSuite(str(path), diagnostics)
    if settings.modules:
        raise UsageError(
            "a suite for several modules cannot be derived",
            help="examples do not say in which module a name is; write the suite by hand",
        )
    return settings
