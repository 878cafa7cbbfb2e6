"""Packages of npm that a site is made of: each in one version, and each file with its SHA-256."""

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
    """What is used of one package."""

    name: str
    version: str
    digests: Mapping[str, str]
    """The SHA-256 of each file."""

    @property
    def spec(self) -> str:
        """What npm calls it."""
        return f"{self.name}@{self.version}"

    @property
    def archive(self) -> str:
        """The file that `npm pack` makes of it."""
        return f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}.tgz"

    @property
    def folder(self) -> Path:
        """Where its files are kept."""
        return cache() / self.archive.removesuffix(".tgz")

    def files(self) -> Mapping[str, bytes]:
        """Return what is in each of its files; raises `HostError` where that is something else."""
        return {
            name: self._checked(name, self.folder, (self.folder / name).read_bytes)
            for name in self.digests
        }

    def is_kept(self) -> bool:
        """Return whether all of its files are there."""
        return all((self.folder / name).is_file() for name in self.digests)

    def unpack(self, archives: Path) -> None:
        """Keep what is used of the one in the folder `archives`; raises `HostError`."""
        source = archives / self.archive
        for name in self.digests:
            write_below(
                self.folder, name, self._checked(name, source, partial(_member, source, name))
            )

    def _checked(self, name: str, source: Path, read: Callable[[], bytes]) -> bytes:
        """Return what is `read` of the file `name` in `source`, if it is the one that we know."""
        try:
            data = read()
        except (OSError, tarfile.TarError, KeyError) as error:
            raise HostError(
                f"cannot read {name} in {one_line(str(source))}: {one_line(str(error))}",
                help=_way_out(self),
            ) from error
        if hashlib.sha256(data).hexdigest() != self.digests[name]:
            raise HostError(
                f"{name} in {one_line(str(source))} is not that of {self.spec}",
                help=f"remove it, and try again; or {_way_out(self)}",
            )
        return data


def _member(archive: Path, name: str) -> bytes:
    with tarfile.open(archive) as package:
        found = package.extractfile(f"package/{name}")
        return b"" if found is None else found.read()


def cache() -> Path:
    """Return the folder in which the user keeps what can be made again."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    base = Path(named) if named and os.path.isabs(named) else Path.home() / ".cache"
    return base / "grader"


def provide(packages: Iterable[NpmPackage], archives: Path | None = None) -> None:
    """Keep all `packages`: those in the folder `archives`, or else what npm fetches, once.

    Raises `HostError` where there is none, or another one.
    """
    if archives is not None:
        for package in packages:
            package.unpack(archives)
    elif missing := [package for package in packages if not package.is_kept()]:
        with tempfile.TemporaryDirectory() as folder:
            _fetch(missing, folder)
            for package in missing:
                package.unpack(Path(folder))


def _fetch(packages: list[NpmPackage], folder: str) -> None:
    """Have npm fetch `packages` into `folder`, as it is set up here."""
    npm, way_out = shutil.which("npm"), _way_out(*packages)
    names = ", ".join(package.spec for package in packages)
    if npm is None:
        raise HostError(f"npm is needed once, to fetch {names}", help=way_out)
    try:
        done = subprocess.run(
            [npm, "pack", "--silent", *(package.spec for package in packages)],
            cwd=folder,
            capture_output=True,
            timeout=_WALL_S,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        raise HostError(f"npm did not fetch {names}", help=way_out) from error
    if done.returncode:
        said = one_line(done.stderr.decode("utf-8", "replace"))
        raise HostError(f"npm did not fetch {names}: {said}", help=way_out)


def _way_out(*packages: NpmPackage) -> str:
    names = " ".join(package.spec for package in packages)
    return (
        f"install npm and have it reach a registry, or run `npm pack {names}` elsewhere, and name"
        " the folder with what it makes with --packages"
    )
