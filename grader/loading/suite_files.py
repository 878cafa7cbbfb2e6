"""Loads a suite: bytes, text, YAML, forms, draft, suite; the first four steps can end it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import ValidationError

from grader.display import one_line
from grader.errors import SuiteError
from grader.loading.diagnostics import InvalidSuite
from grader.loading.document import read_document
from grader.loading.drafts import salvaged_draft, whole_draft
from grader.loading.findings import Findings
from grader.loading.form_errors import form_diagnostics
from grader.loading.forms import SuiteForm
from grader.loading.given_code import SourceReader, Sources
from grader.loading.source import MAX_BYTES, read_source
from grader.loading.suite_building import build_suite
from grader.suite import Suite


def load_suite(path: Path) -> Suite:
    """Return the suite in the file at `path`.

    Raises `InvalidSuite` with all that is wrong with it, and `SuiteError` when there is no such
    file or it cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)  # one byte too many is enough to refuse the file
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot read the suite {one_line(str(path))}: {one_line(reason)}"
        raise SuiteError(message, help="name the YAML file of a suite") from error
    return parse_suite(data, str(path))


def parse_suite(text: bytes, name: str) -> Suite:
    """Return the suite that `text` holds; diagnostics call it `name`.

    The files that it names lie below the folder of `name`, or below the one above. Raises
    `InvalidSuite` with all that is wrong with it.
    """
    document = read_document(read_source(text, name))
    try:
        draft = whole_draft(SuiteForm.model_validate(document.data))
        diagnostics = form_diagnostics(document, [])
    except ValidationError as invalid:
        draft = salvaged_draft(document.data)
        diagnostics = form_diagnostics(document, invalid.errors(include_url=False))
    findings = Findings(document)
    sources = SourceReader(Path(name).parent, findings).read(draft.head)
    suite = build_suite(draft, findings, sources, _sha256(text, sources))
    diagnostics += findings.diagnostics
    if suite is None or diagnostics:
        raise InvalidSuite(name, diagnostics)
    return suite


def _sha256(text: bytes, sources: Sources) -> str:
    """Return the hash of a suite: of its text, and of the code that it names."""
    sha256 = hashlib.sha256(text)
    for named in (sources.given, sources.stand_ins):
        for module, code in named.items():
            sha256.update(hashlib.sha256(f"{module}\n{code}".encode()).digest())
    return sha256.hexdigest()
