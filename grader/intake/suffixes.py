"""What the names of files say of their kind."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

PYTHON: Final = ".py"
COMPILED: Final = ".pyc"
ARCHIVES: Final = (
    *(".zip", ".tar", ".tgz", ".tbz2", ".txz"),
    *(".tar.gz", ".tar.bz2", ".tar.xz"),
)
"""What archives are called that are looked into."""
PACKED: Final = frozenset({".7z", ".rar", ".gz", ".bz2", ".xz", ".zst", *ARCHIVES})
"""What files are called that have others in them, of kinds that are read and of others."""
DOCUMENTS: Final = frozenset({".doc", ".docx", ".odt", ".pages", ".pdf", ".rtf", ".wps"})
HAND_INS: Final = frozenset({PYTHON, COMPILED, ".ipynb"}) | PACKED | DOCUMENTS
"""What a file is taken for a hand-in by, Python or not: who hands in the wrong kind is told."""
_LONGEST_FIRST: Final = sorted(ARCHIVES, key=len, reverse=True)


def is_archive(name: str) -> bool:
    """Return whether `name` is one of an archive that is looked into."""
    return name.lower().endswith(ARCHIVES)


def suffix_of(name: str) -> str:
    """Return the last suffix of `name`, a path, in small letters."""
    stem, dot, suffix = name.rpartition("/")[2].rpartition(".")
    return f".{suffix.lower()}" if stem and dot and suffix else ""


def without_suffix(name: str) -> str:
    """Return `name` without what it says of its kind, `.py` or `.tar.gz`."""
    lower = name.lower()
    if not lower.endswith(ARCHIVES):
        return PurePosixPath(name).stem
    return name[: -len(next(each for each in _LONGEST_FIRST if lower.endswith(each)))]
