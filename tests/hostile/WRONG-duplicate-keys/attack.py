"""Gives each key of its replies twice, a wrong fact and a right one; the last counts, which it could have sent alone."""

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


def answer(n):
    ours, facts = channel(), due(observation("forged"))
    while True:
        text = json.dumps({"observations": facts}, separators=(",", ":"))
        for twice in ('"observations":', '"value":', '"id":', '"bound":', '"overflow":'):
            text = text.replace(twice, twice + '["bad"],' + twice)
        send(text.encode())
        if ours.receive() is None:
            os._exit(0)
        facts = [observation("forged")]


def double(n):
    return 2 * n
