"""Finds files that a session asks a submission to open, and that its suite does not provide.

Without the file every submission would fail, and be told that it opens a file that is not there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Final

from grader.loading.document import NodePath
from grader.loading.drafts import SessionDraft
from grader.loading.findings import Findings
from grader.loading.forms import StepForm
from grader.loading.suggestions import did_you_mean, quoted

_FILE_NAME: Final = re.compile(r"[\w][\w -]*\.(txt|csv|tsv|json|dat|xml)\d?")
"""A digit may follow: footnotes get stuck to file names when a text is copied."""
_EXPECTS_NO_FILE: Final = frozenset({"FileNotFoundError", "OSError"})


def check_needed_files(
    path: NodePath, session: SessionDraft, provided: Mapping[str, str], findings: Findings
) -> None:
    """Report each step of the session at `path` that names a file which is not `provided`."""
    for number, form in enumerate(session.steps):
        if form is None or (form.raises and form.raises.type_name in _EXPECTS_NO_FILE):
            continue
        for name in _named_files(form):
            if name not in provided:
                near = did_you_mean(name, provided)
                findings.at_value(
                    (*path, "steps", number, "do"),
                    f"the file {quoted(name)} is not among `files`{near}",
                    "give its text under `files`; text that names no file goes there too, empty",
                )


def _named_files(form: StepForm) -> Iterator[str]:
    """Yield the texts that a step hands to a call and that look like the name of a file."""
    for call in ast.walk(ast.parse(form.do.text)):
        if isinstance(call, ast.Call):
            for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
                match argument:
                    case ast.Constant(value=str(name)) if _FILE_NAME.fullmatch(name):
                        yield name
