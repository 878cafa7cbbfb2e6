"""The Python that a site brings along: Pyodide, from its npm package, and always the same one."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import as_file, files
from typing import Final

from grader.errors import HostError
from grader.plugins.site.npm import NpmPackage, cache
from grader.reporting.writing import write_below
from grader.values.foreign_text import one_line

PACKAGE: Final = NpmPackage(
    name="pyodide",
    version="314.0.7",
    digests={
        "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
        "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
        "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
        "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
        "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
    },
)
"""What a browser loads of it."""
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
    """The package, checked."""

    def __init__(self) -> None:
        """Take what is kept of it; raises `HostError` where there is none, or another one."""
        self.files: Final[Mapping[str, bytes]] = PACKAGE.files()
        """What is in each of its files."""

    def compiled(self, archive: bytes) -> bytes:
        """Return the zip `archive` with its modules compiled, by this Python; raises `HostError`.

        What was compiled before is in the user's cache.
        """
        program = (files(__package__) / "compiling.py").read_bytes()
        digest = hashlib.sha256(b"".join([PACKAGE.version.encode(), program, archive])).hexdigest()
        kept = cache() / "compiled"
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
                [node, script, PACKAGE.folder, program],
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
