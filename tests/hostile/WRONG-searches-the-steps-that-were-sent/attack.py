"""Unpacks the steps of the request under way, which it may read; what is expected of them, and hidden steps, are not among them."""

import base64
import importlib.machinery
import re
import sys

SECRET = re.compile(r"token-\d-[0-9a-f]{16}|98765\d{4}")


def answer(n):
    frame = sys._getframe()
    while frame.f_code.co_name != "serve":
        frame = frame.f_back
    request = frame.f_locals["request"]
    marshal = importlib.machinery.SourceFileLoader.get_code.__globals__["marshal"]
    steps = marshal.loads(base64.b64decode(request["code"]))
    texts = [repr((step.co_code, step.co_consts, step.co_names)) for step in steps]
    secrets = set(SECRET.findall(f"{texts} {request['binds']}")) - {str(n)}
    if n > 2 and len(steps) > 1:
        return "ESCAPED: steps after a hidden one"
    return f"ESCAPED: {secrets}" if secrets else "contained"


def double(n):
    return 2 * n
