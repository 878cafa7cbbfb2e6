"""The executor's end of the socket to the judge.

All functions it uses are bound before the submission, which could replace them, is imported.
"""

from __future__ import annotations

import json
import json.encoder
import marshal
import os
import time
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from grader.protocol import HEADER, MAX_REPLY_BYTES, NONCE_BYTES, TOO_LONG, pack_frame

Request: TypeAlias = dict[str, Any]
Reply: TypeAlias = dict[str, Any]

_write: Final = os.write
_read: Final = os.read
_close: Final = os.close
_unmarshal: Final = marshal.loads
_now: Final = time.perf_counter
_BATCH_S: Final = 0.005
"""Far less than any limit on a step, which the judge measures from one reply to the next."""
_MAX_UNSENT: Final = 64
_SMALL_BYTES: Final = 4096
"""At most `_MAX_UNSENT` replies, each below this size, wait to be sent together."""


def _refuse_to_encode(value: object) -> object:
    raise TypeError(f"not JSON: {type(value).__name__}")


def json_encoder() -> Callable[[object], str]:
    """Return an encoder to JSON that looks up no globals at run time.

    `json.dumps` reads globals of the `json` package at each call, which a submission can change.
    """
    make = getattr(json.encoder, "c_make_encoder", None)  # missing in builds without the C module
    if make is None:
        return json.JSONEncoder(separators=(",", ":")).encode
    text = json.encoder.encode_basestring_ascii
    # Arguments: markers (None: own data has no cycles), default, string encoder, indent, two
    # separators, sort_keys, skipkeys, allow_nan.
    chunks = make(None, _refuse_to_encode, text, None, ":", ",", False, False, True)
    return lambda value: "".join(chunks(value, 0))


class Channel:
    """The executor's end of the socket: requests in, replies out."""

    def __init__(self, fd: int, requests_fd: int | None = None) -> None:
        self._fd: Final = fd
        self._requests_fd: Final = fd if requests_fd is None else requests_fd
        self._dumps: Final = json_encoder()
        self._nonce = bytes(NONCE_BYTES)
        self._unsent: Final[list[bytes]] = []
        self._last_sent_s = 0.0

    def receive(self) -> Request | None:
        """Return the next request, or None when the judge has closed its end."""
        header = self._read_exactly(HEADER.size)
        if header is None:
            return None
        length, self._nonce = HEADER.unpack(header)
        payload = self._read_exactly(length - NONCE_BYTES)
        if payload is None:
            return None
        request: Request = _unmarshal(payload)  # requests only; replies are JSON
        return request

    def _read_exactly(self, count: int) -> bytes | None:
        """Read `count` bytes; return None if the stream ends before that."""
        chunks = []
        while count:
            # In bounded chunks: `read` allocates the size requested, however little has arrived.
            chunk = _read(self._requests_fd, min(count, 1 << 20))
            if not chunk:
                return None
            chunks.append(chunk)
            count -= len(chunk)
        return b"".join(chunks)

    def send(self, reply: Reply, *, waits: bool = False) -> None:
        """Send a reply to the last request; a reply over the cap is replaced by `TOO_LONG`.

        A reply that `waits` may be sent together with the next ones, if these follow within 5 ms.
        """
        # Other characters are escaped: UTF-8 would refuse the lone surrogates that text may have.
        payload = self._dumps(reply).encode("ascii")
        if len(payload) + NONCE_BYTES > MAX_REPLY_BYTES:
            payload = TOO_LONG
        self._unsent.append(pack_frame(self._nonce, payload))
        is_soon = waits and _now() < self._last_sent_s + _BATCH_S
        if is_soon and len(self._unsent) < _MAX_UNSENT and len(payload) < _SMALL_BYTES:
            return
        frames = b"".join(self._unsent)
        self._unsent.clear()
        sent = _write(self._fd, frames)
        while sent < len(frames):
            sent += _write(self._fd, memoryview(frames)[sent:])
        self._last_sent_s = _now()

    def close(self) -> None:
        """Close the channel: the judge sees the end of the stream."""
        _close(self._fd)
