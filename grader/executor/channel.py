"""The executor's end of the socket to the judge.

All functions that it uses are bound before the submission is imported, because the submission could
replace them.
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
"""How long after the last write a reply can still be held back. The judge measures a step from
one reply to the next, and any limit on a step is far longer than this."""
_MAX_UNSENT: Final = 64
_SMALL_BYTES: Final = 4096
"""Only replies below this size wait to be sent together."""


def _refuse_to_encode(value: object) -> object:
    raise TypeError(f"not JSON: {type(value).__name__}")


def make_json_encoder() -> Callable[[object], str]:
    """Return a function that encodes a value as JSON, if possible without looking up globals.

    `json.dumps` reads globals of the `json` package at each call, which a submission can change.
    """
    make = getattr(json.encoder, "c_make_encoder", None)  # missing in builds without the C module
    if make is None:
        return json.JSONEncoder(separators=(",", ":")).encode
    text = json.encoder.encode_basestring_ascii
    # Arguments: markers (None, because our own data has no cycles), default, string encoder,
    # indent, two separators, sort_keys, skipkeys, allow_nan.
    chunks = make(None, _refuse_to_encode, text, None, ":", ",", False, False, True)
    return lambda value: "".join(chunks(value, 0))


class Channel:
    """The executor's end of the socket: requests in, replies out."""

    def __init__(self, fd: int, requests_fd: int | None = None) -> None:
        """Write replies to `fd`; read requests from `requests_fd`, by default also from `fd`."""
        self._fd: Final = fd
        self._requests_fd: Final = fd if requests_fd is None else requests_fd
        self._dumps: Final = make_json_encoder()
        self._nonce = bytes(NONCE_BYTES)
        self._unsent: Final[list[bytes]] = []
        self._last_sent_s = 0.0

    def receive(self) -> Request | None:
        """Return the next request, or None if the judge has closed its end.

        Stores the nonce of the request, which marks the replies to it.
        """
        header = self._read_exactly(HEADER.size)
        if header is None:
            return None
        length, self._nonce = HEADER.unpack(header)
        payload = self._read_exactly(length - NONCE_BYTES)
        if payload is None:
            return None
        # `marshal` is not safe for hostile data, so only the judge's requests use it.
        request: Request = _unmarshal(payload)
        return request

    def _read_exactly(self, count: int) -> bytes | None:
        """Return the next `count` bytes, or None if the stream ends before that."""
        chunks = []
        while count:
            # Bounded, because `os.read` allocates the requested size, however little has arrived.
            chunk = _read(self._requests_fd, min(count, 1 << 20))
            if not chunk:
                return None
            chunks.append(chunk)
            count -= len(chunk)
        return b"".join(chunks)

    def send(self, reply: Reply, *, may_wait: bool = False) -> None:
        """Send a reply to the last request; `TOO_LONG` replaces a reply over the cap.

        With `may_wait`, a small reply is held back if the last write was less than 5 ms ago, and is
        sent together with the following ones.
        """
        # ASCII with escapes, because text can contain lone surrogates, which UTF-8 cannot encode.
        payload = self._dumps(reply).encode("ascii")
        if len(payload) + NONCE_BYTES > MAX_REPLY_BYTES:
            payload = TOO_LONG
        self._unsent.append(pack_frame(self._nonce, payload))
        may_be_batched = may_wait and _now() < self._last_sent_s + _BATCH_S
        if may_be_batched and len(self._unsent) < _MAX_UNSENT and len(payload) < _SMALL_BYTES:
            return
        frames = b"".join(self._unsent)
        self._unsent.clear()
        sent = _write(self._fd, frames)
        while sent < len(frames):
            sent += _write(self._fd, memoryview(frames)[sent:])
        self._last_sent_s = _now()

    def close(self) -> None:
        """Close the descriptor for replies, so that the judge reaches the end of the stream."""
        _close(self._fd)
