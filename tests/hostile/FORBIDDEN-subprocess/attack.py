"""Runs another program; the module that does is not there."""

import subprocess


def answer(n):
    said = subprocess.check_output(["id"], text=True)
    return f"ESCAPED: {said}"


def double(n):
    return 2 * n
