"""Lifts the executor's limit on printing and floods; a reply has a cap."""

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


def session_globals():
    frame = sys._getframe()
    while frame.f_code.co_name != "_observe":
        frame = frame.f_back
    return frame.f_globals, frame.f_locals["self"]


def answer(n):
    sys.stdout.max_chars = 10**9
    sys.stdout._chars = -(10**7)
    print("x" * 5_000_000)


def double(n):
    return 2 * n
