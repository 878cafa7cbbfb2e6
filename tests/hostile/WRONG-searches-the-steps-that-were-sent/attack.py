"""Reads the steps of the request under way, as it may, later ones too; what is expected of them, and other sessions, are not among them."""

import re
import sys

SECRET = re.compile(r"token-\d-[0-9a-f]{16}|98765\d{4}")


def answer(n):
    frame = sys._getframe()
    while frame.f_code.co_name != "run":
        frame = frame.f_back
    request, plans = frame.f_locals["request"], frame.f_locals["plans"]
    steps = [step for codes, _ in plans for step in codes]
    texts = [repr((step.co_code, step.co_consts, step.co_names)) for step in steps]
    request.pop("plans", None)
    secrets = set(SECRET.findall(f"{texts} {request}")) - {str(n)}
    return f"ESCAPED: {secrets}" if secrets else "contained"


def double(n):
    return 2 * n
