"""Puts what `grader sample` and `grader new` write into the wheel, as one archive.

A folder of them would lie among code that Python imports, and pip would compile each of them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("docs", "reference", "samples", "submissions", "testsuites")
_EPOCH = (2020, 1, 1, 0, 0, 0)
"""The same files are the same archive."""


class SamplesHook(BuildHookInterface[Any]):
    """Makes the archive; an editable installation reads the folders themselves."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the archive to what the wheel holds."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        archive = Path(self._folder.name) / "samples.zip"
        root = Path(self.root)
        with ZipFile(archive, "w", ZIP_DEFLATED) as opened:
            for path in sorted(path for name in FOLDERS for path in (root / name).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    entry = ZipInfo(path.relative_to(root).as_posix(), _EPOCH)
                    entry.compress_type = ZIP_DEFLATED
                    opened.writestr(entry, path.read_bytes())
        build_data["force_include"][str(archive)] = "grader/samples.zip"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the archive that the wheel has a copy of."""
        if version != "editable":
            self._folder.cleanup()
