"""Prints its argument in many forms, to read it on the page; of a hidden case nothing is shown but the verdict."""

import base64
import sys


def forms(n):
    text = str(n)
    return [
        text,
        text[::-1],
        text.encode().hex(),
        hex(n),
        oct(n),
        bin(n),
        base64.b64encode(text.encode()).decode(),
        *text,
        " ".join(text),
        "\u200b".join(text),
        "\n".join(text),
        "OVER" + "HEARD",
    ]


def answer(n):
    for form in forms(n):
        print(form if n > 2 else n)
        print(form if n > 2 else n, file=sys.stderr)
    return None


def double(n):
    return 2 * n
