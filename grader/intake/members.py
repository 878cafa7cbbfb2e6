"""Normalizes the names and times of archive members, and refuses unsafe names."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import Final

from grader.intake.files import SubmissionError
from grader.messages import message
from grader.values.foreign_text import one_line

MAX_PATH_CHARS: Final = 1024
MAX_LEVELS: Final = 64
"""The maximum depth of folders; real hand-ins are shallower, even when wrapped in others."""
_ABSOLUTE: Final = re.compile("/|[A-Za-z]:")


def member_path(name: str) -> str:
    """Return the normalized path of the archive member `name`, or "" for the archive's root.

    Raises `SubmissionError` for a name with a root, a drive or `..`: nothing is ever unpacked to
    such a path, but the name is malicious or leaves unclear where the file belongs. A name with a
    NUL is refused too, because programs disagree on where it ends. So is a name that is too long.
    """
    slashed = name.replace("\\", "/")
    parts = [part for part in slashed.split("/") if part not in {"", "."}]
    if _ABSOLUTE.match(slashed) or ".." in parts or "\0" in name or len(name) > MAX_PATH_CHARS:
        raise SubmissionError(message("refused.name", file=one_line(name)))
    # NFC, so that a name packed on macOS equals the same name packed on another system.
    return unicodedata.normalize("NFC", "/".join(parts))


def require_shallow(path: str) -> None:
    """Raise `SubmissionError` if `path` has more than `MAX_LEVELS` folders."""
    if path.count("/") > MAX_LEVELS:
        raise SubmissionError(message("refused.deep", file=one_line(path), most=MAX_LEVELS))


def decode_name(raw: bytes) -> str:
    """Decode a name whose encoding the archive does not declare.

    macOS and most other systems write UTF-8, even without declaring it. Windows uses the code
    page of its console. In Europe, that is code page 850. It has the letters of code page 437 at
    the same codes, and more letters where 437 has box-drawing characters.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp850")


def intended_path(name: str) -> str:
    r"""Return the path that the file on disk called `name` was meant to have.

    Unpacking an archive made on Windows can create a file called `data\words.txt`, while the
    submitted program opens `words.txt` in `data`. Raises `SubmissionError` if `name` contains
    nothing but separators.
    """
    path = "/".join(filter(None, name.replace("\\", "/").split("/")))
    if not path:
        raise SubmissionError(message("refused.backslash", file=one_line(name)))
    # macOS stores accents as separate characters.
    return unicodedata.normalize("NFC", path)


def datetime_from_timestamp(seconds: float) -> datetime | None:
    """Return the time `seconds` after the epoch, or None if it is out of range."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
