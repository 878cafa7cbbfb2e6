"""Brings a package named encodings whose codecs end the process, and has the grader encode and decode; the codecs that it needs are looked up before."""

import io
import sys


def answer(n):
    sys.modules.pop("codecs", None)
    "é".encode("utf-8")
    io.TextIOWrapper(io.BytesIO(b"x"), "utf-8").read()
    print("é\udc80")
    return "contained"


def double(n):
    return 2 * n
