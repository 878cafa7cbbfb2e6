"""The main program of a kit, which unpacks the packed modules and runs one of them.

Older versions of Python must be able to parse this file, to report that they are too old. Imports
are late, when the student's folder is no longer on `sys.path`: it could contain a `random.py`.
"""

from __future__ import annotations

import os
import sys


def decompress(text: str) -> str:
    """Return the original text of the compressed `text`."""
    import base64  # noqa: PLC0415 - see the module docstring
    import zlib  # noqa: PLC0415

    return zlib.decompress(base64.b85decode("".join(text.split()))).decode("utf-8")


def unpack(modules: str, folder: str) -> None:
    """Write the files in the compressed `modules` to `folder`."""
    import json  # noqa: PLC0415 - see the module docstring

    for name, text in json.loads(decompress(modules)).items():
        path = os.path.join(folder, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def check(kit: str, program: str, modules: str, suite: str) -> int:
    """Run `program`, which is one of the `modules`, from a temporary folder; return its exit code.

    `kit` is the path of the kit. The folder stays on `sys.path`; the caller restores that. With
    --unpack, only write the modules, and return 0.
    """
    import importlib  # noqa: PLC0415 - see the module docstring
    import shutil  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    if sys.argv[1:2] == ["--unpack"] and len(sys.argv) == 3:
        unpack(modules, sys.argv[2])
        return 0
    # The real path, because a temporary folder can be a link, as on macOS.
    folder = os.path.realpath(tempfile.mkdtemp(prefix="grader-kit-"))
    sys.path.insert(0, folder)
    try:
        unpack(modules, folder)
        main = importlib.import_module(program).main
        exit_code: int = main(kit, decompress(suite), sys.argv[1:])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return exit_code


def run(program: str, modules: str, suite: str) -> int:
    """Check the student's work in this interpreter, and return the exit code.

    `sys.path` is restored afterwards.
    """
    kit = os.path.abspath(globals().get("__file__") or sys.argv[0])
    original_path = list(sys.path)
    student_folders = (os.path.abspath("."), os.path.dirname(kit))
    sys.path[:] = [
        folder for folder in original_path if os.path.abspath(folder) not in student_folders
    ]
    try:
        return check(kit, program, modules, suite)
    except KeyboardInterrupt:
        return 130  # 128 + SIGINT, as a shell reports Ctrl-C
    except BrokenPipeError:  # as with `| head`; otherwise flushing at exit would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    finally:
        sys.path[:] = original_path


def start(program: str, modules: str, suite: str, oldest: tuple[int, int], too_old: str) -> None:
    """Run the kit and exit. Exit with the message `too_old` if Python is older than `oldest`."""
    if sys.version_info[:2] < oldest:
        sys.exit(too_old)
    exit_code = run(program, modules, suite)
    if not sys.flags.interactive:  # python -i would show a traceback
        sys.exit(exit_code)
