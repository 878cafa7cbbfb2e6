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
_CACHED_ARCHIVES: Final = 2
"""How many archives are cached in memory, so that each is unpacked once to read all its files."""
_MIN_BYTES: Final = 22
"""The size of the smallest archive, an empty zip."""
_MAX_HEAD_PIECES: Final = 32
"""Enough for a block of bzip2, which is decompressed only as a whole."""
_TAR_NAME: Final = re.compile(r"[.]t(ar[.])?(gz|bz2?|xz)$", re.IGNORECASE)
_DOCUMENT_FILES: Final = frozenset({"[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF"})
"""Files by which zips are recognized as documents or programs."""

_OpenFile: TypeAlias = Callable[[], BinaryIO]
_Unpack: TypeAlias = Callable[[Content], bytes]


def list_archive(content: Content, open_file: _OpenFile, listing: Listing) -> bool:
    """Add the files in the archive with this `content`, which `open_file` opens, to `listing`.

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
    lister(open_file, listing)
    return not _is_document(listing)


def open_archives(listing: Listing) -> None:
    """Open the archives in `listing`, and those inside them."""
    _open_archives(listing, lru_cache(maxsize=_CACHED_ARCHIVES)(_read_all), MAX_LEVELS)


def _open_archives(listing: Listing, unpack: _Unpack, levels: int) -> None:
    """Open the archives in `listing`, down to `levels` levels."""
    if not levels:
        return
    paths, folders = listing.paths(), set[str]()
    # In order: of two archives with the same stem, the first gets it as the name of its folder.
    for leaf in sorted(listing.leaves.values(), key=lambda leaf: leaf.path):
        if is_of_git(leaf.path) or (leaf.size_bytes or 0) < _MIN_BYTES:
            continue
        content = leaf.read
        assert isinstance(content, Content)
        names = _folder_names(leaf.path, listing.leaves)
        folder = next(name for name in names if not (name in folders or paths.is_folder(name)))
        inner = Listing(listing.room, leaf.path, folder)
        open_file = content.opened or partial(_in_memory, content, unpack)
        try:
            is_archive = list_archive(content, open_file, inner)
        except SubmissionError as error:
            listing.refuse(leaf.path, error.reason)
            continue
        if is_archive:
            _open_archives(inner, unpack, levels - 1)
            listing.open(leaf, inner)
            folders.add(folder)


def _folder_names(path: str, leaves: Container[str]) -> Iterator[str]:
    """Yield possible names of the folder for the archive at `path`, without its suffix first."""
    folder, slash, name = path.rpartition("/")
    stem = f"{folder}{slash}{without_suffix(name)}" if suffix_of(name) in PACKED else path
    if stem == path or stem not in leaves:
        yield stem
    yield path
    yield from (f"{path} ({number})" for number in count(2))


def _in_memory(content: Content, unpack: _Unpack) -> BinaryIO:
    return io.BytesIO(unpack(content))


def _read_all(content: Content) -> bytes:
    return content(MAX_NESTED_BYTES)


# Recognized by content


def _lister(content: Content) -> Callable[[_OpenFile, Listing], None] | None:
    """Return the function that lists the archive with this `content`, None if it is not one."""
    head = content.head()
    if head.startswith((b"PK\3\4", b"PK\5\6")):  # the latter if it is empty
        return list_zip
    if is_tar(head):
        return list_tar
    if (new_decompressor := packing_of(head)) is not None:
        unpacked_head = _unpacked_head(content, new_decompressor)
        # If it is too damaged to recognize, its name decides.
        if is_tar(unpacked_head) or (not unpacked_head and _TAR_NAME.search(content.name)):
            return list_tar
    return None


def _unpacked_head(content: Content, new_decompressor: Callable[[], Decompressor]) -> bytes:
    """Return the first bytes of the unpacked `content`, fewer if it is damaged."""
    head = b""
    with suppress(SubmissionError, Damaged):
        packed = islice(content.pieces(), _MAX_HEAD_PIECES)
        for piece in unpacked(lambda _: next(packed, b""), new_decompressor):
            head += piece
            if len(head) >= BLOCK_BYTES:
                break
    return head


def _is_document(listing: Listing) -> bool:
    """Return whether the listed files are parts of a document, a program or an array."""
    names = [path.removeprefix(f"{listing.folder}/") for path in listing.leaves]
    # Apple's documents hold `.iwa` files; numpy's `.npz` is a zip that has only `.npy`.
    return any(name in _DOCUMENT_FILES or name.endswith(".iwa") for name in names) or (
        bool(names) and all(name.endswith(".npy") for name in names)
    )
