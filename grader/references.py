"""Says by a hash which reference a hidden suite was made from."""

from __future__ import annotations

import hashlib
from pathlib import Path

from grader.display import one_line
from grader.errors import SuiteError
from grader.suite import Suite


def reference_sha256(folder: Path, suite: Suite) -> str:
    """Return the hash of the reference in `folder`: of the modules that students of `suite` write.

    The code that the suite gives counts too. Names and text count, whatever the line ends. Raises
    `SuiteError` when a module is not there.
    """
    modules = suite.modules or (str(suite.module),)
    sources = {f"{name}.py": _source(folder / f"{name}.py") for name in modules}
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
