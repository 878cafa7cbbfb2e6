"""What failed when something was checked before: a small file in the state folder of the user.

Nothing is ever written where the submission lies. Where the file cannot be read or written, nothing
is remembered, and nobody is troubled with it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from grader.errors import OutputError
from grader.reporting.writing import write_below

_FILE: Final = "last-failed.json"
_MOST: Final = 100
"""Of so many files and folders it is remembered, the latest ones."""


def failed_last(path: Path, exercise: str) -> frozenset[str] | None:
    """Return the cases of `exercise` that failed when `path` was last checked; None if unknown."""
    ids = _remembered().get(_key(path, exercise))
    return None if ids is None else frozenset(map(str, ids))


def remember_failed(path: Path, exercise: str, ids: Collection[str]) -> None:
    """Keep that of `exercise` the cases `ids` failed for what lies at `path`."""
    key, remembered = _key(path, exercise), _remembered()
    remembered.pop(key, None)
    latest = dict([*remembered.items(), (key, sorted(ids))][-_MOST:])
    with suppress(OSError, RuntimeError, OutputError):
        write_below(_folder(), _FILE, json.dumps(latest, indent=0).encode())


def _key(path: Path, exercise: str) -> str:
    return f"{exercise} {os.path.abspath(path)}"


def _remembered() -> dict[str, list[str]]:
    try:
        remembered = json.loads((_folder() / _FILE).read_bytes())
    except (OSError, RuntimeError, ValueError, RecursionError):
        return {}
    if not isinstance(remembered, dict):
        return {}
    return {key: ids for key, ids in remembered.items() if isinstance(ids, list)}


def _folder() -> Path:
    """Return where programs keep what they remember; raises `RuntimeError` for nobody's home."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME")
    return Path(named or Path.home() / ".local/state") / "grader"
