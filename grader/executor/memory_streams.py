"""Raw streams that read and write files in memory."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final


class WritableStream(io.RawIOBase):
    """A stream that writes to a file; all streams for one file share its data."""

    def __init__(
        self, data: bytearray, name: Any, reserve: Callable[[int], None], mode: str
    ) -> None:
        """Write to `data`, the content of the file that was opened as `name` with `mode`.

        `reserve` is called with a number of bytes, and raises `OSError` if there is no space for
        that many more.
        """
        super().__init__()
        self.name: Final = name
        self._data: Final = data
        self._reserve: Final = reserve
        self._appends: Final = "a" in mode
        self._position = len(data) if self._appends else 0

    def readable(self) -> bool:
        """Return True; the buffered stream around this one restricts what the program can do."""
        return True

    writable = seekable = readable

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` with data from the current position; return the number of bytes."""
        chunk = self._data[self._position : self._position + len(buffer)]
        buffer[: len(chunk)] = chunk
        self._position += len(chunk)
        return len(chunk)

    def write(self, data: Any, /) -> int:
        """Write `data` at the current position, or at the end in append mode; return its length.

        Raises `OSError` if there is no space left.
        """
        raw = memoryview(data).tobytes()
        start = len(self._data) if self._appends else self._position
        self._extend_to(start + len(raw))
        self._data[start : start + len(raw)] = raw
        self._position = start + len(raw)
        return len(raw)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move to a position, which can lie beyond the end of the file, and return it.

        Raises `OSError` if the position is negative or `whence` is unknown.
        """
        if whence not in (0, 1, 2):
            raise OSError(22, "Invalid argument")
        position = offset + (0, self._position, len(self._data))[whence]
        if position < 0:
            raise OSError(22, "Invalid argument")
        self._position = position
        return position

    def truncate(self, size: int | None = None, /) -> int:
        """Cut off or pad the file to `size` bytes, by default to the current position.

        Returns the new size. Raises `OSError` if there is no space left.
        """
        size = self._position if size is None else size
        self._extend_to(size)
        del self._data[size:]
        return size

    def _extend_to(self, size: int) -> None:
        """Pad the file with zeros to `size` bytes, or raise `OSError` if there is no space left."""
        missing = size - len(self._data)
        if missing > 0:
            self._reserve(missing)
            self._data.extend(bytes(missing))


class ReadOnlyStream(io.BytesIO):
    """A stream that reads a file."""

    def __init__(self, data: bytes | bytearray, name: Any) -> None:
        super().__init__(data)
        self.name: Final = name
