"""Says that its units are spent, which nobody counts yet, and goes on; that is a verdict like any other, without points."""

import json
import os
import struct
import sys


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
    for why in ("units", "sleep", "units"):
        send(json.dumps({"spent": why}, separators=(",", ":")).encode())
    return "contained"


def double(n):
    return 2 * n
