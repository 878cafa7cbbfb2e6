"""Hands in a zip bomb with names that climb out, and a module in it; archives are data, and nothing opens them unasked."""

import sys

sys.path.insert(0, "attack.zip")
sys.path.insert(0, "/attack.zip")


def answer(n):
    try:
        import zeros
    except ImportError:
        pass
    else:
        return f"ESCAPED: {zeros!r}"
    try:
        import zipfile

        zipfile.ZipFile("attack.zip").extractall("/")
    except Exception:
        return "contained"
    return "ESCAPED: an archive was unpacked"


def double(n):
    return 2 * n
