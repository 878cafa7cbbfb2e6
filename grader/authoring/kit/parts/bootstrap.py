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


def main(arguments):
    import os
    import shutil
    import tempfile

    if arguments[:1] == ["--unpack"] and len(arguments) == 2:
        unpack(arguments[1])
        return 0
    kit = os.path.abspath(globals().get("__file__") or sys.argv[0])
    folder = os.path.realpath(tempfile.mkdtemp(prefix="grader-kit-"))
    sys.path.insert(0, folder)
    try:
        unpack(folder)
        from grader.kit_main import main as check

        return check(kit, unpacked(SUITE), arguments)
    except KeyboardInterrupt:
        return 130
    finally:
        sys.path.remove(folder)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if sys.version_info < (3, 8):
        sys.exit("Python 3.8+")
    sys.exit(main(sys.argv[1:]))
