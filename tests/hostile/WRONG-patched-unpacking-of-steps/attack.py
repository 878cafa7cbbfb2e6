"""Replaces `marshal.loads` and `base64.b64decode`, which our side unpacks steps with, while it is imported; ours were bound before."""

import base64
import importlib.machinery
import os

marshal = importlib.machinery.SourceFileLoader.get_code.__globals__["marshal"]
marshal.loads = base64.b64decode = lambda *arguments, **named: os._exit(9)


def answer(n):
    return "contained"


def double(n):
    return 2 * n
