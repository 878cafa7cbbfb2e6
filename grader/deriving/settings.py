"""The settings of a derivation: what a spec does not say itself.

`exercise.yaml` beside the spec has the keys that a suite has besides its groups and sessions, and
is read, and complained about, in the same way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from grader.display import one_line
from grader.errors import UsageError
from grader.loading.diagnostics import InvalidSuite
from grader.loading.document import read_document
from grader.loading.form_errors import form_diagnostics
from grader.loading.forms import SuiteHead
from grader.loading.source import MAX_BYTES, read_source

SETTINGS_NAME: Final = "exercise.yaml"
Settings = SuiteHead


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
    return settings
