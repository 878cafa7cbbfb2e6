"""Compiles the modules that a zygote imports, once per installation.

A zygote writes no byte code, and the judge imports almost nothing of `grader.executor`. In a
checkout or an editable installation each zygote would compile it again, which takes a third of
its start. Memory addresses, and so the order of sets of objects, would depend on it too.
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
"""Modules directly in the package that an executor imports."""
_HEADER: Final = struct.Struct("<4sIII")
"""Header of byte code: magic number, how it is checked, and the source's time and size."""
_BY_TIME: Final = 0
_FOLDER_MODE: Final = 0o755
_LOW_BITS: Final = 0xFFFFFFFF  # the header has 32 bits for each


@cache
def compile_executor(package: str) -> None:
    """Compile the modules of `package` that executors import, if their byte code is out of date.

    The byte code goes where the zygote's interpreter looks for it, whatever the options of this
    interpreter. If a folder cannot be written or a module does not compile, zygotes compile
    the modules themselves: Python ignores byte code that does not match its source.
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
                # The default depends on SOURCE_DATE_EPOCH, and the level of optimization on `-O`.
                mode = py_compile.PycInvalidationMode.TIMESTAMP
                py_compile.compile(
                    source, compiled, doraise=True, optimize=0, invalidation_mode=mode
                )


def _sources(package: str) -> Iterator[str]:
    for name in _TOP_MODULES:
        yield os.path.join(package, f"{name}.py")
    for folder in _FOLDERS:
        with os.scandir(os.path.join(package, folder)) as entries:
            yield from (each.path for each in entries if each.name.endswith(".py"))


def _is_current(compiled: str, source: str) -> bool:
    """Return whether Python would accept `compiled` for `source`, or checks it by hash."""
    try:
        with open(compiled, "rb", buffering=0) as file:
            magic, check, time_s, size = _HEADER.unpack(file.read(_HEADER.size))
    except (OSError, struct.error):  # missing, or too short for a header
        return False
    if magic != MAGIC_NUMBER or check != _BY_TIME:
        return bool(magic == MAGIC_NUMBER)  # checked by hash: kept up to date by whoever chose that
    status = os.stat(source)
    return (time_s, size) == (int(status.st_mtime) & _LOW_BITS, status.st_size & _LOW_BITS)
