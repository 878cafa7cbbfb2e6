"""Decompresses data in small pieces, and no more than the caller consumes.

Nothing here trusts a declared size: the caller stops iterating when it has enough.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

PIECE_BYTES: Final = 64 * 1024
_MAX_IDLE: Final = 1000
"""Limit on consecutive pieces without output: a bzip2 block has a few, an attack has millions."""
_XZ_MEMORY_BYTES: Final = 128 * 1024 * 1024
"""Twice what `xz -9` needs; a hostile stream might request 4 GiB."""


class DamagedData(Exception):
    """Data ends too soon, or is malformed."""


class Decompressor(Protocol):
    """The interface that the decompressors in `bz2` and `lzma` share."""

    @property
    def eof(self) -> bool:
        """Whether the end of the stream was reached."""

    @property
    def needs_input(self) -> bool:
        """Whether decompression needs more input to continue."""

    @property
    def unused_data(self) -> bytes:
        """The data after the end of the stream."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return at most `max_length` unpacked bytes from `data` and earlier input."""


class _Inflater:
    """The `zlib` decompressor, adapted to `Decompressor`."""

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


DECOMPRESSORS: Final[Mapping[bytes, Callable[[], Decompressor]]] = {
    b"\x1f\x8b\x08": lambda: _Inflater(zlib.MAX_WBITS + 16),  # with a gzip header
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": _xz,
}
"""Decompressors for whole files, keyed by the first bytes of the file."""


def find_decompressor(head: bytes) -> Callable[[], Decompressor] | None:
    """Return a function that makes decompressors for a file that starts with `head`.

    Returns None if the file is uncompressed, or compressed in another way.
    """
    return next(
        (
            new_decompressor
            for magic, new_decompressor in DECOMPRESSORS.items()
            if head.startswith(magic)
        ),
        None,
    )


def inflater() -> Decompressor:
    """Return a new decompressor for a deflated file in a zip."""
    return _Inflater(-zlib.MAX_WBITS)  # raw deflate, without a header


def decompress_stream(
    read: Callable[[int], bytes], new_decompressor: Callable[[], Decompressor]
) -> Iterator[bytes]:
    """Decompress the data from `read`, and yield it in pieces.

    `read` returns at most the given number of bytes, and none at the end of the data. The data can
    be several streams, one after another. Raises `DamagedData` if a stream is malformed or ends too
    soon, or if it keeps consuming input without producing output.
    """
    stream, data, idle_count = new_decompressor(), b"", 0
    try:
        while True:
            if stream.eof:  # some programs, such as pbzip2, write several streams
                data = stream.unused_data or read(PIECE_BYTES)
                if find_decompressor(data) is None:
                    return  # the end of the data, or padding
                stream = new_decompressor()
            elif stream.needs_input:
                data = read(PIECE_BYTES)
            piece = stream.decompress(data, PIECE_BYTES)
            idle_count = 0 if piece else idle_count + 1
            # No output, no input and no end of stream: the data is truncated.
            if idle_count > _MAX_IDLE or not (piece or data or stream.eof):
                raise DamagedData
            data = b""
            if piece:
                yield piece
    except (zlib.error, lzma.LZMAError, OSError, EOFError) as error:
        raise DamagedData from error
