"""Answers each step rightly, and puts the beginning of another frame behind; it spoils the last step."""

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


def observation(value):
    return {"value": value, "id": None, "bound": {}, "stdout": "", "overflow": False}


def frame(nonce, observation):
    payload = json.dumps(observation, separators=(",", ":")).encode()
    return struct.pack(">I", 8 + len(payload)) + nonce + payload


def due():
    """Return how many replies are due from the first step on: the import has had its own."""
    frame = sys._getframe()
    while frame.f_code.co_name != "run":
        frame = frame.f_back
    return sum(len(codes) for codes, _ in frame.f_locals["plans"])


def answer(n):
    ours = channel()
    os.write(ours._fd, frame(ours._nonce, observation(None)) * due() + b"\0\0")
    threading.Event().wait(60)


def double(n):
    return 2 * n
