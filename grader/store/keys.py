"""Computes the key of a record: a hash of everything that can change it, except the student.

The key covers the hand-in and its lateness, the suite, and the *environment*: the code of this
grader, the interpreter, and the packages that the exercise uses. The machine's isolation is not
included, because it confines a program but does not change its answers.
"""

from __future__ import annotations

import hashlib
import json
import platform
import secrets
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from grader.intake.lateness import Lateness
from grader.intake.submissions import HandIn
from grader.judging.record import RECORD_SCHEMA
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages

UNREADABLE: Final = "unread"
"""Stands for the hash of a hand-in that a bug of ours made unreadable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKey:
    """Hashes of everything that a record depends on."""

    sha256: str
    """The hash of everything below."""
    submission: str
    suite: str
    environment: str
    facts: str
    """The environment as JSON."""


def submission_sha256(hand_in: HandIn, pseudonym: str | None = None) -> str:
    """Return the hash of a hand-in, ignoring its student and lateness.

    In an anonymous run the hash includes the `pseudonym`, so that no two students share a record.
    """
    return _sha256(replace(hand_in, student=pseudonym or "", lateness=None))


def record_key(suite: Suite, submission: str, lateness: Lateness | None = None) -> RecordKey:
    """Return the key of the record for `suite` and the hand-in with the hash `submission`."""
    environment, facts = _hashed_environment(relevant_packages(suite))
    return RecordKey(
        sha256=_sha256((submission, suite.sha256, environment, lateness)),
        submission=submission,
        suite=suite.sha256,
        environment=environment,
        facts=facts,
    )


def relevant_packages(suite: Suite) -> tuple[str, ...]:
    """Return the names of the packages whose versions can change a record on `suite`."""
    return (*optional_packages(suite.imports), *(["ruff"] if suite.advice else []))


def environment(packages: Iterable[str]) -> dict[str, Any]:
    """Return a description of the environment that records depend on, with its `packages`."""
    return {
        "grader": code_sha256(),
        "machine": platform.machine(),
        "packages": {name: _version(name) for name in packages},
        "python": sys.version,
        "record": RECORD_SCHEMA,
    }


@cache
def _hashed_environment(packages: tuple[str, ...]) -> tuple[str, str]:
    """Return the hash of the environment with these `packages`, and its description as JSON.

    If the version of a package is unknown, the hash differs in each process.
    """
    facts = environment(packages)
    # A package of unknown version might change at any time, so the hash is made unique.
    unknown = secrets.token_hex() if None in facts["packages"].values() else None
    return _sha256((facts, unknown)), json.dumps(facts)


def _sha256(facts: object) -> str:
    # `ascii` escapes lone surrogates, which file names can contain.
    return hashlib.sha256(ascii(facts).encode("ascii")).hexdigest()


@cache
def _version(package: str) -> str | None:
    """Return the installed version of `package`, or None if it is not installed."""
    from importlib import metadata  # noqa: PLC0415 - importing it is slow, and few exercises need it

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@cache
def code_sha256() -> str:
    """Return the hash of all files of the package `grader`."""
    root, sha256 = Path(__file__).parent.parent, hashlib.sha256()
    # Sorted, because `rglob` yields files in an order that depends on the file system.
    for path in sorted(root.rglob("*")):
        # Bytecode contains timestamps, so it differs even for the same code.
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            sha256.update(ascii((path.relative_to(root).as_posix(), content)).encode("ascii"))
    return sha256.hexdigest()
