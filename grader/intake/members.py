"""The names and times of members of archives: names are normalized, or refused."""

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
"""How deep folders are read; hand-ins are less deep, even inside other folders."""
_ROOTED: Final = re.compile("/|[A-Za-z]:")


def member_path(name: str) -> str:
    """Return the path for a member of an archive called `name`; empty for the archive itself.

    Nothing is ever unpacked to such a path. Still, a name from the root, a drive or the folder
    above is malicious, or does not say where the file belongs, and raises `SubmissionError`. So
    does one with a NUL, which programs read differently.
    """
    whole = name.replace("\\", "/")
    parts = [part for part in whole.split("/") if part not in {"", "."}]
    if _ROOTED.match(whole) or ".." in parts or "\0" in name or len(name) > MAX_PATH_CHARS:
        raise SubmissionError(message("refused.name", file=one_line(name)))
    return unicodedata.normalize("NFC", "/".join(parts))


def require_shallow(path: str) -> None:
    """Raise `SubmissionError` if `path` is deeper than folders are read."""
    if path.count("/") > MAX_LEVELS:
        raise SubmissionError(message("refused.deep", file=one_line(path), most=MAX_LEVELS))


def decoded_name(raw: bytes) -> str:
    """Decode a name whose encoding is not given.

    macOS and most others write UTF-8, even if they do not say so. Windows writes in the code page
    of its console: in Europe that is 850, which has the letters of 437 at the same places, and
    further ones where 437 has lines and boxes.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp850")


def path_on_disk(name: str) -> str:
    r"""Return the intended path of the file `name`; raises `SubmissionError` if it is empty.

    An archive made on Windows may be unpacked to a file named `data\words.txt`, and the program
    that was handed in opens `words.txt` in `data`.
    """
    path = "/".join(filter(None, name.replace("\\", "/").split("/")))
    if not path:
        raise SubmissionError(message("refused.backslash", file=one_line(name)))
    # macOS writes accents as characters of their own.
    return unicodedata.normalize("NFC", path)


def moment(seconds: float) -> datetime | None:
    """Return the time `seconds` after the epoch; None if it is out of range."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
