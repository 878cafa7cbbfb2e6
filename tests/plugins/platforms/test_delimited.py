"""Cells of delimited text are replaced, and every byte beside them stays."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grader.errors import UsageError
from grader.plugins.platforms.gradebooks.delimited import DelimitedText, decimal_text
from grader.plugins.platforms.gradebooks.tables import CellPosition, Content

LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
CELLS = st.one_of(TEXTS, st.sampled_from(["", 'a "b"', "x,y", "1;5", "\t", "a\nb", "a\r\nb", " "]))
ROWS = st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=5)


def written(rows: list[list[str]], delimiter: str, line_end: str, quoting: int) -> str:
    """Return `rows` as the `csv` module writes them."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    return text.getvalue()


def read(text: str, delimiter: str) -> list[list[str]]:
    """Return the rows in `text` as the `csv` module reads them."""
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


@given(
    rows=ROWS,
    delimiter=st.sampled_from([",", ";", "\t"]),
    line_end=LINE_ENDS,
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    is_ended=st.booleans(),
    data=st.data(),
)
def test_any_cell_of_any_table(
    rows: list[list[str]],
    delimiter: str,
    line_end: str,
    quoting: int,
    is_ended: bool,
    data: st.DataObject,
) -> None:
    """What another parser reads differs in that cell alone; nothing before or after is touched."""
    header = delimiter.join("ab")  # which says what stands between cells
    text = f"{header}{line_end}{written(rows, delimiter, line_end, quoting)}"
    text = text if is_ended else text.removesuffix(line_end)
    before = read(text, delimiter)
    assume(before == [["a", "b"], *(row for row in rows)])
    row = data.draw(st.integers(0, len(before) - 1))
    column = data.draw(st.integers(0, 5))
    new = data.draw(TEXTS.filter(lambda each: each[:1] not in "=+-@\t\r"))
    table = DelimitedText.read(text.encode())
    assert before == [list(each) for each in table.rows]
    after = table.fill_cells({CellPosition(row, column): new}, comma=False).decode()
    wanted = [*before[row], *[""] * (column + 1 - len(before[row]))]
    wanted[column] = new
    assert [*before[:row], wanted, *before[row + 1 :]] == read(after, delimiter)
    assert text == table.fill_cells({}, comma=False).decode()


@given(data=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Whatever a file holds: it is the same again where nothing is filled, or it is told."""
    try:
        table = DelimitedText.read(data)
    except UsageError:
        return
    assert data == table.fill_cells({}, comma=False)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end"])
def test_line_ends_stay(end: str, last: str) -> None:
    """Those of any system, and a last line that is not ended."""
    text = f"a,b{end}{end}1,2{end if not last else ''}"
    filled = DelimitedText.read(text.encode()).fill_cells({CellPosition(2, 1): "x"}, comma=False)
    assert text.replace("1,2", "1,x").encode() == filled


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_encoding_stays(encoding: str) -> None:
    """With its byte order mark, if there is one."""
    text = "náme\tmark\r\nZoë\t\r\n"
    filled = DelimitedText.read(text.encode(encoding)).fill_cells(
        {CellPosition(1, 1): "é"}, comma=False
    )
    assert text.replace("Zoë\t", "Zoë\té").encode(encoding) == filled


def test_several_cells_behind_the_end_of_a_row() -> None:
    """Each comes into its own column."""
    table = DelimitedText.read(b"a,b,c,d\n1\n")
    cells: dict[CellPosition, Content] = {
        CellPosition(1, 3): "z",
        CellPosition(1, 1): Decimal("2.50"),
    }
    assert b"a,b,c,d\n1,2.5,,z\n" == table.fill_cells(cells, comma=False)


def test_table_with_all_cells_in_quotes_gets_quotes() -> None:
    """Blackboard wants them around each."""
    table = DelimitedText.read(b'"a","b"\n"1",\n')
    assert b'"a","b"\n"1","2,5"\n' == table.fill_cells(
        {CellPosition(1, 1): Decimal("2.5")}, comma=True
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [("12.50", "12.5"), ("20", "20"), ("20.00", "20"), ("1E+2", "100"), ("0.00", "0")],
)
def test_marks_are_written_without_idle_zeros(value: str, text: str) -> None:
    """And never with an exponent."""
    assert text == decimal_text(Decimal(value))


def test_quote_that_is_never_closed_costs_no_time() -> None:
    """A file that is all quotes is refused at once, and does not try every way to read it."""
    with pytest.raises(UsageError, match="line 1 of the worksheet has an unclosed quote"):
        DelimitedText.read(b'"' + b'""' * 500_000 + b"a,b")
