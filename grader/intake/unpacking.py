"""Takes compressed data apart piece by piece, and no more of it than there is room for.

Nothing here trusts a size that somebody wrote down: data are unpacked in small pieces, and whoever
asks stops when it is enough.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

PIECE_BYTES: Final = 64 * 1024
_MAX_IDLE: Final = 1000
"""Pieces that give nothing, one after another; a block of bzip2 has some, a trick has millions."""
_XZ_MEMORY_BYTES: Final = 128 * 1024 * 1024
"""What `xz -9` asks for is half of it; a stream may ask for 4 GiB."""


class Damaged(Exception):
    """Data end too soon, or are none of their kind."""


class Decompressor(Protocol):
    """What `bz2` and `lzma` have in common."""

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end."""

    @property
    def needs_input(self) -> bool:
        """Whether it takes more data to go on."""

    @property
    def unused_data(self) -> bytes:
        """What was read behind its end."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return at most `max_length` bytes of what `data`, and those before, hold."""


class _Inflater:
    """The decompressor of `zlib`, in the shape of the others."""

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
    b"\x1f\x8b\x08": lambda: _Inflater(zlib.MAX_WBITS + 16),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": _xz,
}
"""The ways in which a whole file may be compressed, by how such a file begins."""


def packing_of(head: bytes) -> Callable[[], Decompressor] | None:
    """Return how a file that begins with `head` is compressed, None where it is not."""
    return next((new for magic, new in PACKINGS.items() if head.startswith(magic)), None)


def inflater() -> Decompressor:
    """Return what unpacks a file of a zip."""
    return _Inflater(-zlib.MAX_WBITS)


def unpacked(read: Callable[[int], bytes], new: Callable[[], Decompressor]) -> Iterator[bytes]:
    """Yield what `read` gives, unpacked; it may be several streams one after another.

    Raises `Damaged` where it is none, or ends too soon.
    """
    stream, data, idle = new(), b"", 0
    try:
        while True:
            if stream.eof:
                data = stream.unused_data or read(PIECE_BYTES)
                if packing_of(data) is None:
                    return  # the end, or what a tape was filled up with
                stream = new()
            elif stream.needs_input:
                data = read(PIECE_BYTES)
            piece = stream.decompress(data, PIECE_BYTES)
            idle = 0 if piece else idle + 1
            if idle > _MAX_IDLE or not (piece or data or stream.eof):
                raise Damaged
            data = b""
            if piece:
                yield piece
    except (zlib.error, lzma.LZMAError, OSError, EOFError) as error:
        raise Damaged from error
