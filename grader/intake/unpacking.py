"""Decompresses data piece by piece, but no more than the caller wants.

Nothing here trusts a declared size: data is unpacked in small pieces, and the caller stops when it
has enough.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

PIECE_BYTES: Final = 64 * 1024
_MAX_IDLE: Final = 1000
"""Limit on consecutive pieces without output: a block of bzip2 has some, an attack millions."""
_XZ_MEMORY_BYTES: Final = 128 * 1024 * 1024
"""Twice what `xz -9` needs; a hostile stream may ask for 4 GiB."""


class Damaged(Exception):
    """Data ends too soon, or is not of the expected kind."""


class Decompressor(Protocol):
    """The interface that the decompressors of `bz2` and `lzma` share."""

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end."""

    @property
    def needs_input(self) -> bool:
        """Whether it needs more data to continue."""

    @property
    def unused_data(self) -> bytes:
        """The data after the end of the stream."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return at most `max_length` unpacked bytes from `data` and earlier input."""


class _Inflater:
    """The decompressor of `zlib`, with the same interface."""

    def __init__(self, window_bits: int) -> None:
        self._inner: Final = zlib.decompressobj(window_bits)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


def _xz() -> Decompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)


PACKINGS: Final[Mapping[bytes, Callable[[], Decompressor]]] = {
    b"\x1f\x8b\x08": lambda: _Inflater(zlib.MAX_WBITS + 16),  # with a gzip header
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": _xz,
}
"""Compressions of whole files, by the first bytes of a file."""


def packing_of(head: bytes) -> Callable[[], Decompressor] | None:
    """Return the decompressor for a file that starts with `head`, None if it is not compressed."""
    return next(
        (
            new_decompressor
            for magic, new_decompressor in PACKINGS.items()
            if head.startswith(magic)
        ),
        None,
    )


def inflater() -> Decompressor:
    """Return a decompressor for a file in a zip."""
    return _Inflater(-zlib.MAX_WBITS)  # raw deflate, without a header


def unpacked(
    read: Callable[[int], bytes], new_decompressor: Callable[[], Decompressor]
) -> Iterator[bytes]:
    """Yield the data from `read`, unpacked; it may be several consecutive streams.

    Raises `Damaged` if it is not such a stream, or ends too soon.
    """
    stream, data, idle_count = new_decompressor(), b"", 0
    try:
        while True:
            if stream.eof:
                data = stream.unused_data or read(PIECE_BYTES)
                if packing_of(data) is None:
                    return  # the end, or padding
                stream = new_decompressor()
            elif stream.needs_input:
                data = read(PIECE_BYTES)
            piece = stream.decompress(data, PIECE_BYTES)
            idle_count = 0 if piece else idle_count + 1
            # Without output, input or an end of the stream, the data was cut off.
            if idle_count > _MAX_IDLE or not (piece or data or stream.eof):
                raise Damaged
            data = b""
            if piece:
                yield piece
    except (zlib.error, lzma.LZMAError, OSError, EOFError) as error:
        raise Damaged from error
