"""Loads suites: bytes, text, YAML, forms, draft, suite; the first four steps can end it.

A hidden suite lies beside the public one: `yinyang.hidden.yaml` beside `yinyang.yaml`. It is
checked against the public one, which has to be in order first.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from grader.display import one_line
from grader.errors import SuiteError
from grader.hidden import Hidden, merged
from grader.loading.diagnostics import InvalidSuite
from grader.loading.document import read_document
from grader.loading.drafts import (
    salvaged_draft,
    salvaged_hidden_draft,
    whole_draft,
    whole_hidden_draft,
)
from grader.loading.findings import Findings
from grader.loading.form_errors import form_diagnostics
from grader.loading.forms import SuiteForm
from grader.loading.given_code import SourceReader, Sources
from grader.loading.hidden_building import build_hidden
from grader.loading.hidden_forms import HiddenForm
from grader.loading.source import MAX_BYTES, read_source
from grader.loading.suite_building import build_suite
from grader.suite import Suite

HIDDEN_MARK: Final = ".hidden"
"""What the name of a hidden suite has before `.yaml`."""


def is_hidden_suite(path: Path) -> bool:
    """Return whether a file of this name is the hidden part of a suite."""
    return path.stem.endswith(HIDDEN_MARK)


def hidden_suite_of(path: Path) -> Path:
    """Return where the hidden part of the suite at `path` lies, if it has one."""
    return path.with_name(f"{path.stem}{HIDDEN_MARK}{path.suffix}")


def stray_hidden_suites(folder: Path) -> list[str]:
    """Return the names of hidden suites in `folder` that lie beside no public one of their name.

    Nothing loads them. `Counter.Hidden.yaml` is meant for one, too.
    """
    endings = (f"{HIDDEN_MARK}.yaml", f"{HIDDEN_MARK}.yml")
    there = {path.name: path for path in folder.glob("*")}
    owned = {hidden_suite_of(path).name for path in there.values() if not is_hidden_suite(path)}
    return sorted(name for name in there if name.lower().endswith(endings) and name not in owned)


def load_suite(path: Path) -> Suite:
    """Return the suite in the file at `path`, without the hidden part that may lie beside it.

    Raises `InvalidSuite` with all that is wrong with it, and `SuiteError` when there is no such
    file or it cannot be read.
    """
    if is_hidden_suite(path):
        name = path.name.replace(f"{HIDDEN_MARK}.", ".")
        message = f"{one_line(str(path))} is the hidden part of a suite, and no suite by itself"
        raise SuiteError(message, help=f"name the public one, {one_line(name)}")
    return parse_suite(_read(path), str(path))


def load_whole_suite(path: Path) -> Suite:
    """Return the suite in the file at `path`, with the hidden part that lies beside it, if any.

    Raises what `load_suite` raises, for one file or the other. A hidden part that is there and
    cannot be read is no reason to do without it.
    """
    public, beside = load_suite(path), hidden_suite_of(path)
    if not os.path.lexists(beside):
        return public
    return merged(public, parse_hidden_suite(_read(beside), str(beside), public))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one byte too many is enough to refuse the file
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot read the suite {one_line(str(path))}: {one_line(reason)}"
        raise SuiteError(message, help="name the YAML file of a suite") from error


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


def parse_hidden_suite(text: bytes, name: str, public: Suite) -> Hidden:
    """Return the hidden suite that `text` holds and that adds to `public`.

    Diagnostics call it `name`. Raises `InvalidSuite` with all that is wrong with it.
    """
    document = read_document(read_source(text, name))
    try:
        draft = whole_hidden_draft(HiddenForm.model_validate(document.data))
        diagnostics = form_diagnostics(document, [], HiddenForm)
    except ValidationError as invalid:
        draft = salvaged_hidden_draft(document.data)
        errors = invalid.errors(include_url=False)
        diagnostics = form_diagnostics(document, errors, HiddenForm)
    findings = Findings(document)
    sha256 = hashlib.sha256(text).hexdigest()
    hidden = build_hidden(draft, findings, public, sha256)
    diagnostics += findings.diagnostics
    if hidden is None or diagnostics:
        raise InvalidSuite(name, diagnostics)
    return hidden


def _sha256(text: bytes, sources: Sources) -> str:
    """Return the hash of a suite: of its text, and of the code that it names."""
    sha256 = hashlib.sha256(text)
    for named in (sources.given, sources.stand_ins):
        for module, code in named.items():
            sha256.update(hashlib.sha256(f"{module}\n{code}".encode()).digest())
    return sha256.hexdigest()
