"""Compiles what a zygote imports, once, wherever the package lies.

A zygote writes no byte code, and the judge imports next to nothing of `grader.executor`. Where
nobody has compiled it, as in a checkout or an editable installation, each zygote would do so anew:
a third of its start. Addresses, and so the order of sets of objects, would hang on it too.
"""

from __future__ import annotations

import os
import py_compile
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import MAGIC_NUMBER
from typing import Final

_FOLDERS: Final = ("executor", os.path.join("executor", "syntax"))
_BESIDE: Final = ("__init__", "protocol")
"""Modules of the package itself that an executor imports."""
_HEADER: Final = struct.Struct("<4sIII")
"""Of byte code: its kind, how it is checked, and of the source the time and the size."""
_BY_TIME: Final = 0
_FOR_ALL_TO_READ: Final = 0o755
_LOW_BITS: Final = 0xFFFFFFFF


@cache
def compile_executor(package: str) -> None:
    """Compile what of the `package` executors import and is not compiled, or was before a change.

    It is where an interpreter of our making looks for it, whatever this one was told about byte
    code. Where nothing can be written, or something does not compile, each zygote goes on as
    without it: what does not fit its source, Python itself does not believe.
    """
    with suppress(OSError, py_compile.PyCompileError):
        for source in _sources(package):
            folder, name = os.path.split(source)
            kept = os.path.join(folder, "__pycache__")
            compiled = os.path.join(kept, f"{name[:-3]}.{sys.implementation.cache_tag}.pyc")
            if not _fits(compiled, source):
                # Before the work: a folder may be for others to write. With a careless umask
                # `py_compile` would make it one for all.
                with suppress(FileExistsError):
                    os.mkdir(kept, _FOR_ALL_TO_READ)
                if not os.access(kept, os.W_OK):
                    return
                mode = py_compile.PycInvalidationMode.TIMESTAMP
                py_compile.compile(
                    source, compiled, doraise=True, optimize=0, invalidation_mode=mode
                )


def _sources(package: str) -> Iterator[str]:
    for name in _BESIDE:
        yield os.path.join(package, f"{name}.py")
    for folder in _FOLDERS:
        with os.scandir(os.path.join(package, folder)) as entries:
            yield from (each.path for each in entries if each.name.endswith(".py"))


def _fits(compiled: str, source: str) -> bool:
    """Return whether Python would take what is `compiled` for the `source`, or asks its hash."""
    try:
        with open(compiled, "rb", buffering=0) as file:
            kind, check, time_s, size = _HEADER.unpack(file.read(_HEADER.size))
    except (OSError, struct.error):
        return False
    if kind != MAGIC_NUMBER or check != _BY_TIME:
        return bool(kind == MAGIC_NUMBER)  # by hash: it is who made it so that sees to it
    found = os.stat(source)
    return (time_s, size) == (int(found.st_mtime) & _LOW_BITS, found.st_size & _LOW_BITS)
