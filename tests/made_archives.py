"""Archives as students, platforms and attackers make them."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

from grader.intake.files import MAX_FILE_BYTES, SubmissionError
from grader.intake.opening import open_source
from grader.intake.sources import Source

Files: TypeAlias = Mapping[str, bytes]
TAR_MODES: Final = ("w", "w:gz", "w:bz2", "w:xz")


def zipped(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip of `files`; a name that ends in a slash is a folder."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


class _Pipe(io.BytesIO):
    """A place to which one can only write on."""

    def tell(self) -> int:
        """Say that nobody knows where we are."""
        raise io.UnsupportedOperation


def streamed(files: Files) -> bytes:
    """Return a zip of `files` that was made on the way out: sizes come after each file."""
    made = _Pipe()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(files: Files, mode: str = "w", form: int = tarfile.PAX_FORMAT) -> bytes:
    """Return a tar of `files`; a name that ends in a slash is a folder."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode, format=form) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


def tar_of(*members: tarfile.TarInfo, mode: str = "w") -> bytes:
    """Return a tar of `members` without content."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for member in members:
            archive.addfile(member, io.BytesIO(bytes(member.size)))
    return made.getvalue()


def raw_zip(
    members: Mapping[bytes, bytes],
    *,
    flags: int = 0,
    method: int = 0,
    mode: int = 0,
    size: int | None = None,
    extra: bytes = b"",
) -> bytes:
    """Return a zip as no library writes it: `members` as they are, and any word about them."""
    made, table = bytearray(), bytearray()
    for name, data in members.items():
        said = (
            *(flags, method, 0, 0x21, zlib.crc32(data), len(data)),
            *(len(data) if size is None else size, len(name), len(extra)),
        )
        line = (b"PK\1\2", 20, 3, 20, *said, 0, 0, 0, mode << 16, len(made))
        table += struct.pack("<4s2B5H3L5H2L", *line) + name + extra
        made += struct.pack("<4s5H3L2H", b"PK\3\4", 20, *said) + name + extra + data
    counts = (len(members), len(members), len(table), len(made))
    return bytes(made + table) + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *counts, 0)


def source_of(folder: Path, data: bytes, name: str = "class.zip") -> Source:
    """Return `data` as a source, written below `folder` under `name`."""
    (folder / name).write_bytes(data)
    return open_source(folder / name)


def contents(source: Source) -> dict[str, bytes]:
    """Return what can be read of `source`, by path."""
    return {leaf.path: leaf.read(MAX_FILE_BYTES) for leaf in source.leaves}


def refused(source: Source) -> list[tuple[str, str]]:
    """Return what `source` has refused, and the key of each reason."""
    return [(path, reason.key) for path, reason in source.refusals]


def trouble(source: Source) -> dict[str, str]:
    """Return why leaves of `source` cannot be read, by path."""
    found = {}
    for leaf in source.leaves:
        try:
            leaf.read(MAX_FILE_BYTES)
        except SubmissionError as refusal:
            found[leaf.path] = refusal.reason.key
    return found
