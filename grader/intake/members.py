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
"""The maximum depth of folders; hand-ins are less deep, even inside other folders."""
_ABSOLUTE: Final = re.compile("/|[A-Za-z]:")


def member_path(name: str) -> str:
    """Return the path of the member `name` of an archive; empty for the archive itself.

    Nothing is ever unpacked to such a path. Still, a name with a root, a drive or `..` raises
    `SubmissionError`, because it is malicious or does not say where the file belongs. So does a
    name with a NUL, which programs read differently.
    """
    slashed = name.replace("\\", "/")
    parts = [part for part in slashed.split("/") if part not in {"", "."}]
    if _ABSOLUTE.match(slashed) or ".." in parts or "\0" in name or len(name) > MAX_PATH_CHARS:
        raise SubmissionError(message("refused.name", file=one_line(name)))
    return unicodedata.normalize("NFC", "/".join(parts))


def require_shallow(path: str) -> None:
    """Raise `SubmissionError` if `path` is too deep."""
    if path.count("/") > MAX_LEVELS:
        raise SubmissionError(message("refused.deep", file=one_line(path), most=MAX_LEVELS))


def decoded_name(raw: bytes) -> str:
    """Decode a name whose encoding is not given.

    macOS and most others write UTF-8, even if they do not say so. Windows uses the code page
    of its console: in Europe that is 850, which has the letters of 437 at the same codes, and
    other letters where 437 has lines and boxes.
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
    # macOS writes accents as separate characters.
    return unicodedata.normalize("NFC", path)


def moment(seconds: float) -> datetime | None:
    """Return the time `seconds` after the epoch; None if it is out of range."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
