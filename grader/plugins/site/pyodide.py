"""The Python that a site brings along: Pyodide, from its npm package, and always the same one."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from grader.errors import HostError
from grader.reporting.writing import write_below
from grader.values.foreign_text import one_line

VERSION: Final = "314.0.7"
FILES: Final[Mapping[str, str]] = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
}
"""What a browser loads of it, each with its SHA-256."""
_MODULES: Final = {
    "loadPyodide": ("pyodide.mjs", "export{dt as loadPyodide,U as version};", "dt"),
    "createPyodideModule": (
        "pyodide.asm.mjs",
        "export default _createPyodideModule;",
        "_createPyodideModule",
    ),
}
"""Its modules, each with the line of its exports and the name that is wanted of them."""
_WALL_S: Final = 300


class Pyodide:
    """The package in a folder, checked."""

    def __init__(self, folder: Path | None = None) -> None:
        """Take what is in `folder`, or else what npm puts into the user's cache.

        Raises `HostError` where there is none, or another one.
        """
        self._folder: Final = (folder or _cache() / f"pyodide-{VERSION}").absolute()
        if folder is None and not all((self._folder / name).is_file() for name in FILES):
            _fetch(self._folder)
        read = {name: _read(self._folder / name, digest) for name, digest in FILES.items()}
        self.files: Final[Mapping[str, bytes]] = read
        """What is in each of its `FILES`."""

    def compiled(self, archive: bytes) -> bytes:
        """Return the zip `archive` with its modules compiled, by this Python; raises `HostError`.

        What was compiled before is in the user's cache.
        """
        program = (files(__package__) / "compiling.py").read_bytes()
        digest = hashlib.sha256(b"".join([VERSION.encode(), program, archive])).hexdigest()
        kept = _cache() / "compiled"
        with suppress(OSError):
            return (kept / digest).read_bytes()
        made = self._compiled(archive)
        write_below(kept, digest, made)
        return made

    def _compiled(self, archive: bytes) -> bytes:
        node = shutil.which("node")
        if node is None:
            raise HostError("node is needed, to compile what browsers run", help="install Node.js")
        here = files(__package__)
        with as_file(here / "compiling.mjs") as script, as_file(here / "compiling.py") as program:
            done = subprocess.run(
                [node, script, self._folder, program],
                input=archive,
                capture_output=True,
                timeout=_WALL_S,
                check=False,
            )
        if done.returncode:
            said = one_line(done.stderr.decode("utf-8", "replace")[-500:])
            raise HostError(f"Node.js did not compile what browsers run: {said}")
        return done.stdout


def as_script(found: Mapping[str, bytes]) -> bytes:
    """Return the modules of Pyodide as one script that makes `loadPyodide` of them.

    A page that was opened from a disk may start no worker that is a module, and import nothing.
    """
    parts = ["self.importScripts = undefined;\n"]  # by which it knows a worker that is no module
    for name, (file, exports, wanted) in _MODULES.items():
        text = found[file].decode("utf-8")
        assert text.count(exports) == 1, "it is the file that we know"
        text = text.replace(exports, "").replace("import.meta.url", '"https://nowhere.invalid/"')
        parts.append(f"const {name} = (() => {{\n{text}\nreturn {wanted};\n}})();\n")
    return "".join(parts).encode("utf-8")


def _read(file: Path, digest: str) -> bytes:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise HostError(
            f"cannot read {one_line(str(file))}: {error.strerror}", help=_way_out()
        ) from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise HostError(
            f"{one_line(str(file))} is not that of Pyodide {VERSION}",
            help=f"remove it, and try again; or {_way_out()}",
        )
    return data


def _cache() -> Path:
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    base = Path(named) if named and os.path.isabs(named) else Path.home() / ".cache"
    return base / "grader"


def _fetch(kept: Path) -> None:
    """Have npm fetch the package, as it is set up here, and keep what is needed of it."""
    npm = shutil.which("npm")
    if npm is None:
        raise HostError(f"npm is needed once, to fetch Pyodide {VERSION}", help=_way_out())
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [npm, "pack", "--silent", f"pyodide@{VERSION}"],
                cwd=folder,
                capture_output=True,
                timeout=_WALL_S,
                check=False,
            )
            (archive,) = Path(folder).glob("*.tgz")
        except (subprocess.TimeoutExpired, OSError, ValueError) as error:
            raise HostError(f"npm did not fetch Pyodide {VERSION}", help=_way_out()) from error
        if done.returncode:
            said = one_line(done.stderr.decode("utf-8", "replace"))
            raise HostError(f"npm did not fetch Pyodide {VERSION}: {said}", help=_way_out())
        with tarfile.open(archive) as package:
            for name in FILES:
                if (member := package.extractfile(f"package/{name}")) is not None:
                    write_below(kept, name, member.read())


def _way_out() -> str:
    return (
        f"install npm and have it reach a registry, or unpack the npm package pyodide@{VERSION}"
        " elsewhere and name its folder with --pyodide"
    )
