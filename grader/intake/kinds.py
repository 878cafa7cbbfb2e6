"""Determines the kind of a file from its name and content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

# Names


PYTHON: Final = ".py"
COMPILED: Final = ".pyc"
ARCHIVES: Final = (
    *(".zip", ".tar", ".tgz", ".tbz2", ".txz"),
    *(".tar.gz", ".tar.bz2", ".tar.xz"),
)
"""Suffixes of the archives that the intake opens."""
PACKED: Final = frozenset({".7z", ".rar", ".gz", ".bz2", ".xz", ".zst", *ARCHIVES})
"""Suffixes of all archives and compressed files, whether they are opened or not."""
DOCUMENTS: Final = frozenset({".doc", ".docx", ".odt", ".pages", ".pdf", ".rtf", ".wps"})
HAND_INS: Final = frozenset({PYTHON, COMPILED, ".ipynb"}) | PACKED | DOCUMENTS
"""Suffixes of possible hand-ins; a student who hands in a kind other than Python gets a message."""
_LONGEST_FIRST: Final = sorted(ARCHIVES, key=len, reverse=True)


def is_archive(name: str) -> bool:
    """Return whether a file called `name` is an archive that the intake opens."""
    return name.lower().endswith(ARCHIVES)


def suffix_of(name: str) -> str:
    """Return the last suffix of `name`, a path, in lower case."""
    stem, dot, suffix = name.rpartition("/")[2].rpartition(".")
    return f".{suffix.lower()}" if stem and dot and suffix else ""


def without_suffix(name: str) -> str:
    """Return `name` without its suffix, such as `.py` or `.tar.gz`."""
    lower = name.lower()
    if not lower.endswith(ARCHIVES):
        return PurePosixPath(name).stem
    return name[: -len(next(suffix for suffix in _LONGEST_FIRST if lower.endswith(suffix)))]


# Files that students hand in instead of a program, recognised by their content or, failing that, by
# their name.


_FIRST_BYTES: Final[Mapping[bytes, str]] = {
    b"Rar!\x1a\x07": "packed",
    b"7z\xbc\xaf\x27\x1c": "packed",
    b"\x28\xb5\x2f\xfd": "packed",  # zstd
    b"\x1f\x8b\x08": "packed",  # gzip
    b"BZh": "packed",
    b"\xfd7zXZ\x00": "packed",
    b"%PDF-": "document",
    b"{\\rtf": "document",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "document",  # OLE: `.doc`
    b"\x89PNG\r\n": "picture",
    b"\xff\xd8\xff": "picture",  # JPEG
    b"L\0\0\0\x01\x14\x02\0": "shortcut",  # a Windows `.lnk` file
    b"[InternetShortcut]": "shortcut",
}
_KIND_OF_SUFFIX: Final[Mapping[str, str]] = {
    **dict.fromkeys(PACKED, "packed"),
    **dict.fromkeys(DOCUMENTS, "document"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".heic", ".gif", ".webp", ".bmp"), "picture"),
    **dict.fromkeys((".lnk", ".url", ".webloc", ".gdoc", ".desktop"), "shortcut"),
    **dict.fromkeys((".exe", ".jar", ".class", ".pyc", ".pyd", ".so"), "program"),
}
KINDS: Final = frozenset({*_FIRST_BYTES.values(), *_KIND_OF_SUFFIX.values()})


def unusable_kind(name: str, data: bytes = b"") -> str | None:
    """Return which of `KINDS` the file is, or None if it might be a Python program."""
    by_name = _KIND_OF_SUFFIX.get(suffix_of(name))
    # Zips that can be opened were replaced with their files; the rest are mostly office documents.
    if data.startswith(b"PK\3\4"):
        return by_name or "document"
    kinds = (kind for magic, kind in _FIRST_BYTES.items() if data.startswith(magic))
    return next(kinds, by_name)


# Web pages that a browser saved instead of the download.


_PAGE_BYTES: Final = 4096
_PAGE: Final = re.compile(
    # An XML declaration and comments can come first.
    rb"\s*(?:<(?:\?xml(?:(?!\?>).)*\?|!--(?:(?!-->).)*--)>\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)


def is_web_page(data: bytes) -> bool:
    """Return whether a file that starts with `data` is a web page, regardless of its name."""
    start = data[:_PAGE_BYTES].removeprefix(b"\xef\xbb\xbf")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        start = start[2:].replace(b"\0", b"")  # UTF-16: dropping NULs leaves the ASCII characters
    return _PAGE.match(start) is not None
