"""Compiles modules with the Python of a site ahead of time: a browser would take ten seconds."""

from __future__ import annotations

import io
import marshal
from importlib.util import MAGIC_NUMBER
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

# PEP 552: bit 0 for a hash instead of a time, bit 1 not set, so it is not checked.
_UNCHECKED: Final = (1).to_bytes(4, "little") + bytes(8)
"""Flags of a `.pyc` file, after its magic number: do not check for a source."""
_EPOCH: Final = (2020, 1, 1, 0, 0, 0)


def compiled(archive: bytes) -> bytes:
    """Return the zip `archive` with its modules compiled."""
    made = io.BytesIO()
    with ZipFile(io.BytesIO(archive)) as given, ZipFile(made, "w") as written:
        for name in given.namelist():
            data = given.read(name)
            if name.endswith(".py"):
                # It would inherit the `__future__` import of this module.
                code = compile(data, f"/{name}", "exec", dont_inherit=True)
                name, data = f"{name}c", MAGIC_NUMBER + _UNCHECKED + marshal.dumps(code)  # noqa: PLW2901
            # the same modules, the same bytes
            written.writestr(ZipInfo(name, _EPOCH), data, ZIP_DEFLATED, 9)
    return made.getvalue()
