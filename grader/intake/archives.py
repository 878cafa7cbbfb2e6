"""Opens archives, and archives in archives, recognized by their content.

An archive in a source becomes a folder of leaves. Two levels of archives below the named source are
opened; deeper ones stay files, and so do files that only look like archives: office documents and
numpy arrays are zips, too.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from itertools import count, islice
from typing import BinaryIO, Final, TypeAlias

from grader.intake.files import Content, SubmissionError, is_of_git
from grader.intake.kinds import PACKED, suffix_of, without_suffix
from grader.intake.listing import MAX_NESTED_BYTES, Listing
from grader.intake.tars import BLOCK_BYTES, is_tar, list_tar
from grader.intake.unpacking import Damaged, Decompressor, packing_of, unpacked
from grader.intake.zips import list_zip
from grader.messages import message
from grader.values.foreign_text import one_line

MAX_LEVELS: Final = 2
_HELD: Final = 2
"""How many archives are cached in memory, so that reading all files in one unpacks it once."""
_LEAST_BYTES: Final = 22
"""The size of the smallest archive, an empty zip."""
_MAX_HEAD_PIECES: Final = 32
"""More than one block of bzip2, which is decompressed only as a whole."""
_TAR_NAME: Final = re.compile(r"[.]t(ar[.])?(gz|bz2?|xz)$", re.IGNORECASE)
_NO_ARCHIVES: Final = frozenset({"[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF"})
"""Files by which zips are recognized as documents or programs."""

_Opened: TypeAlias = Callable[[], BinaryIO]
_Hold: TypeAlias = Callable[[Content], bytes]


def list_archive(content: Content, opened: _Opened, listing: Listing) -> bool:
    """Add the files in the archive with this `content`, which `opened` opens.

    Returns whether it is an archive; if not, the caller should discard `listing`. Raises
    `SubmissionError` if it cannot be opened.
    """
    lister = _lister(content)
    if lister is None:
        return False
    if content.opened is None:  # it is in another archive, and has to be unpacked
        listing.room.unpacked_bytes -= content.size_bytes or 0
        if listing.room.unpacked_bytes < 0:
            raise SubmissionError(message("refused.bomb", file=one_line(content.name)))
    lister(opened, listing)
    return not _is_document(listing)


def look_into_archives(listing: Listing) -> None:
    """Open the archives in `listing`, and those inside them."""
    _look_into(listing, lru_cache(maxsize=_HELD)(_whole), MAX_LEVELS)


def _look_into(listing: Listing, hold: _Hold, levels: int) -> None:
    """Open the archives in `listing`, down to `levels` levels."""
    if not levels:
        return
    paths, folders = listing.paths(), set[str]()
    # In order, as of two archives with the same stem the first gets it for its folder.
    for leaf in sorted(listing.leaves.values(), key=lambda leaf: leaf.path):
        if is_of_git(leaf.path) or (leaf.size_bytes or 0) < _LEAST_BYTES:
            continue
        content = leaf.read
        assert isinstance(content, Content)
        names = _names(leaf.path, listing.leaves)
        folder = next(name for name in names if not (name in folders or paths.is_folder(name)))
        inner = Listing(listing.room, leaf.path, folder)
        opened = content.opened or partial(_in_memory, content, hold)
        try:
            is_archive = list_archive(content, opened, inner)
        except SubmissionError as refused:
            listing.refuse(leaf.path, refused.reason)
            continue
        if is_archive:
            _look_into(inner, hold, levels - 1)
            listing.open(leaf, inner)
            folders.add(folder)


def _names(path: str, leaves: Container[str]) -> Iterator[str]:
    """Yield possible names of the folder for the archive at `path`, without its suffix first."""
    folder, slash, name = path.rpartition("/")
    stem = f"{folder}{slash}{without_suffix(name)}" if suffix_of(name) in PACKED else path
    if stem == path or stem not in leaves:
        yield stem
    yield path
    yield from (f"{path} ({number})" for number in count(2))


def _in_memory(content: Content, hold: _Hold) -> BinaryIO:
    return io.BytesIO(hold(content))


def _whole(content: Content) -> bytes:
    return content(MAX_NESTED_BYTES)


# Recognized by content


def _lister(content: Content) -> Callable[[_Opened, Listing], None] | None:
    """Return the function that lists the archive with this `content`, None if it is none."""
    head = content.head()
    if head.startswith((b"PK\3\4", b"PK\5\6")):  # the latter if it is empty
        return list_zip
    if is_tar(head):
        return list_tar
    if (new := packing_of(head)) is not None:
        unpacked_head = _unpacked_head(content, new)
        # If it is too damaged to recognize, its name decides.
        if is_tar(unpacked_head) or (not unpacked_head and _TAR_NAME.search(content.name)):
            return list_tar
    return None


def _unpacked_head(content: Content, new: Callable[[], Decompressor]) -> bytes:
    head = b""
    with suppress(SubmissionError, Damaged):
        packed = islice(content.pieces(), _MAX_HEAD_PIECES)
        for piece in unpacked(lambda _: next(packed, b""), new):
            head += piece
            if len(head) >= BLOCK_BYTES:
                break
    return head


def _is_document(listing: Listing) -> bool:
    """Return whether the listed files are parts of a document, a program or an array."""
    names = [path.removeprefix(f"{listing.folder}/") for path in listing.leaves]
    # Apple's documents hold `.iwa` files; numpy's `.npz` is a zip with nothing but `.npy`.
    return any(name in _NO_ARCHIVES or name.endswith(".iwa") for name in names) or (
        bool(names) and all(name.endswith(".npy") for name in names)
    )
