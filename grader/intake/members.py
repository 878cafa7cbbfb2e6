"""The names that archives give to what is in them: made whole, or refused; and their times."""

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
"""Folders within folders that are looked into; a hand-in has fewer, whatever it lies in."""
_ROOTED: Final = re.compile("/|[A-Za-z]:")


def member_path(name: str) -> str:
    """Return the path that `name` gives to a member of an archive; empty for the archive itself.

    Nothing is ever unpacked to such a path. Still a name that leads elsewhere, from the root, a
    drive or the folder above, was made to do harm or says nothing of where the file belongs:
    it raises `SubmissionError`. So does one with a NUL, which programs read differently.
    """
    whole = name.replace("\\", "/")
    parts = [part for part in whole.split("/") if part not in {"", "."}]
    if _ROOTED.match(whole) or ".." in parts or "\0" in name or len(name) > MAX_PATH_CHARS:
        raise SubmissionError(message("refused.name", file=one_line(name)))
    return unicodedata.normalize("NFC", "/".join(parts))


def require_shallow(path: str) -> None:
    """Raise `SubmissionError` where `path` lies in more folders than are looked into."""
    if path.count("/") > MAX_LEVELS:
        raise SubmissionError(message("refused.deep", file=one_line(path), most=MAX_LEVELS))


def decoded_name(raw: bytes) -> str:
    """Return a name of which nothing says how it is encoded.

    macOS and most others write UTF-8, also where they do not say so. Windows writes in the code
    page of its console: in Europe that is 850, which has the letters of 437 at the same places,
    and those for which 437 has none where that has lines and boxes.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp850")


def path_on_disk(name: str) -> str:
    r"""Return the path that the file `name` is meant to have; raises `SubmissionError` for none.

    An archive that was made on Windows may unpack `data\words.txt` to a file of that very name,
    and the program that was handed in asks for `words.txt` in `data`.
    """
    path = "/".join(filter(None, name.replace("\\", "/").split("/")))
    if not path:
        raise SubmissionError(message("refused.backslash", file=one_line(name)))
    return unicodedata.normalize("NFC", path)


def moment(seconds: float) -> datetime | None:
    """Return the time `seconds` after the epoch; None for what no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
