"""Replies under the nonce of an earlier request, when there was one."""

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


def observation(value):
    return {"value": value, "id": None, "bound": {}, "stdout": "", "overflow": False}


def frame(nonce, *observations):
    payload = json.dumps({"observations": observations}, separators=(",", ":")).encode()
    return struct.pack(">I", 8 + len(payload)) + nonce + payload


def due(fact):
    frame = sys._getframe()
    while frame.f_code.co_name != "serve":
        frame = frame.f_back
    request = frame.f_locals["request"]
    loaded = [{**observation(None), "defined": ["answer", "double"]}] if "import" in request else []
    return loaded + [fact] * len(request["binds"])


OLD = channel()._nonce


def answer(n):
    nonce = channel()._nonce
    os.write(channel()._fd, frame(bytes(8) if nonce == OLD else OLD, *due(observation("forged"))))
    time.sleep(60)


def double(n):
    return 2 * n
