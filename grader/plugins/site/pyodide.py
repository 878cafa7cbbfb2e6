"""The Python of a site: Pyodide from its npm package, in one pinned version."""

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
"""The package, with the files that a browser loads."""
_MODULES: Final = {
    "loadPyodide": ("pyodide.mjs", "export{dt as loadPyodide,U as version};", "dt"),
    "createPyodideModule": (
        "pyodide.asm.mjs",
        "export default _createPyodideModule;",
        "_createPyodideModule",
    ),
}
"""Its modules, each with the line of its exports and the exported name to use."""
_WALL_S: Final = 300


class Pyodide:
    """The package with verified files."""

    def __init__(self) -> None:
        """Read it from the cache; raises `HostError` if it is missing or has other content."""
        self.files: Final[Mapping[str, bytes]] = PACKAGE.files()
        """The content of its files."""

    def compiled(self, archive: bytes) -> bytes:
        """Return the zip `archive` with its modules compiled by Pyodide; raises `HostError`.

        The result is cached in the user's cache.
        """
        program = (files(__package__) / "compiling.py").read_bytes()
        digest = hashlib.sha256(b"".join([PACKAGE.version.encode(), program, archive])).hexdigest()
        kept = cache() / "compiled"
        with suppress(OSError):  # it is not in the cache yet
            return (kept / digest).read_bytes()
        made = self._compiled(archive)
        write_below(kept, digest, made)
        return made

    def _compiled(self, archive: bytes) -> bytes:
        node = shutil.which("node")
        if node is None:
            raise HostError(
                "Node.js, which compiles the modules for browsers, is missing",
                help="install Node.js, so that the command `node` works",
            )
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
            raise HostError(f"Node.js could not compile the modules for browsers: {said}")
        return done.stdout


def as_script(found: Mapping[str, bytes]) -> bytes:
    """Return the modules of Pyodide as one script that defines `loadPyodide`.

    A page opened from a disk cannot start module workers, or import anything.
    """
    parts = ["self.importScripts = undefined;\n"]  # by which Pyodide detects classic workers
    for name, (file, exports, wanted) in _MODULES.items():
        text = found[file].decode("utf-8")
        assert text.count(exports) == 1, "it is the file that we know"
        # A script has no `import.meta`.
        text = text.replace(exports, "").replace("import.meta.url", '"https://nowhere.invalid/"')
        parts.append(f"const {name} = (() => {{\n{text}\nreturn {wanted};\n}})();\n")
    return "".join(parts).encode("utf-8")
