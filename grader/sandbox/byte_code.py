"""Compiles the modules that a zygote imports, once per installation.

A zygote writes no byte code, and the judge imports almost nothing from `grader.executor`. In a
checkout or an editable installation, each zygote would therefore compile that package again, which
takes a third of its start-up time. Compiling would also change memory addresses, and with them the
iteration order of sets of objects.
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
_TOP_MODULES: Final = ("__init__", "protocol")
"""Modules at the top level of the package that an executor imports."""
_HEADER: Final = struct.Struct("<4sIII")
"""Header of a byte code file: magic number, invalidation mode, source mtime and source size."""
_BY_TIME: Final = 0
"""The invalidation mode in which Python compares the mtime and the size of the source."""
_FOLDER_MODE: Final = 0o755
_LOW_BITS: Final = 0xFFFFFFFF  # the header stores the mtime and the size in 32 bits each


@cache
def compile_executor(package: str) -> None:
    """Compile the modules in folder `package` that executors import, if their byte code is stale.

    The byte code is written where the zygote's interpreter looks for it, whatever options this
    interpreter runs with. If a folder is not writable or a module does not compile, nothing is
    raised and zygotes compile the modules themselves: Python ignores stale byte code.
    """
    with suppress(OSError, py_compile.PyCompileError):
        for source in _sources(package):
            folder, name = os.path.split(source)
            cache_folder = os.path.join(folder, "__pycache__")
            compiled = os.path.join(cache_folder, f"{name[:-3]}.{sys.implementation.cache_tag}.pyc")
            if not _is_current(compiled, source):
                # Create the folder here: with a careless umask `py_compile` would make it writable
                # by everybody.
                with suppress(FileExistsError):
                    os.mkdir(cache_folder, _FOLDER_MODE)
                if not os.access(cache_folder, os.W_OK):
                    return
                # Both are explicit: by default the mode depends on SOURCE_DATE_EPOCH, and the
                # optimization level on `-O`.
                mode = py_compile.PycInvalidationMode.TIMESTAMP
                py_compile.compile(
                    source, compiled, doraise=True, optimize=0, invalidation_mode=mode
                )


def _sources(package: str) -> Iterator[str]:
    """Yield the paths of the modules of `package` that executors import."""
    for name in _TOP_MODULES:
        yield os.path.join(package, f"{name}.py")
    for folder in _FOLDERS:
        with os.scandir(os.path.join(package, folder)) as entries:
            yield from (entry.path for entry in entries if entry.name.endswith(".py"))


def _is_current(compiled: str, source: str) -> bool:
    """Return whether the byte code file `compiled` needs no update for `source`.

    A file that Python validates by hash is left alone: whoever chose that mode keeps it current.
    """
    try:
        with open(compiled, "rb", buffering=0) as file:
            magic, mode, time_s, size = _HEADER.unpack(file.read(_HEADER.size))
    except (OSError, struct.error):  # missing, or too short for a header
        return False
    if magic != MAGIC_NUMBER or mode != _BY_TIME:
        return bool(magic == MAGIC_NUMBER)
    status = os.stat(source)
    return (time_s, size) == (int(status.st_mtime) & _LOW_BITS, status.st_size & _LOW_BITS)
