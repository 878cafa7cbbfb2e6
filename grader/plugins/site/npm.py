"""The npm packages of a site, each in a pinned version, with the SHA-256 of each file."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmPackage:
    """A pinned package, with the files that are used."""

    name: str
    version: str
    digests: Mapping[str, str]
    """The SHA-256 of each file."""

    @property
    def spec(self) -> str:
        """Its name and version for npm."""
        return f"{self.name}@{self.version}"

    @property
    def archive(self) -> str:
        """The name of the file that `npm pack` makes."""
        return f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}.tgz"

    @property
    def folder(self) -> Path:
        """The folder of its files in the cache."""
        return cache() / self.archive.removesuffix(".tgz")

    def files(self) -> Mapping[str, bytes]:
        """Return the content of its files; raises `HostError` if one is missing or changed."""
        return {
            name: self._checked(name, self.folder, (self.folder / name).read_bytes)
            for name in self.digests
        }

    def is_kept(self) -> bool:
        """Return whether all its files are in the cache."""
        return all((self.folder / name).is_file() for name in self.digests)

    def unpack(self, archives: Path) -> None:
        """Copy its files from the archive in the folder `archives`; raises `HostError`."""
        source = archives / self.archive
        for name in self.digests:
            write_below(
                self.folder, name, self._checked(name, source, partial(_member, source, name))
            )

    def _checked(self, name: str, source: Path, read: Callable[[], bytes]) -> bytes:
        """Return the data that `read` returns for the file `name` in `source`, if its hash fits."""
        try:
            data = read()
        except (OSError, tarfile.TarError, KeyError) as error:
            raise HostError(
                f"cannot read {name} in {one_line(str(source))}: {one_line(str(error))}",
                help=_way_out(self),
            ) from error
        if hashlib.sha256(data).hexdigest() != self.digests[name]:
            raise HostError(
                f"{name} in {one_line(str(source))} is damaged, or is not from {self.spec}:"
                " its checksum differs",
                help=f"delete {one_line(str(source))} and try again; or {_way_out(self)}",
            )
        return data


def _member(archive: Path, name: str) -> bytes:
    with tarfile.open(archive) as package:
        found = package.extractfile(f"package/{name}")  # npm packs all below `package`
        return b"" if found is None else found.read()


def cache() -> Path:
    """Return our folder in the user's cache."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    # The XDG specification says to ignore relative paths.
    base = Path(named) if named and os.path.isabs(named) else Path.home() / ".cache"
    return base / "grader"


def provide(packages: Iterable[NpmPackage], archives: Path | None = None) -> None:
    """Put all `packages` into the cache: from the folder `archives`, or by npm if missing.

    Raises `HostError` if one is not available, or has other content.
    """
    if archives is not None:
        for package in packages:
            package.unpack(archives)
    elif missing := [package for package in packages if not package.is_kept()]:
        # Verified while it is copied from there into the cache.
        with tempfile.TemporaryDirectory() as folder:
            _fetch(missing, folder)
            for package in missing:
                package.unpack(Path(folder))


def _fetch(packages: list[NpmPackage], folder: str) -> None:
    """Download `packages` into `folder` with npm, with its own settings."""
    npm, way_out = shutil.which("npm"), _way_out(*packages)
    names = ", ".join(package.spec for package in packages)
    if npm is None:
        raise HostError(f"npm, which downloads {names}, is missing", help=way_out)
    try:
        done = subprocess.run(
            [npm, "pack", "--silent", *(package.spec for package in packages)],
            cwd=folder,
            capture_output=True,
            timeout=_WALL_S,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        raise HostError(f"npm could not download {names}", help=way_out) from error
    if done.returncode:
        said = one_line(done.stderr.decode("utf-8", "replace"))
        raise HostError(f"npm could not download {names}: {said}", help=way_out)


def _way_out(*packages: NpmPackage) -> str:
    names = " ".join(package.spec for package in packages)
    return (
        f"install npm with access to a registry, or run `npm pack {names}` elsewhere, and name the"
        " folder with the archives with --packages"
    )
