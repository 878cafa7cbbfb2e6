"""Compiles modules ahead of time with a site's Python, because a browser would take ten seconds."""

from __future__ import annotations

import io
import marshal
from importlib.util import MAGIC_NUMBER
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

# PEP 552: bit 0 means a hash instead of a timestamp; without bit 1, the hash is not checked.
_UNCHECKED: Final = (1).to_bytes(4, "little") + bytes(8)
"""The flags and hash of a `.pyc` file, after its magic number: never compare with a source."""
_EPOCH: Final = (2020, 1, 1, 0, 0, 0)


def compile_archive(archive: bytes) -> bytes:
    """Return the zip `archive` with its modules compiled and other files unchanged.

    Raises `SyntaxError` if this Python cannot compile a module.
    """
    buffer = io.BytesIO()
    with ZipFile(io.BytesIO(archive)) as source, ZipFile(buffer, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith(".py"):
                # Without `dont_inherit`, the `__future__` import of this module would apply.
                code = compile(data, f"/{name}", "exec", dont_inherit=True)
                name, data = f"{name}c", MAGIC_NUMBER + _UNCHECKED + marshal.dumps(code)  # noqa: PLW2901
            # A fixed timestamp gives the same bytes for the same modules.
            target.writestr(ZipInfo(name, _EPOCH), data, ZIP_DEFLATED, 9)
    return buffer.getvalue()
