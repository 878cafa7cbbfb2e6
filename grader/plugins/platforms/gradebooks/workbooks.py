"""Fills cells of a workbook (`.xlsx`), and leaves everything else in it as it is.

A library that reads a workbook and writes it again loses what it does not know: charts, macros,
comments, the look of a table. So the file is taken for what it is, an archive of XML: in the one
sheet the text of a few cells is replaced, and all other members keep their bytes. Where something
is calculated, the workbook is told to calculate it again when it is opened.

It may come from a stranger: what it may cost is bounded, and XML with a document type is refused,
as that is where entities come from.
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
"""Of all members together, unpacked."""
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(RuntimeError, ValueError, OSError, EOFError),
)
"""What `zipfile` raises, passwords and methods that it does not know included."""
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
    """The members of a workbook, and which of them are sheets."""

    _members: Mapping[str, bytes]
    _infos: Sequence[zipfile.ZipInfo]
    _path: str
    """Of the member that lists the sheets."""
    _sheets: Sequence[str]
    _strings: str | None
    _calculates: bool

    @classmethod
    def read(cls, data: bytes) -> Workbook:
        """Return the workbook in `data`; raises `UsageError` if it is none."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                infos = archive.infolist()
                members = dict(_contents(archive, infos))
        except _DAMAGE as error:
            raise unreadable(str(error)) from None
        path = next(iter(_related(members, "", _OFFICE).values()), None)
        if path is None or path not in members:
            raise unreadable("no workbook is in it")
        related = _related(members, path, _SHEET)
        listed = (
            next((v for k, v in tag.attributes.items() if k.endswith(":id")), "")
            for tag in tags(members[path])
            if tag.name == "sheet" and tag.attributes.get("state", "visible") == "visible"
        )
        sheets = [related[each] for each in listed if related.get(each) in members]
        strings = next(iter(_related(members, path, _STRINGS).values()), None)
        strings = strings if strings in members else None
        calculates = any(_FORMULA.search(members.get(each, b"")) for each in related.values())
        return cls(members, infos, path, sheets, strings, calculates)

    def tables(self) -> Iterator[WorkbookTable]:
        """Yield the sheets that can be seen, in their order."""
        shared = self._members[self._strings] if self._strings is not None else None
        for path in self._sheets:
            yield WorkbookTable(self, path, sheet_of(self._members[path], shared))

    def replaced(self, path: str, data: bytes) -> bytes:
        """Return the workbook with other `data` in one of its members."""
        members = {**self._members, path: data}
        if self._calculates:
            members[self._path] = _calculating_anew(self._members[self._path])
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
        """Cells that are calculated."""
        return self._sheet.formulas

    has_semicolons = False

    def filled(self, cells: Mapping[Place, Content], *, comma: bool) -> bytes:
        """Return the workbook with `cells` filled; how a number looks is the cell's own affair."""
        edits = [Edit(place, *_written(content)) for place, content in cells.items()]
        return self._workbook.replaced(self._path, spliced(self._sheet, edits))


def _written(content: Content) -> tuple[str, str]:
    """Return the type of a cell that holds `content`, and what is in it."""
    if isinstance(content, Decimal):
        return "n", f"<v>{decimal_text(content)}</v>"
    return (
        "inlineStr",
        f'<is><t xml:space="preserve">{escape(plain(content), quote=False)}</t></is>',
    )


def _contents(
    archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo]
) -> Iterator[tuple[str, bytes]]:
    left = MAX_BYTES
    names = {info.filename for info in infos}
    if len(infos) > _MAX_MEMBERS or len(names) < len(infos):
        raise unreadable("it has too many members, or two of the same name")
    for info in infos:
        with archive.open(info) as member:
            data = member.read(left + 1)
        left -= len(data)
        if left < 0:
            raise unreadable(f"unpacked it is larger than {MAX_BYTES >> 20} MiB")
        yield info.filename, data


def _copied(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Return what is known of a member for a new archive: its place there is another one."""
    copy = zipfile.ZipInfo(info.filename, info.date_time)
    copy.compress_type = info.compress_type
    copy.external_attr, copy.create_system = info.external_attr, info.create_system
    copy.comment = info.comment
    return copy


def _related(members: Mapping[str, bytes], path: str, kind: str) -> dict[str, str]:
    """Return the members of a `kind` that the one at `path` leads to, by their ids."""
    folder, name = posixpath.split(path)
    listing = members.get(posixpath.join(folder, "_rels", f"{name}.rels"))
    if listing is None:
        return {}
    return {
        tag.attributes.get("Id", ""): posixpath.normpath(
            posixpath.join("/", folder, tag.attributes.get("Target", ""))
        ).lstrip("/")
        for tag in tags(listing)
        if tag.name == "Relationship" and tag.attributes.get("Type", "").endswith(kind)
    }


def _calculating_anew(data: bytes) -> bytes:
    """Return the workbook's own XML, so that what depends on a filled cell is calculated."""
    for tag in tags(data):
        if tag.name == "calcPr" and "fullCalcOnLoad" not in tag.attributes:
            opened = OPENED.match(data, tag.start)
            assert opened is not None, "a tag begins here"
            at = opened.end("name")
            return data[:at] + b' fullCalcOnLoad="1"' + data[at:]
    return data
