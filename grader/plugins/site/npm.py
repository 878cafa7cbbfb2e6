"""Provides npm packages in pinned versions, with the SHA-256 of each file."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from grader.errors import HostError
from grader.reporting.writing import write_below
from grader.values.foreign_text import one_line

_WALL_S: Final = 300
"""The time limit of a download, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmPackage:
    """A pinned npm package, with those of its files that are used."""

    name: str
    version: str
    digests: Mapping[str, str]
    """The SHA-256 of each used file, keyed by name."""

    @property
    def spec(self) -> str:
        """The name and version in npm's notation."""
        return f"{self.name}@{self.version}"

    @property
    def archive(self) -> str:
        """The name of the archive that `npm pack` writes."""
        return f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}.tgz"

    @property
    def folder(self) -> Path:
        """The folder of the package's files in the cache."""
        return cache_folder() / self.archive.removesuffix(".tgz")

    def files(self) -> Mapping[str, bytes]:
        """Return the package's files from the cache, keyed by name.

        Raises `HostError` if a file is missing or its checksum differs.
        """
        return {
            name: self._read_verified(name, self.folder, (self.folder / name).read_bytes)
            for name in self.digests
        }

    def is_cached(self) -> bool:
        """Return whether all the package's files are in the cache."""
        return all((self.folder / name).is_file() for name in self.digests)

    def unpack(self, archives: Path) -> None:
        """Copy the package's files into the cache from its archive in the folder `archives`.

        Raises `HostError` if a file cannot be read or its checksum differs.
        """
        source = archives / self.archive
        for name in self.digests:
            write_below(
                self.folder,
                name,
                self._read_verified(name, source, partial(_read_member, source, name)),
            )

    def _read_verified(self, name: str, source: Path, read: Callable[[], bytes]) -> bytes:
        """Return the data that `read` returns for the file `name` in `source`.

        The source is the cache or an archive. Raises `HostError` if reading fails or the checksum
        differs.
        """
        try:
            data = read()
        except (OSError, tarfile.TarError, KeyError) as error:
            raise HostError(
                f"cannot read {name} in {one_line(str(source))}: {_reason(error)}",
                help=_pack_help(self),
            ) from error
        if hashlib.sha256(data).hexdigest() != self.digests[name]:
            raise HostError(
                f"the checksum of {name} in {one_line(str(source))} is not that of {self.spec}",
                help=f"delete {one_line(str(source))} and try again"
                if source == self.folder
                else _pack_help(self),
            )
        return data


def _reason(error: Exception) -> str:
    """Return why a file could not be read, from the `error`."""
    if isinstance(error, KeyError):
        return "the archive does not contain it"
    return one_line(getattr(error, "strerror", None) or str(error))


def _read_member(archive: Path, name: str) -> bytes:
    """Return the file `name` from the npm package `archive`; b"" for anything but a file."""
    with tarfile.open(archive) as package:
        member = package.extractfile(f"package/{name}")  # npm packs all files below `package`
        return b"" if member is None else member.read()


def cache_folder() -> Path:
    """Return the grader's folder in the user's cache folder."""
    configured = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    # The XDG specification requires relative paths to be ignored.
    base = Path(configured) if configured and os.path.isabs(configured) else Path.home() / ".cache"
    return base / "grader"


def provide(packages: Iterable[NpmPackage], archives: Path | None = None) -> None:
    """Put all `packages` into the cache.

    Copy them from the folder `archives` if it is given, otherwise download missing ones with npm.
    Raises `HostError` if a package is not available, or if a checksum differs.
    """
    if archives is not None:
        for package in packages:
            package.unpack(archives)
    elif missing := [package for package in packages if not package.is_cached()]:
        # `unpack` verifies the files while it copies them into the cache.
        with tempfile.TemporaryDirectory() as folder:
            _fetch(missing, folder)
            for package in missing:
                package.unpack(Path(folder))


def _fetch(packages: list[NpmPackage], folder: str) -> None:
    """Download the archives of `packages` into `folder` with npm, using the user's npm settings.

    Raises `HostError` if npm is missing or fails.
    """
    npm, pack_help = shutil.which("npm"), _pack_help(*packages)
    names = ", ".join(package.spec for package in packages)
    if npm is None:
        raise HostError(
            f"cannot download {names}: npm is not installed", help=f"install npm; or {pack_help}"
        )
    check_help = f"check that npm can reach its registry; or {pack_help}"
    try:
        result = subprocess.run(
            [npm, "pack", "--silent", *(package.spec for package in packages)],
            cwd=folder,
            capture_output=True,
            timeout=_WALL_S,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        is_slow = isinstance(error, subprocess.TimeoutExpired)
        reason = f"it did not finish within {_WALL_S} s" if is_slow else _reason(error)
        raise HostError(f"npm could not download {names}: {reason}", help=check_help) from error
    if result.returncode:
        output = one_line(result.stderr.decode("utf-8", "replace").strip())
        reason = output or f"exit code {result.returncode} without an error message"
        raise HostError(f"npm could not download {names}: {reason}", help=check_help)


def _pack_help(*packages: NpmPackage) -> str:
    """Return the help for an error about `packages`: how to do without npm on this machine."""
    names = " ".join(package.spec for package in packages)
    return (
        f"run `npm pack {names}` on a machine that has npm, and give the folder of the archives"
        " with --packages"
    )
