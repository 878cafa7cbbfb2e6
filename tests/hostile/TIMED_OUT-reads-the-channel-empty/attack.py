"""Waits for the next request itself, and swallows whatever comes; no reply is a reply too late."""

import json
import os
import struct
import sys
import time


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
    while True:
        os.read(channel()._fd, 1 << 16)


def double(n):
    return 2 * n
