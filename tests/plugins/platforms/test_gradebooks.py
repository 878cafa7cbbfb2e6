"""Gradebooks of all platforms are filled, and nothing else in them is touched."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worksheets import JAN, MARKS, SAID, WORKSHEETS, ZOE, Given, filled, mark

from grader.errors import UsageError
from grader.plugins.platforms.gradebooks.delimited import DelimitedText
from grader.plugins.platforms.gradebooks.filling import FillOptions, fill
from grader.plugins.platforms.gradebooks.scaling import Scaling


def cells(sheet: Given, data: bytes) -> list[list[str]]:
    """Return the cells of a worksheet as a parser that is not ours reads them."""
    text = io.StringIO(data.decode(sheet.encoding), newline="")
    return list(csv.reader(text, delimiter=sheet.delimiter))


def differences(
    before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the cells that are otherwise, and what is in them."""
    empty: Sequence[str] = []
    for row, (old, new) in enumerate(zip_longest(before, after, fillvalue=empty)):
        for column, (one, other) in enumerate(zip_longest(old, new)):
            if one != other:
                yield (row, column), other or ""


@pytest.mark.parametrize("sheet", WORKSHEETS.values(), ids=WORKSHEETS)
def test_only_marks_and_feedback_differ(sheet: Given) -> None:
    """In the gradebook of each platform, read by another parser than ours, cell by cell."""
    done = fill(sheet.before, MARKS, lambda _: SAID, sheet.wishes)
    assert sheet.dialect == done.dialect
    changed = dict(differences(cells(sheet, sheet.before), cells(sheet, done.data)))
    assert sheet.changed == changed


@pytest.mark.parametrize("sheet", WORKSHEETS.values(), ids=WORKSHEETS)
def test_every_other_byte_stays(sheet: Given) -> None:
    """Encoding, byte order mark, quotes, line ends, blank lines, a last line that is not ended."""
    assert sheet.after == fill(sheet.before, MARKS, lambda _: SAID, sheet.wishes).data


IMPORTERS = {
    "moodle": ("Identifier", r"Grade", "Participant {}"),
    "moodle in Dutch": ("Identificatie", r"Cijfer", "Deelnemer {}"),
    "moodle in Spanish": ("Identificador", r"Calificación", "Participante {}"),
    "blackboard": ("Username", r".* \|901", "{}"),
    "blackboard without a byte order mark": ("Username", r".* \|901", "{}"),
    "blackboard in Dutch": ("Gebruikersnaam", r".* \|901", "{}"),
    "canvas": ("ID", r".* \(77\)", "{}"),
    "brightspace": ("OrgDefinedId", r".* Points Grade .*", "#{}"),
    "dodona": ("id", r"Akari Score", "{}"),
}
"""By what each platform knows a row, and the column of marks, when it takes a worksheet back."""


@pytest.mark.parametrize("name", IMPORTERS)
def test_platform_takes_the_marks_back(name: str) -> None:
    """Read as it reads them: by its own key, from its own column, each row once and none lost."""
    key, column, scheme = IMPORTERS[name]
    sheet = WORKSHEETS[name]
    header, *before = cells(sheet, sheet.before)
    header, *rows = cells(sheet, fill(sheet.before, MARKS, lambda _: SAID, sheet.wishes).data)
    (marks_in,) = (at for at, text in enumerate(header) if re.fullmatch(column, text))
    keys_in = header.index(key)
    read = {row[keys_in].casefold(): row[marks_in].replace(",", ".") for row in rows}
    assert [row[keys_in] for row in before] == [row[keys_in] for row in rows]
    for person, points in ((ZOE, 12.5), (JAN, 20.0)):
        told = (
            person.user if "username" in key.casefold() or "gebr" in key.casefold() else person.id
        )
        assert points == float(read[scheme.format(told).casefold()])


@pytest.mark.parametrize("sheet", WORKSHEETS.values(), ids=WORKSHEETS)
def test_filled_twice_is_filled_once(sheet: Given) -> None:
    """What stands there already is not written again, nor counted as a clash."""
    again = fill(sheet.after, MARKS, lambda _: SAID, replace(sheet.wishes, overwrite=False))
    assert sheet.after == again.data
    assert (0, 2, []) == (again.written, again.same, again.kept)


def own(zoe: str = "", said: str = "") -> bytes:
    """Return a small worksheet in which Zoë may have a mark, and something may be said of her."""
    return f"Username,Mark,Comment\nzdesmet,{zoe},{said}\njpeeters,,\n".encode()


@given(
    sheet=st.sampled_from(list(WORKSHEETS.values())),
    at=st.integers(0, 1_000),
    cut=st.integers(0, 5),
    noise=st.binary(max_size=5),
)
def test_damage_is_told_or_does_no_harm(sheet: Given, at: int, cut: int, noise: bytes) -> None:
    """Whatever happened to a worksheet on its way: what is not filled is as it was."""
    at %= len(sheet.before)
    data = sheet.before[:at] + noise + sheet.before[at + cut :]
    try:
        done = fill(data, MARKS, lambda _: SAID, replace(sheet.wishes, skips_doubtful=True))
    except UsageError:
        return
    table, after = DelimitedText.read(data), DelimitedText.read(done.data)
    assert len(table.rows) == len(after.rows)
    changed = list(differences(table.rows, after.rows))
    assert done.written + done.feedback_written >= len([text for _, text in changed if text])


def test_header_of_a_million_brackets_costs_no_time() -> None:
    """What a column is called is looked at once, and not from each of its letters on."""
    sheet = b"Last Name,First Name,Username," + b"[" * 1_000_000 + b",Mark\n,,zdesmet,,\n"
    assert 1 == filled(sheet, MARKS[0]).written


# What is there already


def test_mark_that_is_there_is_kept_and_told() -> None:
    """Nobody's mark is changed in silence; what is said of it stays too."""
    done = filled(own("11", "well done"))
    assert own("11", "well done").replace(b"jpeeters,,", b"jpeeters,20," + quoted()) == done.data
    assert [("Zoë De Smet", "11", Decimal("12.5"))] == done.kept
    assert [] == done.replaced
    assert (1, 1) == (done.feedback_written, done.feedback_kept)


def quoted() -> bytes:
    """Return what is said, as it stands in CSV."""
    return b'"' + SAID.replace('"', '""').encode() + b'"'


def test_mark_is_replaced_on_demand_and_told() -> None:
    """So is what was said of it."""
    done = filled(own("11", "well done"), overwrite=True)
    assert own("12.5", quoted().decode()) == done.data.replace(b"20," + quoted(), b",")
    assert [("Zoë De Smet", "11", Decimal("12.5"))] == done.replaced


def test_same_mark_in_other_digits_is_the_same() -> None:
    """A platform that writes `12.50` has the mark already: its cell stays."""
    done = filled(own("12.50", "fine"))
    assert b"zdesmet,12.50,fine" in done.data
    assert (1, 1) == (done.written, done.same)


def test_locked_mark_is_told() -> None:
    """Moodle would skip it without a word."""
    locked = MOODLE_NO.replace("20.00,Yes", "20.00,No", 1)
    done = filled(locked.encode())
    assert ["Jan Peeters"] == done.locked
    assert 1 == done.written


MOODLE_NO = WORKSHEETS["moodle"].before.decode()


# Numbers


@pytest.mark.parametrize(
    ("score", "out_of", "step", "even", "mark_"),
    [
        (12.5803, None, "0.01", False, "12.58"),
        (12.5, "10", "0.01", False, "6.25"),
        (12.5, "10", "0.5", False, "6.5"),
        (12.5, "10", "0.5", True, "6.0"),
        (12.5, None, "1", False, "13"),
        (12.5, None, "1", True, "12"),
        (0.1 + 0.2, "200", "2", True, "4"),  # exactly 3 of 200: noise must not decide on a half
        (13.0, None, "0.3", False, "12.9"),
        (12.4999999, None, "1", False, "12"),  # these digits were earned
        (20.0, "7", "0.01", False, "7"),
    ],
)
def test_marks_are_scaled_and_rounded_exactly(
    score: float, out_of: str | None, step: str, even: bool, mark_: str
) -> None:
    """Halves go up, or to the even multiple: floats have no say."""
    scaling = Scaling(
        out_of=None if out_of is None else Decimal(out_of), step=Decimal(step), half_even=even
    )
    assert Decimal(mark_) == scaling.mark(score, 20.0)


def test_platform_that_counts_out_of_something_else_is_told() -> None:
    """Points out of 40 in a column out of 20 would be wrong marks."""
    marks = (mark(ZOE, 25.0, 40.0),)
    sheet = WORKSHEETS["canvas"].before
    with pytest.raises(
        UsageError, match="out of 20 on the platform, but out of 40 in the run"
    ) as raised:
        filled(sheet, *marks)
    assert "--out-of 20" in str(raised.value.help)
    assert (
        b'zdesmet,"A, B",12.5,' in filled(sheet, *marks, scaling=Scaling(out_of=Decimal(20))).data
    )


@pytest.mark.parametrize(
    ("sheet", "cell"),
    [
        (b"Username;Mark\nzdesmet;\njpeeters;\n", b"zdesmet;12,5\n"),
        (b"Username;Mark\nzdesmet;\njpeeters;\nx;3.5\n", b"zdesmet;12.5\n"),
        (b"Username,Mark\nzdesmet,\njpeeters,\n", b"zdesmet,12.5\n"),
        (b'Username,Mark\nzdesmet,\njpeeters,\nx,"3,5"\n', b'zdesmet,"12,5"\n'),
        (b"Username\tMark\tMax\nzdesmet\t\t20,0\njpeeters\t\t20,0\n", b"zdesmet\t12,5\t20,0\n"),
    ],
)
def test_decimal_comma_is_used_where_the_file_has_it(sheet: bytes, cell: bytes) -> None:
    """Other numbers in it tell, and else what stands between its cells."""
    assert cell in filled(sheet).data


# Columns


def test_column_is_that_of_the_exercise() -> None:
    """Of several columns of marks the one that is called as the exercise is, or as its title."""
    sheet = WORKSHEETS["canvas"].before.replace(b"(read only),(read", b"10,(read", 1)
    assert "Akari (77)" == filled(sheet).column
    titled = sheet.replace(b"Akari (77)", b'"Week 3: akari, the puzzle (77)"')
    assert "Week 3: akari, the puzzle (77)" == filled(titled).column


def test_column_that_is_not_clear_is_asked_for() -> None:
    """Nothing is filled by chance; the ones that it can be are named."""
    sheet = WORKSHEETS["canvas"].before.replace(b"(read only),(read", b"10,(read", 1)
    sheet = sheet.replace(b"Akari", b"Puzzle")
    with pytest.raises(UsageError, match="several possible columns") as raised:
        filled(sheet)
    assert "Puzzle (77), Loops (78)" in str(raised.value.help)
    assert "Puzzle (77)" == filled(sheet, column="Puzzle (77)").column
    assert "Puzzle (77)" == filled(sheet, column="puzzle  (77)").column
    with pytest.raises(UsageError, match="identifies students"):
        filled(sheet, column="Student")


def test_column_may_be_any_that_is_named() -> None:
    """A worksheet of one's own may call it as it likes."""
    sheet = b"Username,First try,Second try\nzdesmet,,\njpeeters,,\n"
    assert b"zdesmet,,12.5\n" in filled(sheet, column="Second try").data
    with pytest.raises(UsageError, match="no header row with columns for students and marks"):
        filled(sheet)


@pytest.mark.parametrize("name", ["Akari", "AKARI", '"Akari, the puzzle"', "Mark (out of 20)"])
def test_column_of_ones_own_may_be_called_after_the_exercise(name: str) -> None:
    """Or as a mark, with what it is out of."""
    assert b"zdesmet,12.5\n" in filled(f"Username,{name}\nzdesmet,\njpeeters,\n".encode()).data


@pytest.mark.parametrize("name", ["Mark (out of 10)", "Punten op 10", "Nota /10"])
def test_maximum_may_stand_in_the_header(name: str) -> None:
    """Of a worksheet of one's own, too."""
    with pytest.raises(UsageError, match="out of 10 on the platform, but out of 20 in the run"):
        filled(f"Username;{name}\nzdesmet;\njpeeters;\n".encode())


def test_column_that_is_called_after_the_exercise_comes_before_a_total() -> None:
    """A worksheet of one's own may have a sum as well."""
    sheet = b"Username;Akari;Total\nzdesmet;;9\njpeeters;;8\n"
    assert b"zdesmet;12,5;9\n" in filled(sheet).data


def test_marks_in_words_are_no_business_of_a_run() -> None:
    """Moodle can have a scale in place of points."""
    sheet = b'Identifier,Grade,Scale,"Last modified (grade)"\nParticipant 1,,"Not yet, Good",-\n'
    with pytest.raises(UsageError, match="words of a scale"):
        filled(sheet)


def test_column_that_is_there_twice_is_refused() -> None:
    """It is not said which of the two is meant."""
    with pytest.raises(UsageError, match="several columns"):
        filled(b"Username,Mark,Mark\nzdesmet,,\n", column="Mark")


def test_read_only_column_of_canvas_is_none() -> None:
    """What Canvas calculates it does not take back."""
    sheet = WORKSHEETS["canvas"].before.replace(b"Akari (77)", b"Puzzle (77)")
    assert "Puzzle (77)" == filled(sheet).column


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old workbook"),
        (b"<html><table>", "a web page with the file name of a workbook"),
        (b"%PDF-1.7", "a PDF file"),
        (b"", "the worksheet is empty"),
        (b"\xff\xfea", "neither a workbook nor text in a known encoding"),
        (b'Username,Mark\n"zdesmet,1\n', "line 2 of the worksheet has an unclosed quote"),
    ],
)
def test_what_is_no_worksheet_is_told(data: bytes, error: str) -> None:
    """With what it is, as far as that shows."""
    with pytest.raises(UsageError, match=error):
        filled(data)


# Feedback


def test_feedback_is_no_formula() -> None:
    """Whoever opens the worksheet must not calculate what a student has handed in."""
    for text in ("=1+1", "+1", "-1", "@x", "\t=1", "\r=1"):
        done = fill(own(), MARKS, lambda _, text=text: text, FillOptions())  # type: ignore[misc]
        rows = list(csv.reader(io.StringIO(done.data.decode(), newline="")))
        assert f"'{text}" == rows[1][2]


def test_what_the_encoding_lacks_becomes_a_question_mark() -> None:
    """An old worksheet stays in its encoding."""
    sheet = "Naam;Punten;Opmerking\nZoë De Smet;;\n".encode("cp1252")
    done = fill(sheet, MARKS[:1], lambda _: "✓ één", FillOptions())
    assert "Zoë De Smet;12,5;? één\n".encode("cp1252") in done.data
