"""Lists the files in a zip from the table at its end or, if that is damaged, one after another.

The table is hostile input. A file yields no more bytes than the table declares, and files that do
not match the table count as damaged. Overlapping files, which let a small zip expand to petabytes,
are refused.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import BinaryIO, Final

from grader.intake.files import Content, SubmissionError, is_skipped
from grader.intake.listing import Listing, ReadingBudget
from grader.intake.members import datetime_from_timestamp, decode_name, member_path, require_shallow
from grader.intake.sources import Leaf
from grader.intake.unpacking import PIECE_BYTES, DamagedData, decompress_stream, inflater
from grader.messages import message
from grader.values.foreign_text import one_line

# The records of a zip, by their sections in PKWARE's APPNOTE.
_END: Final = struct.Struct("<4s4H2LH")  # 4.3.16
_END_64: Final = struct.Struct("<4sQ2H2L4Q")  # 4.3.14
_LOCATOR: Final = struct.Struct("<4sLQL")  # 4.3.15
_TABLE_ENTRY: Final = struct.Struct("<4s2B5H3L5H2L")  # 4.3.12
_LOCAL_HEADER: Final = struct.Struct("<4s5H3L2H")  # 4.3.7
_MAX_COMMENT_BYTES: Final = 1 << 16
_MAX_EXTRA_BYTES: Final = 4096
"""How much of the extra fields is parsed: up to 64 KiB could contain thousands of empty fields."""
_MAX_TABLE_BYTES: Final = 64 * 1024**2
_VALUE_IN_EXTRA: Final = 0xFFFFFFFF
"""The placeholder for a number that is too large for its field and is in a ZIP64 extra field."""
_ENCRYPTED: Final = 1 << 0
_SIZES_FOLLOW: Final = 1 << 3  # a data descriptor follows the file
_STORED: Final = 0
_DEFLATED: Final = 8
_MAX_TRAILER_BYTES: Final = 24 + 4
"""The length of a data descriptor after a file, plus the next file's signature."""
_DOS_FOLDER: Final = 0x10
_EXTRA_64: Final = 0x0001  # ZIP64
_EXTRA_TIMES: Final = 0x5455  # Info-ZIP's extended timestamp
_EXTRA_NAME: Final = 0x7075  # Info-ZIP's Unicode path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """A file or folder in the zip."""

    name: str
    offset: int
    """The offset of the file's local header."""
    packed_bytes: int
    size_bytes: int
    crc: int
    flags: int
    method: int
    mode: int = 0
    """The Unix file mode; 0 if another system made the zip."""
    modified: datetime | None = None
    is_folder: bool = False


def list_zip(open_file: Callable[[], BinaryIO], listing: Listing) -> None:
    """Add the files in the zip that `open_file` opens to `listing`, and record refused ones.

    If the table is damaged, the damage is recorded, and files are found by their own headers.
    """
    with open_file() as file:
        try:
            # The whole table is read first: if it turns out to be damaged, none of it is used.
            members = list(_without_overlaps(list(_read_table(file, listing)), listing))
        except (DamagedData, struct.error):
            members = list(_members_without_table(file, listing))
            damaged = message("refused.damaged_archive", file=one_line(listing.name))
            listing.refuse(listing.folder, damaged)
    for member in members:
        _add(member, open_file, listing)


def _add(member: _Member, open_file: Callable[[], BinaryIO], listing: Listing) -> None:
    """Add `member` to `listing`, or record why it is skipped or refused."""
    path = listing.folder  # used for refused names, which might lead into another student's folder
    try:
        name = member_path(member.name)
        if not name or is_skipped(name):
            listing.skip(name)
            return
        path = listing.path(name)
        require_shallow(name)
        if member.is_folder:
            listing.add_folder(path)
            return
        _require_readable(member, path)
        leaf = Leaf(
            path=path,
            size_bytes=member.size_bytes,
            modified=member.modified,
            archive=listing.archive,
            read=Content(path, partial(_read_pieces, open_file, member), member.size_bytes),
        )
        listing.add(leaf, replaces=True)
    except SubmissionError as error:
        listing.refuse(path, error.reason)


def _require_readable(member: _Member, path: str) -> None:
    """Raise `SubmissionError` if `member` is not a regular file that can be read."""
    kind, key = stat.S_IFMT(member.mode), None
    if kind == stat.S_IFLNK:
        key = "refused.link"
    elif kind not in {0, stat.S_IFREG}:
        key = "refused.special"
    elif member.flags & _ENCRYPTED:
        key = "refused.locked"
    elif member.method not in {_STORED, _DEFLATED}:
        key = "refused.packing"
    if key is not None:
        raise SubmissionError(message(key, file=one_line(path)))


# The content of a file


def _read_pieces(open_file: Callable[[], BinaryIO], member: _Member) -> Iterator[bytes]:
    """Yield the content of `member`; raises `DamagedData` unless it matches the table exactly."""
    with open_file() as file:
        _skip_to_data(file, member.offset)
        read = _LimitedReader(file, member.packed_bytes)
        pieces = (
            decompress_stream(read, inflater)
            if member.method == _DEFLATED
            else iter(partial(read, PIECE_BYTES), b"")
        )
        crc, remaining = 0, member.size_bytes
        for piece in pieces:
            crc = zlib.crc32(piece, crc)
            remaining -= len(piece)
            if remaining < 0:
                raise DamagedData
            yield piece
    if remaining or crc != member.crc:
        raise DamagedData


def _skip_to_data(file: BinaryIO, offset: int) -> None:
    """Seek to the end of the local header at `offset`; raises `DamagedData` if there is none."""
    try:
        file.seek(offset)
    except (OSError, OverflowError, ValueError) as error:  # an offset too large for any file
        raise DamagedData from error
    header = _read_exactly(file, _LOCAL_HEADER.size)
    *_, name_bytes, extra_bytes = _LOCAL_HEADER.unpack(header)
    if not header.startswith(b"PK\3\4"):
        raise DamagedData
    # These lengths can differ from those in the table, which has its own extra fields.
    file.seek(name_bytes + extra_bytes, 1)


class _LimitedReader:
    """Reads from a file, but no more than a number of bytes in total."""

    def __init__(self, file: BinaryIO, size_bytes: int) -> None:
        self._file: Final = file
        self._remaining = size_bytes

    def __call__(self, max_bytes: int) -> bytes:
        data = self._file.read(min(max_bytes, self._remaining))
        self._remaining -= len(data)
        return data


def _read_exactly(file: BinaryIO, size_bytes: int) -> bytes:
    data = file.read(size_bytes)
    if len(data) < size_bytes:
        raise DamagedData
    return data


# The table at the end


def _without_overlaps(members: Sequence[_Member], listing: Listing) -> Iterator[_Member]:
    """Yield `members` that do not overlap the next one in the file; record the rest as refused."""
    by_offset = sorted(range(len(members)), key=lambda index: members[index].offset)
    overlapping = {
        index
        for index, following in pairwise(by_offset)
        if members[index].offset + _LOCAL_HEADER.size + members[index].packed_bytes
        > members[following].offset
    }
    for index, member in enumerate(members):
        if index in overlapping:
            path = listing.folder  # the name might lead into another student's folder
            with suppress(SubmissionError):
                path = listing.path(member_path(member.name))
            shown_name = path or listing.name
            listing.refuse(path, message("refused.bomb", file=one_line(shown_name)))
        else:
            yield member


def _read_table(file: BinaryIO, listing: Listing) -> Iterator[_Member]:
    """Yield the members in the table, up to a limit; if it is exceeded, record a refusal.

    Raises `DamagedData` if the table is missing or incomplete.
    """
    count, size_bytes, start, shift = _locate_table(file)
    file.seek(start)
    read = _LimitedReader(file, min(size_bytes, _MAX_TABLE_BYTES))
    for _ in range(count):
        if not listing.count_entry():
            return
        entry = read(_TABLE_ENTRY.size)
        if len(entry) < _TABLE_ENTRY.size or not entry.startswith(b"PK\1\2"):
            raise DamagedData
        yield _parse_member(entry, read, shift)


def _locate_table(file: BinaryIO) -> tuple[int, int, int, int]:
    """Return the table's number of entries, its size, its offset, and the shift of all offsets.

    Offsets are shifted if a self-extracting program precedes the zip. Raises `DamagedData` if the
    record at the end of the zip, which describes the table, is missing or invalid.
    """
    size = file.seek(0, 2)
    start = file.seek(max(0, size - _MAX_COMMENT_BYTES - _END.size))
    tail = file.read(_MAX_COMMENT_BYTES + _END.size)
    # Search for the last signature, because a zip stored inside this one has its own.
    position = tail.rfind(b"PK\5\6")
    if position < 0:
        raise DamagedData
    _, _, _, _, count, table_bytes, offset, _ = _END.unpack_from(tail, position)
    end = start + position
    # 0xFFFF is a placeholder too: the real count is in the ZIP64 record.
    if _VALUE_IN_EXTRA in {table_bytes, offset} or count == 0xFFFF:
        with suppress(DamagedData):  # without that record, the numbers are real
            count, table_bytes, offset, end = _read_record_64(file, end)
    table_start = end - table_bytes
    if table_start < offset:
        raise DamagedData
    return count, table_bytes, table_start, table_start - offset


def _read_record_64(file: BinaryIO, end: int) -> tuple[int, int, int, int]:
    """Return the count, size and offset in the ZIP64 record before `end`, and that record's offset.

    Raises `DamagedData` if there is no such record.
    """
    position = end - _LOCATOR.size - _END_64.size
    if position < 0:
        raise DamagedData
    file.seek(position)
    record = _read_exactly(file, _END_64.size)
    if not record.startswith(b"PK\6\6"):
        raise DamagedData
    *_, count, table_bytes, offset = _END_64.unpack(record)
    return count, table_bytes, offset, position


def _parse_member(entry: bytes, read: _LimitedReader, shift: int) -> _Member:
    """Parse the table `entry`, and read its name and extra fields with `read`."""
    numbers = _TABLE_ENTRY.unpack(entry)
    flags, method, time, date, crc, packed, size, *lengths = numbers[4:14]
    attributes, offset = numbers[-2:]
    raw_name, extra, _ = (read(length) for length in lengths)
    extras = dict(_parse_extras(extra))
    size, packed, offset = _resolve_large_numbers((size, packed, offset), extras)
    name = _decode_member_name(raw_name, extras)
    return _Member(
        name=name,
        offset=offset + shift,
        packed_bytes=packed,
        size_bytes=size,
        crc=crc,
        flags=flags,
        method=method,
        mode=attributes >> 16,  # Unix stores the mode in the upper half
        modified=_parse_modified(date, time, extras),
        # Some Windows programs write backslashes, others only set the attribute.
        is_folder=name.endswith(("/", "\\")) or bool(not size and attributes & _DOS_FOLDER),
    )


def _resolve_large_numbers(numbers: Sequence[int], extras: dict[int, bytes]) -> Iterator[int]:
    """Yield `numbers`, replacing each placeholder with the next number from the ZIP64 field."""
    data = extras.get(_EXTRA_64, b"")
    large = struct.iter_unpack("<Q", data[: len(data) // 8 * 8])
    for number in numbers:
        yield next(large, (number,))[0] if number == _VALUE_IN_EXTRA else number


def _parse_extras(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the extra fields as pairs of kind and data.

    Stops at a length that no valid zip exceeds.
    """
    position, end = 0, min(len(data), _MAX_EXTRA_BYTES)
    while position + 4 <= end:
        kind, size = struct.unpack_from("<2H", data, position)
        yield kind, data[position + 4 : position + 4 + size]
        position += 4 + size


def _decode_member_name(raw: bytes, extras: dict[int, bytes]) -> str:
    """Decode a file's name: the one in the Unicode extra field if it matches `raw`, or `raw`."""
    field = extras.get(_EXTRA_NAME, b"")
    # If the checksum differs, a program renamed the file without updating the extra field.
    if len(field) > 5 and struct.unpack_from("<L", field, 1) == (zlib.crc32(raw),):
        raw = field[5:]
    return decode_name(raw)


def _parse_modified(date: int, time: int, extras: dict[int, bytes]) -> datetime | None:
    """Return the time of a file's last change, or None if the time is invalid.

    The result has a time zone only if it comes from the extra field; MS-DOS times are local times
    in an unknown zone.
    """
    times = extras.get(_EXTRA_TIMES, b"")
    if len(times) >= 5 and times[0] & 1:  # bit 0: the time of the last change is present
        return datetime_from_timestamp(*struct.unpack_from("<l", times, 1))
    # MS-DOS counts years from 1980, and seconds in twos.
    day = (date >> 9) + 1980, date >> 5 & 0xF, date & 0x1F
    with suppress(ValueError):
        return datetime(*day, time >> 11, time >> 5 & 0x3F, (time & 0x1F) * 2)  # noqa: DTZ001
    return None


# Without the table


def _members_without_table(file: BinaryIO, listing: Listing) -> Iterator[_Member]:
    """Read the members one by one from the start of the file, and yield them.

    Stops at the first invalid header, or if there are too many members, which is recorded.
    """
    offset, end = 0, file.seek(0, 2)
    while offset < end and listing.count_entry():
        file.seek(offset)
        header = file.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\3\4"):
            return
        _, _, flags, method, time, date, crc, packed, size, *lengths = _LOCAL_HEADER.unpack(header)
        raw_name, extra = (file.read(length) for length in lengths)
        extras = dict(_parse_extras(extra))
        size, packed = _resolve_large_numbers((size, packed), extras)
        start = offset + _LOCAL_HEADER.size + sum(lengths)
        if flags & _SIZES_FOLLOW and not packed:
            packed, size, crc = _measure(file, listing.budget)
        name = _decode_member_name(raw_name, extras)
        yield _Member(
            name=name,
            offset=offset,
            packed_bytes=packed,
            size_bytes=size,
            crc=crc,
            flags=flags,
            method=method,
            modified=_parse_modified(date, time, extras),
            is_folder=name.endswith(("/", "\\")),
        )
        offset = start + packed
        if flags & _SIZES_FOLLOW:
            # The length of a data descriptor varies, so search for the next header.
            file.seek(offset)
            offset += max(0, file.read(_MAX_TRAILER_BYTES).find(b"PK\3\4"))


def _measure(file: BinaryIO, budget: ReadingBudget) -> tuple[int, int, int]:
    """Return the packed size, size and checksum of the deflated data at the current position.

    The unpacked size is deducted from `budget`. If the data is invalid or exceeds the budget,
    the sizes are 0 and the checksum is impossible, so that reading the file fails.
    """
    stream, packed, size, crc = zlib.decompressobj(-zlib.MAX_WBITS), 0, 0, 0
    with suppress(zlib.error):
        while not stream.eof and budget.unpacked_bytes > 0:
            data = stream.unconsumed_tail or file.read(PIECE_BYTES)
            piece = stream.decompress(data, PIECE_BYTES)
            packed += len(data) - len(stream.unconsumed_tail) - len(stream.unused_data)
            size, crc = size + len(piece), zlib.crc32(piece, crc)
            budget.unpacked_bytes -= len(piece)
            if not data:
                break
    return (packed, size, crc) if stream.eof else (0, 0, -1)
