"""Where the reference of an exercise is, the hash that says which one it is, and why it fails."""

from __future__ import annotations

import hashlib
from pathlib import Path

from grader.errors import SuiteError
from grader.judging.printing import exception_text
from grader.sandbox.observation import Observation, Raised
from grader.suite.exercises import REFERENCES
from grader.suite.model import Suite
from grader.values.foreign_text import one_line


def reference_sha256(folder: Path, suite: Suite) -> str:
    """Return the hash of the reference in `folder`: of the modules that students of `suite` write.

    The code that the suite gives counts too. Names and text count, whatever the line ends. Raises
    `SuiteError` when a module is not there.
    """
    sources = {f"{name}.py": _source(folder / f"{name}.py") for name in suite.modules}
    sources.update({f"given {name}": text.encode() for name, text in suite.given.items()})
    sha256 = hashlib.sha256()
    for name, source in sorted(sources.items()):
        sha256.update(hashlib.sha256(f"{name}\n".encode() + source).digest())
    return sha256.hexdigest()


def _source(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot read the reference {one_line(str(path))}: {reason}"
        raise SuiteError(message, help="there has to be a file for each module") from error
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def reference_folder(suite: Suite, path: Path) -> Path:
    """Return the folder of the reference of `suite`, whose file is at `path`.

    It is where the spec is that the suite names; of one that names none, in `reference` beside the
    folder of suites, under the name of the exercise.
    """
    if suite.spec is not None and (spec := path.parent / suite.spec).is_file():
        return spec.parent
    return path.resolve().parents[1] / REFERENCES / suite.exercise


def unloadable(observation: Observation) -> str:
    """Return the sentence that says why the reference cannot be loaded."""
    outcome = observation.outcome
    why = exception_text(outcome) if isinstance(outcome, Raised) else "it ends its program"
    return f"the reference cannot be loaded: {why}"
