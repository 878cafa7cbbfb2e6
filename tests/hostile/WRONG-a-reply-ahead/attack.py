"""Answers its own step and returns, so that each true reply stands for the step after its own; the last step is spoilt."""

import sys
import threading


def channel():
    frame = sys._getframe()
    while frame.f_code.co_name != "serve":
        frame = frame.f_back
    return frame.f_locals["channel"]


def answer(n):
    channel().send({"value": "forged", "id": None, "bound": {}, "stdout": "", "overflow": False})
    threading.Event().wait(0.1 * (n == 2))
    return "contained"


def double(n):
    return 2 * n
