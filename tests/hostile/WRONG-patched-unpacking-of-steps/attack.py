"""Replaces `marshal.loads`, which our side unpacks requests and modules with, while it is imported; ours was bound before."""

import importlib.machinery
import os

marshal = importlib.machinery.SourceFileLoader.get_code.__globals__["marshal"]
marshal.loads = lambda *arguments, **named: os._exit(9)


def answer(n):
    return "contained"


def double(n):
    return 2 * n
