"""Opens archives, and archives inside archives, which are recognised by their content.

An archive in a source becomes a folder of leaves. Two levels of archives below the source are
opened. Deeper ones stay files, as do office documents and numpy arrays, which are zips too.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from itertools import count, islice
from typing import BinaryIO, Final, TypeAlias

from grader.intake.files import Content, SubmissionError, is_in_git_folder
from grader.intake.kinds import PACKED, suffix_of, without_suffix
from grader.intake.listing import MAX_NESTED_BYTES, Listing
from grader.intake.tars import BLOCK_BYTES, is_tar, list_tar
from grader.intake.unpacking import DamagedData, Decompressor, decompress_stream, find_decompressor
from grader.intake.zips import list_zip
from grader.messages import message
from grader.values.foreign_text import one_line

MAX_LEVELS: Final = 2
"""How many levels of archives in archives are opened: a hostile archive can contain itself."""
_CACHED_ARCHIVES: Final = 2
"""How many archives are cached in memory, to avoid unpacking one again for each of its files."""
_MIN_BYTES: Final = 22
"""The size of the smallest archive, an empty zip."""
_MAX_HEAD_PIECES: Final = 32
"""Enough for a bzip2 block, which can only be decompressed as a whole."""
_TAR_NAME: Final = re.compile(r"[.]t(ar[.])?(gz|bz2?|xz)$", re.IGNORECASE)
_DOCUMENT_FILES: Final = frozenset({"[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF"})
"""Names of files that show that a zip is a document or a program."""

_OpenFile: TypeAlias = Callable[[], BinaryIO]
_Unpack: TypeAlias = Callable[[Content], bytes]


def list_archive(content: Content, open_file: _OpenFile, listing: Listing) -> bool:
    """Add the files in the archive with this `content` to `listing`; `open_file` opens the archive.

    Returns False if the file is not an archive, or is a document or program that is packed as one,
    such as `.docx` or `.jar`. The caller should then discard `listing`. An archive inside another
    one is charged to the budget of `listing`. Raises `SubmissionError` if the archive cannot be
    opened, or is too large to be unpacked into memory.
    """
    lister = _find_lister(content)
    if lister is None:
        return False
    if content.open_file is None:  # inside another archive: it will be unpacked into memory
        listing.budget.unpacked_bytes -= content.size_bytes or 0
        if listing.budget.unpacked_bytes < 0:
            raise SubmissionError(message("refused.bomb", file=one_line(content.name)))
    lister(open_file, listing)
    return not _is_document(listing)


def open_archives(listing: Listing) -> None:
    """Replace the archives in `listing`, and those inside them, with their contents.

    An archive that cannot be opened is recorded as refused.
    """
    _open_archives(listing, lru_cache(maxsize=_CACHED_ARCHIVES)(_read_all), MAX_LEVELS)


def _open_archives(listing: Listing, unpack: _Unpack, levels: int) -> None:
    """Replace the archives in `listing` with their contents, down to `levels` levels.

    `unpack` returns the bytes of an archive inside another one. Archives that cannot be listed are
    recorded as refused.
    """
    if not levels:
        return
    paths, folders = listing.paths(), set[str]()
    # Sorted, so that if two archives have the same stem, the first one always gets the stem as its
    # folder name.
    for leaf in sorted(listing.leaves.values(), key=lambda leaf: leaf.path):
        if is_in_git_folder(leaf.path) or (leaf.size_bytes or 0) < _MIN_BYTES:
            continue
        content = leaf.read
        assert isinstance(content, Content), "folders and archives list no other leaves"
        names = _folder_names(leaf.path, listing.leaves)
        folder = next(name for name in names if not (name in folders or paths.is_folder(name)))
        inner = Listing(listing.budget, leaf.path, folder)
        open_file = content.open_file or partial(_open_in_memory, content, unpack)
        try:
            is_archive = list_archive(content, open_file, inner)
        except SubmissionError as error:
            listing.refuse(leaf.path, error.reason)
            continue
        if is_archive:
            _open_archives(inner, unpack, levels - 1)
            listing.replace_archive(leaf, inner)
            folders.add(folder)


def _folder_names(path: str, leaves: Container[str]) -> Iterator[str]:
    """Yield candidate folder names for the archive at `path`.

    The first is the path without its suffix, unless another file has that path.
    """
    folder, slash, name = path.rpartition("/")
    stem = f"{folder}{slash}{without_suffix(name)}" if suffix_of(name) in PACKED else path
    if stem == path or stem not in leaves:
        yield stem
    yield path
    yield from (f"{path} ({number})" for number in count(2))


def _open_in_memory(content: Content, unpack: _Unpack) -> BinaryIO:
    return io.BytesIO(unpack(content))


def _read_all(content: Content) -> bytes:
    return content(MAX_NESTED_BYTES)


# Recognising archives by content


def _find_lister(content: Content) -> Callable[[_OpenFile, Listing], None] | None:
    """Return the function that lists an archive with this `content`, or None for another file."""
    head = content.head()
    if head.startswith((b"PK\3\4", b"PK\5\6")):  # the second signature is that of an empty zip
        return list_zip
    if is_tar(head):
        return list_tar
    if (new_decompressor := find_decompressor(head)) is not None:
        head_of_stream = _unpack_head(content, new_decompressor)
        # If the content is too damaged to recognise, the name decides.
        if is_tar(head_of_stream) or (not head_of_stream and _TAR_NAME.search(content.name)):
            return list_tar
    return None


def _unpack_head(content: Content, new_decompressor: Callable[[], Decompressor]) -> bytes:
    """Return the first unpacked bytes of `content`; fewer than a block if it is damaged."""
    head = b""
    with suppress(SubmissionError, DamagedData):
        packed = islice(content.pieces(), _MAX_HEAD_PIECES)
        # No more than a few pieces: a small archive can unpack to gigabytes.
        for piece in decompress_stream(lambda _: next(packed, b""), new_decompressor):
            head += piece
            if len(head) >= BLOCK_BYTES:
                break
    return head


def _is_document(listing: Listing) -> bool:
    """Return whether the listed files are the parts of a document, a program or an array."""
    names = [path.removeprefix(f"{listing.folder}/") for path in listing.leaves]
    # Apple's documents contain `.iwa` files; a numpy `.npz` is a zip with only `.npy` files.
    return any(name in _DOCUMENT_FILES or name.endswith(".iwa") for name in names) or (
        bool(names) and all(name.endswith(".npy") for name in names)
    )
