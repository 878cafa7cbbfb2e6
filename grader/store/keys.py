"""The key of a record: a hash of all that can change it, except who handed it in.

It covers the hand-in and its lateness, the suite, and the *environment*: the code of this grader,
the interpreter, the packages that the exercise uses. The machine's isolation is not part of it: it
confines a program, but does not change its answers.
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
from grader.suite.vocabulary import packages_among

UNREAD: Final = "unread"
"""In place of the hash of a hand-in that could not be read, through our own fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKey:
    """What a record depends on, as hashes."""

    sha256: str
    """Of everything below."""
    submission: str
    suite: str
    environment: str
    facts: str
    """The environment in words, as JSON."""


def submission_sha256(hand_in: HandIn, pseudonym: str | None = None) -> str:
    """Return the hash of a hand-in, regardless of its student and lateness.

    A record with a `pseudonym` in place of a name is never shared with other students.
    """
    return _sha256(replace(hand_in, student=pseudonym or "", lateness=None))


def key_of(suite: Suite, submission: str, lateness: Lateness | None = None) -> RecordKey:
    """Return the key of the record on `suite` of the hand-in with hash `submission`."""
    environment, facts = _environment(packages_of(suite))
    return RecordKey(
        sha256=_sha256((submission, suite.sha256, environment, lateness)),
        submission=submission,
        suite=suite.sha256,
        environment=environment,
        facts=facts,
    )


def packages_of(suite: Suite) -> tuple[str, ...]:
    """Return the packages whose version can change a record on `suite`."""
    return (*packages_among(suite.imports), *(["ruff"] if suite.advice else []))


def environment(packages: Iterable[str]) -> dict[str, Any]:
    """Return what else records depend on, with the versions of these `packages`."""
    return {
        "grader": code_sha256(),
        "machine": platform.machine(),
        "packages": {name: _version(name) for name in packages},
        "python": sys.version,
        "record": RECORD_SCHEMA,
    }


@cache
def _environment(packages: tuple[str, ...]) -> tuple[str, str]:
    """Return the hash of the environment, and its facts as JSON."""
    facts = environment(packages)
    # An unknown version may differ each time, so the hash must differ too.
    unknown = secrets.token_hex() if None in facts["packages"].values() else None
    return _sha256((facts, unknown)), json.dumps(facts)


def _sha256(facts: object) -> str:
    # `ascii` escapes lone surrogates, which names of files may contain.
    return hashlib.sha256(ascii(facts).encode("ascii")).hexdigest()


@cache
def _version(package: str) -> str | None:
    from importlib import metadata  # noqa: PLC0415 - it takes long, and few exercises need it

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@cache
def code_sha256() -> str:
    """Return the hash of all files of this package."""
    root, sha256 = Path(__file__).parent.parent, hashlib.sha256()
    for path in sorted(root.rglob("*")):
        # Bytecode contains times, so it differs for the same code.
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            sha256.update(ascii((path.relative_to(root).as_posix(), content)).encode("ascii"))
    return sha256.hexdigest()
