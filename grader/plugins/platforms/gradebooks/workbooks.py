"""Fills cells of a workbook (`.xlsx`), and keeps everything else in it.

A library that reads and rewrites a workbook loses what it does not know: charts, macros, comments,
styles of tables. So the file is edited as an archive of XML: in one sheet the text of a few cells
is replaced, and all other members keep their bytes. A workbook with formulas is marked for
recalculation.

It may come from a stranger: sizes are limited, and XML with a document type is refused, since
entities need one.
"""

from __future__ import annotations

import io
import lzma
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import Final

from grader.plugins.platforms.gradebooks.delimited import decimal_text
from grader.plugins.platforms.gradebooks.markup import OPENED, tags, unreadable
from grader.plugins.platforms.gradebooks.sheets import Edit, Sheet, sheet_of, spliced
from grader.plugins.platforms.gradebooks.tables import Content, Place
from grader.values.foreign_text import plain

MAX_BYTES: Final = 64 << 20
"""The limit on all members together, unpacked."""
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(RuntimeError, ValueError, OSError, EOFError),
)
"""The exceptions of `zipfile`, also for passwords and unknown compression."""
_MAX_MEMBERS: Final = 5_000
_FORMULA: Final = re.compile(rb"<(?:\w+:)?f[\s/>]")
_OFFICE: Final = "/officeDocument"
_SHEET: Final = "/worksheet"
_STRINGS: Final = "/sharedStrings"


def is_workbook(data: bytes) -> bool:
    """Return whether `data` looks like a workbook of this kind."""
    return data.startswith(b"PK\3\4")


@dataclass(frozen=True, slots=True)
class Workbook:
    """The members of a workbook, and the paths of its sheets."""

    _members: Mapping[str, bytes]
    _infos: Sequence[zipfile.ZipInfo]
    _path: str
    """The path of the member that lists the sheets."""
    _sheets: Sequence[str]
    _strings: str | None
    _calculates: bool

    @classmethod
    def read(cls, data: bytes) -> Workbook:
        """Return the workbook in `data`; raises `UsageError` if it cannot be read."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                infos = archive.infolist()
                members = dict(_contents(archive, infos))
        except _DAMAGE as error:
            raise unreadable(str(error)) from None
        path = next(iter(_related(members, "", _OFFICE).values()), None)
        if path is None or path not in members:
            raise unreadable("the archive contains no workbook")
        related = _related(members, path, _SHEET)
        listed = (
            # Writers choose the prefix of the namespace.
            next((v for k, v in tag.attributes.items() if k.endswith(":id")), "")
            for tag in tags(members[path])
            if tag.name == "sheet" and tag.attributes.get("state", "visible") == "visible"
        )
        sheets = [related[each] for each in listed if related.get(each) in members]
        strings = next(iter(_related(members, path, _STRINGS).values()), None)
        strings = strings if strings in members else None
        # Cached results of formulas may depend on filled cells.
        calculates = any(_FORMULA.search(members.get(each, b"")) for each in related.values())
        return cls(members, infos, path, sheets, strings, calculates)

    def tables(self) -> Iterator[WorkbookTable]:
        """Yield the visible sheets in order."""
        shared = self._members[self._strings] if self._strings is not None else None
        for path in self._sheets:
            yield WorkbookTable(self, path, sheet_of(self._members[path], shared))

    def replaced(self, path: str, data: bytes) -> bytes:
        """Return the workbook with `data` as the member at `path`."""
        members = {**self._members, path: data}
        if self._calculates:
            members[self._path] = _recalculating(self._members[self._path])
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            for info in self._infos:
                archive.writestr(_copied(info), members[info.filename])
        return target.getvalue()


@dataclass(frozen=True, slots=True)
class WorkbookTable:
    """One sheet of a workbook."""

    _workbook: Workbook
    _path: str
    _sheet: Sheet

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """The text of each cell."""
        return self._sheet.rows

    @property
    def formulas(self) -> frozenset[Place]:
        """Cells with formulas."""
        return self._sheet.formulas

    has_semicolons = False

    def filled(self, cells: Mapping[Place, Content], *, comma: bool) -> bytes:
        """Return the workbook with `cells` filled; `comma` is left to the format of the cell."""
        edits = [Edit(place, *_written(content)) for place, content in cells.items()]
        return self._workbook.replaced(self._path, spliced(self._sheet, edits))


def _written(content: Content) -> tuple[str, str]:
    """Return the type of a cell with `content`, and its inner XML."""
    if isinstance(content, Decimal):
        return "n", f"<v>{decimal_text(content)}</v>"
    return (
        "inlineStr",
        # Without control characters, which XML refuses even as references.
        f'<is><t xml:space="preserve">{escape(plain(content), quote=False)}</t></is>',
    )


def _contents(
    archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo]
) -> Iterator[tuple[str, bytes]]:
    left = MAX_BYTES
    names = {info.filename for info in infos}
    # Readers disagree on which of two members with one name counts.
    if len(infos) > _MAX_MEMBERS or len(names) < len(infos):
        raise unreadable("it has too many members, or two with the same name")
    for info in infos:
        with archive.open(info) as member:
            data = member.read(left + 1)  # the size in the header may be a lie
        left -= len(data)
        if left < 0:
            raise unreadable(f"unpacked it is larger than {MAX_BYTES >> 20} MiB")
        yield info.filename, data


def _copied(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Return a copy of `info` for a new archive, without its offset and sizes."""
    copy = zipfile.ZipInfo(info.filename, info.date_time)
    copy.compress_type = info.compress_type
    copy.external_attr, copy.create_system = info.external_attr, info.create_system
    copy.comment = info.comment
    return copy


def _related(members: Mapping[str, bytes], path: str, kind: str) -> dict[str, str]:
    """Return the paths of members of a `kind` related to the one at `path`, by relationship id."""
    folder, name = posixpath.split(path)
    listing = members.get(posixpath.join(folder, "_rels", f"{name}.rels"))
    if listing is None:
        return {}
    return {
        # Targets are relative to the folder, or absolute.
        tag.attributes.get("Id", ""): posixpath.normpath(
            posixpath.join("/", folder, tag.attributes.get("Target", ""))
        ).lstrip("/")
        for tag in tags(listing)
        if tag.name == "Relationship" and tag.attributes.get("Type", "").endswith(kind)
    }


def _recalculating(data: bytes) -> bytes:
    """Return the workbook's XML with all formulas to be recalculated when it is opened."""
    for tag in tags(data):
        if tag.name == "calcPr" and "fullCalcOnLoad" not in tag.attributes:
            opened = OPENED.match(data, tag.start)
            assert opened is not None, "a tag begins here"
            at = opened.end("name")
            return data[:at] + b' fullCalcOnLoad="1"' + data[at:]
    return data
