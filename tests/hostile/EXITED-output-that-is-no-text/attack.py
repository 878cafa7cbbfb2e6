"""Puts a number among the parts of what was printed; our side trips over it, in this session."""

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
    sys.stdout._parts.append(1)
    return "contained"


def double(n):
    return 2 * n
