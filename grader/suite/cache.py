"""Caches pickled values in a folder that only this user can access.

Unpickling runs code chosen by whoever wrote the file. So an entry is used only if nobody else can
have written it: the folder and the file must belong to this user, must not be links, and must not
be accessible to others. Submissions cannot write there either: a walled executor has no file
system, and one without walls can do whatever its user can, even without a cache. Damage is not an
error, as an entry that cannot be trusted is computed again.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

OFF_VARIABLE: Final = "GRADER_NO_CACHE"
"""The environment variable that turns the cache off when it has a value."""
MAX_BYTES: Final = 8 * 1024 * 1024
"""The maximum size of a cached file; a suite with a thousand sessions is a tenth of that size."""
MAX_BYTES_IN_ALL: Final = 32 * 1024 * 1024
_OWNER_ONLY: Final = 0o700
_OTHERS_MASK: Final = 0o077
_HASH_BYTES: Final = hashlib.sha256().digest_size
_HAS_OWNERS: Final = hasattr(os, "geteuid")


def load_cached(name: str) -> Any:
    """Return the value cached as `name`, or None if there is no trustworthy entry.

    Also mark the entry as recently used, so that it is removed later than others.
    """
    try:
        path = _folder() / name
        with path.open("rb") as file:
            # The status of the open file, as `path` might refer to another file by now.
            if not _is_private(os.fstat(file.fileno())):
                return None
            data = file.read(MAX_BYTES)  # if the file is longer, its digest does not match
        digest, packed = data[:_HASH_BYTES], data[_HASH_BYTES:]
        # Unpickling a half-written or damaged file could fail in any way.
        if digest != hashlib.sha256(packed).digest():
            return None
        value = pickle.loads(packed)  # noqa: S301 - only this user can have written it
        os.utime(path)  # `_make_room` removes the least recently used entries
    except Exception:  # noqa: BLE001 - after any error, the value is computed again
        return None
    return value


def store_cached(name: str, value: object) -> None:
    """Cache `value` as `name` if possible, and remove the least recently used entries if needed."""
    # RuntimeError: there is no home folder, or the value is nested too deeply.
    with suppress(OSError, RuntimeError):
        folder = _folder(make=True)
        packed = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        data = hashlib.sha256(packed).digest() + packed
        if len(data) > MAX_BYTES:
            return
        # Written to another file and renamed, so that no reader sees half a file.
        part = folder / f"{name}.{secrets.token_hex(4)}"
        try:
            # O_EXCL does not follow links, and 0o600 keeps others out from the start.
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
            part.replace(folder / name)
        except BaseException:  # a partial file must not remain, even on Ctrl-C
            part.unlink(missing_ok=True)
            raise
        _make_room(folder)


def _folder(*, make: bool = False) -> Path:
    """Return the cache folder, after creating it if `make` is set.

    Raises `OSError` if the cache is off or accessible to others, and `RuntimeError` if there is no
    home folder.
    """
    if os.environ.get(OFF_VARIABLE):
        raise FileNotFoundError(f"the cache is off: {OFF_VARIABLE} is set")
    configured = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    base = Path(configured or Path.home() / ".cache")
    # The XDG specification requires relative paths to be ignored.
    if not base.is_absolute():
        raise FileNotFoundError(f"the cache folder {configured} is not an absolute path")
    folder = base / "grader" / "suites"
    if make and not os.path.lexists(folder):
        # Under sudo, the home folder can belong to another user. A folder owned by root would lock
        # that user out.
        if not _is_owned(os.stat(next(filter(Path.exists, folder.parents)))):
            raise PermissionError(f"another user owns the parent of {base}")
        for parent in (base, folder.parent, folder):
            # Created one by one, as `mkdir` gives parents the default mode.
            parent.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    # `lstat`, as a link could lead to another user's folder.
    if not _is_private(os.lstat(folder), is_folder=True):
        raise PermissionError(f"other users can access {folder}, or it is not a folder")
    return folder


def _is_private(status: os.stat_result, *, is_folder: bool = False) -> bool:
    """Return whether `status` belongs to a file that only this user can access.

    With `is_folder`, it must be a folder instead of a file.
    """
    is_expected_type = stat.S_ISDIR if is_folder else stat.S_ISREG
    # Windows has no mode bits, but there the user's folder is protected by its location.
    is_open_to_others = _HAS_OWNERS and stat.S_IMODE(status.st_mode) & _OTHERS_MASK
    return is_expected_type(status.st_mode) and _is_owned(status) and not is_open_to_others


def _is_owned(status: os.stat_result) -> bool:
    return not _HAS_OWNERS or status.st_uid == os.geteuid()


def _make_room(folder: Path) -> None:
    """Remove the least recently used files until `folder` contains at most `MAX_BYTES_IN_ALL`."""
    bytes_left = MAX_BYTES_IN_ALL
    for size, path in _files_by_last_use(folder):
        bytes_left -= size
        if bytes_left < 0:
            # The file might be missing, as another process can clean up at the same time.
            path.unlink(missing_ok=True)


def _files_by_last_use(folder: Path) -> Iterator[tuple[int, Path]]:
    """Yield the size and path of each file in `folder`, most recently used first."""
    with os.scandir(folder) as entries:
        files = [(entry.stat(follow_symlinks=False), Path(entry.path)) for entry in entries]
    for status, path in sorted(files, key=lambda file: file[0].st_mtime_ns, reverse=True):
        yield status.st_size, path
