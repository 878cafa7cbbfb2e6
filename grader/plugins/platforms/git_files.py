"""Reads the commit time of a clone from the files in its `.git`, without running git.

A student may have made these files, so they are parsed within limits, and anything odd in them
gives no time.
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
"""The type of a whole commit in a pack; deltas are not read."""
_HASH_BYTES: Final = 20


def commit_time(files: Mapping[str, Leaf]) -> datetime | None:
    """Return the committer's time of the checked-out commit, or None.

    `files` are those of a `.git`, by their path in it.
    """
    sha = _head(files)
    if sha is None:
        return None
    commit = _loose(files, sha) or _packed(files, sha)
    found = _COMMITTER.search((commit or b"").partition(b"\n\n")[0])  # a message can say anything
    if found is None:
        return None
    minutes = int(found[3]) * 60 + int(found[4])
    try:
        zone = timezone(timedelta(minutes=-minutes if found[2] == b"-" else minutes))
        return datetime.fromtimestamp(int(found[1]), UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None


def _data(files: Mapping[str, Leaf], path: str, most_bytes: int) -> bytes:
    leaf = files.get(path)
    try:
        return b"" if leaf is None else leaf.read(most_bytes)
    except SubmissionError:
        return b""


def _head(files: Mapping[str, Leaf]) -> str | None:
    """Return the hash of the commit that is checked out."""
    text = _data(files, "HEAD", _MAX_TEXT_BYTES).decode("utf-8", "replace").strip()
    if text.startswith("ref: "):
        ref = text.removeprefix("ref: ").strip()
        text = _data(files, ref, _MAX_TEXT_BYTES).decode("ascii", "replace").strip()
        if not text:
            packed = _data(files, "packed-refs", _MAX_TEXT_BYTES).decode("utf-8", "replace")
            lines = (line.split(" ") for line in packed.splitlines())
            text = next((line[0] for line in lines if line[1:] == [ref]), "")
    return text if _HASH.fullmatch(text) else None


def _loose(files: Mapping[str, Leaf], sha: str) -> bytes | None:
    data = _data(files, f"objects/{sha[:2]}/{sha[2:]}", _MAX_COMMIT_BYTES)
    header, _, body = (_inflated(data) or b"").partition(b"\0")
    return body if header.startswith(b"commit ") else None


def _packed(files: Mapping[str, Leaf], sha: str) -> bytes | None:
    indices = [path for path in files if re.fullmatch(r"objects/pack/[^/]+\.idx", path)]
    for path in indices[:_MAX_PACKS]:
        try:
            offset = _offset(_data(files, path, _MAX_INDEX_BYTES), bytes.fromhex(sha))
        except struct.error:
            continue
        if offset is not None:
            pack = _data(files, path.removesuffix(".idx") + ".pack", _MAX_PACK_BYTES)
            return _whole(pack, offset)
    return None


def _offset(index: bytes, sha: bytes) -> int | None:
    """Return the offset of the object `sha` in its pack, from an index of version 2."""
    if index[:8] != b"\xfftOc\0\0\0\2":
        return None
    # The last entry of the fan-out table counts all objects.
    (count,) = struct.unpack_from(">I", index, 8 + 255 * 4)
    hashes = 8 + 256 * 4

    def hash_at(place: int) -> bytes:
        return index[hashes + place * _HASH_BYTES : hashes + (place + 1) * _HASH_BYTES]

    count = min(count, len(index) // _HASH_BYTES)  # it may be a lie
    place = bisect_left(range(count), sha, key=hash_at)
    if place == count or hash_at(place) != sha:
        return None
    # Between hashes and offsets are checksums of four bytes each.
    (offset,) = struct.unpack_from(">I", index, hashes + count * (_HASH_BYTES + 4) + place * 4)
    return None if offset >> 31 else int(offset)  # an offset beyond 2 GiB: more than we read


def _whole(pack: bytes, offset: int) -> bytes | None:
    """Return the commit at `offset`, None if it is another object or a delta."""
    # Bits 4 to 6 of an entry are its type.
    if offset >= len(pack) or (pack[offset] >> 4) & 7 != _COMMIT:
        return None
    while pack[offset] & 0x80:  # the size of the object, seven bits a byte
        offset += 1
        if offset >= len(pack):
            return None
    return _inflated(pack[offset + 1 : offset + 1 + _MAX_COMMIT_BYTES])


def _inflated(data: bytes) -> bytes | None:
    try:
        # A limit on the output, as a few bytes may inflate to gigabytes.
        return zlib.decompressobj().decompress(data, _MAX_COMMIT_BYTES)
    except zlib.error:
        return None
