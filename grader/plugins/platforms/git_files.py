"""Reads the commit time of a clone from the files in its `.git`, without running git.

A student might have forged these files, so they are parsed within limits, and malformed files yield
no time.
"""

from __future__ import annotations

import re
import struct
import zlib
from bisect import bisect_left
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from grader.intake.files import SubmissionError
from grader.intake.sources import Leaf

_MAX_TEXT_BYTES: Final = 1024 * 1024
_MAX_INDEX_BYTES: Final = 16 * 1024 * 1024
_MAX_PACK_BYTES: Final = 64 * 1024 * 1024
_MAX_COMMIT_BYTES: Final = 64 * 1024
_MAX_PACKS: Final = 20
_HASH: Final = re.compile(r"[0-9a-f]{40}")
_COMMITTER: Final = re.compile(rb"^committer .*> (\d{1,12}) ([+-])(\d\d)(\d\d)$", re.MULTILINE)
_COMMIT: Final = 1
"""The type of a complete commit in a pack. A delta, which needs other objects, is not read."""
_HASH_BYTES: Final = 20


def commit_time(files: Mapping[str, Leaf]) -> datetime | None:
    """Return the committer's time in the checked-out commit, or None if it cannot be read.

    `files` are the files in a `.git` folder, keyed by their path in that folder.
    """
    sha = _find_head(files)
    if sha is None:
        return None
    commit = _read_loose_commit(files, sha) or _read_packed_commit(files, sha)
    # Search only the header, because the commit message can contain anything.
    match = _COMMITTER.search((commit or b"").partition(b"\n\n")[0])
    if match is None:
        return None
    minutes = int(match[3]) * 60 + int(match[4])
    try:
        zone = timezone(timedelta(minutes=-minutes if match[2] == b"-" else minutes))
        return datetime.fromtimestamp(int(match[1]), UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None


def _read_file(files: Mapping[str, Leaf], path: str, max_bytes: int) -> bytes:
    """Read the file at `path`; return no bytes if it is missing, refused or too large."""
    leaf = files.get(path)
    try:
        return b"" if leaf is None else leaf.read(max_bytes)
    except SubmissionError:
        return b""


def _find_head(files: Mapping[str, Leaf]) -> str | None:
    """Return the hash of the checked-out commit, or None if `HEAD` does not lead to one."""
    # `HEAD` contains a hash or names a branch, whose hash git can move to `packed-refs`.
    text = _read_file(files, "HEAD", _MAX_TEXT_BYTES).decode("utf-8", "replace").strip()
    if text.startswith("ref: "):
        ref = text.removeprefix("ref: ").strip()
        text = _read_file(files, ref, _MAX_TEXT_BYTES).decode("ascii", "replace").strip()
        if not text:
            packed = _read_file(files, "packed-refs", _MAX_TEXT_BYTES).decode("utf-8", "replace")
            lines = (line.split(" ") for line in packed.splitlines())
            text = next((line[0] for line in lines if line[1:] == [ref]), "")
    return text if _HASH.fullmatch(text) else None


def _read_loose_commit(files: Mapping[str, Leaf], sha: str) -> bytes | None:
    data = _read_file(files, f"objects/{sha[:2]}/{sha[2:]}", _MAX_COMMIT_BYTES)
    header, _, body = (_inflate(data) or b"").partition(b"\0")
    return body if header.startswith(b"commit ") else None


def _read_packed_commit(files: Mapping[str, Leaf], sha: str) -> bytes | None:
    """Return the commit `sha` from the first pack that lists it.

    Returns None if no pack lists it, or if that pack does not store it in full.
    """
    indices = [path for path in files if re.fullmatch(r"objects/pack/[^/]+\.idx", path)]
    for path in indices[:_MAX_PACKS]:
        try:
            offset = _find_offset(_read_file(files, path, _MAX_INDEX_BYTES), bytes.fromhex(sha))
        except struct.error:
            continue
        if offset is not None:
            pack = _read_file(files, path.removesuffix(".idx") + ".pack", _MAX_PACK_BYTES)
            return _read_complete_commit(pack, offset)
    return None


def _find_offset(index: bytes, sha: bytes) -> int | None:
    """Return the offset of the object `sha` in its pack, or None if `index` does not contain it.

    Only version 2 of the format is read. Raises `struct.error` if `index` is truncated.
    """
    if index[:8] != b"\xfftOc\0\0\0\2":
        return None
    # The last entry of the fan-out table counts all objects.
    (count,) = struct.unpack_from(">I", index, 8 + 255 * 4)
    hashes = 8 + 256 * 4

    def hash_at(position: int) -> bytes:
        return index[hashes + position * _HASH_BYTES : hashes + (position + 1) * _HASH_BYTES]

    count = min(count, len(index) // _HASH_BYTES)  # the index might claim more than it contains
    position = bisect_left(range(count), sha, key=hash_at)
    if position == count or hash_at(position) != sha:
        return None
    # Checksums of four bytes each come between the hashes and the offsets.
    (offset,) = struct.unpack_from(">I", index, hashes + count * (_HASH_BYTES + 4) + position * 4)
    return None if offset >> 31 else int(offset)  # beyond 2 GiB, which exceeds the pack limit


def _read_complete_commit(pack: bytes, offset: int) -> bytes | None:
    """Decompress the commit at `offset`; return None if it is another type of object or a delta."""
    # Bits 4 to 6 of an entry's first byte are its type.
    if offset >= len(pack) or (pack[offset] >> 4) & 7 != _COMMIT:
        return None
    while pack[offset] & 0x80:  # the object's size, seven bits per byte
        offset += 1
        if offset >= len(pack):
            return None
    return _inflate(pack[offset + 1 : offset + 1 + _MAX_COMMIT_BYTES])


def _inflate(data: bytes) -> bytes | None:
    try:
        # The output is limited, because a few bytes can inflate to gigabytes.
        return zlib.decompressobj().decompress(data, _MAX_COMMIT_BYTES)
    except zlib.error:
        return None
