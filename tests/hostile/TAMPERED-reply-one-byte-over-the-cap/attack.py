"""Sends one byte more than a reply may have, under the right nonce; the judge stops at the header."""

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
    os.write(channel()._fd, struct.pack(">I", 4 * 1024 * 1024 + 1) + channel()._nonce)
    threading.Event().wait(60)


def double(n):
    return 2 * n
