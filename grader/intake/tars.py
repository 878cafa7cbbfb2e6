"""Lists the files in a tar, from beginning to end.

A tar has no table of contents. If it is uncompressed, a leaf is read at its offset in the file. If
it is compressed, seeking back is impossible: files that might be a student's work are kept in
memory up to a limit, and all other files are skipped. Headers are parsed here, because `tarfile`
trusts the sizes in them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Final, Protocol

from grader.intake.files import (
    MAX_FILE_BYTES,
    Content,
    SubmissionError,
    is_skipped,
)
from grader.intake.listing import MAX_KEPT_BYTES, MAX_NESTED_BYTES, Listing, ReadingBudget
from grader.intake.members import datetime_from_timestamp, decode_name, member_path, require_shallow
from grader.intake.sources import Leaf
from grader.intake.unpacking import (
    PIECE_BYTES,
    DamagedData,
    Decompressor,
    decompress_stream,
    find_decompressor,
)
from grader.messages import Message, message
from grader.values.foreign_text import one_line

BLOCK_BYTES: Final = 512
_MAX_HEADER_BYTES: Final = 1024**2
"""Limit on extended headers, which describe the next file, for instance its long name."""
_MAX_RECORDS: Final = 100
"""Limit on the records in one extended header; writers use a few."""
MAX_RATIO: Final = 500
_RATIO_COUNTS_FROM: Final = 64 * 1024**2
"""Below this size the ratio is not checked, because the mostly empty blocks of small files
compress well."""
_FILE_KINDS: Final = b"0\x007"
"""The three type flags for a regular file."""
_FOLDER_KIND: Final = b"5"
_LINK_KINDS: Final = b"12"
_KINDS_WITHOUT_DATA: Final = b"123456"
_LONG_NAME_KIND: Final = b"L"  # GNU
_EXTENDED_KIND: Final = b"x"  # pax
_SKIPPED_KINDS: Final = b"KgV"
"""Long names of links, global headers, and the volume label: none of them is a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    """The header of a file."""

    name: str
    kind: bytes
    size_bytes: int
    modified: float
    is_sparse: bool = False


def is_tar(head: bytes) -> bool:
    """Return whether `head`, the start of a file, has the checksum of an uncompressed tar."""
    if len(head) < BLOCK_BYTES or not any(head[:BLOCK_BYTES]):
        return False
    try:
        # The checksum counts its own field as eight spaces, 256 in all.
        return _parse_number(head[148:156]) == 256 + sum(head[:148]) + sum(head[156:BLOCK_BYTES])
    except DamagedData:
        return False


def list_tar(open_file: Callable[[], BinaryIO], listing: Listing) -> None:
    """Add the files in the tar that `open_file` opens, compressed or not, to `listing`.

    If the tar is damaged, or unpacks to too much data, the listing is incomplete, and the reason is
    recorded as a refusal.
    """
    with open_file() as file:
        new_decompressor = find_decompressor(file.read(BLOCK_BYTES))
        file.seek(0)
        tape = (
            _Uncompressed(file)
            if new_decompressor is None
            else _Compressed(file, new_decompressor, listing.budget)
        )
        try:
            for header in _iterate_headers(tape, listing):
                read_at = (
                    partial(_pieces_at, open_file, tape.offset)
                    if new_decompressor is None
                    else None
                )
                _add(header, tape, read_at, listing)
        except DamagedData:
            damaged = message("refused.damaged_archive", file=one_line(listing.name))
            listing.refuse(listing.folder, damaged)
        except _TooMuchData:
            listing.refuse(listing.folder, message("refused.bomb", file=one_line(listing.name)))


def _add(
    header: _Header,
    tape: _Tape,
    read_at: Callable[[int], Iterator[bytes]] | None,
    listing: Listing,
) -> None:
    """Add the file after `header` to `listing`, or record that it is skipped or refused.

    If `read_at` is given, the content is read later, by calling `read_at` with the size. Otherwise,
    the content is read from `tape` and kept in memory. Raises `DamagedData` or `_TooMuchData` if
    that fails.
    """
    # A refused name might lead into another student's folder, so it is not used as the path.
    path, size = listing.folder, header.size_bytes
    try:
        name = member_path(header.name)
        if not name or is_skipped(name):
            listing.skip(name)
            return
        path = listing.path(name)
        require_shallow(name)
        if header.kind == _FOLDER_KIND or header.name.endswith("/"):
            listing.add_folder(path)
            return
        _require_file(header, path)
        pieces = (
            _keep_in_memory(path, tape, size, listing.budget)
            if read_at is None
            else partial(read_at, size)
        )
        leaf = Leaf(
            path=path,
            size_bytes=size,
            modified=datetime_from_timestamp(header.modified),
            archive=listing.archive,
            read=Content(path, pieces, size),
        )
        listing.add(leaf, replaces=True)
    except SubmissionError as error:
        listing.refuse(path, error.reason)


def _require_file(header: _Header, path: str) -> None:
    if header.kind in _LINK_KINDS:
        raise SubmissionError(message("refused.link", file=one_line(path)))
    if header.kind not in _FILE_KINDS or header.is_sparse:
        raise SubmissionError(message("refused.special", file=one_line(path)))


# The content of a file


def _pieces_at(open_file: Callable[[], BinaryIO], offset: int, size_bytes: int) -> Iterator[bytes]:
    """Yield `size_bytes` bytes from `offset`; raises `DamagedData` if the file is shorter."""
    with open_file() as file:
        file.seek(offset)
        while size_bytes:
            piece = file.read(min(size_bytes, PIECE_BYTES))
            if not piece:
                raise DamagedData
            size_bytes -= len(piece)
            yield piece


def _keep_in_memory(
    path: str, tape: _Tape, size_bytes: int, budget: ReadingBudget
) -> Callable[[], Iterator[bytes]]:
    """Read the next file on the `tape` into memory, and return a function that yields its content.

    The size of the file is deducted from `budget`. If the file exceeds a limit, it is not kept, and
    the returned function raises `SubmissionError`. Raises `DamagedData` if the tape ends before the
    file does.
    """
    head = tape.read(min(size_bytes, BLOCK_BYTES))
    if size_bytes > (MAX_NESTED_BYTES if _may_be_archive(head) else MAX_FILE_BYTES):
        kib = MAX_FILE_BYTES // 1024
        return partial(_raise_refusal, message("refused.large", file=one_line(path), kib=kib))
    if size_bytes > budget.kept_bytes:
        return partial(_raise_refusal, message("refused.total", mib=MAX_KEPT_BYTES // 1024**2))
    data = head + tape.read(size_bytes - len(head))
    if len(data) < size_bytes:
        raise DamagedData
    budget.kept_bytes -= size_bytes
    return partial(iter, (data,))


def _raise_refusal(reason: Message) -> Iterator[bytes]:
    raise SubmissionError(reason)


def _may_be_archive(head: bytes) -> bool:
    return head.startswith(b"PK") or find_decompressor(head) is not None or is_tar(head)


# Headers


def _iterate_headers(tape: _Tape, listing: Listing) -> Iterator[_Header]:
    """Yield the header of each file, with the `tape` at the start of the file's content.

    Content that the caller does not read is skipped. If a limit on entries is exceeded, a
    refusal is recorded and the rest of the tar is ignored. Raises `DamagedData` if a header is
    invalid.
    """
    name, extended = b"", dict[bytes, bytes]()
    while listing.count_entry():
        block = tape.read(BLOCK_BYTES)
        # A block of zeros ends a tar. If that is missing, `block` is empty at the end of the file.
        if not any(block):
            return
        if not is_tar(block):
            raise DamagedData
        kind, size = block[156:157], _parse_number(block[124:136])
        if kind in {_LONG_NAME_KIND, _EXTENDED_KIND}:
            if not 0 <= size <= _MAX_HEADER_BYTES:  # octal digits can have a sign
                raise DamagedData
            data = tape.read(size)
            name = data.split(b"\0")[0] if kind == _LONG_NAME_KIND else name
            extended = dict(_parse_records(data)) if kind == _EXTENDED_KIND else extended
            tape.skip(-size % BLOCK_BYTES)  # data fills whole blocks
            continue
        header = _parse_header(block, name, extended)
        end = tape.offset + (header.size_bytes + BLOCK_BYTES - 1) // BLOCK_BYTES * BLOCK_BYTES
        # A long name and an extended header describe the next file, not a skipped header.
        if kind not in _SKIPPED_KINDS:
            yield header
            name, extended = b"", {}
        tape.skip(end - tape.offset)


def _parse_header(block: bytes, name: bytes, extended: Mapping[bytes, bytes]) -> _Header:
    """Parse the header in `block`; a long `name` and the `extended` header take precedence.

    Raises `DamagedData` if a number is invalid.
    """
    kind = block[156:157]
    # The old GNU format has other fields at this offset, and another magic: `ustar` and spaces.
    prefix = block[345:500] if block[257:263] == b"ustar\0" else b""
    short = b"/".join(part.split(b"\0")[0] for part in (prefix, block[:100]) if part.strip(b"\0"))
    try:
        size = int(extended[b"size"]) if b"size" in extended else _parse_number(block[124:136])
        modified = float(extended.get(b"mtime", b"nan"))
    except ValueError as error:
        raise DamagedData from error
    if size < 0:
        raise DamagedData
    return _Header(
        name=decode_name(extended.get(b"path") or name or short),
        kind=kind,
        # Links and devices have no data, whatever size they claim.
        size_bytes=0 if kind in _KINDS_WITHOUT_DATA else size,
        modified=_parse_number(block[136:148]) if math.isnan(modified) else modified,
        is_sparse=any(key.startswith(b"GNU.sparse.") for key in extended),
    )


def _parse_number(field: bytes) -> int:
    """Parse the number in `field`: octal digits, or binary if it is too large for octal digits.

    Raises `DamagedData` if it is neither.
    """
    if field[:1] == b"\x80":  # GNU base 256
        return int.from_bytes(field[1:], "big")
    try:
        return int(field.split(b"\0")[0].strip() or b"0", 8)
    except ValueError as error:
        raise DamagedData from error


def _parse_records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the key-value pairs in an extended header, in which each record starts with its length.

    Raises `DamagedData` if a record is malformed or there are too many of them.
    """
    data, position = data.rstrip(b"\0"), 0
    for _ in range(_MAX_RECORDS):
        if position >= len(data):
            return
        length, _, _ = data[position : position + 20].partition(b" ")
        if not length.isdigit() or not len(length) < int(length) <= len(data) - position:
            raise DamagedData
        key, _, value = data[position + len(length) + 1 : position + int(length) - 1].partition(
            b"="
        )
        yield key, value
        position += int(length)
    raise DamagedData


# Sequential reading


class _Tape(Protocol):
    """A file that is read sequentially."""

    @property
    def offset(self) -> int: ...
    def read(self, size_bytes: int) -> bytes: ...
    def skip(self, size_bytes: int) -> None: ...


class _Uncompressed:
    """An uncompressed file, read sequentially."""

    def __init__(self, file: BinaryIO) -> None:
        self._file: Final = file
        self._size: Final = file.seek(0, 2)
        file.seek(0)

    @property
    def offset(self) -> int:
        return self._file.tell()

    def read(self, size_bytes: int) -> bytes:
        return self._file.read(size_bytes)

    def skip(self, size_bytes: int) -> None:
        if self.offset + size_bytes > self._size:
            raise DamagedData
        self._file.seek(size_bytes, 1)


class _Compressed:
    """A compressed file, decompressed while it is read, up to a limit."""

    def __init__(
        self, file: BinaryIO, new_decompressor: Callable[[], Decompressor], budget: ReadingBudget
    ) -> None:
        self._file: Final = file
        self._pieces: Final = decompress_stream(file.read, new_decompressor)
        self._budget: Final = budget
        self._buffer = b""
        self._unpacked_bytes = 0

    @property
    def offset(self) -> int:
        return self._unpacked_bytes - len(self._buffer)

    def read(self, size_bytes: int) -> bytes:
        return b"".join(self._read_pieces(size_bytes))

    def skip(self, size_bytes: int) -> None:
        if sum(map(len, self._read_pieces(size_bytes))) < size_bytes:
            raise DamagedData

    def _read_pieces(self, size_bytes: int) -> Iterator[bytes]:
        """Yield the next `size_bytes` bytes in pieces, fewer at the end of the file."""
        while size_bytes:
            self._buffer = self._buffer or self._next_piece()
            if not self._buffer:
                return
            piece, self._buffer = self._buffer[:size_bytes], self._buffer[size_bytes:]
            size_bytes -= len(piece)
            yield piece

    def _next_piece(self) -> bytes:
        """Decompress the next piece, and deduct its size from the budget.

        Raises `_TooMuchData` if a limit is exceeded.
        """
        piece = next(self._pieces, b"")  # empty at the end of the file
        self._unpacked_bytes += len(piece)
        self._budget.unpacked_bytes -= len(piece)
        ratio = self._unpacked_bytes / max(1, self._file.tell())
        if self._budget.unpacked_bytes < 0 or (
            self._unpacked_bytes > _RATIO_COUNTS_FROM and ratio > MAX_RATIO
        ):
            raise _TooMuchData
        return piece


class _TooMuchData(Exception):
    """Decompressing the file would exceed a limit."""
