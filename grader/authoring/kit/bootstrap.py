#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""{title}

{about}

Made by grader {version} from the examples of {exercise}. It needs Python 3.8 or newer, and
nothing else. With --unpack FOLDER it writes the modules that it is made of.
"""

from __future__ import print_function

import sys

SUITE = """
{suite}
"""

MODULES = """
{modules}
"""


def unpacked(text):
    import base64
    import zlib

    return zlib.decompress(base64.b85decode("".join(text.split()))).decode("utf-8")


def unpack(folder):
    import json
    import os

    for name, text in json.loads(unpacked(MODULES)).items():
        path = os.path.join(folder, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def without_the_students(path, kit):
    """A random.py that lies beside the kit is not the module that we mean by that name."""
    import os

    theirs = (os.path.abspath("."), os.path.dirname(kit))
    return [each for each in path if os.path.abspath(each) not in theirs]


def main(arguments):
    import os

    kit = os.path.abspath(globals().get("__file__") or sys.argv[0])
    known = list(sys.path)
    sys.path[:] = without_the_students(known, kit)
    try:
        return checked(kit, arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever was reading has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    finally:
        sys.path[:] = known


def checked(kit, arguments):
    import os
    import shutil
    import tempfile

    if arguments[:1] == ["--unpack"] and len(arguments) == 2:
        unpack(arguments[1])
        return 0
    folder = os.path.realpath(tempfile.mkdtemp(prefix="grader-kit-"))
    sys.path.insert(0, folder)
    try:
        unpack(folder)
        from grader.kit_main import main as check

        return check(kit, unpacked(SUITE), arguments)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if sys.version_info < (3, 8):
        sys.exit("Python 3.8+")
    exit_code = main(sys.argv[1:])
    if not sys.flags.interactive:  # python -i would show a traceback
        sys.exit(exit_code)
