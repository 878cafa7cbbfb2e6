"""The Python of a site: Pyodide from its npm package, in a pinned version."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import as_file, files
from typing import Final

from grader.errors import HostError
from grader.plugins.site.npm import NpmPackage, cache_folder
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
"""The package's modules: for each name to define, the file, its export statement, and the exported
name."""
_WALL_S: Final = 300
"""The time limit of a compilation, in seconds."""


class Pyodide:
    """The Pyodide package, with verified files."""

    def __init__(self) -> None:
        """Read the package from the cache.

        Raises `HostError` if it is missing or has other content.
        """
        self.files: Final[Mapping[str, bytes]] = PACKAGE.files()
        """The contents of the files, keyed by name."""

    def compile_archive(self, archive: bytes) -> bytes:
        """Return the zip `archive` with its modules compiled by Pyodide.

        The result is stored in the user's cache folder, and taken from there if it exists. Raises
        `HostError` if compiling fails.
        """
        program = (files(__package__) / "compiling.py").read_bytes()
        digest = hashlib.sha256(b"".join([PACKAGE.version.encode(), program, archive])).hexdigest()
        folder = cache_folder() / "compiled"
        with suppress(OSError):  # not in the cache yet
            return (folder / digest).read_bytes()
        data = self._run_compiler(archive)
        write_below(folder, digest, data)
        return data

    def _run_compiler(self, archive: bytes) -> bytes:
        """Return `archive` compiled by Pyodide under Node.js. Raises `HostError` if that fails."""
        node = shutil.which("node")
        if node is None:
            raise HostError(
                "cannot compile the modules for browsers: Node.js is not installed",
                help="install Node.js, so that the command `node` works",
            )
        folder = files(__package__)
        with (
            as_file(folder / "compiling.mjs") as script,
            as_file(folder / "compiling.py") as program,
        ):
            try:
                result = subprocess.run(
                    [node, script, PACKAGE.folder, program],
                    input=archive,
                    capture_output=True,
                    timeout=_WALL_S,
                    check=False,
                )
            except (subprocess.TimeoutExpired, OSError) as error:
                is_slow = isinstance(error, subprocess.TimeoutExpired)
                strerror = getattr(error, "strerror", None)
                reason = f"no result within {_WALL_S} s" if is_slow else strerror or str(error)
                raise HostError(
                    f"Node.js could not compile the modules for browsers: {one_line(reason)}",
                    help="try again when the machine is less busy"
                    if is_slow
                    else "check that the command `node` works, and try again",
                ) from error
        if result.returncode:
            output = one_line(result.stderr.decode("utf-8", "replace").strip()[-500:])
            reason = output or f"exit code {result.returncode} without an error message"
            raise HostError(
                f"Node.js could not compile the modules for browsers: {reason}",
                help=f"try a newer version of Node.js than the one at {one_line(node)}",
            )
        return result.stdout


def bundle_as_script(package_files: Mapping[str, bytes]) -> bytes:
    """Return the modules of Pyodide bundled into one script, which defines `loadPyodide`.

    A page that is opened from disk can neither start module workers nor import modules.
    """
    parts = ["self.importScripts = undefined;\n"]  # Pyodide uses it to detect classic workers
    for name, (file, export_statement, exported_name) in _MODULES.items():
        text = package_files[file].decode("utf-8")
        assert text.count(export_statement) == 1, f"{file} is pinned, so its exports are known"
        # Scripts have no `import.meta`. Pyodide is given all files, so any address will do.
        text = text.replace(export_statement, "")
        text = text.replace("import.meta.url", '"https://nowhere.invalid/"')
        parts.append(f"const {name} = (() => {{\n{text}\nreturn {exported_name};\n}})();\n")
    return "".join(parts).encode("utf-8")
