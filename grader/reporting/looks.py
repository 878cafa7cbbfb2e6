"""Style and script that the pages of a run share: two files, each named after what is in it.

So pages of different versions can lie in one folder, and each has the looks it was made for. A page
that is handed out by itself has its own style and script in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from grader.reporting.rendering import Shared, looks
from grader.reporting.writing import write_below

_DIGITS: Final = 12


def shared_looks() -> Shared:
    """Return where a page finds them that lies one folder below them, as those of students do."""
    style, script = _files()
    return Shared(f"../{style}", f"../{script}")


def write_looks(folder: Path) -> None:
    """Write those of them to `folder` that are not there."""
    for name, data in _files().items():
        if not (folder / name).is_file():
            write_below(folder, name, data)


def mend_looks(folder: Path) -> Iterable[str]:
    """Write those of them to `folder` that are not there as they should be; return their names."""
    for name, data in _files().items():
        path = folder / name
        if path.is_symlink() or not path.is_file() or path.read_bytes() != data:
            write_below(folder, name, data)
    return _files()


@cache
def _files() -> Mapping[str, bytes]:
    style, script = (text.encode("utf-8") for text in looks("student.html"))
    return {_named(style, "css"): style, _named(script, "js"): script}


def _named(data: bytes, extension: str) -> str:
    return f"page-{hashlib.sha256(data).hexdigest()[:_DIGITS]}.{extension}"
