"""What was worked out once and need not be again, in a folder that is the user's alone.

What lies there is unpickled, which runs whatever its author wanted. So it is believed only where
nobody else can have written it: the folder and the file belong to this user, are what they seem,
and are open to nobody else. No submission can write there either: an executor has no file system
behind any wall of ours, and one without walls may do what its user may, with or without this.
Damage and doubt are no mistakes: what is not believed is worked out anew.
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
"""Where this is set to anything, nothing is kept, and nothing that was kept is taken."""
MAX_BYTES: Final = 8 * 1024 * 1024
"""Of one file; suites of a thousand sessions are a tenth of that."""
MAX_BYTES_IN_ALL: Final = 32 * 1024 * 1024
_FOR_ME_ALONE: Final = 0o700
_FOR_OTHERS: Final = 0o077
_HASH_BYTES: Final = hashlib.sha256().digest_size
_HAS_OWNERS: Final = hasattr(os, "geteuid")


def recalled(name: str) -> Any:
    """Return what was kept as `name`, None where there is nothing that can be believed."""
    try:
        path = _folder() / name
        with path.open("rb") as file:
            if not _is_mine(os.fstat(file.fileno())):
                return None
            data = file.read(MAX_BYTES)
        digest, packed = data[:_HASH_BYTES], data[_HASH_BYTES:]
        if digest != hashlib.sha256(packed).digest():
            return None
        found = pickle.loads(packed)  # noqa: S301 - nobody else can have written it, see above
        os.utime(path)  # what is in use goes last
    except Exception:  # noqa: BLE001 - whatever is wrong with it, it can be worked out anew
        return None
    return found


def keep(name: str, value: object) -> None:
    """Keep `value` as `name`, if there is a place for it; what has not been used longest goes."""
    with suppress(OSError, RuntimeError):  # the second is of a value that nests too deep, too
        folder = _folder(make=True)
        packed = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        data = hashlib.sha256(packed).digest() + packed
        if len(data) > MAX_BYTES:
            return
        part = folder / f"{name}.{secrets.token_hex(4)}"
        try:
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
            part.replace(folder / name)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _make_room(folder)


def _folder(*, make: bool = False) -> Path:
    """Return the folder, made if asked; raises `OSError` where it is not ours alone or not wanted.

    Raises `RuntimeError` for nobody's home.
    """
    if os.environ.get(OFF_VARIABLE):
        raise FileNotFoundError(OFF_VARIABLE)
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    base = Path(named or Path.home() / ".cache")
    if not base.is_absolute():
        raise FileNotFoundError(named)
    folder = base / "grader" / "suites"
    if make and not os.path.lexists(folder):
        # As root in the home of another user, a folder of root's would lock her out.
        if not _is_owned(os.stat(next(filter(Path.exists, folder.parents)))):
            raise PermissionError(str(base))
        for each in (base, folder.parent, folder):
            each.mkdir(mode=_FOR_ME_ALONE, parents=True, exist_ok=True)
    if not _is_mine(os.lstat(folder), is_folder=True):
        raise PermissionError(str(folder))
    return folder


def _is_mine(found: os.stat_result, *, is_folder: bool = False) -> bool:
    """Return whether what was `found` is a folder, or a file, of this user that is for no other."""
    is_right = stat.S_ISDIR if is_folder else stat.S_ISREG
    # Windows has no such bits: there a folder of the user's is closed to others by where it lies.
    is_open = _HAS_OWNERS and stat.S_IMODE(found.st_mode) & _FOR_OTHERS
    return is_right(found.st_mode) and _is_owned(found) and not is_open


def _is_owned(found: os.stat_result) -> bool:
    return not _HAS_OWNERS or found.st_uid == os.geteuid()


def _make_room(folder: Path) -> None:
    """Remove of `folder` what was used longest ago, as far as it is too large."""
    room = MAX_BYTES_IN_ALL
    for size, path in _by_use(folder):
        room -= size
        if room < 0:
            path.unlink(missing_ok=True)


def _by_use(folder: Path) -> Iterator[tuple[int, Path]]:
    """Yield the size and the path of each file in `folder`, the one used last first."""
    with os.scandir(folder) as entries:
        found = [(entry.stat(follow_symlinks=False), Path(entry.path)) for entry in entries]
    for each, path in sorted(found, key=lambda one: one[0].st_mtime_ns, reverse=True):
        yield each.st_size, path
