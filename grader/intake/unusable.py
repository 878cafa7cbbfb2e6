"""What students hand in instead of a program: told by what is in it, or else by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from grader.intake.suffixes import DOCUMENTS, PACKED, suffix_of

_BEGINNINGS: Final[Mapping[bytes, str]] = {
    b"Rar!\x1a\x07": "packed",
    b"7z\xbc\xaf\x27\x1c": "packed",
    b"\x28\xb5\x2f\xfd": "packed",
    b"\x1f\x8b\x08": "packed",
    b"BZh": "packed",
    b"\xfd7zXZ\x00": "packed",
    b"%PDF-": "document",
    b"{\\rtf": "document",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "document",
    b"\x89PNG\r\n": "picture",
    b"\xff\xd8\xff": "picture",
    b"L\0\0\0\x01\x14\x02\0": "shortcut",
    b"[InternetShortcut]": "shortcut",
}
_SUFFIXES: Final[Mapping[str, str]] = {
    **dict.fromkeys(PACKED, "packed"),
    **dict.fromkeys(DOCUMENTS, "document"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".heic", ".gif", ".webp", ".bmp"), "picture"),
    **dict.fromkeys((".lnk", ".url", ".webloc", ".gdoc", ".desktop"), "shortcut"),
    **dict.fromkeys((".exe", ".jar", ".class", ".pyc", ".pyd", ".so"), "program"),
}
KINDS: Final = frozenset({*_BEGINNINGS.values(), *_SUFFIXES.values()})


def unusable_kind(name: str, data: bytes = b"") -> str | None:
    """Return what a file is that cannot be a program in Python, of `KINDS`; None if it may be."""
    by_name = _SUFFIXES.get(suffix_of(name))
    if data.startswith(b"PK\3\4"):  # a zip that can be opened has been opened
        return by_name or "document"
    beginnings = (kind for magic, kind in _BEGINNINGS.items() if data.startswith(magic))
    return next(beginnings, by_name)
