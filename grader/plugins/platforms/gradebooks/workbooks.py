"""Fills cells of a workbook (`.xlsx`), and preserves everything else in it.

A library that reads and rewrites a workbook loses what it does not support: charts, macros,
comments, table styles. So the file is edited as an archive of XML: the text of a few cells in one
sheet is replaced, and all other members keep their bytes. A workbook with formulas is marked for
recalculation.

The file might be hostile: sizes are limited, and XML with a document type is refused, because
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
from grader.plugins.platforms.gradebooks.markup import (
    START_TAG,
    parse,
    tags,
    unreadable_workbook,
)
from grader.plugins.platforms.gradebooks.sheets import Edit, Sheet, parse_sheet, splice
from grader.plugins.platforms.gradebooks.tables import CellPosition, Content
from grader.values.foreign_text import escape_controls

MAX_BYTES: Final = 64 << 20
"""The limit on the unpacked size of all members together."""
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(RuntimeError, ValueError, OSError, EOFError),
)
"""The exceptions that `zipfile` raises, including those for passwords and unknown compression."""
_MAX_MEMBERS: Final = 5_000
_FORMULA: Final = re.compile(rb"<(?:\w+:)?f[\s/>]")
"""Matches the start of a formula in the XML of a sheet."""
_FULL_CALCULATION: Final = re.compile(rb"""\s+fullCalcOnLoad\s*=\s*(?:"[^"]*"|'[^']*')""")
_BEFORE_CALCULATION: Final = frozenset({"sheets", "externalReferences", "definedNames"})
"""The elements after which a workbook's XML has its settings for calculation."""
# How the types of relationships end; their prefixes differ between versions of the format.
_OFFICE: Final = "/officeDocument"
_SHEET: Final = "/worksheet"
_STRINGS: Final = "/sharedStrings"


def is_workbook(data: bytes) -> bool:
    """Return whether `data` looks like an `.xlsx` workbook, which is a zip."""
    return data.startswith(b"PK\3\4")


@dataclass(frozen=True, slots=True)
class Workbook:
    """The members of a workbook, and the paths of its sheets."""

    _members: Mapping[str, bytes]
    _infos: Sequence[zipfile.ZipInfo]
    _path: str
    """The path of the member that lists the sheets."""
    _sheets: Sequence[str]
    """The paths of the visible sheets, in order."""
    _strings: str | None
    """The path of the shared strings, if there are any."""
    _has_formulas: bool

    @classmethod
    def read(cls, data: bytes) -> Workbook:
        """Parse the workbook in `data`; raises `UsageError` if it cannot be read."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                infos = archive.infolist()
                members = dict(_read_members(archive, infos))
        except _DAMAGE as error:
            raise unreadable_workbook(str(error)) from None
        path = next(iter(_related_paths(members, "", _OFFICE).values()), None)
        if path is None or path not in members:
            raise unreadable_workbook("the zip contains no workbook")
        sheet_paths = _related_paths(members, path, _SHEET)
        sheet_ids = (
            # The namespace prefix of `id` is up to the program that wrote the workbook.
            next((value for key, value in tag.attributes.items() if key.endswith(":id")), "")
            for tag in tags(members[path])
            if tag.name == "sheet" and tag.attributes.get("state", "visible") == "visible"
        )
        sheets = [
            sheet_paths[sheet_id] for sheet_id in sheet_ids if sheet_paths.get(sheet_id) in members
        ]
        strings = next(iter(_related_paths(members, path, _STRINGS).values()), None)
        strings = strings if strings in members else None
        # Cached results of formulas might depend on filled cells.
        has_formulas = any(
            _FORMULA.search(members.get(sheet_path, b"")) for sheet_path in sheet_paths.values()
        )
        return cls(members, infos, path, sheets, strings, has_formulas)

    def tables(self) -> Iterator[WorkbookTable]:
        """Yield the visible sheets in order, as tables.

        Raises `UsageError` if a sheet cannot be read.
        """
        shared = self._members[self._strings] if self._strings is not None else None
        for path in self._sheets:
            yield WorkbookTable(self, path, parse_sheet(self._members[path], shared))

    def with_member(self, path: str, data: bytes) -> bytes:
        """Return the workbook with the member at `path` replaced by `data`.

        If the workbook has formulas, opening it recalculates them.
        """
        members = {**self._members, path: data}
        if self._has_formulas:
            members[self._path] = _force_recalculation(self._members[self._path])
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            for info in self._infos:
                archive.writestr(_copy_info(info), members[info.filename])
        return target.getvalue()


@dataclass(frozen=True, slots=True)
class WorkbookTable:
    """One sheet of a workbook."""

    _workbook: Workbook
    _path: str
    _sheet: Sheet

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """The text of each cell; rows can have different lengths."""
        return self._sheet.rows

    @property
    def formulas(self) -> frozenset[CellPosition]:
        """The cells with formulas."""
        return self._sheet.formulas

    has_semicolons = False

    def fill_cells(self, cells: Mapping[CellPosition, Content], *, comma: bool) -> bytes:
        """Return the workbook with `cells` filled in.

        `comma` has no effect, because the format of a cell decides how its number is displayed.
        """
        edits = [Edit(position, *_cell_content(content)) for position, content in cells.items()]
        return self._workbook.with_member(self._path, splice(self._sheet, edits))


def _cell_content(content: Content) -> tuple[str, str]:
    """Return the type and inner XML of a cell with `content`."""
    if isinstance(content, Decimal):
        return "n", f"<v>{decimal_text(content)}</v>"
    return (
        "inlineStr",
        # Control characters are escaped, because XML forbids them even as references.
        f'<is><t xml:space="preserve">{escape(escape_controls(content), quote=False)}</t></is>',
    )


def _read_members(
    archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo]
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each member; raises `UsageError` if a limit is exceeded."""
    remaining = MAX_BYTES
    names = {info.filename for info in infos}
    # Of two members with the same name, programs disagree on which one counts.
    if len(infos) > _MAX_MEMBERS or len(names) < len(infos):
        raise unreadable_workbook(
            f"the zip has more than {_MAX_MEMBERS:,} members, or two with the same name"
        )
    for info in infos:
        with archive.open(info) as member:
            data = member.read(remaining + 1)  # the size in the header might be wrong
        remaining -= len(data)
        if remaining < 0:
            raise unreadable_workbook(f"its unpacked size is over {MAX_BYTES >> 20} MiB")
        yield info.filename, data


def _copy_info(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Return a copy of `info` for a new archive, without offset and sizes."""
    copy = zipfile.ZipInfo(info.filename, info.date_time)
    copy.compress_type = info.compress_type
    copy.external_attr, copy.create_system = info.external_attr, info.create_system
    copy.comment = info.comment
    return copy


def _related_paths(members: Mapping[str, bytes], path: str, kind: str) -> dict[str, str]:
    """Return the paths of the members to which `path` has relationships of this `kind`.

    The paths are keyed by the id of the relationship. The `path` "" is the workbook file itself.
    """
    folder, name = posixpath.split(path)
    listing = members.get(posixpath.join(folder, "_rels", f"{name}.rels"))
    if listing is None:
        return {}
    return {
        # A target is absolute, or relative to the folder.
        tag.attributes.get("Id", ""): posixpath.normpath(
            posixpath.join("/", folder, tag.attributes.get("Target", ""))
        ).lstrip("/")
        for tag in tags(listing)
        if tag.name == "Relationship" and tag.attributes.get("Type", "").endswith(kind)
    }


def _force_recalculation(data: bytes) -> bytes:
    """Return the workbook's XML, changed so that opening it recalculates all formulas.

    Return the XML unchanged if it already forces this.
    """
    for tag in tags(data):
        if tag.name == "calcPr":
            start_tag = START_TAG.match(data, tag.start)
            assert start_tag is not None, "`tags` returns offsets of start tags"
            if tag.attributes.get("fullCalcOnLoad") in {"1", "true"}:
                return data
            attributes = _FULL_CALCULATION.sub(b"", start_tag["attributes"])
            attributes = b' fullCalcOnLoad="1"' + attributes
            return data[: start_tag.end("name")] + attributes + data[start_tag.end("attributes") :]
    reader = _CalculationPlace()
    parse(data, reader)
    root = START_TAG.match(data, reader.root_offset)
    assert root is not None, "`parse` reports offsets of start tags"
    prefix, colon, _ = root["name"].rpartition(b":")  # such as `<x:`, as the namespace may have one
    element = (prefix + colon or b"<") + b'calcPr fullCalcOnLoad="1"/>'
    return data[: reader.offset] + element + data[reader.offset :]


class _CalculationPlace:
    """Finds where the settings for calculation belong in a workbook's XML that has none."""

    def __init__(self) -> None:
        self.root_offset = 0
        self.offset = 0
        """The end of the last element that must precede them."""
        self._depth = 0

    def start(self, name: str, attributes: dict[str, str], offset: int) -> None:
        if self._depth == 0:
            self.root_offset = offset
        self._depth += 1

    def end(self, name: str, offset: int, end_offset: int) -> None:
        self._depth -= 1
        if self._depth == 1 and name in _BEFORE_CALCULATION:
            self.offset = end_offset

    def text(self, text: str) -> None:
        pass
