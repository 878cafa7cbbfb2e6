"""Puts a function of its own in place of our encoder, which answers with a shape that does not exist."""

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
    ours, _ = session_globals()
    ours["encode"] = lambda *arguments: {"passed": True}
    return "contained"


def double(n):
    return 2 * n
