"""Replies with a number of a million digits, quadratic to read; the judge's JSON reader refuses it."""

import json
import os
import struct
import sys
import threading


def channel():
    frame = sys._getframe()
    while frame.f_code.co_name != "serve":
        frame = frame.f_back
    return frame.f_locals["channel"]


def send(payload):
    ours = channel()
    frame = struct.pack(">I", 8 + len(payload)) + ours._nonce + payload
    while frame:
        frame = frame[os.write(ours._fd, frame) :]


def answer(n):
    send(b'{"value":' + b"9" * 1_000_000 + b"}")
    threading.Event().wait(60)


def double(n):
    return 2 * n
