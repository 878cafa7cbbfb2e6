"""Workbooks are filled in place: nothing else in them is written anew."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worksheets import MARKS, SAID

from grader.errors import UsageError
from grader.plugins.platforms.gradebooks import workbooks
from grader.plugins.platforms.gradebooks.filling import FillOptions, FillResult, fill
from grader.plugins.platforms.gradebooks.tables import CellPosition
from grader.plugins.platforms.gradebooks.workbooks import Workbook

MAIN: Final = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
NAMES: Final = "<definedNames><definedName>a</definedName></definedNames>"
SHEET: Final = "xl/worksheets/sheet1.xml"


def relations(*targets: tuple[str, str]) -> str:
    """Return the XML that leads to members, each of a kind."""
    leads = (
        f'<Relationship Id="rId{number}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}">{"".join(leads)}</Relationships>'


def members(rows: str, **others: str) -> dict[str, str]:
    """Return the members of a small workbook with these rows."""
    book = '<sheet name="Marks" sheetId="1" r:id="rId1"/></sheets><calcPr calcId="1"/>'
    return {
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{RELATIONS}"><sheets>{book}</workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            ("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "/xl/sharedStrings.xml")
        ),
        "xl/sharedStrings.xml": f"<sst {MAIN}><si><t>Zoë</t></si><si><r><t>De </t></r>"
        "<r><t>Smet</t></r><rPh><t>aid</t></rPh></si></sst>",
        SHEET: f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>",
        "xl/vbaProject.bin": "macros",
        **others,
    }


def archive(contents: Mapping[str, str]) -> bytes:
    """Return a zip of `contents`."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in contents.items():
            made.writestr(name, text)
    return target.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    """Return the members of a zip."""
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        return {name: made.read(name) for name in made.namelist()}


def text(cell: str, said: str, style: str = "") -> str:
    """Return a cell with a text of its own."""
    return f'<c r="{cell}"{style} t="inlineStr"><is><t>{said}</t></is></c>'


HEADER: Final = (
    f"<row r='1'>{text('A1', 'Username')}{text('B1', 'Mark')}{text('C1', 'Comment')}</row>"
)


def filled(data: bytes, **wishes: Any) -> FillResult:
    """Return a workbook filled with the marks of the class."""
    return fill(data, MARKS, lambda _: SAID, FillOptions(**wishes))


# Read back by another library


@pytest.fixture
def openpyxl() -> Any:
    """A library that knows workbooks better than we do."""
    return pytest.importorskip("openpyxl")


@pytest.fixture
def book(openpyxl: Any) -> bytes:
    """A workbook of a teacher's own, with colours, formulas and a sheet before the marks."""
    made = openpyxl.Workbook()
    made.active.title = "Welcome"
    made.active["A1"] = "Read me & <b>smile</b>"
    sheet = made.create_sheet("Marks")
    for row in (
        ["Marks of 2025"],
        ["Name", "Student ID", "Mark", "Twice", "Comments"],
        ["Zoë De Smet", 1001, None, "=C3*2"],
        ["Jan Peeters", 1002, "-", "=C4*2", None],
        ["Øyvind Å", 1003, 7, "=C5*2", "ill"],
    ):
        sheet.append(row)
    for cell in ("C3", "C4"):
        sheet[cell].font = openpyxl.styles.Font(bold=True)
        sheet[cell].number_format = "0.00"
    sheet.conditional_formatting.add(
        "C3:C5", openpyxl.formatting.rule.CellIsRule(operator="lessThan", formula=["10"])
    )
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


def test_only_marks_and_feedback_differ(openpyxl: Any, book: bytes) -> None:
    """Cell by cell, with formulas and the look of each; in the sheet that has the marks."""
    done = filled(book)
    before, after = (openpyxl.load_workbook(io.BytesIO(each)) for each in (book, done.data))
    assert before.sheetnames == after.sheetnames
    changed = {
        (sheet.title, cell.coordinate): cell.value
        for sheet in after
        for row in sheet.iter_rows()
        for cell in row
        if cell.value != before[sheet.title][cell.coordinate].value
    }
    assert {
        ("Marks", "C3"): 12.5,
        ("Marks", "C4"): 20,
        ("Marks", "E3"): SAID,
        ("Marks", "E4"): SAID,
    } == changed
    for cell in ("C3", "C4", "C5", "D3"):
        old, new = before["Marks"][cell], after["Marks"][cell]
        assert (old.font.b, old.number_format) == (new.font.b, new.number_format)
        assert old.style_id == new.style_id
    assert after["Marks"].conditional_formatting


def test_other_members_keep_their_bytes(book: bytes) -> None:
    """In their order; only the sheet is another one."""
    before, after = unpacked(book), unpacked(filled(book).data)
    assert list(before) == list(after)
    changed = {name for name in before if before[name] != after[name]}
    assert {"xl/worksheets/sheet2.xml"} == changed


def test_filled_twice_is_filled_once(book: bytes) -> None:
    """What stands there is recognised as what we put there."""
    once = filled(book)
    twice = filled(once.data)
    assert (0, 2, once.data) == (twice.written, twice.same, twice.data)


# XML in all its forms


def test_sheet_without_formulas_is_all_that_changes() -> None:
    """Macros and what nobody knows stay as they are."""
    data = archive(members(f"{HEADER}<row r='2'>{text('A2', 'zdesmet')}</row>"))
    after = unpacked(filled(data).data)
    assert {SHEET} == {name for name, old in unpacked(data).items() if old != after[name]}


def test_formulas_are_calculated_anew() -> None:
    """What stands beside a formula was right for the old marks: a spreadsheet is told so."""
    twice = '<c r="D2"><f>B2*2</f><v>0</v></c>'
    data = archive(members(f"{HEADER}<row r='2'>{text('A2', 'zdesmet')}{twice}</row>"))
    after = unpacked(filled(data).data)
    assert '<calcPr fullCalcOnLoad="1" calcId="1"/>' in after["xl/workbook.xml"].decode()
    assert twice in after[SHEET].decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<calcPr fullCalcOnLoad='0' calcId='1'/>", "<calcPr fullCalcOnLoad=\"1\" calcId='1'/>"),
        ("<calcPr fullCalcOnLoad='true'/>", "<calcPr fullCalcOnLoad='true'/>"),
        ("", '<calcPr fullCalcOnLoad="1"/>'),
        (
            f"{NAMES}<oleSize/>",
            f'{NAMES}<calcPr fullCalcOnLoad="1"/><oleSize/>',
        ),
    ],
)
def test_formulas_are_calculated_anew_whatever_the_workbook_says(before: str, after: str) -> None:
    """Settings for calculation may be absent, or say otherwise; the order of elements is fixed."""
    twice = '<c r="D2"><f>B2*2</f><v>0</v></c>'
    contents = members(f"{HEADER}<row r='2'>{text('A2', 'zdesmet')}{twice}</row>")
    usual = '<calcPr calcId="1"/>'
    contents["xl/workbook.xml"] = contents["xl/workbook.xml"].replace(usual, before)
    said = unpacked(filled(archive(contents)).data)["xl/workbook.xml"].decode()
    assert f"</sheets>{after}</workbook>" in said


def test_settings_for_calculation_have_the_prefix_of_the_workbook() -> None:
    """Without it, they would be in no namespace, and no program would find them."""
    twice = '<c r="D2"><f>B2*2</f><v>0</v></c>'
    contents = members(f"{HEADER}<row r='2'>{text('A2', 'zdesmet')}{twice}</row>")
    contents["xl/workbook.xml"] = (
        f'<x:workbook {MAIN.replace("xmlns", "xmlns:x")} xmlns:r="{RELATIONS}"><x:sheets>'
        '<x:sheet name="Marks" sheetId="1" r:id="rId1"/></x:sheets></x:workbook>'
    )
    said = unpacked(filled(archive(contents)).data)["xl/workbook.xml"].decode()
    assert '</x:sheets><x:calcPr fullCalcOnLoad="1"/></x:workbook>' in said


@pytest.mark.parametrize(
    ("cell", "after"),
    [
        ("", '<c r="B2"><v>12.5</v></c>'),
        ('<c r="B2" s="7"/>', '<c r="B2" s="7"><v>12.5</v></c>'),
        ("<c s='7' t='s' r='B2'><v></v></c>", "<c s='7' r='B2'><v>12.5</v></c>"),
        ('<c t="inlineStr" r="B2"><is><t>-</t></is></c>', '<c r="B2"><v>12.5</v></c>'),
        ("<c></c>", "<c><v>12.5</v></c>"),
    ],
)
def test_cell_of_any_form_is_filled(cell: str, after: str) -> None:
    """Empty, with a style, with another type, without a reference, or not there at all."""
    last = text("C2", "said before")
    row = "<row r='2'>{}{}{}</row>"
    data = archive(members(HEADER + row.format(text("A2", "zdesmet"), cell, last)))
    wanted = HEADER + row.format(text("A2", "zdesmet"), after, last)
    assert wanted in unpacked(filled(data).data)[SHEET].decode()


def test_names_may_have_a_prefix() -> None:
    """As some programs write each of them."""
    rows = f"{HEADER}<row r='2'>{text('A2', 'zdesmet')}</row>"
    plain = f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>"
    prefixed = plain.replace("</", "<//").replace("<", "<x:").replace("<x://", "</x:")
    prefixed = prefixed.replace("xmlns=", "xmlns:x=")
    done = filled(archive(members("", **{SHEET: prefixed})))
    sheet = unpacked(done.data)[SHEET].decode()
    assert '<x:c r="B2"><x:v>12.5</x:v></x:c>' in sheet
    assert '<x:is><x:t xml:space="preserve">Your code' in sheet
    assert 1 == filled(done.data).same


def test_shared_texts_and_numbers_are_read() -> None:
    """Texts in several pieces, ids that a spreadsheet keeps as floats."""
    header = HEADER.replace("Username", "ID").replace("Comment", "Name")
    row = '<row r="2"><c r="A2"><v>1001.0</v></c><c r="C2" t="s"><v>1</v></c></row>'
    done = filled(archive(members(header + row)))
    assert [("Zoë De Smet", 1)] == [(match.student_name, match.row) for match in done.matches.found]
    (table,) = Workbook.read(done.data).tables()
    assert ["1001", "12.5", "De Smet"] == table.rows[1]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1001.0", "1001"),
        ("1.23456E5", "123456"),
        ("1.25E-1", "0.125"),
        ("12.5", "12.5"),
        ("1E999999", "1E999999"),
        ("1E-999999", "0"),
        ("nan", "nan"),
        ("", ""),
    ],
)
def test_numbers_have_no_exponent(value: str, shown: str) -> None:
    """Ids and marks are compared as they are shown; none is written out in a million digits."""
    data = archive(members(f"<row><c><v>{value}</v></c></row>"))
    (table,) = Workbook.read(data).tables()
    assert [shown] == table.rows[0]


def test_formula_is_never_filled() -> None:
    """Not on demand either: it is told."""
    cell = '<c r="B2"><f>1+1</f><v>2</v></c>'
    data = archive(members(f"{HEADER}<row r='2'>{text('A2', 'zdesmet')}{cell}</row>"))
    done = filled(data, overwrite=True)
    assert (["Zoë De Smet"], 0, data) == (done.locked, done.written, done.data)


def test_texts_are_no_markup() -> None:
    """Nor characters that no XML may have."""
    data = archive(members(f"{HEADER}<row r='2'>{text('A2', 'zdesmet')}</row>"))
    (table,) = Workbook.read(data).tables()
    done = table.fill_cells(
        {CellPosition(1, 2): '<b>&"\x00\ud800', CellPosition(1, 1): Decimal(1)}, comma=True
    )
    (again,) = Workbook.read(done).tables()
    assert ["zdesmet", "1", '<b>&"␀\\ud800'] == again.rows[1]


# Strangers


@pytest.mark.parametrize(
    ("others", "error"),
    [
        ({SHEET: '<!DOCTYPE x [<!ENTITY a "b">]><worksheet>&a;</worksheet>'}, "document type"),
        ({"xl/sharedStrings.xml": "<!DOCTYPE sst><sst/>"}, "document type"),
        ({SHEET: "<worksheet><sheetData>"}, "no element found"),
        (
            {SHEET: f"<worksheet {MAIN}><sheetData><row r='9999999'/></sheetData></worksheet>"},
            "rows",
        ),
        ({SHEET: "<worksheet><row r='1'><c r='ZZZ1'/></row></worksheet>"}, "too many cells"),
        ({"_rels/.rels": relations()}, "the zip contains no workbook"),
        ({"xl/workbook.xml": "\0\0"}, "not encoded in UTF-8"),
    ],
)
def test_hostile_workbook_is_refused(others: dict[str, str], error: str) -> None:
    """No entity, no sheet that would fill the memory, no half of a document."""
    with pytest.raises(UsageError, match=error):
        filled(archive(members(HEADER, **others)))


def test_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is never unpacked beyond what all of it may be."""
    monkeypatch.setattr(workbooks, "MAX_BYTES", 100_000)
    with pytest.raises(UsageError, match="its unpacked size is over"):
        filled(archive(members(HEADER, **{"xl/media/bomb.xml": "0" * 1_000_000})))


def test_wide_rows_are_refused() -> None:
    """Few cells can reach far: what lies between them is not made."""
    rows = "".join(f"<row r='{n}'><c r='XFD{n}'/></row>" for n in range(1, 200))
    with pytest.raises(UsageError, match="more than 2,000,000 cells"):
        filled(archive(members(rows)))


@pytest.mark.parametrize(("number", "error"), [(0, "has the number 0"), (100_001, "100,000 rows")])
def test_rows_out_of_range_are_refused(number: int, error: str) -> None:
    """The first row has the number 1."""
    with pytest.raises(UsageError, match=error):
        filled(archive(members(f"<row r='{number}'></row>")))


@given(st.integers(0, 10_000), st.binary(max_size=4))
def test_damage_is_told(at: int, noise: bytes) -> None:
    """A workbook with any bytes in any place is read or refused, and nothing else happens."""
    data = bytearray(archive(members(f"{HEADER}<row r='2'>{text('A2', 'zdesmet')}</row>")))
    at %= len(data)
    data[at : at + len(noise)] = noise
    try:
        filled(bytes(data))
    except UsageError:
        return
